"""`check_equivalent` and `assert_equivalent`, and the lines of a rewritten source that a difference comes from."""

from __future__ import annotations

import inspect
import traceback
import types
from collections.abc import Callable, Iterator
from typing import Any

from anabranch import transpile
from anabranch.base.code_objects import codes
from anabranch.base.coloured import coloured
from anabranch.base.frozen import frozen
from anabranch.base.html_text import code, element, table, text
from anabranch.runtime.api.jit import jit
from anabranch.runtime.api.jitted import Wrapped
from anabranch.runtime.control.calls.counterparts import counterpart
from anabranch.runtime.frontend.function_info import plain_function
from anabranch.runtime.ir.program import Program, Var
from anabranch.runtime.testing.compare_outcomes import Difference, Tolerance, first_difference
from anabranch.runtime.testing.outcomes import Outcome
from anabranch.runtime.testing.stage_bisection import stages


def marked_source(function: Wrapped[..., Any], want: Outcome, got: Outcome) -> str:
    """The rewritten source with `>` before the lines where the outcomes part, as far as these are known."""
    plain = plain_function(function.__anabranch_function__)
    if not transpile.needs_rewriting(plain):
        text, lines = function.source(), set[int]()
    else:
        rewritten = transpile.rewrite(plain, counterpart)
        users = _raised_at(got.error or want.error, plain.__code__) or _computed_at(function, want, plain.__code__)
        text, lines = rewritten.source, {own for own, user in rewritten.line_pairs() if user in users}
    rows = enumerate(text.rstrip().splitlines(), 1)
    return "\n".join(f"{'>' if number in lines else ' '} {line}" for number, line in rows)


def _raised_at(error: BaseException | None, code: types.CodeType) -> set[int]:
    """The lines of the user's function that an exception came through."""
    if error is None:
        return set()
    return {line for frame, line in traceback.walk_tb(error.__traceback__) if _of(frame.f_code.co_filename, line, code)}


def _of(filename: str, line: int, code: types.CodeType) -> bool:
    lines = [number for number in _lines(code) if number is not None]
    return filename == code.co_filename and bool(lines) and min(lines) <= line <= max(lines)


def _lines(code: types.CodeType) -> Iterator[int | None]:
    yield from (line for part in codes(code) for _, _, line in part.co_lines())


def _computed_at(function: Wrapped[..., Any], want: Outcome, code: types.CodeType) -> set[int]:
    """The lines of the user's function that computed the outputs last."""
    args, kwargs = want.given()
    try:
        program = function.trace(*args, **kwargs).program
    except Exception:  # what cannot be traced has no such lines
        return set()
    return {line for filename, line in _origins(program) if _of(filename, line, code)}


def _origins(program: Program) -> Iterator[tuple[str, int]]:
    outputs = {v for v in program.outputs if isinstance(v, Var)}
    for equation in program.equations:
        if outputs.intersection(equation.outputs) and equation.source is not None:
            yield equation.source.place[:2]


@frozen
class Report:
    """A difference between a compiled function and the plain one.

    Attributes
    ----------
    function : str
        Its name.
    call : str
        The arguments.
    difference : Difference
        The first one.
    stage : str
        What made it: "rewriting", "tracing", "optimising" or "XLA"; another compiler's name.
    source : str
        The rewritten source, with the lines that the difference comes from marked; of another compiler, nothing.

    Examples
    --------
    >>> import numpy as np
    >>> from anabranch.testing import check_equivalent
    >>> def never_compiled(function):
    ...     return lambda x: 0.0
    >>> report = check_equivalent(lambda x: float(x), np.float64(1.0), compiler=never_compiled)
    >>> report.difference.where
    'the result'
    """

    function: str
    call: str
    difference: Difference
    stage: str
    source: str

    def __str__(self) -> str:
        lines = [
            f"{self.function}{self.call} differs from what is compiled of it",
            f"  {self.difference.what} of {self.difference.where}",
            f"    plain:    {self.difference.plain}",
            f"    compiled: {self.difference.compiled}",
            f"  made by: {self.stage}",
        ]
        if self.source:
            lines += ["  rewritten source:", *(f"    {line}" for line in self.source.splitlines())]
        return "\n".join(lines)

    def __rich__(self) -> Any:
        """The report in colours, for terminals."""
        return coloured(self, {r"\A.*": "bold", r"(?m)^    plain:.*$": "green", r"(?m)^    compiled:.*$": "red"})

    def _repr_html_(self) -> str:
        """The report for notebooks."""
        found = self.difference
        rows = [("plain", found.plain), ("compiled", found.compiled), ("made by", self.stage)]
        head = element("p", text(f"{self.function}{self.call} differs from what is compiled of it"))
        source = [code(self.source)] if self.source else []
        return element("div", head, table(rows, title=f"{found.what} of {found.where}"), *source)


def check_equivalent(
    function: Callable[..., object],
    /,
    *args: object,
    tolerance: Tolerance | None = None,
    compiler: Callable[[Any], Callable[..., object]] = jit,
    **kwargs: object,
) -> Report | None:
    """Run a function plainly and compiled, each on copies of the arguments, and compare all that both do.

    Values are compared element by element, with dtypes, shapes and the structure of containers; the arguments after the
    call; which results are one object or share memory with an argument; exceptions with their messages; printed text.

    Parameters
    ----------
    function : callable
        Plain, or what `jit` gives, whose options are kept.
    *args, **kwargs
        What it is called with.
    tolerance : Tolerance, optional
        How far floating-point numbers may be apart; 4096 units in the last place by default.
    compiler : callable
        Gives the compiled function: `jit`, or that of another project, to see what it does.

    Returns
    -------
    Report or None
        The first difference; None where there is none.

    Examples
    --------
    >>> import numpy as np
    >>> from anabranch.testing import check_equivalent
    >>> check_equivalent(lambda x: x[x > 1.0].sum(), np.arange(4.0)) is None
    True
    """
    compiled = function if isinstance(function, Wrapped) else compiler(function)
    plain = function.__wrapped__ if isinstance(function, Wrapped) else function
    tolerance = tolerance or Tolerance()
    want, got = Outcome(plain, args, kwargs), Outcome(compiled, args, kwargs)
    difference = first_difference(want, got, _names(plain), tolerance)
    if difference is None:
        return None
    if isinstance(compiled, Wrapped):
        stage, source = _stage(compiled, want, tolerance), marked_source(compiled, want, got)
    else:
        stage, source = _name(compiler), ""
    shown = ", ".join([*(_text(a) for a in args), *(f"{k}={_text(v)}" for k, v in kwargs.items())])
    return Report(_name(plain), f"({shown})", difference, stage, source)


def assert_equivalent(
    function: Callable[..., object],
    /,
    *args: object,
    tolerance: Tolerance | None = None,
    compiler: Callable[[Any], Callable[..., object]] = jit,
    **kwargs: object,
) -> None:
    """`check_equivalent`, as an assertion.

    Raises
    ------
    AssertionError
        With the report as its text.

    Examples
    --------
    >>> import numpy as np
    >>> from anabranch.testing import assert_equivalent
    >>> assert_equivalent(lambda x, i: x[i], np.arange(4.0), 9)  # both raise IndexError
    """
    report = check_equivalent(function, *args, tolerance=tolerance, compiler=compiler, **kwargs)
    if report is not None:
        raise AssertionError(str(report))


def _name(function: Callable[..., object]) -> str:
    return str(getattr(function, "__name__", function))


def _names(function: Callable[..., object]) -> tuple[str, ...]:
    try:
        return tuple(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return ()


def _text(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 200 else f"{text[:197]}..."


def _stage(function: Wrapped[..., Any], want: Outcome, tolerance: Tolerance) -> str:
    """The first stage that does not do what the plain function does."""
    for name, run in stages(function):
        if name == "XLA" or first_difference(want, Outcome(run, *want.given()), (), tolerance) is not None:
            return name
    return "XLA"
