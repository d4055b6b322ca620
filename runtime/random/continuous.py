"""Continuous distributions."""

from __future__ import annotations

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.control.while_ import while_
from anabranch.runtime.numpy import namespace as ns
from anabranch.runtime.random.checking import floating, refuse_where
from anabranch.runtime.random.keys import bits, shape_of, words

# Of float64, float32 and float16: how many random bits a number in [0, 1) takes.
_DIGITS = {8: 53, 4: 24, 2: 11}


def uniform(
    key: object, shape: object = (), dtype: object = np.float64, minval: object = 0.0, maxval: object = 1.0
) -> Value:
    """Numbers from [minval, maxval), all equally likely, as `jax.random.uniform`.

    Parameters
    ----------
    key : uint32 array of shape (..., 2)
    shape : int or tuple of int
        Of the numbers from each key.
    dtype : float16, float32 or float64
    minval, maxval : float
        Scalars, or arrays that broadcast to the result. A number next to `maxval` may round to it.

    Returns
    -------
    array of shape (*key.shape[:-1], *shape)

    Examples
    --------
    >>> from anabranch import random
    >>> numbers = random.uniform(random.key(0), (1000,))
    >>> numbers.shape, abs(float(numbers.mean()) - 0.5) < 0.1
    ((1000,), True)
    """
    numbers = fraction(key, shape_of(shape), floating(dtype))
    if isinstance(minval, (int, float)) and isinstance(maxval, (int, float)) and (minval, maxval) == (0, 1):
        return numbers
    low, high = (ns.asarray(v).astype(dtype) for v in (minval, maxval))
    return ns.maximum(low, numbers * (high - low) + low)


def normal(key: object, shape: object = (), dtype: object = np.float64) -> Value:
    """Numbers with mean 0 and variance 1, normally distributed, as `jax.random.normal`.

    Parameters
    ----------
    key : uint32 array of shape (..., 2)
    shape : int or tuple of int
    dtype : float16, float32 or float64

    Returns
    -------
    array of shape (*key.shape[:-1], *shape)
        By the method of Box and Muller.

    Examples
    --------
    >>> from anabranch import random
    >>> numbers = random.normal(random.key(0), (1000,))
    >>> numbers.shape, abs(float(numbers.mean()) - 0.0) < 0.1
    ((1000,), True)
    """
    return _normal(key, shape_of(shape), floating(dtype), 0)


def exponential(key: object, shape: object = (), dtype: object = np.float64) -> Value:
    """Numbers from the exponential distribution with mean 1, as `jax.random.exponential`.

    Parameters
    ----------
    key : uint32 array of shape (..., 2)
    shape : int or tuple of int
    dtype : float16, float32 or float64

    Returns
    -------
    array of shape (*key.shape[:-1], *shape)

    Examples
    --------
    >>> from anabranch import random
    >>> numbers = random.exponential(random.key(0), (1000,))
    >>> numbers.shape, abs(float(numbers.mean()) - 1.0) < 0.1
    ((1000,), True)
    """
    return -ns.log1p(-fraction(key, shape_of(shape), floating(dtype)))


def gamma(key: Value, a: Value, shape: Value = None, dtype: Value = np.float64) -> Value:
    """Numbers from the gamma distribution with shape parameter `a` and scale 1, as `jax.random.gamma`.

    Parameters
    ----------
    key : uint32 array of shape (..., 2)
    a : float
        Positive; a scalar, or an array that broadcasts to `shape`.
    shape : int or tuple of int, optional
        That of `a` by default.
    dtype : float32 or float64

    Returns
    -------
    array of shape (*key.shape[:-1], *shape)
        By the method of Marsaglia and Tsang (2000).

    Raises
    ------
    ValueError
        Where a parameter is not positive.

    Examples
    --------
    >>> from anabranch import random
    >>> numbers = random.gamma(random.key(0), 3.0, (1000,))
    >>> numbers.shape, round(float(numbers.mean()))
    ((1000,), 3)
    """
    kind = floating(dtype)
    form = ns.asarray(a).astype(kind)
    refuse_where(~(form > 0), "the parameters of gamma must be positive")
    sizes = form.shape if shape is None else shape_of(shape)
    whole = (*words(key)[0].shape[:-1], *sizes)
    form = ns.broadcast_to(form, whole)
    # A parameter below 1 is drawn for the next and scaled.
    small = form < 1
    scale = ns.where(small, form + 1, form) - kind.type(1 / 3)
    slope = 1 / ns.sqrt(9 * scale)

    def step(attempt: Value, done: Value, value: Value) -> tuple[Value, Value, Value]:
        draw = 4 * attempt + 1
        x, u = _normal(key, sizes, kind, draw), 1 - fraction(key, sizes, kind, draw + 2)
        v = (1 + slope * x) ** 3
        log = ns.log(ns.where(v > 0, v, 1))
        fits = (v > 0) & (ns.log(u) < 0.5 * x * x + scale * (1 - v + log))
        return attempt + 1, done | fits, ns.where(done, value, scale * v)

    state = (0, ns.zeros_like(small), ns.zeros_like(form))
    _, _, value = while_(lambda _, done, __: ~done.all(), step, state, ("attempt", "done", "value"))
    return value * ns.where(small, (1 - fraction(key, sizes, kind, 0)) ** (1 / form), 1)


def fraction(key: object, shape: tuple[int, ...], dtype: np.dtype, draw: object = 0) -> Value:
    """Numbers from [0, 1)."""
    return _fraction(*bits(key, shape, draw), dtype)


def _fraction(x: Value, y: Value, dtype: np.dtype) -> Value:
    digits = _DIGITS[dtype.itemsize]
    whole = (x.astype(np.uint64) << 32 | y) >> 11 if digits > 32 else x >> (32 - digits)
    return whole.astype(dtype) * dtype.type(2.0**-digits)


def _normal(key: Value, shape: tuple[int, ...], dtype: np.dtype, draw: Value) -> Value:
    first = bits(key, shape, draw)
    # A number of few digits leaves the other word for the angle.
    second = bits(key, shape, draw + 1) if dtype.itemsize == 8 else first[::-1]
    radius = ns.sqrt(-2 * ns.log(1 - _fraction(*first, dtype)))
    return radius * ns.cos(dtype.type(2 * np.pi) * _fraction(*second, dtype))
