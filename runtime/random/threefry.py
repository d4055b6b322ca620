"""Threefry-2x32 with 20 rounds (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011)."""

from __future__ import annotations

import numpy as np

from anabranch.base.value import Value

_ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))
_PARITY = np.uint32(0x1BD11BDA)


def threefry(keys: tuple[Value, Value], counters: tuple[Value, Value]) -> tuple[Value, Value]:
    """Encrypt counters, two uint32 arrays of at least one dimension, under keys of shapes that broadcast to them."""
    schedule = (*keys, keys[0] ^ keys[1] ^ _PARITY)
    x, y = counters[0] + schedule[0], counters[1] + schedule[1]
    for group in range(5):
        for rotation in _ROTATIONS[group % 2]:
            x = x + y
            y = (y << rotation | y >> (32 - rotation)) ^ x
        x = x + schedule[(group + 1) % 3]
        y = y + schedule[(group + 2) % 3] + np.uint32(group + 1)
    return x, y
