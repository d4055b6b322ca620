"""Functions with static values folded in compute what they computed, and read like code a person wrote."""

from __future__ import annotations

import collections
import dataclasses
import enum
import functools
import importlib
import inspect
import pathlib
import textwrap
import types

import numpy as np
import pytest

from anabranch import jit
from anabranch.runtime.control.calls.counterparts import counterpart
from anabranch.runtime.testing.compare_outcomes import Tolerance
from anabranch.transpile import SourceError, rewrite, rewrite_for
from tests.equivalence import Outcome, alike
from tests.internals.transpile import eager_vocabulary
from tests.internals.transpile.eager_rewriting import from_text, nothing_staged
from tests.program_table import Table

# The folders of programs about Python's control flow and objects, in which every statement has its tables.
ROOMS = (
    *("adversarial", "aliasing", "branches", "calls", "classes", "containers", "exceptions", "iteration", "loops"),
    *("names", "programs", "scalars", "stdlib", "text"),
)
BEHAVIOUR = pathlib.Path(__file__).parents[2] / "behaviour"
TABLES = [path for room in ROOMS for path in sorted((BEHAVIOUR / room).glob("test_*.py"))]


class Mode(enum.Enum):
    FAST = 1
    EXACT = 2


@dataclasses.dataclass(frozen=True)
class Config:
    size: int
    mode: Mode = Mode.FAST
    table: object = None


Point = collections.namedtuple("Point", "x y")


def untouched(function):
    """The function with a code of its own, of which no trace has asked for more operators."""
    code = function.__code__.replace()
    made = types.FunctionType(
        code, function.__globals__, function.__name__, function.__defaults__, function.__closure__
    )
    made.__kwdefaults__ = function.__kwdefaults__
    return made


def agrees(function, args, known):
    """Compare the rewriting with and without the values of parameters."""
    function = untouched(function)
    compare(function, rewrite(function, nothing_staged).bind(function, eager_vocabulary), args, known)


def compare(function, general, args, known):
    """Compare the rewriting without values, `general`, with that of these values."""
    special = rewrite_for(function, nothing_staged, known).bind(function, eager_vocabulary)
    want, got = Outcome(general, args, {}), Outcome(special, args, {})
    if want.error is None and got.error is not None:
        raise got.error
    alike(want, got, Tolerance(0))


@pytest.mark.parametrize("file", TABLES, ids=lambda f: f.stem)
def test_every_program_with_its_arguments_folded_in(file):
    table = getattr(importlib.import_module(f"tests.behaviour.{file.parent.name}.{file.stem}"), "case", None)
    for parameters in table.programs if isinstance(table, Table) else ():
        (program,) = parameters.values
        function = program.function
        if not isinstance(function, types.FunctionType) or "endless" in function.__name__:
            continue  # no generator ends early where nothing is staged
        function = untouched(function)
        signature = inspect.signature(function)
        try:
            general = rewrite(function, nothing_staged).bind(function, eager_vocabulary)
        except SourceError:
            continue
        for args in program.argsets:
            try:
                given = signature.bind(*args).arguments
            except TypeError:
                continue
            kinds = {n: signature.parameters[n].kind for n in given}
            compare(function, general, args, {n: v for n, v in given.items() if kinds[n] not in (2, 4)})


def source(text, known, **names):
    """The specialised text of a program, without the factory around it."""
    function = from_text(textwrap.dedent(text), f"<specialised {hash(text)}>", np=np, Mode=Mode, **names)
    made = rewrite_for(function, counterpart, known).source
    lines = textwrap.dedent(made.partition("\n")[2]).strip().splitlines()
    return "\n".join(line for line in lines if not line.startswith(("return f", "np = ab", "range = ab"))).strip()


READS = [
    (
        "a branch, its comment, what follows a return",
        """
        def f(x, flag):
            # what counts
            if flag:
                # twice
                return 2 * x  # exactly
            return x
        """,
        {"flag": True},
        """
        def f(x, flag):
            # twice
            return 2 * x  # exactly
        """,
    ),
    (
        "elif and else",
        """
        def f(x, kind):
            if kind == "a":
                x = x + 1
            elif kind == "b":
                x = x + 2
            else:
                x = x + 3
            return x
        """,
        {"kind": "c"},
        "def f(x, kind):\n    x = x + 3\n    return x",
    ),
    (
        "a short loop",
        """
        def f(x, n):
            for i in range(n):
                x = x * i + n
            return x
        """,
        {"n": 3},
        "def f(x, n):\n    x = x * 0 + 3\n    x = x * 1 + 3\n    x = x * 2 + 3\n    return x",
    ),
    (
        "a long loop stays",
        """
        def f(n):
            return [i for i in range(n)], [np.zeros((n, n - 1))]
        """,
        {"n": 30},
        "def f(n):\n    return ab.comprehension(ab.each(range(30), lambda i: i)), [np.zeros((30, 29))]",
    ),
    (
        "a loop that binds a name for later",
        """
        def f(x):
            for i in (1, 2):
                x = x + i
            return x, i
        """,
        {"x": 1.5},
        "def f(x):\n    x = x + 1\n    x = x + 2\n    i = 2\n    return x, 2",
    ),
    (
        "names computed from those that are known",
        """
        def f(x, n):
            half = n // 2
            assert half > 0, "two at least"
            return x.reshape(half, -1) if half > 1 else x
        """,
        {"n": 6},
        "def f(x, n):\n    half = 3\n    return ab.call(x.reshape, 3, -1)",
    ),
    (
        "conditions of both kinds",
        """
        def f(x, flag):
            return (flag and x > 0), (x > 0 if flag else x < 0), not flag
        """,
        {"flag": True},
        "def f(x, flag):\n    return (x > 0), (x > 0), False",
    ),
    (
        "match",
        """
        def f(x, kind):
            match kind:
                case "a" | "b":
                    return x
                case _:
                    return -x
        """,
        {"kind": "b"},
        "def f(x, kind):\n    return x",
    ),
    (
        "an enumeration, a frozen dataclass, a namedtuple",
        """
        def f(x, c, p):
            if c.mode is Mode.EXACT:
                x = x + 1
            return np.ones(c.size) * x + p.y
        """,
        {"c": Config(3), "p": Point(1, 2)},
        "def f(x, c, p):\n    return np.ones(3) * x + 2",
    ),
    (
        "None and types",
        """
        def f(x, y):
            if y is None or isinstance(y, str):
                return x
            return x + y
        """,
        {"y": None},
        "def f(x, y):\n    return x",
    ),
    (
        "what is needed around signs and dots",
        """
        def f(n):
            return n ** 2 + (n).bit_length(), -n, 2 - n, n.real
        """,
        {"n": -3},
        "def f(n):\n    return 9 + ab.call((-3).bit_length), 3, 5, (-3).real",
    ),
]


@pytest.mark.parametrize(("text", "known", "want"), [r[1:] for r in READS], ids=[r[0] for r in READS])
def test_it_reads_as_if_written_so(text, known, want):
    assert source(text, known) == textwrap.dedent(want).strip()


def rebound(x, n):
    n = n + 1
    return x * n


def rebound_inside(x, n):
    def more():
        nonlocal n
        n = n + 1

    more()
    return x * n


def hidden(x, n):
    f = lambda n: n + 1  # noqa: E731

    def g(y, n=n):
        return y + n

    return f(5) + g(x), [n for n in (7, 8)], {k: n for k, n in ((1, 2),)}, sum(n for n in (1, 2)), n


def unset_elsewhere(flag, x):
    if flag:
        y = x
    return y


def unset_in_a_loop(n, x):
    for i in range(n):
        y = x
    return y, i


def deleted(x, n):
    del n
    return n  # noqa: F821


def caught(x, n):
    try:
        return x / n
    except ZeroDivisionError as n:
        return str(n)


def generated(n):
    def numbers():
        if n > 5:
            return
        yield n
        if n < 0:
            yield 1

    return list(numbers())


def closures(n):
    made = []
    for i in range(n):
        made.append(lambda: i + n)
    return [f() for f in made]


def raises(n):
    return 1 / n, "a" + n, (1, 2)[n]


def huge(n):
    return n**n**n if n < 0 else (n, len("a" * n))


def left(n):
    total = 0
    for i in range(n):
        if i == 1:
            continue
        if i == 3:
            break
        total += i
    else:
        total = -1
    return total


def nested(n):
    out = []
    for i in range(n):
        for j in range(i):
            if i == j + 1:
                out.append((i, j))
    return out


def returns(n):
    for i in range(n):
        return i
    return "none"


def walrus(n):
    if (m := n + 1) > 2 and (k := n) and False:
        return m
    return m, k if n > 1 else None


def chained(n):
    return 0 < n < 3, 0 < n < (n if n else undefined), n or "zero", n and "more"  # noqa: F821


def formatted(n, s):
    return f"{n} {n=} {n:>4} {s!r} {s}", "%d" % n, s * n  # noqa: UP031


def defaults(n):
    def inner(a, b=n * 2, *, c=n):
        return a, b, c

    return inner(n)


def class_body(n):
    class Local:
        n = 5
        m = n

    return Local.n, Local.m, n


def shadowed(n):
    len = lambda _: 99  # noqa: E731
    return len((n,)), isinstance(n, int)


def dead_declaration(n):
    global COUNT
    if n < 0:
        COUNT = n
    return n


def while_loops(n):
    while n > 100:
        n = n - 1
    x = 0
    while False:
        x = 1
    else:
        x = 2
    return n, x


def comments(n):
    # first
    if n:  # why
        pass  # nothing
    else:
        # other
        return 1
    return 2


def shown_in_text(n):
    shown = []
    for k in range(n):
        shown.append(f"{k}" + "-" * (k + 1))
    return shown, [k for k in range(2)]  # a name of the comprehension's own


HOSTILE = [
    (rebound, (2.0, 3)),
    (rebound_inside, (2.0, 3)),
    (hidden, (2.0, 3)),
    *[(unset_elsewhere, (flag, 2.0)) for flag in (True, False)],
    *[(unset_in_a_loop, (n, 2.0)) for n in (0, 1, 3)],
    (deleted, (2.0, 3)),
    *[(caught, (2.0, n)) for n in (0, 2)],
    *[(generated, (n,)) for n in (7, 3, -1)],
    *[(closures, (n,)) for n in (0, 3)],
    (raises, (0,)),
    (raises, (1,)),
    (huge, (1000,)),
    *[(left, (n,)) for n in (0, 1, 3, 5)],
    *[(nested, (n,)) for n in (0, 1, 3)],
    *[(returns, (n,)) for n in (0, 2)],
    *[(walrus, (n,)) for n in (0, 2)],
    *[(chained, (n,)) for n in (1, 2, 5)],
    (formatted, (3, 'it\'s "it"')),
    *[(shown_in_text, (n,)) for n in (0, 1, 3)],
    (defaults, (3,)),
    (class_body, (3,)),
    (shadowed, (3,)),
    *[(dead_declaration, (n,)) for n in (1,)],
    *[(while_loops, (n,)) for n in (1, 102)],
    *[(comments, (n,)) for n in (0, 1)],
]


@pytest.mark.parametrize(("function", "args"), HOSTILE, ids=[f"{f.__name__}-{a}" for f, a in HOSTILE])
def test_hostile(function, args):
    known = dict(zip(inspect.signature(function).parameters, args, strict=True))
    agrees(function, args, known)
    for name, value in known.items():
        agrees(function, args, {name: value})


def test_values_that_are_no_literals_stay_names():
    text = "def f(x, t):\n    return x if t is None else x + t\n"
    for value in (float("inf"), np.arange(3), 2 + 1j, "a" * 100, object()):
        assert "+ t" in source(text, {"t": value})


# ---- of compiled functions -------------------------------------------------------------------------------------------


@jit(static_argnames=("n", "flag"))
def powers(x, n, flag=True, mode="sum"):
    total = 0.0
    for i in range(n):
        total = total + x**i if flag else total - x**i
    if mode == "mean":
        total = total / n
    return total


def test_source_of_a_call():
    assert "total = total + x**1" in powers.source(np.ones(3), 2)
    assert "total = total - x**2" in powers.source(n=3, flag=False)
    assert "total / 3" in powers.source(n=3, mode="mean")
    assert "total / " not in powers.source(2.0, 3, mode="sum")
    assert "ab.for_" in powers.source(mode="sum")
    assert "mean" in powers.source()
    assert "/ n" not in powers.source(2.0)
    for wrong in (lambda: powers.source(z=1), lambda: powers.source(1, 2, 3, 4, 5)):
        with pytest.raises(TypeError):
            wrong()


def test_an_argument_that_had_to_be_known():
    @jit
    def zeros(x, n):
        return np.zeros(n) + x

    assert "np.zeros(n)" in zeros.source(n=3)
    zeros(1.0, 3)
    assert "np.zeros(3)" in zeros.source(n=3)


def test_source_of_methods_and_partials():
    class Model:
        @functools.partial(jit, static_argnames="n")
        def run(self, x, n):
            return x if n else -x

    assert "return -x" in Model().run.source(n=0)
    partial = jit(functools.partial(powers.__wrapped__, n=1), static_argnames=("n", "flag"))
    assert "total = total + x**1" in partial.source(n=2, flag=True)


@pytest.mark.parametrize("known", [{"n": 3}, {"n": 2, "flag": False}, {"n": 4, "mode": "mean"}])
def test_the_shown_function_compiled_gives_the_same(known):
    from anabranch.runtime.control import vocabulary

    plain = powers.__wrapped__
    shown = rewrite_for(plain, counterpart, known).bind(plain, vocabulary)
    x = np.array([0.5, 2.0])
    want = powers(x, **known)
    np.testing.assert_array_equal(jit(shown, static_argnames=("n", "flag"))(x, **known), want)
    np.testing.assert_array_equal(plain(x, **known), want)


def updates(b, n):
    j = 1
    for j in range(n):
        b[j] += 1
    return b, j


def swaps(b, n):
    j = 1
    for j in range(n):
        b[j], [*b[j + 1 : j + 2]] = b[j + 1], [b[j]]
    return b, j


def annotates(b, n):
    j = 1
    for j in range(n):
        b[j]: int = 3
    return b, j


def deletes(items, n):
    j = 1
    for j in range(n):
        del items[j], items[-1 - j]
    return items, j


def counts_into(b, n):
    j = 1
    for j in range(n):
        for b[j] in range(5):
            pass
    return b, j


def updates_in_an_inner_loop(b, n):
    for i in range(n):
        for j in range(n):
            b[j] += i
        b[i] = j
    return b


@pytest.mark.parametrize("function", [updates, swaps, annotates, deletes, counts_into, updates_in_an_inner_loop])
def test_a_loop_name_in_a_target_is_that_of_its_step(function):
    values = list(range(9)) if function is deletes else np.arange(9.0)
    agrees(function, (values, 3), {"n": 3})
