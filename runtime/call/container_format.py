"""Bytes that leave the process: a kind, what they were made for, parts, and a checksum over all of it."""

from __future__ import annotations

import hashlib
import itertools
import operator
import os
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from anabranch._version import __version__
from anabranch.runtime._jaxlib import platform, versions
from anabranch.runtime.errors import SerializationError
from anabranch.runtime.host.saved_bytes import sealed, unsealed
from anabranch.runtime.xla.disk_cache import processor

_START = b"anabranch saved\n"
# The form of the Plans in such bytes, raised by each change of their classes, their modules among it.
FORM = "8"
Buffer: TypeAlias = bytes | bytearray | memoryview


def made_here() -> dict[str, str]:
    """Return what executables and plans depend on: they are of no use elsewhere."""
    return {
        "anabranch": __version__,
        "form": FORM,
        "Python": ".".join(map(str, sys.version_info[:2])),
        "XLA": versions(),
        "platform": platform(),
        "processor": hashlib.sha256(processor().encode()).hexdigest()[:16],
    }


def pack(kind: str, needs: Mapping[str, str], parts: Sequence[bytes]) -> bytes:
    """The bytes of something of this kind, and what a process must be to take it."""
    return sealed(_START, {"kind": kind, "needs": dict(needs), "sizes": [len(p) for p in parts]}, b"".join(parts))


def unpack(data: Buffer, kind: str, here: Mapping[str, str], count: int) -> list[bytes]:
    """The parts, so many of them.

    Raises `SerializationError` for bytes that are damaged, of another kind, or made for another process than this is.
    Raises `TypeError` for what is no bytes.
    """
    damaged = SerializationError(f"these bytes are no {kind} of anabranch's, or they are damaged")
    whole = memoryview(data).tobytes()
    try:
        header, rest = unsealed(_START, whole)
        found, needs, sizes = _header(header)
    except (ValueError, TypeError, KeyError):
        raise damaged from None
    if found != kind:
        raise SerializationError(f"this is {_a(found)}, not {_a(kind)}")
    wrong = [f"{n} {needs.get(n)}, and here is {here.get(n)}" for n in {**here, **needs} if needs.get(n) != here.get(n)]
    if wrong:
        raise SerializationError(f"this {kind} was made for {'; for '.join(wrong)}")
    if len(sizes) != count or sum(sizes) != len(rest):
        raise damaged
    ends = list(itertools.accumulate(sizes))
    return [rest[end - size : end] for size, end in zip(sizes, ends, strict=True)]


def _header(said: Any) -> tuple[str, dict[str, Any], list[int]]:
    """Kind, what it was made for, and the sizes of the parts."""
    kind, needs, sizes = said["kind"], dict(said["needs"]), [operator.index(n) for n in said["sizes"]]
    if not isinstance(kind, str) or not kind or any(n < 0 for n in sizes):
        raise ValueError("no header")
    return kind, needs, sizes


def _a(kind: str) -> str:
    return f"an {kind}" if kind[0] in "aeiou" else f"a {kind}"


def write(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file as a whole or not at all."""
    target = Path(path)
    temporary = target.with_name(f".{target.name}.{os.getpid()}.{threading.get_ident()}")
    try:
        temporary.write_bytes(data)
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
