"""The API: caching, what needs rewriting, positions, and the reports on what can't be done."""

from __future__ import annotations

import linecache
import math
import traceback
import types

import pytest

from anabranch.transpile import (
    CODES,
    NoSourceError,
    UnsupportedConstructError,
    is_rewritten,
    needs_rewriting,
    rewrite,
)
from tests.internals.transpile import eager_vocabulary
from tests.internals.transpile.eager_rewriting import from_text, nothing_staged, rewritten


def test_importing_leaves_libcst_alone(run_python):
    program = "import sys, anabranch.transpile as t; t.needs_rewriting(lambda: 1); print('libcst' in sys.modules)"
    assert run_python(program).strip() == "False"


def test_a_function_is_rewritten_once():
    def maker(k):
        def f(x):
            return x if x > k else k

        return f

    one, two = maker(1), maker(2)
    assert rewrite(one, nothing_staged) is rewrite(two, nothing_staged)
    assert rewrite(one, nothing_staged).bind(two, eager_vocabulary)(0) == 2


def test_equal_forms_of_a_function_have_one_code_object(monkeypatch):
    """Python compares equal code objects in a time that doubles with each level of functions in functions."""

    def f(x):
        return x.an_attribute if x else 1

    def number_or_none(value):
        return "" if type(value) is int else None

    first = rewrite(f, number_or_none)
    monkeypatch.setitem(globals(), "an_attribute", 1)
    second = rewrite(f, number_or_none)
    assert first is not second
    assert first.code is second.code


def test_nested_code_counts_as_rewritten():
    def f(x):
        def g():
            return x if x else 1

        return g

    new = rewritten(f)
    assert is_rewritten(new.__code__)
    assert is_rewritten(new(1).__code__)
    assert not is_rewritten(f.__code__)
    assert not needs_rewriting(new)


@pytest.mark.parametrize(
    ("function", "needs"),
    [
        (lambda x: x + 1, False),
        (lambda x: x[0] * 2, False),
        (lambda x: x if x else 1, True),
        (lambda x: abs(x), True),
        (lambda x: x is None, True),
        (lambda x: lambda: x in (1, 2), True),
        (lambda x: not x, True),
        (lambda x: [v for v in x], True),
    ],
)
def test_what_needs_rewriting(function, needs):
    assert needs_rewriting(function) is needs


def counterpart(value):
    return "ab.math" if value is math else "ab.builtins.abs" if value is abs else None


def uses_math(x):
    """Say it."""
    # a comment
    return math.sqrt(abs(x)) + len([x])


def test_header_lines_bind_counterparts():
    result = rewrite(uses_math, counterpart)
    assert result.source == (
        "def rewritten(ab):\n"
        "    abs = ab.builtins.abs\n"
        "    math = ab.math\n"
        "\n"
        "    def uses_math(x):\n"
        '        """Say it."""\n'
        "        # a comment\n"
        "        return math.sqrt(abs(x)) + ab.call(len, [x])\n"
        "    return uses_math\n"
    )
    vocabulary = types.SimpleNamespace(
        math=types.SimpleNamespace(sqrt=lambda v: ("sqrt", v)[1] * 10),
        builtins=types.SimpleNamespace(abs=lambda v: -v),
        call=lambda f, *a: f(*a),
    )
    assert result.bind(uses_math, vocabulary)(-3) == 31


def fails_in_a_branch(x, items):
    for item in items:
        if item > x:
            return item / 0  # here
    return x + items


def lines_of(function, *args):
    try:
        function(*args)
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        return [(f.filename, f.lineno, f.colno, f.end_colno) for f in frames if f.filename == __file__]
    raise AssertionError("nothing raised")


@pytest.mark.parametrize("args", [(1, [0, 5]), (1, [0])])
def test_tracebacks_show_the_users_lines(args):
    plain, new = lines_of(fails_in_a_branch, *args), lines_of(rewritten(fails_in_a_branch), *args)
    assert new[-1] == plain[-1]


def test_the_text_is_in_linecache():
    result = rewrite(fails_in_a_branch, nothing_staged)
    assert "".join(linecache.getlines(result.filename)) == result.source
    assert result.filename.startswith("<anabranch fails_in_a_branch ")


UNSUPPORTED = {
    "AB101": "async def f():\n    await g()\n",
    "AB102": "def f():\n    if x:\n        yield 1\n",
    "AB104": "def f(a):\n    class C:\n        if a:\n            pass\n",
    "AB106": "def f():\n    return eval('1')\n",
    "AB107": "def f(a):\n    return lambda v: v and (b := v)\n",
    "AB115": "def f(a):\n    def g():\n        b = 1 + (yield a)\n    return list(g())\n",
}


@pytest.mark.parametrize("code", UNSUPPORTED)
def test_unsupported_constructs_are_reported(code):
    function = from_text(UNSUPPORTED[code], f"<unsupported {code}>")
    with pytest.raises(UnsupportedConstructError) as caught:
        rewrite(function, nothing_staged)
    assert code in {finding.code for finding in caught.value.findings}
    assert isinstance(caught.value, NotImplementedError)


def test_all_findings_at_once_with_carets():
    text = "def f(a):\n    global x\n    x = eval('1')\n    class C: import a\n"
    with pytest.raises(UnsupportedConstructError) as caught:
        rewrite(from_text(text, "<several>"), nothing_staged)
    assert [(f.code, f.line, f.column) for f in caught.value.findings] == [
        ("AB106", 3, 8),
        ("AB104", 4, 13),
    ]
    assert "<several>:3:9: AB106" in str(caught.value)
    assert "    x = eval('1')\n        ^^^^^^^^^\n" in str(caught.value)


def test_every_code_is_told_once():
    assert all(code.startswith("AB1") and what and instead for code, (what, instead) in CODES.items())


def test_no_source():
    namespace: dict = {}
    exec("def f(x):\n    return x if x else 1\n", namespace)
    with pytest.raises(NoSourceError):
        rewrite(namespace["f"], nothing_staged)
    with pytest.raises(NoSourceError):
        rewrite(len, nothing_staged)
