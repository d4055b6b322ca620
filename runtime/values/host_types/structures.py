"""The structures of arguments of the caller's types that compiled code has other forms of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.tracing.builder import tracing
from anabranch.runtime.values import containers, registry, wrap
from anabranch.runtime.values.host_types import (
    byte_sequences,
    records,
    text_array_functions,
    text_codes,
    time_functions,
    times,
)
from anabranch.runtime.values.host_types.byte_sequences import ByteSequence, BytesKind, BytesStructure
from anabranch.runtime.values.host_types.host_type import HostStructure
from anabranch.runtime.values.host_types.text_arrays import TextArrayStructure, TracedTexts
from anabranch.runtime.values.host_types.times import SCALAR, TimeStructure, TracedTimes
from anabranch.runtime.values.lazy_text import Text, decoded
from anabranch.runtime.values.list_buffer import ListBuffer, room_for

# They are written in terms of the class of dates and durations, which asks for them.
times.FUNCTIONS.update(time_functions.RULES)


def zeros(shape: Value, dtype: np.dtype) -> Value:
    """An array of zeros of records, dates or durations, or of empty texts; None for any other dtype."""
    if dtype.names:
        return records.zeros(shape, dtype)
    if dtype.kind in "US" and dtype.isnative:
        return text_array_functions.zeros(shape, dtype)
    if dtype.kind not in "mM" or not dtype.isnative:
        return None
    return TracedTimes(registry.FUNCTIONS[np.zeros](shape, np.int64), dtype)


def structure_of(value: object) -> containers.Structure | None:
    """The structure of an argument that is dates, texts of one width, records or bytes; None for any other."""
    if isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in "Mm" and value.dtype.isnative:
        exact = type(value) is np.ndarray or isinstance(value, np.generic)
        key = SCALAR if isinstance(value, np.generic) else "ints"
        return TimeStructure(TracedTimes, (key,), value.dtype) if exact else None
    if type(value) is np.ndarray and text_codes.is_kept(value.dtype):
        return TextArrayStructure(TracedTexts, ("codes",), value.dtype)
    if type(value) in (bytearray, memoryview):
        return byte_sequences.structure_of(value)  # type: ignore[arg-type]
    if isinstance(value, np.ndarray) and value.dtype.names and type(value) in (np.ndarray, np.recarray):
        kind = records.RecordType(value.dtype, type(value) is np.recarray)
        return records.RecordStructure(records.TracedRecords, value.dtype.names, kind)
    return None


@frozen
class CodesStructure(HostStructure):
    """That of a text: the codes of its characters, with as much room as all texts of about its length get."""

    def children(self, value: Value) -> list[Value]:
        codes = np.zeros(room_for(len(value)), np.uint8 if value.isascii() else np.uint32)
        codes[: len(value)] = np.frombuffer(value.encode("utf-32-le", "surrogatepass"), "<u4")
        codes.flags.writeable = False
        return [codes, len(value)]

    def build(self, children: Sequence[Value]) -> Value:
        if not tracing():
            return decoded(*children)
        codes, length = children
        return Text("decoded", (ListBuffer(wrap.as_atom(codes)), length))

    def on_host(self, children: Sequence[Any], members: Sequence[object]) -> Value:
        return decoded(*children)


# That of a text, or of bytes, which are an array of their length.
STRUCTURES: dict[type, HostStructure] = {
    str: CodesStructure(str, ("codes", "length")),
    bytes: BytesStructure(ByteSequence, ("data",), BytesKind(bytes)),
}


@frozen
class WordStructure(HostStructure):
    """That of such an int: one of NumPy's scalars."""

    def children(self, value: Value) -> list[Value]:
        return [np.uint64(value)]

    def build(self, children: Sequence[Value]) -> Value:
        (word,) = children
        return wrap.python_number(wrap.as_atom(word)) if tracing() else int(word)

    def on_host(self, children: Sequence[Any], members: Sequence[object]) -> Value:
        return int(children[0])


WORD = WordStructure(int, ("word",))
