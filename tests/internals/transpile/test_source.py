"""The text of functions, cut out of their files."""

from __future__ import annotations

import inspect
import io
import types

import pytest

from anabranch.transpile.source import _block

ALIASES = {"_Func"}


def functions_in(code):
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            yield from functions_in(inner)
            # In later Pythons an alias by `type` has code, too.
            if (
                inner.co_flags & inspect.CO_NEWLOCALS
                and inner.co_name not in ALIASES
                and not inner.co_name.startswith("<")
            ):
                yield inner


@pytest.mark.parametrize(
    "module", ["argparse", "ast", "dataclasses", "inspect", "textwrap", "typing", "test.test_grammar"]
)
def test_blocks_are_those_of_inspect(module):
    """Told by indentation they are what the tokens say, or left to the tokens."""
    text = inspect.getsource(pytest.importorskip(module))  # Debian's Python comes without its tests
    lines = io.StringIO(text).readlines()
    found = [
        (_block(code, lines), inspect.getblock(lines[code.co_firstlineno - 1 :]))
        for code in functions_in(compile(text, module, "exec"))
    ]
    assert [b for b, _ in found if b] == [want for b, want in found if b]
    assert sum(b is None for b, _ in found) <= 0.1 * len(found)


@pytest.mark.parametrize(
    "text",
    [
        'def f(x):\n    return x\n    """\nthis is no code\n    """\n',
        "def f(x):\n    return (\n  x\n)\n",
        "def f(x):\n    return x\n    # the end\n# not this\n",
        "def f(x):\n    return x\n\f\ndef g(): pass\n",
        "def f(x): return x\n",
        "if True:\n    def f(x):\n        return x\n    y = 1\n",
        "def f(x):\n    global y\n    def g():\n        nonlocal x\n        x = 1\n    if 0:\n        pass\n\ny = 1\n",
        "def f(x):\n\treturn x\n\tpass\n",
        "@(lambda f:\n  f)\ndef f(x):\n    return x\n",
    ],
)  # fmt: skip
def test_odd_ends(text):
    lines = io.StringIO(text).readlines()
    for code in functions_in(compile(text, "<odd>", "exec")):
        want = inspect.getblock(lines[code.co_firstlineno - 1 :])
        assert (_block(code, lines) or want) == want
