"""A jitted function under the tools that look at functions: tracebacks, pdb, coverage, inspect, copy and pickle."""

from __future__ import annotations

import copy
import importlib.util
import inspect
import io
import pickle
import pydoc
import subprocess
import sys
import tempfile
import textwrap
import traceback
from pathlib import Path

import numpy as np
import pytest

from anabranch import ConcretizationError, NoSourceError, jit
from anabranch.runtime.config import configure
from tests.internals.transpile.eager_rewriting import from_text


def frames(function, *args):
    """(function, source line) of each frame of the error that a call raises, below this one."""
    try:
        function(*args)
    except Exception as error:
        return [(f.name, f.line) for f in traceback.extract_tb(error.__traceback__)[1:]]
    raise AssertionError("nothing raised")


# ---- Tracebacks


def limited(v):
    if v > 3:
        raise ValueError("big")
    return v


@jit
def fails_when_run(x):
    for _ in range(3):
        while x < 10:
            x = limited(x) + 1
    return x


@jit(auto_static=False)
def fails_while_traced(x):
    for _ in range(3):
        if x > 0:
            x = x + np.zeros(x)
    return x


def unknown_attribute(x):
    return x.nothing if x > 0 else x


@jit
def fails_in_a_helper(x):
    while x < 3:
        x = unknown_attribute(x)
    return x


class Model:
    def __init__(self, limit):
        self.limit = limit

    @jit
    def check(self, x):
        if x > self.limit:
            raise KeyError("above", self.limit)
        return x

    @jit
    def scaled(self, x):
        return x * self.limit if x > 0 else x


@pytest.mark.parametrize(
    ("function", "args", "want"),
    [
        (
            fails_when_run,
            (1.0,),
            [("fails_when_run", "x = limited(x) + 1"), ("limited", 'raise ValueError("big")')],
        ),
        (fails_while_traced, (2,), [("fails_while_traced", "x = x + np.zeros(x)")]),
        (
            fails_in_a_helper,
            (1.0,),
            [
                ("fails_in_a_helper", "x = unknown_attribute(x)"),
                ("unknown_attribute", "return x.nothing if x > 0 else x"),
            ],
        ),
        (lambda x: Model(2).check(x), (5,), [("<lambda>", None), ("check", 'raise KeyError("above", self.limit)')]),
        (jit(lambda x: x if x > 0 else {}[7]), (-1.0,), [("<lambda>", None)]),
    ],
)
def test_a_traceback_has_the_users_frames_alone(function, args, want):
    found = frames(function, *args)
    assert [name for name, _ in found] == [name for name, _ in want]
    assert all(line == expected for (_, line), (_, expected) in zip(found, want, strict=True) if expected)


def test_full_tracebacks_show_all():
    with configure(full_tracebacks=True):
        found = frames(jit(lambda x: np.zeros(x), auto_static=False), 2)
    assert "trace_call" in {name for name, _ in found}


def test_notes_and_causes_stay():
    @jit
    def fails(x):
        if x > 0:
            error = ValueError("outer")
            error.add_note("a note")
            raise error from KeyError("inner")
        return x

    with pytest.raises(ValueError, match="outer") as caught:
        fails(1.0)
    assert caught.value.__notes__ == ["a note"]
    assert repr(caught.value.__cause__) == "KeyError('inner')"
    assert fails(-1.0) == -1.0


# ---- Debugger and coverage


@jit
def stops(x):
    total = 0.0
    for i in range(3):
        if x > i:
            breakpoint()
            total += x
    return total


def test_a_breakpoint_stops_in_the_users_function_while_it_is_traced(monkeypatch):
    seen = []

    def look():
        frame = sys._getframe(1)
        seen.append((frame.f_code.co_name, frame.f_lineno, frame.f_code.co_filename))

    monkeypatch.setattr(sys, "breakpointhook", look)
    stops.clear_cache()
    assert stops(2.0) == 4.0
    assert set(seen) == {("stops", stops.__wrapped__.__code__.co_firstlineno + 5, __file__)}
    del seen[:]
    assert stops(1.0) == 1.0
    assert not seen


class Keeper:
    @jit
    def stops_inside(self, x, factor):
        __own = factor * 2
        later = [x]
        for i in range(3):
            twice = 2 * x
            if x > i:
                deep = i
                breakpoint()
                x = x - 1 + 0 * deep
        return x + twice + later[0] + __own

    def eager(self, *args):
        return Keeper.stops_inside.__wrapped__(self, *args)


def stops_in_a_helper(x):
    def inner(y):
        own = 1
        while y < 3:
            breakpoint()
            y = y + own + around
        return y

    around, unused = 1, 2
    return inner(x) + unused


def names_where_it_stops(monkeypatch, function, *args):
    """The names that a debugger is shown at each breakpoint that a call meets."""
    seen = []

    def look(*_):
        seen.append({n for n in sys._getframe(1).f_locals if n not in GENERATED})

    GENERATED = {"ab", "for_body", "while_body", "while_test", "if_true", "if_false"}
    monkeypatch.setattr(sys, "breakpointhook", look)
    return seen, function(*args)


def test_a_breakpoint_in_a_block_shows_the_names_of_the_function_around(monkeypatch):
    want, expected = names_where_it_stops(monkeypatch, Keeper().eager, 2.0, 3)
    got, found = names_where_it_stops(monkeypatch, Keeper().stops_inside, 2.0, 3)
    assert found == expected
    assert want[0] == {"self", "x", "factor", "_Keeper__own", "later", "i", "twice", "deep"}
    assert all(names == want[0] for names in got)
    assert got


def test_a_breakpoint_in_a_function_in_a_function_shows_its_own_names_alone(monkeypatch):
    want, expected = names_where_it_stops(monkeypatch, stops_in_a_helper, 0.0)
    got, found = names_where_it_stops(monkeypatch, jit(stops_in_a_helper), 0.0)
    assert found == expected
    assert want[0] == {"y", "own", "around"}
    assert all(names == want[0] for names in got)
    assert got


def test_pdb_shows_the_users_lines():
    program = """
    import pdb
    from anabranch import jit

    @jit
    def stops(x):
        around = [7, 8]
        while x < 3:
            pdb.set_trace()
            x = x + 1
        return x

    print(stops(1.0))
    """
    found = _run(program, "p x\np around\nn\nc\nc\n")
    assert "[7, 8]" in found
    assert "-> x = x + 1" in found
    assert "<traced float>" in found
    assert found.rstrip().endswith("3.0")


def test_run_time_values_are_printed_at_the_prompt_and_nowhere_else():
    program = """
    from anabranch import jit

    @jit
    def stops(x):
        while x < 3:
            breakpoint()
            x = x + 1
        return x

    print(stops(1.0))
    """
    found = _run(program, "print(x, [x])\npp {'a': x}\nf'{x}'\nc\nc\n")
    for shown in ("<traced float> [<traced float>]", "{'a': <traced float>}", "'<traced float>'"):
        assert shown in found
    helper = {}
    exec("def show(x):\n    return repr([x]), str(x)", helper)
    helper["show"].__module__ = "numpy"  # a library's, which is not rewritten
    with pytest.raises(ConcretizationError):
        jit(lambda x: helper["show"](x))(2.0)


def _run(program, answers, *module):
    """Return what a program prints that is a file, given these lines to read."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "program.py"
        file.write_text(textwrap.dedent(program))
        done = subprocess.run(
            [sys.executable, *module, str(file)], input=answers, capture_output=True, text=True, cwd=folder
        )
    assert done.returncode == 0, done.stderr
    return done.stdout


@jit
def covered(x):
    total = 0.0
    for i in range(3):
        if x > i:
            total += x
        else:
            total -= 1
    return total


def test_lines_count_as_run_when_they_are_traced():
    lines = set()

    def trace(frame, event, _):
        if frame.f_code.co_filename != __file__:
            return None
        if event == "line":
            lines.add(frame.f_lineno - covered.__wrapped__.__code__.co_firstlineno)
        return trace

    covered.clear_cache()
    before = sys.gettrace()
    sys.settrace(trace)
    try:
        covered(1.0)
    finally:
        sys.settrace(before)
    assert lines >= {2, 3, 4, 5, 7, 8}


def test_coverage_counts_them():
    pytest.importorskip("coverage")
    program = """
    import coverage
    cover = coverage.Coverage(data_file=None, include=[__file__])
    cover.start()
    from anabranch import jit

    @jit
    def covered(x):
        total = 0.0
        for i in range(3):
            if x > i:
                total += x
            else:
                total -= 1
        return total

    covered(1.0)
    cover.stop()
    print(cover.analysis2(__file__)[3])
    """
    missing = eval(_run(program, ""))
    assert not {9, 10, 11, 12, 14, 15}.intersection(missing)


# ---- What a function is asked for


def test_it_answers_as_the_function_does():
    assert inspect.getsource(covered) == inspect.getsource(covered.__wrapped__)
    assert inspect.signature(covered) == inspect.signature(covered.__wrapped__)
    assert covered.__name__ == "covered"
    assert pydoc.plain(pydoc.render_doc(covered)).endswith("covered(x)\n")


def test_copies_and_pickles():
    assert copy.copy(covered) is covered
    assert copy.deepcopy([covered])[0] is covered
    other = jit(limited)
    back = pickle.loads(pickle.dumps(other))
    assert back(2.0) == 2.0
    assert back.__wrapped__ is limited
    named = pickle.loads(pickle.dumps(covered))
    assert named(1.0) == covered(1.0)


def test_a_method_of_an_instance_that_nobody_else_keeps():
    assert Model(3).scaled(2.0) == 6.0
    model = Model(4)
    assert model.scaled(2.0) == 8.0
    kept = Model(5).scaled
    assert kept(2.0) == 10.0


# ---- Files as they may be

HEAD = "from anabranch import jit\nimport numpy as np\n"
BODY = """\
@jit
def f(x):
    while x < 3:
        x = x + 1
    if x > 2:
        raise ValueError('here')
    return x
"""
DEEP = "@jit\ndef f(x):\n" + "".join("    " * (i + 1) + f"if x > {-i}:\n" for i in range(19))
FILES = {
    "plain": BODY,
    "tabs": BODY.replace("    ", "\t"),
    "crlf": BODY.replace("\n", "\r\n"),
    "form_feed": "\f\n" + BODY,
    "form_feed_before_the_decorator": "\f" + BODY,
    "form_feed_in_a_string": BODY.replace("'here'", "'a\fb\x0b\x85\u2028'"),
    "names": BODY.replace("x", "größe").replace("'here'", "'日本 😀', größe"),
    "compatible_letters": BODY.replace("x", "ﬁx"),
    "byte_order_mark": "\ufeff" + BODY,
    "long_line": BODY.replace("x + 1", "x + 1" + " + 0 * x" * 90),
    "three_hundred_terms": BODY.replace("x + 1", "x + (" + " + ".join(["0"] * 300) + ") + 1"),
    "deep": DEEP + "    " * 20 + "raise ValueError('here')\n    return x\n",
    "type_comments": BODY.replace("(x):", "(x):  # type: (float) -> float").replace("+ 1", "+ 1  # type: float"),
    "decorator_over_lines": BODY.replace("@jit", "@jit(\n    static_argnames=(\n    ),\n)"),
    "continued": BODY.replace("x > 2:", "x > 2 and \\\n      x > 1:"),
    "left_of_the_margin": BODY.replace("    while", "    s = '''\ndef g(y):\n  return 1\n'''\n    while", 1),
    "header_over_lines": BODY.replace("f(x):", "f(\n    x,\n    y=(\n  1\n ),\n):"),
    "in_a_class": "class C:\n" + textwrap.indent(BODY.replace("f(x)", "f(self, x)"), "    ") + "f = C().f\n",
}


def load(path, text):
    path.write_bytes(text.encode())
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("kind", FILES)
def test_files(kind, tmp_path):
    text = FILES[kind]
    text = "\ufeff" + HEAD + text[1:] if kind == "byte_order_mark" else HEAD + text
    module = load(tmp_path / f"{kind}.py", text)
    with pytest.raises(ValueError, match=r"here|日本|a") as caught:
        module.f(1.0)
    last = traceback.extract_tb(caught.value.__traceback__)[-1]
    assert last.lineno == 1 + next(k for k, line in enumerate(io.StringIO(text, newline=None)) if "raise" in line)
    assert (last.name, last.filename) == ("f", str(tmp_path / f"{kind}.py"))


def test_lambdas_on_one_line(tmp_path):
    one, two = "lambda x: x if x > 0 else -x", "lambda x: 2 * x if x > 0 else 3 * x"
    module = load(
        tmp_path / "lambdas.py", f"{HEAD}s = '\f'\nf, g = jit({one}), jit({two}); h = [jit({two}), jit({one})]\n"
    )
    assert [f(-1.0) for f in (module.f, module.g, *module.h)] == [1.0, -3.0, -3.0, 1.0]


def test_decorators_around_and_below(tmp_path):
    decorator = (
        "import functools\ndef d(f):\n    @functools.wraps(f)\n    def w(*a):\n        return f(*a)\n    return w\n"
    )
    function = "def f(x):\n    while x < 3:\n        x += 1\n    return x\n"
    assert load(tmp_path / "below.py", HEAD + decorator + "@jit\n@d\n" + function).f(1.5) == 3.5
    assert load(tmp_path / "around.py", HEAD + decorator + "@d\n@jit\n" + function).f(1.5) == 3.5


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("+ 1", "+ 2"),
        ("@jit", "# a line more\n@jit"),
        ("return x", "return x  # a comment more"),
        ("@jit\ndef f", "g = jit(lambda x: x)\n@jit\ndef f"),
    ],
)
def test_a_file_that_has_changed_is_refused_or_read_right(before, after, tmp_path, monkeypatch):
    # Python would take the byte code of the first text for that of another one of its size, written in its second.
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    path = tmp_path / "edited.py"
    module = load(path, HEAD + BODY)
    path.write_text((HEAD + BODY).replace(before, after))
    if "comment" in after:
        with pytest.raises(ValueError, match="here"):
            module.f(1.0)
    else:
        with pytest.raises(NoSourceError, match="has changed since f was loaded"):
            module.f(1.0)
    module = load(path, path.read_text())
    with pytest.raises(ValueError, match="here"):
        module.f(1.0)


def test_a_module_that_is_loaded_again_has_its_new_text(tmp_path):
    path = tmp_path / "reloaded.py"
    text = HEAD + "@jit\ndef f(x):\n    return x + 1 if x > 0 else x\n"
    assert load(path, text).f(1.0) == 2.0
    assert load(path, text.replace("+ 1", "+ 100")).f(1.0) == 101.0


def test_text_that_linecache_knows():
    text = "def f(x):\n    while x < 3:\n        x += 1\n    return x\n"
    for name in ("<my cell>", "<ipython-input-1>", "<doctest a[1]>"):
        assert jit(from_text(text, name))(1.5) == 3.5
    namespace = {}
    exec(text, namespace)
    with pytest.raises(NoSourceError):
        jit(namespace["f"])(1.5)


def test_a_text_of_a_traced_value_is_refused_with_its_place():
    with pytest.raises(ConcretizationError, match=r"test_debugging\.py:\d+:\d+"):
        jit(lambda x: np.zeros(x), auto_static=False)(3)
