"""How long a run of a plain function may take before its arguments are left out of a test."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping

from anabranch.runtime.testing.outcomes import Outcome

# Compiling takes its time; what takes longer than this, where the plain function ends, does not end.
_COMPILED = 300.0


class _TooLongError(BaseException):
    """Raised in a plain function whose time is over; not an `Exception`, which it might catch."""


class Patience:
    """A deadline for the plain function, and how many arguments it has left out.

    Parameters
    ----------
    seconds : float
        The plain function's time on each arguments. Only the main thread of a process can be interrupted; elsewhere,
        and on systems without timers, nothing is left out.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.left_out = 0

    def ends(self, function: Callable[..., object], arguments: Mapping[str, object]) -> bool:
        """Run the plain function on copies of the arguments; False, counted, where it does not end in its time."""
        if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
            return True
        before = signal.signal(signal.SIGALRM, _interrupt)
        signal.setitimer(signal.ITIMER_REAL, self.seconds)
        try:
            Outcome(function, (), arguments)
        except _TooLongError:
            self.left_out += 1
            return False
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
        return True

    @contextlib.contextmanager
    def compiled(self, name: str, arguments: Mapping[str, object]) -> Iterator[None]:
        """Around the comparison: a compiled function that does not end, which nothing interrupts, ends the process."""
        shown = ", ".join(f"{k}={v!r}" for k, v in arguments.items())
        text = f"{name}({shown}) ends plainly, and compiled it has not after {_COMPILED:.0f} seconds"
        watch = threading.Timer(_COMPILED, _end, (text,))
        watch.daemon = True
        watch.start()
        try:
            yield
        finally:
            watch.cancel()


def _interrupt(*_: object) -> None:
    raise _TooLongError


def _end(text: str) -> None:
    print(text, file=sys.stderr, flush=True)  # noqa: T201 - what is left of the command
    os._exit(1)
