"""Keys: arrays of two uint32 words, or of many such pairs."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.numpy import namespace as ns
from anabranch.runtime.values.tracer import Tracer

# The first word of a counter says what it is for; all below is for drawing.
_SPLIT = 0x80000000
_FOLD = 0x40000000
_WORD = 2**32


def key(seed: Value) -> Value:
    """A key from a seed, as `jax.random.key`, but a plain array.

    Parameters
    ----------
    seed : int or integer array
        From -2**63 to 2**64 - 1; a negative one stands for itself plus 2**64.

    Returns
    -------
    uint32 array of shape (..., 2)
        One key for each seed.

    Raises
    ------
    TypeError
        For a seed that is no integer.
    ValueError
        For an int of more than 64 bits.

    Examples
    --------
    >>> from anabranch import random
    >>> random.key(7)
    array([0, 7], dtype=uint32)
    """
    return _key(seed)


def _key(seed: object) -> Value:
    if isinstance(seed, int):
        if not -(2**63) <= seed < 2**64:
            raise ValueError(f"a seed has at most 64 bits; got {seed}")
        return np.array(divmod(seed % 2**64, _WORD), np.uint32)
    seeds = ns.asarray(seed)
    if seeds.dtype.kind not in "iu":
        raise TypeError(f"a seed is an integer or an array of integers; got {seeds.dtype}")
    wide = seeds.astype(np.uint64)
    return ns.stack([wide >> 32, wide & np.uint64(_WORD - 1)], axis=-1).astype(np.uint32)


def split(key: object, num: int | tuple[int, ...] = 2) -> Value:
    """New keys, independent of each other and of the numbers from `key` itself, as `jax.random.split`.

    Parameters
    ----------
    key : uint32 array of shape (..., 2)
    num : int or tuple of int

    Returns
    -------
    uint32 array of shape (..., *num, 2)
        The first k of them do not depend on how many there are.

    Examples
    --------
    >>> from anabranch import random
    >>> first, second = random.split(random.key(7))
    >>> bool(random.uniform(first) != random.uniform(second))
    True
    """
    first, second = words(key)
    shape = shape_of(num)
    x, y = threefry((first, second), (_word(_SPLIT), _indices(shape)))
    return ns.stack([x, y], axis=-1).reshape((*first.shape[:-1], *shape, 2))


def fold_in(key: object, data: object) -> Value:
    """A new key for each integer, as `jax.random.fold_in`.

    Parameters
    ----------
    key : uint32 array of shape (..., 2)
    data : int
        From -2**63 to 2**64 - 1; may be known only at run time.

    Returns
    -------
    uint32 array of shape (..., 2)

    Examples
    --------
    >>> from anabranch import random
    >>> [int(random.integers(random.fold_in(random.key(0), i), 1, 7)) for i in range(5)]
    [4, 4, 3, 6, 4]
    """
    first, second = words(key)
    high, low = words(_key(data))
    if high.ndim > 1:
        raise ValueError(f"fold_in takes one integer, and not an array of shape {high.shape[:-1]}")
    x, y = threefry((first, second), (_word(_FOLD), low))
    x, y = threefry((x, y), (_word(_FOLD + 1), high))
    return ns.stack([x[..., 0], y[..., 0]], axis=-1)


def words(key: object) -> tuple[Value, Value]:
    """The two words of each key, with an axis of length one at the end."""
    keys: Any = ns.asarray(key)
    if keys.dtype != np.uint32 or not keys.ndim or keys.shape[-1] != 2:
        raise TypeError(
            f"a key is a uint32 array whose last axis has length 2, as anabranch.random.key(seed) makes it; got "
            f"{keys.dtype} of shape {keys.shape}"
        )
    return keys[..., 0:1], keys[..., 1:2]


def bits(key: object, shape: tuple[int, ...], draw: object = 0) -> tuple[Value, Value]:
    """Two words for each element; those of one element depend on the key, its place and the number of the draw."""
    first, second = words(key)
    x, y = threefry((first, second), (_word(draw), _indices(shape)))
    whole = (*first.shape[:-1], *shape)
    return x.reshape(whole), y.reshape(whole)


def shape_of(shape: Value) -> tuple[int, ...]:
    """A shape from an int or a sequence of ints."""
    if isinstance(shape, Tracer):
        shape = operator.index(shape)
    sizes = (shape,) if isinstance(shape, (int, np.integer)) else tuple(shape)
    found = tuple(operator.index(n) for n in sizes)
    if any(n < 0 for n in found):
        raise ValueError("negative dimensions are not allowed")
    return found


def _word(value: object) -> Value:
    return ns.asarray(value).astype(np.uint32).reshape(1)


def _indices(shape: tuple[int, ...]) -> np.ndarray[Any, np.dtype[np.uint32]]:
    size = int(np.prod(shape, dtype=object))
    if size > _WORD:
        raise ValueError(f"{size} numbers from one key are too many; split it")
    return np.arange(size, dtype=np.uint32)


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
