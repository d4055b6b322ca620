"""`bytearray`, `memoryview` and the `bytes` of run-time arrays: one traced array each, whose items are Python's."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NoReturn

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.ir.interval import Interval
from anabranch.runtime.values import atoms, registry, wrap
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.host_types.host_type import HostStructure, HostTyped
from anabranch.runtime.values.python_numbers.python_operands import interval_of
from anabranch.runtime.values.python_numbers.python_scalar import PythonScalar, python_scalar
from anabranch.runtime.values.tracer import Tracer

_F = registry.FUNCTIONS
_FORMATS = frozenset("bBhHiIlLqQfd?")
_OUT_OF_RANGE: dict[Any, str] = {
    bytes: "index out of range",
    bytearray: "bytearray index out of range",
    memoryview: "index out of bounds on dimension 1",
}


@frozen
class BytesKind:
    """Which of Python's classes it is, and the format of a memoryview's items."""

    cls: type
    format: str = "B"


class ByteSequence(HostTyped):
    """Bytes, or the numbers that a memoryview shows, in an array."""

    def __init__(self, line: TracedArray, kind: BytesKind) -> None:
        self._line, self._kind = line, kind

    def __anabranch_sample__(self) -> object:
        empty: Any = memoryview(b"")
        return empty.cast(self._kind.format) if self._kind.cls is memoryview else self._kind.cls()

    def __anabranch_structure__(self) -> BytesStructure:
        return BytesStructure(ByteSequence, ("data",), self._kind)

    def _refusal(self, what: str) -> UnsupportedOperationError:
        return UnsupportedOperationError(
            f"{what} of a {self._kind.cls.__name__} is not supported in compiled code; pass and return arrays of "
            "numpy.uint8"
        )

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_") and hasattr(self.__anabranch_sample__(), name):
            raise self._refusal(f"the attribute {name}")
        raise AttributeError(f"'{self._kind.cls.__name__}' object has no attribute '{name}'")

    def __len__(self) -> int:
        return len(self._line)

    @property
    def _item_count(self) -> int:
        return self._line.shape[0]

    def __getitem__(self, key: Value) -> Value:
        if isinstance(key, slice):
            part = self._line[key]
            if not isinstance(part, TracedArray):
                raise self._refusal("a slice of a length known only at run time")
            return ByteSequence(part if self._kind.cls is memoryview else part.__copy__(), self._kind)
        return self._read(self._line[self._place(key)])

    def _read(self, number: Value) -> Value:
        """An element as Python's number."""
        dtype = self._line.dtype
        known = Interval(0, 2 ** (8 * dtype.itemsize) - 1) if dtype.kind == "u" and dtype.itemsize < 8 else None
        if not isinstance(number, Tracer):
            return number.item()
        atom = wrap.as_atom(number)
        if dtype.kind in "iu":
            atom = atoms.convert(atom, np.int64)
        if dtype.kind == "f":
            atom = atoms.convert(atom, np.float64)
        return python_scalar(atom) if known is None else python_scalar(atom, known)

    def _place(self, key: Value) -> Value:
        """An index as a position from the front on; raises what Python does for one beyond the end."""
        if isinstance(key, Tracer) and (wrap.shape_of(key) or key.abstract.dtype.kind not in "iu"):
            operator.getitem(self.__anabranch_sample__(), 1.5)  # type: ignore[call-overload]
        size, error = self._item_count, IndexError(_OUT_OF_RANGE[self._kind.cls])
        if not isinstance(key, Tracer):
            place = operator.index(key)
            if not -size <= place < size:
                raise error
            return place + size if place < 0 else place
        atom, known = wrap.as_atom(key, np.int64), interval_of(key) if isinstance(key, PythonScalar) else None
        if known is None or known.low < 0 or known.high >= size:
            beyond = atoms.ufunc(np.greater_equal, atom, atoms.literal(size, np.int64))
            below = atoms.ufunc(np.less, atom, atoms.literal(-size, np.int64))
            run_time_checks.fail_if(
                atoms.logical_or(beyond, below), lambda _: IndexError(_OUT_OF_RANGE[self._kind.cls])
            )
            negative = atoms.ufunc(np.less, atom, atoms.literal(0, np.int64))
            atom = atoms.select(negative, atoms.ufunc(np.add, atom, atoms.literal(size, np.int64)), atom)
        return python_scalar(atom, Interval(0, max(size - 1, 0)))

    def __add__(self, other: object) -> Value:
        return NotImplemented if self._kind.cls is memoryview else self._refuse("the operator +")

    def __mul__(self, other: object) -> Value:
        return NotImplemented if self._kind.cls is memoryview else self._refuse("the operator *")

    def __radd__(self, other: object) -> Value:
        self._refuse("the operator +")

    __rmul__ = __mul__

    def _refuse(self, what: str) -> NoReturn:
        raise self._refusal(what)

    def __setitem__(self, key: Value, value: Value) -> None:
        if self._kind.cls is bytes:
            raise TypeError("'bytes' object does not support item assignment")
        if self._line.is_readonly:
            raise TypeError("cannot modify read-only memory")
        if isinstance(key, slice):
            self._set_slice(key, value)
        else:
            self._line[self._place(key)] = self._checked(value)

    def _set_slice(self, key: slice, value: Value) -> None:
        given: Any = value._line if isinstance(value, ByteSequence) else None
        if isinstance(value, (bytes, bytearray)):
            given = np.frombuffer(value, np.uint8) if value else np.zeros(0, np.uint8)
        target = self._line[key]
        if given is None or not isinstance(target, TracedArray) or target.dtype != given.dtype:
            raise self._refusal("an assignment of such values to a slice")
        if target.shape != given.shape:
            if self._kind.cls is memoryview:
                raise ValueError("memoryview assignment: lvalue and rvalue have different structures")
            raise self._refusal("an assignment that changes the length")
        self._line[key] = given

    def _checked(self, value: Value) -> Value:
        """A number to write; raises what Python does for one that is none of the format."""
        low, high = self._bounds()
        if isinstance(value, ByteSequence) or not isinstance(value, (Tracer, int, float, np.generic)):
            raise self._refusal(f"an assignment of a {type(value).__name__}")
        kind = value.abstract.dtype.kind if isinstance(value, Tracer) else np.asarray(value).dtype.kind
        if self._line.dtype.kind == "f" and kind in "fiu":
            return value
        if self._line.dtype.kind not in "iu" or kind not in "iu":
            made: Any = memoryview(bytearray(8))
            made = made.cast(self._kind.format)
            made = bytearray(1) if self._kind.cls is bytearray else made
            made[0] = 1.5 if kind == "f" else 1j  # raises what Python does
            raise self._refusal("an assignment of such a value")
        message = (
            "byte must be in range(0, 256)"
            if self._kind.cls is bytearray
            else f"memoryview: invalid value for format '{self._kind.format}'"
        )
        if not isinstance(value, Tracer):
            if not low <= int(value) <= high:
                raise ValueError(message)
            return value
        atom = wrap.as_atom(value, np.int64)
        known = interval_of(value) if isinstance(value, PythonScalar) else None
        if known is None or known.low < low or known.high > high:
            above = atoms.ufunc(np.greater, atom, atoms.literal(min(high, 2**63 - 1), np.int64))
            below = atoms.ufunc(np.less, atom, atoms.literal(low, np.int64))
            run_time_checks.fail_if(atoms.logical_or(above, below), lambda _: ValueError(message))
        return wrap.numpy_result(atoms.convert(atom, self._line.dtype))

    def _bounds(self) -> tuple[int, int]:
        if self._line.dtype.kind not in "iu":
            return 0, 0
        info = np.iinfo(self._line.dtype)
        return int(info.min), int(info.max)

    def __iter__(self) -> Iterator[Value]:
        return (self[i] for i in range(len(self)))

    def __eq__(self, other: object) -> Any:
        if isinstance(other, (bytes, bytearray)):
            other = ByteSequence(wrap.array_of(atoms.literal(np.frombuffer(other, np.uint8))), BytesKind(type(other)))
        if not isinstance(other, ByteSequence):
            return NotImplemented
        if self._line.shape != other._line.shape:
            return False
        return python_scalar(wrap.as_atom(_F[np.all](_F[np.equal](self._line, other._line))))

    def __ne__(self, other: object) -> Any:
        same = self.__eq__(other)
        if same is NotImplemented or isinstance(same, bool):
            return same if same is NotImplemented else not same
        return python_scalar(atoms.logical_not(wrap.as_atom(same)))

    def __hash__(self) -> int:
        raise self._refusal("the hash")

    def __bool__(self) -> bool:
        return self._item_count > 0

    def tolist(self) -> list[Value]:
        """As `memoryview.tolist`."""
        if self._kind.cls is not memoryview:
            raise AttributeError(f"'{self._kind.cls.__name__}' object has no attribute 'tolist'")
        return list(self)

    def copy(self) -> ByteSequence:
        """As `bytearray.copy`."""
        if self._kind.cls is not bytearray:
            raise AttributeError(f"'{self._kind.cls.__name__}' object has no attribute 'copy'")
        made: ByteSequence = self[:]
        return made

    def copied_to(self, cls: type) -> ByteSequence:
        """As `bytes` and `bytearray` of what has memory: its bytes; bytes themselves where they are asked for."""
        if cls is bytes and self._kind.cls is bytes:
            return self
        made: ByteSequence = registry.METHODS["tobytes"](self._line)
        return ByteSequence(made._line, BytesKind(cls))

    @property
    def _functions(self) -> Mapping[Any, Callable[..., Any]]:
        return {np.frombuffer: from_buffer}


@frozen
class BytesStructure(HostStructure):
    """That of such a sequence, with its `BytesKind`."""

    def children(self, value: Value) -> list[Value]:
        return [value._line if isinstance(value, ByteSequence) else np.asarray(memoryview(value))]

    def build(self, children: Sequence[Value]) -> Value:
        return ByteSequence(children[0], self.extra)

    def on_host(self, children: Sequence[Any], members: Sequence[object]) -> Value:
        array: Any = np.asarray(children[0])
        if self.extra.cls is memoryview:
            return memoryview(array)
        return self.extra.cls(array.tobytes())


def structure_of(value: bytearray | memoryview) -> BytesStructure | None:
    """The structure of an argument; None for a memoryview of items that compiled code has no form for."""
    if isinstance(value, memoryview):
        if value.ndim != 1 or value.format not in _FORMATS:
            return None
        return BytesStructure(ByteSequence, ("data",), BytesKind(memoryview, value.format))
    return BytesStructure(ByteSequence, ("data",), BytesKind(bytearray))


def from_buffer(buffer: Value, dtype: Value = float, count: Value = -1, offset: Value = 0, **_: Value) -> Value:
    """As `numpy.frombuffer`: a view of the memory of a sequence of bytes, or of an array in C order."""
    line = buffer._line if isinstance(buffer, ByteSequence) else buffer
    if line.dtype != np.uint8:
        line = line.view(np.uint8)
    like = np.frombuffer(bytes(line.shape[0]), dtype, count, offset)  # raises what NumPy does
    part = line[offset : offset + like.nbytes]
    made = part.view(like.dtype)
    is_bytes = isinstance(buffer, ByteSequence) and buffer._kind.cls is bytes
    return made.viewed(readonly=True) if is_bytes else made
