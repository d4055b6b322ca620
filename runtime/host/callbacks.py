"""Callbacks from a compiled program to the host, and the errors that end a run."""

from __future__ import annotations

import abc
import contextvars
import ctypes
import dataclasses
import functools
import importlib
import itertools
import math
import re
import struct
import threading
from collections.abc import Callable, Sequence
from typing import Any, NoReturn, TypeAlias

import numpy as np

from anabranch.base.fork_locks import lock
from anabranch.base.frozen import frozen
from anabranch.runtime.host.buffer_types import BufferType

HostCallback: TypeAlias = Callable[..., tuple[Any, ...]]
# How XLA tells of a Ctrl-C that came where Python enters the function that XLA calls, before that can catch anything.
_INTERRUPTED = re.compile(r"^KeyboardInterrupt\b", re.MULTILINE)
# How XLA's words start where memory is lacking.
_NO_MEMORY = "RESOURCE_EXHAUSTED: "


class LoweringError(RuntimeError):
    """XLA refused a program: its text does not parse or verify, or it does not compile."""


class ExecutionError(RuntimeError):
    """A compiled program failed while it ran."""


class OutOfMemoryError(ExecutionError, MemoryError):
    """There was not enough memory for what a program computes."""


class CallbackError(ExecutionError):
    """A host callback raised: its exception is the `__cause__`."""


class ArgumentMismatchError(TypeError):
    """An executable was called with the wrong number, shapes or dtypes of arrays."""


# What host callbacks raised, until the failure of their run is reported; bounded, since a run may never be read.
_raised: dict[str, BaseException] = {}
_tickets = itertools.count()


class _Here(threading.local):
    in_callback = False


_here = _Here()
_turn = lock()


def alone(run: Callable[[list[Any]], list[Any]]) -> Callable[[list[Any]], list[Any]]:
    """Let programs with host callbacks run one at a time, but for those that a callback itself runs.

    A callback keeps one of XLA's few threads. Were all of them in callbacks that run programs, these would never end.
    """

    def run_alone(buffers: list[Any]) -> list[Any]:
        if _here.in_callback:
            return _in_context(run, buffers)
        with _turn:
            return _in_context(run, buffers)

    return run_alone


# The contexts of the callers of the runs in progress: XLA may call back from a thread of its own.
_contexts: list[contextvars.Context] = []


def _in_context(run: Callable[[list[Any]], list[Any]], buffers: list[Any]) -> list[Any]:
    _contexts.append(contextvars.copy_context())
    try:
        return run(buffers)
    finally:
        _contexts.pop()


class PureCallback(abc.ABC):
    """A callback without effects, which can be pickled.

    It needs nothing of the process in which the program was compiled, and runs no programs itself. It works on XLA's
    own memory, and so do other callbacks, which keep nothing of it; what those give is copied.
    """

    __slots__ = ()

    @abc.abstractmethod
    def __call__(self, *arrays: Any) -> tuple[Any, ...]:
        """The results, as XLA takes them."""


@frozen
class HostFunction(PureCallback):
    """The method `write` of an object of a module, and its keyword arguments."""

    module: str
    name: str
    params: tuple[tuple[str, Any], ...]
    inputs: int

    def __call__(self, context: object, *buffers: object) -> tuple[Any, ...]:
        """Write the results of the first buffers to the others.

        Raises `OutOfMemoryError`.
        """
        arrays = list(map(np.asarray, buffers))
        try:
            with np.errstate(all="ignore"):
                computing = _object_of(self.module, self.name)
                computing.write(arrays[self.inputs :], *arrays[: self.inputs], **dict(self.params))
        except MemoryError as error:
            raise OutOfMemoryError(str(error)) from error
        return ()


@functools.cache
def _object_of(module: str, name: str) -> Any:
    """An object of a module."""
    return getattr(importlib.import_module(module), name)


def attributes(callback: HostCallback, index: int) -> str:
    """The attributes of the custom call of a program's callback with this index."""
    buffers, effects = ("buffer", "false") if isinstance(callback, HostFunction) else ("ffi", "true")
    target = f'call_target_name = "xla_{buffers}_python_cpu_callback", api_version = 4 : i32'
    return f"{target}, has_side_effect = {effects}, backend_config = {{index = {index} : ui64}}"


def has_effects(callbacks: Sequence[HostCallback]) -> bool:
    """Return whether some of the callbacks do more than to compute, and so belong to their process."""
    return not all(isinstance(callback, PureCallback) for callback in callbacks)


def reporting(callback: HostCallback) -> HostCallback:
    """Keep what a callback raises: XLA passes on only the text of an exception."""
    act = callback if isinstance(callback, PureCallback) else _in_callers_context(callback)

    def report(*arguments: object) -> tuple[Any, ...]:
        try:
            return act(*arguments)
        except BaseException as error:
            ticket = f"host callback failure {next(_tickets)};"
            _raised[ticket] = error
            if len(_raised) > 64:
                _raised.pop(next(iter(_raised)), None)
            raise RuntimeError(ticket) from error

    return report


def _in_callers_context(callback: HostCallback) -> HostCallback:
    def act(*arguments: object) -> tuple[Any, ...]:
        outermost, _here.in_callback = not _here.in_callback, True
        try:
            result: tuple[Any, ...] = _contexts[-1].copy().run(callback, *arguments)
            return result
        finally:
            _here.in_callback = not outermost

    return act


def fail(error: Exception) -> NoReturn:
    """Raise XLA's failure as ours, caused by the callback's exception where there is one.

    Lack of memory, and what is no `Exception`, such as a `KeyboardInterrupt`, is raised itself.
    """
    ticket = re.search(r"host callback failure \d+;", str(error))
    cause = _raised.pop(ticket.group(), None) if ticket else None
    if isinstance(cause, OutOfMemoryError) or (cause is not None and not isinstance(cause, Exception)):
        raise cause from None
    if cause is None and _INTERRUPTED.search(str(error)):
        raise KeyboardInterrupt from None
    if cause is not None:
        raise CallbackError(f"a host callback raised {cause!r}") from cause
    text = str(error)
    if text.startswith(_NO_MEMORY):
        raise OutOfMemoryError(text.removeprefix(_NO_MEMORY)) from error
    raise ExecutionError(text) from error


_WORD = ctypes.sizeof(ctypes.c_void_p)
_MOST_KNOWN = 4


@frozen
class NativeCallback:
    """A host callback as machine code calls it: with the address of the addresses of operands and results."""

    function: HostCallback
    operands: tuple[BufferType, ...]
    results: tuple[BufferType, ...]
    # The arrays by their addresses, which are the same in most calls: machine code uses its memory again.
    _known: dict[bytes, list[np.ndarray]] = dataclasses.field(
        default_factory=dict, init=False, compare=False, repr=False
    )

    def __call__(self, address: int) -> None:
        """Call the function on the operands, and write what it returns to the results.

        Raises `OutOfMemoryError`. Raises `CallbackError` for any other exception of the function's: its exception is
        the `__cause__`.
        """
        buffers = (*self.operands, *self.results)
        addresses = ctypes.string_at(address, len(buffers) * _WORD)
        arrays = self._known.get(addresses)
        if arrays is None:
            arrays = list(map(_array, struct.unpack(f"{len(buffers)}N", addresses), buffers))
            self._known[addresses] = arrays
            if len(self._known) > _MOST_KNOWN:
                self._known.pop(next(iter(self._known)), None)
        try:
            self._act(arrays[: len(self.operands)], arrays[len(self.operands) :])
        except OutOfMemoryError:
            raise
        except Exception as error:
            raise CallbackError(f"a host callback raised {error!r}") from error

    def _act(self, operands: Sequence[np.ndarray], results: Sequence[np.ndarray]) -> None:
        if isinstance(self.function, PureCallback):
            self.function(None, *operands, *results)
            return
        for result, found in zip(results, self.function(*operands), strict=True):
            result[...] = found


def _array(address: int, kind: BufferType) -> np.ndarray:
    """The array of a type at an address."""
    size = math.prod(kind.shape) * kind.dtype.itemsize
    if not size:
        return np.empty(kind.shape, kind.dtype)
    memory: Any = (ctypes.c_char * size).from_address(address)
    return np.ndarray(kind.shape, kind.dtype, memory)
