"""Bad input: the class of the error, what its message names, and what its traceback shows."""

from __future__ import annotations

import inspect
import re
import traceback
import types
from pathlib import Path

import numpy as np
import pytest

import anabranch
from anabranch import AnabranchError, jit
from anabranch.runtime import errors
from anabranch.runtime.config import configure

HERE = __file__


def line_of(text: str) -> int:
    """The line of this file that ends with the comment `# text`."""
    lines = Path(HERE).read_text().splitlines()
    (found,) = [i for i, line in enumerate(lines, 1) if line.endswith(f"# {text}")]
    return found


def located(error: BaseException, text: str, marked: str) -> None:
    """The message names file, line and column, shows the line, and the caret marks `marked`."""
    message = str(error)
    number = line_of(text)
    source = Path(HERE).read_text().splitlines()[number - 1]
    place = re.search(rf"{re.escape(HERE)}:{number}:(\d+)", message)
    assert place, message
    lines = message.splitlines()
    at = lines.index(next(x for x in lines if source.strip() in x))
    shown, caret = lines[at], lines[at + 1]
    assert set(caret.strip()) == {"^"}
    start = caret.index("^")
    assert shown[start : start + caret.count("^")] == marked
    assert source[int(place[1]) - 1 :].startswith(marked)


def frames(error: BaseException) -> list[tuple[str, str, int]]:
    summary = traceback.extract_tb(error.__traceback__)
    return [(Path(f.filename).name, f.name, f.lineno) for f in summary]


def test_hierarchy():
    for name, builtin in {
        "NoSourceError": OSError,
        "UnsupportedConstructError": NotImplementedError,
        "ConcretizationError": TypeError,
        "UnsupportedValueError": TypeError,
        "UnsupportedOperationError": NotImplementedError,
        "StructureMismatchError": TypeError,
        "ShapeMismatchError": ValueError,
        "AliasError": ValueError,
        "IntegerRangeError": OverflowError,
        "CapacityError": RuntimeError,
        "StaticArgumentError": TypeError,
        "ImmutableArrayError": TypeError,
        "DeletedArrayError": RuntimeError,
        "EscapedTracerError": RuntimeError,
    }.items():
        error = getattr(errors, name)
        assert issubclass(error, AnabranchError)
        assert issubclass(error, builtin)


def test_function_without_source():
    scope: dict[str, object] = {}
    exec("def f(x):\n    if x > 0:\n        return 1.0\n    return 2.0\n", scope)
    with pytest.raises(anabranch.NoSourceError) as caught:
        jit(scope["f"])(1.0)
    assert isinstance(caught.value, OSError)


def test_several_unsupported_constructs_at_once():
    def many(x):
        class Local:
            if x > 0:  # many: class
                y = 1

        exec("x = 1")
        return lambda y: y > 0 and (z := y) > 1 and z

    with pytest.raises(anabranch.UnsupportedConstructError) as caught:
        jit(many)(1.0)
    codes = [f.code for f in caught.value.findings]
    assert sorted(codes) == ["AB104", "AB106", "AB107"]
    message = str(caught.value)
    assert all(code in message for code in codes)
    assert f"{HERE}:{line_of('many: class')}:" in message
    assert "3 constructs" in message
    assert re.search(r"^ +\^+$", message, re.MULTILINE)


def test_unhashable_static_argument():
    def f(x, sizes):
        return x

    with pytest.raises(anabranch.StaticArgumentError, match=r"static argument 'sizes' of .*f is a list") as caught:
        jit(f, static_argnames="sizes")(1.0, [1, 2])
    assert isinstance(caught.value, TypeError)


def test_static_argument_that_is_not_there():
    def f(x):
        return x

    with pytest.raises(anabranch.StaticArgumentError, match="no such parameter"):
        jit(f, static_argnames="y")
    with pytest.raises(anabranch.StaticArgumentError, match="static_argnums has 1"):
        jit(f, static_argnums=1)


@pytest.mark.parametrize(
    ("args", "where"),
    [
        ((1.0, object()), "b"),
        (({object()}, 1.0), "a"),
        ((1.0, [1.0, object()]), "b[1]"),
        ((1.0, {"k": (object(),)}), "b['k'][0]"),
        ((np.array(["x"], ">U1"), 1.0), "a"),
    ],
)
def test_unsupported_argument_names_the_parameter(args, where):
    def f(a, b):
        return a

    with pytest.raises(anabranch.UnsupportedValueError, match=re.escape(f"argument '{where}'")):
        jit(f)(*args)


def test_shape_mismatch():
    def add(a, b):
        c = a * 2
        return c + b  # shape mismatch

    with pytest.raises(ValueError, match="could not be broadcast") as caught:
        jit(add)(np.ones(3), np.ones(4))
    assert type(caught.value) is errors.ShapeMismatchError
    assert "(3,)" in str(caught.value)
    assert "(4,)" in str(caught.value)
    located(caught.value, "shape mismatch", "c + b")
    assert frames(caught.value)[-1] == (Path(HERE).name, "add", line_of("shape mismatch"))


def test_shape_mismatch_in_a_helper():
    def inner(a, b):
        return a @ b  # shapes of a product

    def outer(a, b):
        return inner(a, b) + 1  # call of the helper

    with pytest.raises(ValueError, match=r"shape|mismatch|core dimension") as caught:
        jit(outer)(np.ones((2, 3)), np.ones((2, 3)))
    names = [(name, number) for _, name, number in frames(caught.value)]
    assert names[-2:] == [("outer", line_of("call of the helper")), ("inner", line_of("shapes of a product"))]


def test_run_time_value_as_a_shape():
    def zeros(x, n):
        return np.zeros(n) + x  # run-time shape

    with pytest.raises(anabranch.ConcretizationError, match="static_argnames") as caught:
        jit(zeros, auto_static=False)(1.0, 3)
    located(caught.value, "run-time shape", "np.zeros(n)")


def test_steps_without_a_common_type():
    def grow(n):
        rows = 0.0
        for i in range(n):
            rows = (rows, i)
        return rows

    with configure(auto_static=False), pytest.raises(AnabranchError) as caught:
        jit(grow)(3)
    assert "static_argnames" in str(caught.value) or "rows" in str(caught.value)


def raise_own(x):
    if x > 0:
        raise KeyError("mine")  # own exception
    return x


def divide(x, y):
    return x / y  # division


def item(a, i):
    return a[i]  # index


@pytest.mark.parametrize(
    ("function", "args", "error", "mark"),
    [
        (raise_own, (1.0,), KeyError, "own exception"),
        (divide, (1.0, 0.0), ZeroDivisionError, "division"),
        (item, (np.ones(3), 7), IndexError, "index"),
    ],
)
def test_run_time_exceptions_show_the_users_frames_alone(function, args, error, mark):
    with pytest.raises(error) as eager:
        function(*args)
    with pytest.raises(error) as caught:
        jit(function)(*args)
    assert str(caught.value) == str(eager.value)
    assert type(caught.value) is type(eager.value)
    shown = frames(caught.value)
    assert shown[-1] == (Path(HERE).name, function.__name__, line_of(mark))
    assert all(file == Path(HERE).name for file, _, _ in shown)
    assert shown[1:] == frames(eager.value)[1:]


def test_frames_of_helpers_under_a_condition():
    def middle(a, i):
        return item(a, i) * 2  # middle

    def outer(a, i):
        if i > 0:
            return middle(a, i)  # outer
        return 0.0

    with pytest.raises(IndexError) as caught:
        jit(outer)(np.ones(3), 5)
    names = [(name, number) for _, name, number in frames(caught.value)][1:]
    assert names == [("outer", line_of("outer")), ("middle", line_of("middle")), ("item", line_of("index"))]


def test_a_second_call_shows_the_same_frames():
    compiled = jit(divide)
    assert compiled(1.0, 2.0) == 0.5
    seen = []
    for _ in range(2):
        with pytest.raises(ZeroDivisionError) as caught:
            compiled(1.0, 0.0)
        seen.append(frames(caught.value))
    assert seen[0] == seen[1]
    assert seen[0][-1][1] == "divide"


def test_full_tracebacks():
    def add(a, b):
        return a + b

    def files():
        with pytest.raises(ValueError, match="broadcast") as caught:
            jit(add)(np.ones(3), np.ones(4))
        return {file for file, _, _ in frames(caught.value)}

    assert files() == {Path(HERE).name}
    with configure(full_tracebacks=True):
        assert {"jitted.py", "trace_function.py", Path(HERE).name} <= files()
    assert files() == {Path(HERE).name}


def test_a_failed_compilation_is_not_kept():
    compiled = jit(item)
    for _ in range(2):
        with pytest.raises(AnabranchError):
            compiled(object(), 1)
    assert compiled(np.arange(3.0), 1) == 1.0


def attribute_appears(x):
    box = types.SimpleNamespace(y=x)
    if x > 0:
        box.z = x
    return box.y


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (attribute_appears, ("the SimpleNamespace 'box'", "['y'] or the names ['y', 'z']")),
    ],
)
def test_a_container_that_changes_its_structure_in_a_branch_is_named(function, words):
    with pytest.raises(anabranch.StructureMismatchError) as caught:
        jit(function)(1.0)
    line = inspect.getsourcelines(function)[1] + 2
    for word in (*words, f"{__file__}:{line}"):
        assert word in str(caught.value)


def lambda_in_a_function(a, i):
    pick = lambda j: a[j]  # noqa: E731
    return pick(0) + pick(i)


def comprehension_on_one_line(a):
    return [a[i] for i in range(6)]


@pytest.mark.parametrize(
    ("function", "args", "names"),
    [
        (lambda_in_a_function, (np.ones(3), 7), ["lambda_in_a_function", "<lambda>"]),
        (comprehension_on_one_line, (np.ones(3),), ["comprehension_on_one_line"]),
        (lambda a, i: (lambda j: a[j])(i), (np.ones(3), 7), ["<lambda>", "<lambda>"]),
        (lambda a, s: a.sum() > 0 and s[0], (np.ones(3), []), ["<lambda>"]),
    ],
)
def test_lambdas_of_the_user_are_shown_and_made_ones_are_not(function, args, names):
    with pytest.raises(IndexError) as caught:
        jit(function)(*args)
    assert [name for _, name, _ in frames(caught.value)][1:] == names


def test_recursion_without_a_condition_is_pythons_error():
    def endless(x):
        return endless(x) + 1

    with pytest.raises(RecursionError, match="maximum recursion depth") as caught:
        jit(endless)(1.0)
    assert type(caught.value) is RecursionError
    assert {name for _, name, _ in frames(caught.value)[1:]} == {"endless"}


def test_a_result_that_holds_itself_is_refused():
    def holds_itself(x):
        items = [x]
        items.append(items)
        return {"a": items}

    with pytest.raises(anabranch.UnsupportedValueError, match=r"the result\['a'\] is a list that holds itself"):
        jit(holds_itself)(1.0)


def test_a_new_object_of_an_argument_that_holds_itself_is_refused():
    def ring(node, x):
        first = types.SimpleNamespace(x=x, next=None)
        first.next = types.SimpleNamespace(x=x + 1, next=first)
        node.next = first

    with pytest.raises(anabranch.UnsupportedValueError, match=r"what a changed object holds.* that holds itself"):
        jit(ring)(types.SimpleNamespace(next=None), 1.0)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (np.array([1, None]), "dtype object cannot be compiled; pass one of numbers"),
        (np.array(["a"], ">U1"), "pass numbers that stand for the texts"),
        (iter([1.0]), r"is a list_iterator .* each call would use it up: pass list\(x\)"),
        ((v for v in [1.0]), r"pass list\(x\)"),
        ({object()}, r"members can be numbers, texts and the like, and tuples of these; pass tuple\(x\)"),
        (object(), "is an object .* name it in static_argnames"),
    ],
)
def test_a_refused_argument_says_what_to_pass_instead(value, words):
    with pytest.raises(anabranch.UnsupportedValueError, match=words):
        jit(lambda x: x)(value)


def test_a_container_that_grows_in_a_loop_is_refused_with_a_public_error():
    def grows(x):
        y = ()
        while x < 5:
            y = (*y, x)
            x = x + 1
        return y

    with pytest.raises(anabranch.StructureMismatchError, match="append to a list, or fill an array") as caught:
        jit(grows)(1.0)
    assert type(caught.value).__name__ == "StructureMismatchError"


@pytest.mark.parametrize("stage", ["trace", "lower", "explain", "eval_shape"])
def test_errors_of_the_stages_show_the_users_frames_alone(stage):
    def unknown(x):
        return x.nothing

    for args, error in (((object(),), anabranch.UnsupportedValueError), ((), TypeError), ((1.0,), AttributeError)):
        with pytest.raises(error) as caught:
            getattr(jit(unknown), stage)(*args)
        assert {file for file, _, _ in frames(caught.value)} == {Path(HERE).name}


def test_attempts_that_led_to_one_another_are_forgotten():
    """An exception that is kept and raised again may be the context of what is its own."""
    first, second, users = AnabranchError("a"), AnabranchError("b"), ValueError("c")
    first.__context__, second.__context__, users.__context__ = second, first, first
    errors.forget_attempts(users)
    assert users.__context__ is None
