"""Random programs that bind names, items and attributes to values of several dtypes: the results are of Python's."""

from __future__ import annotations

import linecache
import random
import zlib
from typing import Any

import numpy as np
import pytest
from hypothesis import event, given, strategies as st

from anabranch import AnabranchError, jit
from anabranch.runtime.testing.compare_outcomes import Tolerance
from property_tests.dtype_programs import Box, Statement, Writer, arguments, smaller, text_of
from property_tests.test_array_programs import Run, _errors_differ, evaluated
from tests.equivalence import ULPS, same

# Numbers that some steps of a loop bind anew are of one kind, as is documented; arrays are of their own dtypes.
TOLERANCE = Tolerance(ULPS, copies=True)
# One program in so many is compiled by XLA, the others are run by NumPy once they are traced.
_COMPILED = 8
_MOST_REFUSED = 0.1
_PROGRAMS = 20


def function_of(text: str) -> Any:
    name = f"dtypes_{zlib.crc32(text.encode()):08x}.py"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    scope: dict[str, Any] = {"np": np, "Box": Box, "__name__": __name__}
    exec(compile(text, name, "exec"), scope)
    return scope["f"]


def differs(text: str, argsets: list[tuple[Any, ...]], compiled: bool = False) -> str:
    """How the jitted function differs from the plain one; "" where it does not, "refused: …" where it refuses."""
    function = function_of(text)
    call = jit(function) if compiled else evaluated(function)
    for args in argsets:
        want, got = Run(function, args), Run(call, args)
        if isinstance(got.error, AnabranchError) and want.error is None:
            return f"refused: {got.error}"
        if want.error is not None or got.error is not None:
            how = _errors_differ(want.error, got.error)
        else:
            how = _values_differ(want, got)
        if how:
            return f"{how}\nfor {args}"
    return ""


def _values_differ(want: Run, got: Run) -> str:
    try:
        same(want.value, got.value, "the result", TOLERANCE)
        same(want.args, got.args, "the arguments", TOLERANCE)
    except AssertionError as error:
        return str(error)
    return ""


def smallest(start: str, block: list[Statement], argsets: list[tuple[Any, ...]], compiled: bool) -> list[Statement]:
    """The statements without those that the difference does not need."""
    for less in smaller(block):
        try:
            how = differs(text_of(start, less), argsets, compiled)
        except SyntaxError:
            continue
        if how and not how.startswith("refused"):
            return smallest(start, less, argsets, compiled)
    return block


def tried(seed: int) -> str:
    """Return how the program of a seed is refused, or "" where it is compiled; fail where the results differ."""
    choice = random.Random(seed)
    start, block = Writer(choice).program()
    argsets, compiled = arguments(choice), seed % _COMPILED == 0
    how = differs(text_of(start, block), argsets, compiled)
    if how and not how.startswith("refused"):
        least = smallest(start, block, argsets, compiled)
        pytest.fail(f"{how}\n{text_of(start, least)}seed {seed}")
    return how


@given(seed=st.integers(0, 2**32))
def test_dtypes_of_names(seed):
    event(tried(seed).partition("\n")[0] or "compiled")


def test_few_programs_are_refused():
    refused = [how for how in map(tried, range(_PROGRAMS)) if how]
    assert len(refused) <= _MOST_REFUSED * _PROGRAMS, "\n".join(refused)
