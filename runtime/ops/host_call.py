"""Calls of the host that give values, while the computation runs, and the exceptions that they raise."""

from __future__ import annotations

import contextvars
import enum
import itertools
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

import numpy as np

from anabranch.base.context_values import having
from anabranch.base.fork_locks import lock
from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.op import Op
from anabranch.runtime.ops.host_callback import called_back, done_before, is_first_run
from anabranch.runtime.ops.op import CallOp, expect, scalar
from anabranch.runtime.ops.stablehlo_writer import LoweringContext

# Until the failure of their run is reported; bounded, since a run may never be read.
_MOST = 128
_raised: dict[int, BaseException] = {}
_tickets = itertools.count(1)
_turn = lock()


def ticket_for(error: Exception) -> int:
    """A ticket, which is not 0, for an exception."""
    with _turn:
        ticket = next(_tickets)
        _raised[ticket] = error.with_traceback(None)
        if len(_raised) > _MOST:
            _raised.pop(next(iter(_raised)))
    return ticket


def exception_of(ticket: int) -> BaseException | None:
    """The exception of a ticket; None where there is none."""
    return _raised.get(ticket)


_INT32, _INT64 = np.dtype(np.int32), np.dtype(np.int64)
_NOTHING = np.zeros((), np.int64)
_NOTHING.flags.writeable = False


class Outcome(enum.IntEnum):
    """How a call has ended; from `RAISED` on it has raised an exception of the class with this place among some."""

    RETURNED = 0
    REFUSED = 1
    MISFIT = 2
    RAISED = 3


_RETURNED = Outcome.RETURNED.value


class MisfitError(Exception):
    """A result of another size than the program has room for: the number of the axis, and its size."""

    def __init__(self, axis: int, needed: int) -> None:
        super().__init__(axis, needed)
        self.axis, self.needed = axis, needed


class RefusedError(Exception):
    """A result, or a change of an argument, that the program has no form for."""


class ViewError(RefusedError):
    """A result that is an argument, or a view of one."""


class HostCall(Protocol):
    """The function, and how its arguments and results lie in arrays."""

    # Classes of exceptions that are told apart, each before those that it is a class of.
    classes: tuple[type[BaseException], ...]
    is_ordered: bool  # the call is an effect, which comes after those before it

    def run(self, arrays: Sequence[np.ndarray]) -> Sequence[np.ndarray]:
        """The arrays of the result, of any sizes.

        Raises `RefusedError`.
        """

    def fitted(self, found: Sequence[np.ndarray]) -> Sequence[np.ndarray]:
        """The arrays of a result as the program has room for them.

        Raises `MisfitError`.
        """


# What effects have returned in the runs of one call, by their numbers.
_kept: contextvars.ContextVar[dict[int, Sequence[np.ndarray]] | None] = contextvars.ContextVar("kept", default=None)


def keeping_results(kept: dict[int, Sequence[np.ndarray]] | None) -> AbstractContextManager[object]:
    """Keep what effects return, for runs that begin anew."""
    return having(_kept, kept)


def _found(call: HostCall, number: int, operands: Sequence[np.ndarray]) -> Sequence[np.ndarray]:
    """The arrays of the result; of an effect those from a run before, if it took place then."""
    kept = _kept.get()
    if kept is None and is_first_run():
        return call.run(operands)
    if kept is not None and call.is_ordered and number in kept:
        return kept[number]
    with keeping_results(None), done_before(0):  # of the programs that the function runs
        found = call.run(operands)
    if kept is not None and call.is_ordered:
        kept[number] = found
    return found


class _HostCall(CallOp):
    """`host_call[call, outs] number, code, *operands`: `number'`, how it ended, a detail of that, a size, the results.

    Where `code` is a failure's nothing is called. `number` counts effects, and grows by one where the call is one. The
    detail is the ticket of an exception, or the number of an axis that has the size.
    """

    __slots__ = ()
    pure = False
    is_host_call = True

    def type(self, *inputs: ArrayType, call: HostCall, outs: tuple[ArrayType, ...]) -> tuple[ArrayType, ...]:
        """The types of the outputs."""
        expect(inputs[:2] == (scalar(_INT32), scalar(_INT32)), self.name, "takes a number and an error code")
        return (scalar(_INT32), *[scalar(_INT64)] * 3, *outs)

    def evaluate(self, *arrays: np.ndarray, **params: Any) -> tuple[np.ndarray, ...]:
        """Call the function."""
        number, code, *operands = arrays
        call: HostCall = params["call"]
        outs: tuple[ArrayType, ...] = params["outs"]
        ended, detail, needed = _RETURNED, 0, 0
        made: Sequence[Any] = ()
        if not code:
            try:
                made = call.fitted(_found(call, int(number), operands))
                if not call.is_ordered:
                    return (number, _NOTHING, _NOTHING, _NOTHING, *made)
            except MisfitError as error:
                ended, detail, needed = Outcome.MISFIT.value, error.axis, error.needed
            except RefusedError as error:
                ended, detail = Outcome.REFUSED.value, ticket_for(error)
            except Exception as error:
                kinds = enumerate(call.classes)
                ended = Outcome.RAISED + next(k for k, cls in kinds if isinstance(error, cls))
                detail = ticket_for(error)
            number = number + np.int32(call.is_ordered)
        if not made:
            made = [np.zeros(out.shape, out.dtype) for out in outs]
        told = [np.asarray(number, np.int32), *(np.asarray(x, np.int64) for x in (ended, detail, needed))]
        return (*told, *made)

    def lower(self, ctx: LoweringContext) -> Sequence[str]:
        """Emit a callback."""
        return called_back(ctx, self)


host_call = _HostCall("host_call")
OPS: tuple[Op, ...] = (host_call,)
