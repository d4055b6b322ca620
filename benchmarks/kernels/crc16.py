"""The CRC-16/CCITT-FALSE checksum, bit by bit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.arrays import IntArray, Size, generator

SIZES = {"small": 16, "full": 40_000}


def crc16(data: IntArray) -> Any:
    """The checksum of `data`, an array of byte values."""
    crc = 0xFFFF
    for i in range(data.shape[0]):
        crc = crc ^ (data[i] << 8)
        for _ in range(8):
            if crc & 0x8000:
                crc = ((crc << 1) ^ 0x1021) & 0xFFFF
            else:
                crc = (crc << 1) & 0xFFFF
    return crc


def arguments(size: Size) -> tuple[Any, ...]:
    """Random bytes, held as 64-bit integers."""
    return (generator().integers(0, 256, SIZES[size], dtype=np.int64),)


def jax_kernel() -> Callable[..., Any]:
    """A `scan` over the bytes with a `fori_loop` over the bits."""
    import jax.numpy as jnp
    from jax import lax

    def bit(_: Any, crc: Any) -> Any:
        shifted = crc << 1
        return jnp.where(crc & 0x8000 != 0, shifted ^ 0x1021, shifted) & 0xFFFF

    def byte(crc: Any, value: Any) -> Any:
        return lax.fori_loop(0, 8, bit, crc ^ (value << 8)), None

    def run(data: Any) -> Any:
        return lax.scan(byte, jnp.int64(0xFFFF), data)[0]

    return run
