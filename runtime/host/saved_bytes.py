"""A compiled program's bytes, as they are kept: with the types of its buffers, versions and a checksum."""

from __future__ import annotations

import hashlib
import json

from anabranch.runtime.errors import SerializationError
from anabranch.runtime.host.buffer_types import DTYPE_OF_NAME, Signature, buffer_type

_FORMAT = b"anabranch executable 2\n"


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
        raise SerializationError("these bytes are no executable, or a damaged one; compile the function again")
    header, payload = body.split(b"\n", 1)
    about = json.loads(header)
    if about["versions"] != versions:
        raise SerializationError(f"compiled by {about['versions']}, but this is {versions}")
    if about["callbacks"] != callbacks:
        raise SerializationError(f"the program has {about['callbacks']} host callbacks, but {callbacks} are given")
    inputs, outputs = (
        tuple(buffer_type(tuple(shape), DTYPE_OF_NAME[name]) for shape, name in half) for half in about["signature"]
    )
    return payload, (inputs, outputs)
