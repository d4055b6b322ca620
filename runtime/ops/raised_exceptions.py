"""The exceptions that calls of the host have raised in a run, by tickets that programs hand on."""

from __future__ import annotations

import itertools

from anabranch.base.fork_locks import lock

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
