"""The host's side of a compiled program: array types, memory, errors, callbacks, and the bytes it is kept as.

Knows XLA's rules for memory and its names for types, but not its library.
"""

from __future__ import annotations

import contextlib
import contextvars
import ctypes
import functools
import hashlib
import itertools
import json
import os
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar, NoReturn, TypeAlias

import ml_dtypes
import numpy as np

from anabranch.base.fork_locks import lock
from anabranch.base.frozen import frozen
from anabranch.runtime.errors import SerializationError as SerializationError

NDArray: TypeAlias = np.ndarray[Any, Any]
HostCallback: TypeAlias = Callable[..., tuple[Any, ...]]
FlagValue: TypeAlias = str | bool | int | float
Flag: TypeAlias = tuple[str, FlagValue]

_ALIGNMENT = 64
# Arguments up to this size are copied into aligned memory that XLA already knows: making XLA a buffer costs 3 to 6 µs.
_COPIED_BYTES = 16 * 1024
# Larger ones are where their memory is not aligned; fresh memory costs page faults, so each executable keeps so much.
_KEPT_BYTES = 1024 * 1024
_FORMAT = b"anabranch executable 2\n"


@contextlib.contextmanager
def quiet_start() -> Iterator[None]:
    """Keep XLA's start-up lines off stderr: it reads this variable once, when its library is loaded."""
    name = "TF_CPP_MIN_LOG_LEVEL"
    if name in os.environ:
        yield
        return
    os.environ[name] = "1"
    try:
        yield
    finally:
        del os.environ[name]


def message_field(number: int, payload: bytes) -> bytes:
    """A length-delimited field of a protocol buffer; appended to a message, it is merged into it."""

    def varint(value: int) -> bytes:
        low, rest = value & 127, value >> 7
        return bytes([low]) if not rest else bytes([low | 128]) + varint(rest)

    return varint(number << 3 | 2) + varint(len(payload)) + payload


@frozen
class CompileOptions:
    """How one program is compiled.

    Parameters
    ----------
    flags
        XLA flags for this program alone, with values of the flag's own type; an enum's value is its full name.
        They win over the defaults of this module.
    asynchronous
        Whether `Executable.execute_buffers` hands runs to another thread and returns at once. Data on the device
        (`put`) belongs to such programs.
    """

    flags: tuple[Flag, ...] = ()
    asynchronous: bool = False


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


@frozen
class BufferType:
    """Shape and dtype of one argument or result. `weak_type` is there for jaxlib, which asks for it."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    weak_type: ClassVar[bool] = False

    def __str__(self) -> str:
        return f"{self.dtype.name}[{','.join(map(str, self.shape))}]"

    @property
    def nbytes(self) -> int:
        """Size of an array of this type."""
        return int(np.prod(self.shape, dtype=np.int64)) * self.dtype.itemsize


@functools.lru_cache(maxsize=4096)
def buffer_type(shape: tuple[int, ...], dtype: np.dtype[Any]) -> BufferType:
    """The type of such arrays, the same object each time: the quick way of a call compares types by identity."""
    return BufferType(shape, dtype)


DTYPES: dict[str, np.dtype[Any]] = {
    "i1": np.dtype(np.bool_),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    **{f"i{bits}": np.dtype(f"int{bits}") for bits in (8, 16, 32, 64)},
    **{f"ui{bits}": np.dtype(f"uint{bits}") for bits in (8, 16, 32, 64)},
    **{f"f{bits}": np.dtype(f"float{bits}") for bits in (16, 32, 64)},
    **{f"complex<f{bits}>": np.dtype(f"complex{2 * bits}") for bits in (32, 64)},
    **{
        f"f8{name}": np.dtype(getattr(ml_dtypes, f"float8_{name.lower()}"))
        for name in ("E3M4", "E4M3", "E4M3FN", "E4M3FNUZ", "E4M3B11FNUZ", "E5M2", "E5M2FNUZ", "E8M0FNU")
    },
}
_DTYPE_OF_NAME = {dtype.name: dtype for dtype in DTYPES.values()}


def adopter(kind: BufferType) -> Callable[[Any], NDArray]:
    """How a result of this type becomes a writable ndarray that stands on, and keeps alive, XLA's memory."""
    shape, dtype, ndarray = kind.shape, kind.dtype, np.ndarray
    if kind.nbytes == 0:
        return lambda result: ndarray(shape, dtype)
    # Any: typing knows neither attributes of ctypes objects nor that they are buffers.
    from_address: Any = (ctypes.c_char * kind.nbytes).from_address

    def adopt(result: Any) -> NDArray:
        memory = from_address(result.unsafe_buffer_pointer())
        memory.owner = result
        return ndarray(shape, dtype, memory)

    return adopt


def reader(kind: BufferType) -> Callable[[Any], Any]:
    """How a 0-d result becomes a Python number."""
    scalar = _CTYPES.get(kind.dtype)
    if scalar is None:
        adopt = adopter(kind)
        return lambda result: adopt(result).item()
    from_address: Any = scalar.from_address
    return lambda result: from_address(result.unsafe_buffer_pointer()).value


_CTYPES = {
    np.dtype(np.bool_): ctypes.c_bool,
    np.dtype(np.int32): ctypes.c_int32,
    np.dtype(np.int64): ctypes.c_int64,
    np.dtype(np.float64): ctypes.c_double,
}


def aligned(kind: BufferType) -> NDArray:
    """Uninitialised memory that XLA takes as it is."""
    memory = np.empty(kind.nbytes + _ALIGNMENT, np.uint8)
    start = -memory.ctypes.data % _ALIGNMENT
    return memory[start : start + kind.nbytes].view(kind.dtype).reshape(kind.shape)


def aligned_copy(array: NDArray, kind: BufferType) -> NDArray:
    """The array's values in memory of its own that XLA takes as it is."""
    memory = aligned(kind)
    memory[...] = array
    return memory


# Where an ndarray object holds the address of its memory: NumPy's binary interface promises that it comes first.
_ADDRESS = object.__basicsize__


def address(array: NDArray) -> int:
    """Where an array's memory is, as `array.ctypes.data` says in ten times the time."""
    return ctypes.c_size_t.from_address(id(array) + _ADDRESS).value


def is_staged(kind: BufferType) -> bool:
    """Whether arguments of this type are always copied into staging memory."""
    return 0 < kind.nbytes <= _COPIED_BYTES


class Staging:
    """Where one call's arguments stand for XLA: small ones are copied into memory kept from call to call.

    Attributes
    ----------
    buffers : list
        XLA's buffers, in the order of the arguments.
    memories : list of ndarray
        Those of the arguments that are always copied.
    """

    __slots__ = ("_kinds", "_large", "_place", "buffers", "memories")

    def __init__(self, kinds: Sequence[BufferType], place: Callable[[NDArray, BufferType], Any]) -> None:
        self._kinds = kinds
        self._place = place
        self._large = {i: _Large(kind, place) for i, kind in enumerate(kinds) if not is_staged(kind)}
        self.memories: list[NDArray] = []
        self.buffers: list[Any] = []
        for kind in kinds:
            self.buffers.append(None)
            if is_staged(kind):
                memory, self.buffers[-1] = _staged(kind, place)
                self.memories.append(memory)

    def fill(self, arguments: Sequence[NDArray]) -> list[Any]:
        """Buffers that hold the arguments until the next `fill`, or for as long as the caller leaves them unchanged."""
        memories = iter(self.memories)
        for index, (kind, argument) in enumerate(zip(self._kinds, arguments, strict=True)):
            if argument.shape != kind.shape or argument.dtype != kind.dtype:
                found = BufferType(argument.shape, argument.dtype)
                raise ArgumentMismatchError(f"argument {index} is {found}, but the program was compiled for {kind}")
            large = self._large.get(index)
            if large is None:
                next(memories)[...] = argument
            else:
                self.buffers[index] = large.placed(argument)
        return self.buffers

    def placed(self, index: int, argument: NDArray) -> Any:
        """The buffer of an argument that is not always copied."""
        return self._large[index].placed(argument)


def _staged(kind: BufferType, place: Callable[[NDArray, BufferType], Any]) -> tuple[NDArray, Any]:
    """Memory, and XLA's buffer on it."""
    memory = aligned(kind)
    return memory, place(memory, kind)


class _Large:
    """One argument's buffer: on its own memory where that suits XLA, else on a copy."""

    __slots__ = ("_address", "_buffer", "_kind", "_place", "_staged")

    def __init__(self, kind: BufferType, place: Callable[[NDArray, BufferType], Any]) -> None:
        self._kind, self._place = kind, place
        self._address = -1
        self._buffer: Any = None
        self._staged: tuple[NDArray, Any] | None = None

    def placed(self, array: NDArray) -> Any:
        """XLA's buffer, good while the array lives and as long as nobody writes to it."""
        at = address(array)
        # XLA would copy memory that doesn't suit it on a thread of its own, and run the program there too.
        if at % _ALIGNMENT or not array.flags.c_contiguous or not self._kind.nbytes:
            return self._copied(array)
        if self._address != at:
            # What XLA gets is the address alone, so that nothing is kept alive: any array there is the right one.
            memory: Any = (ctypes.c_char * self._kind.nbytes).from_address(at)
            self._buffer = self._place(np.ndarray(self._kind.shape, self._kind.dtype, memory), self._kind)
            self._address = at
        return self._buffer

    def _copied(self, array: NDArray) -> Any:
        if not 0 < self._kind.nbytes <= _KEPT_BYTES:
            return self._place(aligned_copy(array, self._kind), self._kind)
        if self._staged is None:
            self._staged = _staged(self._kind, self._place)
        memory, buffer = self._staged
        memory[...] = array
        return buffer


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


def reporting(callback: HostCallback) -> HostCallback:
    """Keep what a callback raises: XLA passes on only the text of an exception."""

    def report(*arguments: Any) -> tuple[Any, ...]:
        outermost, _here.in_callback = not _here.in_callback, True
        try:
            result: tuple[Any, ...] = _contexts[-1].copy().run(callback, *arguments)
            return result
        except BaseException as error:
            ticket = f"host callback failure {next(_tickets)};"
            _raised[ticket] = error
            if len(_raised) > 64:
                _raised.pop(next(iter(_raised)), None)
            raise RuntimeError(ticket) from error
        finally:
            _here.in_callback = not outermost

    return report


def fail(error: Exception) -> NoReturn:
    """Raise XLA's failure as ours, caused by the callback's exception where there is one.

    What is no `Exception`, such as a `KeyboardInterrupt`, is raised itself.
    """
    ticket = re.search(r"host callback failure \d+;", str(error))
    cause = _raised.pop(ticket.group(), None) if ticket else None
    if cause is not None and not isinstance(cause, Exception):
        raise cause from None
    if cause is not None:
        raise CallbackError(f"a host callback raised {cause!r}") from cause
    text = str(error)
    if text.startswith(_NO_MEMORY):
        raise OutOfMemoryError(text.removeprefix(_NO_MEMORY)) from error
    raise ExecutionError(text) from error


# How XLA's words start where memory is lacking.
_NO_MEMORY = "RESOURCE_EXHAUSTED: "

Signature: TypeAlias = tuple[tuple[BufferType, ...], tuple[BufferType, ...]]


def pack(payload: bytes, signature: Signature, versions: str, callbacks: int = 0) -> bytes:
    """Put a compiled program's bytes, its argument and result types and a checksum together."""
    kinds = [[[kind.shape, kind.dtype.name] for kind in half] for half in signature]
    body = json.dumps({"versions": versions, "signature": kinds, "callbacks": callbacks}).encode() + b"\n" + payload
    return _FORMAT + hashlib.sha256(body).digest() + body


def unpack(data: bytes, versions: str, callbacks: int = 0) -> tuple[bytes, Signature]:
    """Undo `pack`; raise `SerializationError` for bytes that are damaged, of other versions or of other callbacks."""
    digest, body = data[len(_FORMAT) :][:32], data[len(_FORMAT) + 32 :]
    # XLA's loader trusts its bytes, so nothing damaged may reach it.
    if not data.startswith(_FORMAT) or hashlib.sha256(body).digest() != digest:
        raise SerializationError("not an executable, or a damaged one")
    header, payload = body.split(b"\n", 1)
    about = json.loads(header)
    if about["versions"] != versions:
        raise SerializationError(f"compiled by {about['versions']}, but this is {versions}")
    if about["callbacks"] != callbacks:
        raise SerializationError(f"the program has {about['callbacks']} host callbacks, but {callbacks} are given")
    inputs, outputs = (
        tuple(buffer_type(tuple(shape), _DTYPE_OF_NAME[name]) for shape, name in half) for half in about["signature"]
    )
    return payload, (inputs, outputs)
