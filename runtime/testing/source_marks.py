"""The lines of a rewritten source that a difference comes from."""

from __future__ import annotations

import traceback
import types
from collections.abc import Iterator
from typing import Any

from anabranch import transpile
from anabranch.base.code_objects import codes
from anabranch.runtime.api.jitted import Wrapped
from anabranch.runtime.control.calls.counterparts import counterpart
from anabranch.runtime.frontend.function_info import plain_function
from anabranch.runtime.ir.program import Program, Var
from anabranch.runtime.testing.outcomes import Outcome


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
