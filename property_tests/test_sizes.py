"""Random programs whose arrays have sizes known only at run time: every array left, the arguments, every exception.

Each program runs on several argument sets of the same types, so that what one trace fixed shows in another's result.
"""

from __future__ import annotations

import random
import re
import textwrap
from typing import Any

import numpy as np
import pytest
from hypothesis import event, given, strategies as st

from anabranch import AnabranchError, jit
from anabranch.runtime.errors import ShapeMismatchError
from anabranch.runtime.testing.compare_outcomes import Tolerance
from property_tests.size_programs import DTYPES, Writer, some_array
from property_tests.test_array_programs import Run, _errors_differ, function_of
from tests.equivalence import ULPS, same

HEAD = "def f(a, b, m, i, j, v):\n"
FORMS = {
    "straight": "{lines}\n{result}",
    "branch": "if v > -9:\n{inner}\n{result}",
    "loop": "for t in range(i + 1):\n{inner}\n{result}",
    "while": "t = 0\nwhile t <= i:\n{inner}\n    t += 1\n{result}",
    "early return": "if v < 1:\n    return a[:i]\n{lines}\nif v > 2:\n    return a[i:]\n{result}",
    "helper": "def g(a, b, m, v):\n{inner}\n    {result}\nreturn g(a, b, m, v)",
}
LENGTHS = (0, 1, 2, 4, 5, 5, 7)


def text_of(lines: list[str], form: str) -> str:
    """The function with these lines in this form; it gives all that has a name."""
    found = re.findall(r"^ *(\w+)(?:, (\w+))? = ", "\n".join(lines), re.MULTILINE)
    names = dict.fromkeys(["a", "b", "m", *(n for pair in found for n in pair if n)])
    text = "\n".join(lines)
    parts = {"lines": text, "inner": textwrap.indent(text, "    "), "result": f"return {', '.join(names)}"}
    return HEAD + textwrap.indent(FORMS[form].format(**parts), "    ") + "\n"


def program(seed: int) -> tuple[list[str], list[tuple[Any, ...]]]:
    """The lines of a program, and argument sets of the same types."""
    choice = random.Random(seed)
    sizes = choice.choice(LENGTHS), choice.choice(LENGTHS)
    sizes = (sizes[0], sizes[0]) if choice.random() < 0.5 else sizes
    dtypes = [choice.choice(DTYPES) for _ in range(3)]

    def arguments() -> tuple[Any, ...]:
        arrays = (some_array(choice, s, d) for s, d in zip(((sizes[0],), (sizes[1],), (3, 4)), dtypes, strict=True))
        return (*arrays, choice.choice((0, 1, 2, 5)), choice.choice((-1, 0, 1, 3)), choice.choice((0.5, 1.5, 2.5)))

    argsets = [arguments() for _ in range(3)]
    writer = Writer(choice, dict(zip("abmijv", clone(argsets[0]), strict=True)))
    return writer.write(choice.randint(2, 7)), argsets


def clone(args: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(x.copy() if isinstance(x, np.ndarray) else x for x in args)


def differs(lines: list[str], form: str, argsets: list[tuple[Any, ...]]) -> str:
    """How the jitted function differs from the plain one; "" where it does not, "refused: …" where it refuses."""
    function = function_of(text_of(lines, form))
    compiled = jit(function)
    refused = ""
    for args in argsets:
        want, got = Run(function, args), Run(compiled, args)
        if isinstance(got.error, AnabranchError) and not isinstance(got.error, ShapeMismatchError):
            refused = f"refused: {type(got.error).__name__}"
            continue
        how = _differs(want, got)
        if how:
            return f"{how}\nfor {args}"
    return refused


def _differs(want: Run, got: Run) -> str:
    if want.error is not None or got.error is not None:
        return _errors_differ(want.error, got.error)
    try:
        same(want.value, got.value, "the result", Tolerance(ULPS, copies=True))
        same(want.args, got.args, "the arguments")
    except AssertionError as error:
        return str(error)
    return ""


def smallest(lines: list[str], form: str, argsets: list[tuple[Any, ...]]) -> list[str]:
    """The lines without those that the difference does not need."""
    for k in reversed(range(len(lines))):
        fewer = lines[:k] + lines[k + 1 :]
        try:
            how = differs(fewer, form, argsets) if fewer else ""
        except Exception:  # a name that is not there any more
            continue
        if how and not how.startswith("refused"):
            return smallest(fewer, form, argsets)
    return lines


@pytest.mark.parametrize("form", FORMS)
@given(seed=st.integers(0, 2**32))
def test_programs_of_run_time_sizes(form, seed):
    lines, argsets = program(seed)
    if not lines:
        return
    how = differs(lines, form, argsets)
    event(how if how.startswith("refused") else "compiled")
    if how and not how.startswith("refused"):
        pytest.fail(f"{how}\n{text_of(smallest(lines, form, argsets), form)}seed {seed}")
