"""A compiled program's bytes, as they are kept: with the types of its buffers, versions and a checksum."""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Mapping, Sequence
from typing import Any

from anabranch.runtime.errors import SerializationError
from anabranch.runtime.host.buffer_types import DTYPE_OF_NAME, Signature, buffer_type

_FORMAT = b"anabranch executable 5\n"


def sealed(mark: bytes, header: Mapping[str, object], payload: bytes) -> bytes:
    """Bytes that begin with a mark, say something of themselves, and have a checksum over all of it."""
    body = json.dumps(header).encode() + b"\n" + payload
    return mark + hashlib.sha256(body).digest() + body


def unsealed(mark: bytes, data: bytes) -> tuple[Any, bytes]:
    """Undo `sealed`.

    Raises `ValueError` for bytes with another mark, and for damaged ones.
    """
    digest, body = data[len(mark) :][:32], data[len(mark) + 32 :]
    if not data.startswith(mark) or hashlib.sha256(body).digest() != digest:
        raise ValueError("damaged")
    header, payload = body.split(b"\n", 1)
    return json.loads(header), payload


def pack(payload: bytes, signature: Signature, versions: str, callbacks: int = 0, codes: Sequence[bytes] = ()) -> bytes:
    """Put a compiled program's bytes, its argument and result types and a checksum together.

    Parameters
    ----------
    payload
        XLA's.
    callbacks
        How many functions the program calls.
    codes
        The object code of those of them that are machine code.
    """
    kinds = [[[kind.shape, kind.dtype.name] for kind in half] for half in (signature.inputs, signature.outputs)]
    about = {
        "versions": versions,
        "signature": kinds,
        "recycled": signature.recycled,
        "windows": signature.windows,
        "callbacks": callbacks,
        "codes": list(map(len, codes)),
    }
    return sealed(_FORMAT, about, b"".join([*codes, payload]))


def unpack(data: bytes, versions: str, callbacks: int = 0) -> tuple[bytes, Signature, list[bytes]]:
    """Undo `pack`; raise `SerializationError` for bytes that are damaged, of other versions or of other callbacks."""
    try:
        # XLA's loader trusts its bytes, so nothing damaged may reach it.
        about, payload = unsealed(_FORMAT, data)
    except ValueError:
        raise SerializationError(
            "these bytes are no executable, or a damaged one; compile the function again"
        ) from None
    if about["versions"] != versions:
        raise SerializationError(f"compiled by {about['versions']}, but this is {versions}")
    if about["callbacks"] != callbacks:
        raise SerializationError(f"the program has {about['callbacks']} host callbacks, but {callbacks} are given")
    inputs, outputs = (
        tuple(buffer_type(tuple(shape), DTYPE_OF_NAME[name]) for shape, name in half) for half in about["signature"]
    )
    *codes, payload = _cut(payload, about["codes"])
    return payload, Signature(inputs, outputs, tuple(about["recycled"]), tuple(about["windows"])), codes


def _cut(data: bytes, lengths: Sequence[int]) -> list[bytes]:
    """The pieces of these lengths, and the rest."""
    ends = [0, *itertools.accumulate(lengths), len(data)]
    return [data[start:end] for start, end in itertools.pairwise(ends)]
