"""`f.explain`: what was rewritten, staged, unrolled, specialised, hoisted and why, with lines."""

from __future__ import annotations

import inspect
import re

import numpy as np
import pytest

from anabranch import ConcretizationError, jit
from anabranch.runtime.tracing import decision_log

TABLE = np.arange(100.0)
GAIN = 2.0


def helper(v):
    if v > 1:
        return v
    return -v


def plain(v):
    return v


@jit(static_argnames="kind")
def everything(x, a, n, kind="sum", mode=None):
    total = 0.0
    if kind == "sum":  # decided
        total = total + GAIN
    for i in range(len(a)):  # staged
        total += a[i] * TABLE[i]
        if total > x:  # left
            break
    while x > 0:  # while
        x = x - 1
    rows = []
    for j in range(n):  # specialised
        rows.append(helper(x) + plain(j))
    for name in ["a", "b"]:  # names
        total = total + len(name)
    a[0] = total
    print("total", total)
    assert total != 1e9
    return (total if a[1] > 0 else x), rows


ARGS = (2.0, np.ones(5), 3)


def line(text, function=everything):
    """The line with this comment, or, where it has none, the first with this text."""
    rows, first = inspect.getsourcelines(inspect.unwrap(function))
    found = [i for i, row in enumerate(rows) if row.rstrip().endswith(f"# {text}")]
    return first + (found or [i for i, row in enumerate(rows) if text in row])[0]


@pytest.fixture(scope="module")
def told():
    return everything.explain(*ARGS)


def rows(told, kind):
    return {(d.what, d.line): d.why for d in told.by_kind().get(kind, [])}


def test_the_signature_and_the_static_arguments(told):
    assert told.function == "everything"
    assert told.signature == "x: Python float, a: float64[5], n: static 3, kind: static 'sum'"
    assert rows(told, "argument") == {("kind", 0): "'sum', as it was named"}
    assert rows(everything.explain(*ARGS, mode="m"), "argument")["mode", 0] == "'m', by itself"


def test_an_argument_that_had_to_be_known(told):
    ((what, at), why), *more = rows(told, "specialised").items()
    assert (what, at, more) == ("n", line("specialised"), [])
    assert "`range(n)`" in why


def test_functions(told):
    found = rows(told, "rewritten")
    assert "f.source()" in found["everything", everything.__wrapped__.__code__.co_firstlineno]
    assert "f.source()" in found["helper", helper.__code__.co_firstlineno]
    assert "left as it is" in found["plain", plain.__code__.co_firstlineno]


def test_what_is_staged_hangs_on_arguments(told):
    found = rows(told, "staged")
    assert found["for loop", line("staged")] == (
        "one loop after its first step, which gives its names the types that they keep"
    )
    assert found["while loop", line("while")].endswith("hangs on x")
    assert re.search(r"hangs on x, a, an array from outside, what a loop changes$", found["if", line("left")])
    assert found["if", line("if v > 1", helper)].endswith("hangs on x")
    assert any(at == line("return (total") and "hangs on x, a" in why for (_, at), why in found.items())


def test_what_is_unrolled_and_why(told):
    found = rows(told, "unrolled")
    assert found["for loop", line("specialised")].startswith("3 steps, 15 equations: the contents of a list")
    assert "goes over a list" in found["for loop", line("names")]
    assert line("staged") not in {at for _, at in found}


def test_what_is_decided(told):
    assert rows(told, "decided") == {("if", line("decided")): "its condition is True while tracing: one branch is left"}


def test_arrays_writes_effects_guards(told):
    assert rows(told, "array") == {("global TABLE", 0): "float64[100] is an input: its contents are those at each call"}
    assert list(rows(told, "written")) == [("a[0:1]", 0)]
    assert [what for what, _ in rows(told, "effect")] == ["1 print, log or warning", "1 place"]
    ((names, _),) = rows(told, "guarded")
    assert {"GAIN", "TABLE", "helper", "plain"} <= set(names.split(", "))


def test_which_large_arguments_are_copied():
    f = jit(lambda a, b, c, n: (a @ a, b + c.sum(), [x * 2 for x in n]))
    found = f.explain(np.ones((520, 520), int), np.ones(10**4), np.ones(10), [1.0] * 5000).as_dict()["large"]
    assert [row["what"] for row in found] == ["a", "b", "n[0]"]
    assert "copied, unless it begins at a multiple of 64 bytes: `dot_general`" in found[0]["why"]
    assert "read where it is" in found[1]["why"]


def test_where_the_executable_is():
    @jit
    def f(x):
        return x + 1

    def kept():
        return rows(f.explain(1.0), "executable")["LLVM", 0]

    assert kept() == "this signature is not compiled yet"
    f(1.0)
    assert kept() == "in memory"
    assert rows(f.explain(2.0), "executable")["Program", 0].startswith("1 equations")
    assert f.cache_info()[:2] == (0, 1)
    xlas = jit(f.plain(), native_loops=False)
    assert rows(xlas.explain(1.0), "executable")["XLA", 0] == "this signature is not compiled yet"


def test_native_loops():
    @jit
    def f(a):
        t = 0.0
        for i in range(len(a)):
            t = t * 0.5 + a[i]
        return t

    told = rows(f.explain(np.ones(50)), "executable")
    assert "machine code" in [text for (what, _), text in told.items() if what == "loop"]


def test_only_the_trace_that_stays_is_told():
    def nested(n):
        found = {}
        for i in range(n):
            for j in range(i + 1):  # inner
                if j > 1:
                    found[str(j * 0.5)] = i
        return found

    told = jit(nested).explain(3)
    assert not rows(told, "staged")
    assert ("if", line("if j > 1", nested)) in rows(told, "decided")


def test_text_dict_and_html(told):
    text = str(told)
    assert text.splitlines()[0] == f"everything({told.signature})"
    assert f"  test_explain.py:{line('staged')}: for loop: one loop after its first step, which" in text
    found = told.as_dict()
    assert found["function"] == "everything"
    assert {
        "kind": "staged",
        "what": "for loop",
        "why": "one loop after its first step, which gives its names the types that they keep",
        "file": __file__,
        "line": line("staged"),
    } in (found["staged"])
    html = told._repr_html_()
    assert html.startswith("<div><code>everything(")
    assert "<caption" in html
    assert "one loop after its first step" in html
    assert "<lambda>" not in jit(lambda x: x).explain(1.0)._repr_html_()


def test_nothing_runs_and_nothing_is_noted_unless_asked(capsys):
    a = np.ones(5)
    everything.explain(2.0, a, 3)
    assert a.tolist() == [1.0] * 5
    assert capsys.readouterr().out == ""
    assert decision_log.asked() is None


def test_what_cannot_be_traced_says_why():
    with pytest.raises(ConcretizationError):
        jit(lambda a: hash(a[0])).explain(np.array([3]))


def test_methods_and_helpers_that_are_compiled():
    inner = jit(helper)

    class Model:
        def __init__(self):
            self.gain = 2.0

        @jit
        def run(self, x):
            return inner(x) * self.gain

    assert rows(Model().run.explain(3.0), "staged")["if", line("if v > 1", helper)].endswith("hangs on x")


def test_a_generator_from_outside_is_told_of():
    rng = np.random.default_rng(3)

    @jit
    def draw(x):
        return x + rng.normal()

    assert "Random generators from outside\n  a " in str(draw.explain(1.0))
