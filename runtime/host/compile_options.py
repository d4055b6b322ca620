"""How a program is compiled: XLA's flags, and how they are passed to it."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import TypeAlias

from anabranch.base.frozen import frozen

FlagValue: TypeAlias = str | bool | int | float
Flag: TypeAlias = tuple[str, FlagValue]


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
