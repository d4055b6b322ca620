"""Bytes that leave the process: a kind, what they were made for, parts, and a checksum over all of it."""

from __future__ import annotations

import hashlib
import json
import os
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

from anabranch._version import __version__
from anabranch.runtime._jaxlib import platform, versions
from anabranch.runtime.errors import SerializationError
from anabranch.runtime.executables import processor

_START = b"anabranch saved\n"


def made_here() -> dict[str, str]:
    """What executables and plans depend on: they are of no use elsewhere."""
    return {
        "anabranch": __version__,
        "Python": ".".join(map(str, sys.version_info[:2])),
        "XLA": versions(),
        "platform": platform(),
        "processor": hashlib.sha256(processor().encode()).hexdigest()[:16],
    }


def pack(kind: str, needs: Mapping[str, str], parts: Sequence[bytes]) -> bytes:
    """The bytes of something of this kind, and what a process must be to take it."""
    header = json.dumps({"kind": kind, "needs": dict(needs), "sizes": [len(p) for p in parts]}).encode()
    body = b"".join([header, b"\n", *parts])
    return _START + hashlib.sha256(body).digest() + body


def unpack(data: bytes, kind: str, here: Mapping[str, str]) -> list[bytes]:
    """The parts.

    Raises
    ------
    SerializationError
        For bytes that are damaged, of another kind, or made for another process than this is.
    """
    digest, body = data[len(_START) :][:32], data[len(_START) + 32 :]
    if not data.startswith(_START) or hashlib.sha256(body).digest() != digest:
        raise SerializationError(f"these bytes are no {kind} of anabranch's, or they are damaged")
    head, rest = body.split(b"\n", 1)
    header = json.loads(head)
    if header["kind"] != kind:
        raise SerializationError(f"this is {_a(header['kind'])}, not {_a(kind)}")
    wrong = [f"{n} {was}, and here is {here.get(n)}" for n, was in header["needs"].items() if was != here.get(n)]
    if wrong:
        raise SerializationError(f"this {kind} was made for {'; for '.join(wrong)}")
    parts = []
    for size in header["sizes"]:
        parts.append(rest[:size])
        rest = rest[size:]
    return parts


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
