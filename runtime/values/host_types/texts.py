"""Texts and bytes as arguments that are run-time values: the codes of their characters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.tracing.builder import tracing
from anabranch.runtime.values import wrap
from anabranch.runtime.values.host_types.byte_sequences import ByteSequence, BytesKind, BytesStructure
from anabranch.runtime.values.host_types.host_type import HostStructure
from anabranch.runtime.values.lazy_text import Text, decoded
from anabranch.runtime.values.list_buffer import ListBuffer, room_for


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
