"""Random programs of views, aliases and writes: every array that is left, what is one memory, and every exception."""

from __future__ import annotations

import linecache
import random
import re
import textwrap
import traceback
import warnings
import zlib
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from anabranch import AnabranchError, jit
from anabranch.runtime.errors import ShapeMismatchError
from anabranch.runtime.ir import interpret
from anabranch.runtime.signature.flatten_to_key import buffers
from property_tests.array_programs import Writer, clone, some_array
from tests.equivalence import same

HEAD = "def f(a, b, p, i, j, v):\n"
FORMS = {
    "straight": "{lines}\n{result}",
    "branch": "if v > -9:\n{inner}\n{result}",
    "other branch": "if v < -9:\n    a[...] = 1\nelse:\n{inner}\n{result}",
    "loop": "for k in range(i + 1):\n{inner}\n{result}",
    "while": "k = 0\nwhile k <= i:\n{inner}\n    k += 1\n{result}",
    "try": "try:\n{inner}\nexcept ZeroDivisionError:\n    a[...] = 1\n{result}",
    "helper": "def g(a, b, p):\n{inner}\n    {result}\nreturn g(a, b, p)",
}


def text_of(lines: list[str], form: str) -> str:
    """The function with these lines in this form; it gives all arrays."""
    names = dict.fromkeys(["a", "b", "p", *re.findall(r"^(x\d+)(?:, \w+)? = ", "\n".join(lines), re.MULTILINE)])
    parts = {"lines": "\n".join(lines), "inner": textwrap.indent("\n".join(lines), "    ")}
    body = FORMS[form].format(result=f"return {', '.join(names)}", **parts)
    return HEAD + textwrap.indent(body, "    ") + "\n"


def function_of(text: str) -> Any:
    name = f"arrays_{zlib.crc32(text.encode()):08x}.py"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    scope: dict[str, Any] = {"np": np, "__name__": __name__}
    exec(compile(text, name, "exec"), scope)
    return scope["f"]


class Run:
    """The outcome of a call: its result or exception, and the arguments after it."""

    def __init__(self, call: Any, args: tuple[Any, ...]) -> None:
        self.args = clone(args)
        self.value: Any = None
        self.error: Exception | None = None
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                self.value = call(*self.args)
            except Exception as error:  # compared
                self.error = error

    def shared(self) -> list[bool]:
        return [np.shares_memory(x, y) for x in self.value for y in self.args[:3]]


def evaluated(function: Any) -> Any:
    """The jitted function, its Program run by NumPy: much quicker where each is called once."""
    wrapped = jit(function)

    def call(*args: Any) -> Any:
        traced = wrapped.trace(*args)
        _, leaves, _ = wrapped._signature(args, {})
        outputs = interpret.evaluate(traced.program, *buffers(traced.plan.inputs(leaves.values)))
        return traced.plan.finish([np.array(o) for o in outputs], leaves)

    return call


def differs(lines: list[str], form: str, args: tuple[Any, ...], compiled: bool = False) -> str:
    """How the jitted function differs from the plain one; "" where it does not, or refuses."""
    function = function_of(text_of(lines, form))
    want = Run(function, args)
    got = Run(jit(function) if compiled else evaluated(function), args)
    if isinstance(got.error, AnabranchError) and not isinstance(got.error, ShapeMismatchError):
        return ""
    if want.error is not None or got.error is not None:
        return _errors_differ(want.error, got.error)
    try:
        same(tuple(want.value), tuple(got.value), "the result")
        same(want.args, got.args, "the arguments")
    except AssertionError as error:
        return str(error)
    # A result that is an argument in one branch or after some steps only may be a copy of it.
    decided = form not in ("straight", "helper")
    if any(
        mine != theirs and not (theirs and decided) for mine, theirs in zip(got.shared(), want.shared(), strict=True)
    ):
        return f"results share memory with arguments: {want.shared()}, here {got.shared()}"
    flags = [[x.flags.writeable for x in run.value] for run in (want, got)]
    return "" if flags[0] == flags[1] else f"writable results: {flags[0]}, here {flags[1]}"


def _errors_differ(want: Exception | None, got: Exception | None) -> str:
    if want is None or got is None:
        return f"eager raises {want!r}, jitted {got!r}"
    if type(want) is not type(got) and not isinstance(got, AnabranchError):
        return f"eager raises {want!r}, jitted {got!r}"
    # A run-time position counts as 0 where NumPy is asked for its words.
    if not str(got).startswith(str(want)) and "shape" not in str(want):
        return f"eager says {want}, jitted {got}"
    lines = [[x.lineno for x in traceback.extract_tb(e.__traceback__) if x.name in "fg"][-1:] for e in (want, got)]
    return "" if lines[0] == lines[1] else f"eager raises {want!r} in line {lines[0]}, jitted in {lines[1]}"


def smallest(lines: list[str], form: str, args: tuple[Any, ...]) -> list[str]:
    """The lines without those that the difference does not need."""
    for k in reversed(range(len(lines))):
        fewer = lines[:k] + lines[k + 1 :]
        try:
            if fewer and differs(fewer, form, args):
                return smallest(fewer, form, args)
        except Exception:  # a name that is not there any more
            continue
    return lines


def program(seed: int) -> tuple[list[str], tuple[Any, ...]]:
    """The lines of a program, and its arguments."""
    choice = random.Random(seed)
    positions = np.array(choice.choice(([0, 1], [1, 1], [1, 0], [-1, 0])))
    j = 9 if choice.random() < 0.03 else choice.choice((0, 1, -1))
    args = (some_array(choice), some_array(choice), positions, choice.choice((0, 1)), j, choice.choice((0.5, 2.0)))
    args[0].flags.writeable = choice.random() > 0.05
    writer = Writer(choice, dict(zip("abpijv", clone(args), strict=True)))
    return writer.write(choice.randint(2, 9)), args


def check(seed: int, form: str, compiled: bool = False) -> None:
    lines, args = program(seed)
    how = differs(lines, form, args, compiled)
    if how:
        least = lines if compiled else smallest(lines, form, args)
        pytest.fail(f"{how}\n{text_of(least, form)}arguments {args}")


@pytest.mark.parametrize("form", FORMS)
@given(seed=st.integers(0, 2**32))
def test_programs_on_arrays(form, seed):
    check(seed, form)


@given(seed=st.integers(0, 2**32))
def test_compiled_programs_on_arrays(seed):
    check(seed, "straight", compiled=True)
