"""The outcome of one run of a function: its result or exception, what it printed, its arguments afterwards."""

from __future__ import annotations

import collections
import contextlib
import copy
import io
import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from anabranch.base.by_identity import reached
from anabranch.runtime.device.array import Array
from anabranch.runtime.signature.static_keys import is_static
from anabranch.runtime.values.user_classes import attributes


class Outcome:
    """One run on copies of the arguments.

    Parameters
    ----------
    function : callable
    args : sequence
    kwargs : mapping
    """

    def __init__(self, function: Callable[..., object], args: Sequence[object], kwargs: Mapping[str, object]) -> None:
        # The copies, as the run left them.
        self.args: tuple[Any, ...]
        self.kwargs: dict[str, Any]
        self._given = copied((tuple(args), dict(kwargs)))
        self.args, self.kwargs = copied(self._given)
        self.arrays = list(_arrays_of((self.args, self.kwargs)))  # those among the copies before the run
        self.value: Any = None  # what it returned; None where it raised
        self.error: Exception | None = None
        text = io.StringIO()
        with contextlib.redirect_stdout(text), warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                self.value = function(*self.args, **self.kwargs)
            except Exception as error:  # compared like a result
                self.error = error
        self.text = text.getvalue()  # what it printed

    def given(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments as they were before the run, in copies."""
        args, kwargs = copied(self._given)
        return args, kwargs


def parts(value: Any) -> dict[Any, Any] | None:
    """The parts of a container by key, index or attribute; None for what has none."""
    if isinstance(value, dict):
        return dict(value)
    if is_sequence(value):
        return dict(enumerate(value))
    if isinstance(value, BaseException):
        return {"args": value.args, **attributes(value)}
    if isinstance(value, (np.ndarray, np.generic, Array)) or is_static(value) or callable(value):
        return None
    return attributes(value) or None


def is_sequence(value: object) -> bool:
    """Return whether the parts of a value are numbered."""
    return isinstance(value, (list, tuple, collections.deque))


# ---- copies ----------------------------------------------------------------------------------------------------------


def copied(value: object) -> Any:
    """A deep copy, whose arrays have the strides and flags of the originals, and share memory as those do."""
    memo: dict[int, Any] = {}
    arrays = list(_arrays_of(value))  # held, so that their ids stay theirs
    for array in arrays:
        if id(array) not in memo:
            _copy_array(array, memo)
    return copy.deepcopy(value, memo)


def _arrays_of(value: object) -> Iterator[np.ndarray]:
    """The ndarrays that a value leads to, each once."""
    for part in reached([value], lambda value: (parts(value) or {}).values()):
        if type(part) is np.ndarray and not part.dtype.hasobject:
            yield part


def _copy_array(array: np.ndarray, memo: dict[int, Any]) -> None:
    """Put a copy of an array into the memo; its memory is copied once for all arrays that share it."""
    owner: Any = array
    while isinstance(owner.base, np.ndarray):
        owner = owner.base
    if owner.base is not None or not owner.flags.forc:
        return
    if id(owner) not in memo:
        memo[id(owner)] = owner.copy(order="K")
    if array is not owner:
        offset = array.__array_interface__["data"][0] - owner.__array_interface__["data"][0]
        memory = memo[id(owner)].ravel(order="K")
        memo[id(array)] = np.ndarray(array.shape, array.dtype, memory, offset, array.strides)
    if not array.flags.writeable:
        memo[id(array)].flags.writeable = False


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
