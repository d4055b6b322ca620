"""Draws: calls of a generator's methods as equations from one state to the next."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.numpy import core
from anabranch.runtime.ops.raised_exceptions import exception_of
from anabranch.runtime.ops.random_draws import DrawCall, Operand, random_draw
from anabranch.runtime.tracing.builder import current
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.abstract import Abstract, Kind, abstract_of
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.heap import try_regions
from anabranch.runtime.values.random_generators import TracedGenerator
from anabranch.runtime.values.static_requests import request_static
from anabranch.runtime.values.tracer import Tracer

_LARGE = 2**12  # elements of a result that are not drawn for a trial


class Operands:
    """The arguments of calls that are inputs of equations."""

    def __init__(self) -> None:
        self.atoms: list[Atom] = []

    def argument(self, value: Value) -> Any:
        """The stand-in for an argument in a call: an input for what is known only at run time, and for arrays."""
        if isinstance(value, (list, tuple)):
            value = wrap.numpy_operand(value) if core.traced_inside(value) else np.asarray(value)
        if wrap.is_dynamic_array(value):
            raise UnsupportedOperationError(
                "an array whose size is known only at run time is no argument of a generator's method in compiled "
                "code; draw positions with integers(n), or make the array outside"
            )
        if not (isinstance(value, np.ndarray) or core.traced_inside(value)):
            return value
        value = core.operand(core.resolved(value))
        self.atoms.append(wrap.as_atom(value))
        is_python = isinstance(value, Tracer) and value.abstract.kind is Kind.PYTHON
        return Operand(len(self.atoms) - 1, is_python)


def draw(
    generator: TracedGenerator,
    call: DrawCall,
    operands: Sequence[Atom],
    out: Abstract | None,
    may_fail: bool,
    wrong: Atom | None = None,
) -> Value:
    """Make a call on a generator's state, unless its arguments are `wrong`; returns its result, of this type."""
    words = generator.state_words
    off = is_off(generator)
    off = off if wrong is None else atoms.logical_or(off, wrong)
    type = None if out is None else ArrayType(out.shape, np.dtype(out.dtype))
    after, ticket, *made = current().bind(
        random_draw,
        words.atom,
        off,
        *operands,
        kind=generator.generator_kind,
        call=call,
        out=type,
        is_checked=not may_fail,
    )
    words.overwrite(after)
    if may_fail:
        fail_by_ticket(ticket)
    return wrap.from_abstract(out, made[0]) if out is not None else None


def fail_by_ticket(ticket: Atom) -> None:
    """Fail with what a draw has raised, where its ticket is not 0."""
    run_time_checks.fail_if(atoms.ufunc(np.not_equal, ticket, atoms.literal(0, np.int64)), _error_of, ticket)


def _error_of(ticket: int) -> BaseException:
    """The exception of a ticket; before a draw has raised it, a `ValueError` of no words."""
    return exception_of(ticket) or ValueError()


def is_off(generator: TracedGenerator) -> Atom:
    """Return whether nothing is to be drawn, since something has failed: then the state stays as it is."""
    builder = current()
    if generator.state_words.storage in builder.trace.identity.callers_memory:
        code = builder.read(builder.trace.failures.error_code)
        return atoms.ufunc(np.not_equal, code, atoms.literal(0, np.int32))
    fine = try_regions.nothing_failed()
    return atoms.literal(False) if fine is None else atoms.logical_not(fine)


def trial(generator: TracedGenerator, call: DrawCall, arrays: Sequence[np.ndarray]) -> Any:
    """The result of a call on another generator of the same kind."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return call.on(generator.generator_kind.scratch(), arrays)


def type_of(method: str, result: Any) -> Abstract | None:
    """The type of a result, by that of a trial."""
    found = abstract_of(result)
    if result is None or (found is not None and found.dtype.kind in "biufc"):
        return found
    return refuse(method, f"its result is no number and no array of numbers ({type(result).__name__})")


def refuse(method: str, why: str) -> NoReturn:
    """Refuse a method of a generator."""
    raise UnsupportedOperationError(
        f"{method}() of a generator of random numbers is not supported in compiled code: {why}; call it outside, and "
        "pass what it returns as an argument"
    )


def known(value: Value, what: str) -> Value:
    """An argument that must be known while tracing."""
    for part in value if isinstance(value, (list, tuple)) else (value,):
        if isinstance(part, Tracer):
            request_static(atoms.held_by(part), what)
    return value


def is_large(size: Any) -> bool:
    """Return whether a result of this size is too large for a trial."""
    return size is not None and math.prod(np.atleast_1d(size).tolist()) > _LARGE


def keywords(parameters: Sequence[str], args: Sequence[Value], kwargs: Mapping[str, Value]) -> dict[str, Value] | None:
    """The arguments by name; None where they do not fit the parameters."""
    if len(args) > len(parameters) or not kwargs.keys() <= set(parameters[len(args) :]):
        return None
    return {**dict(zip(parameters, args, strict=False)), **kwargs}
