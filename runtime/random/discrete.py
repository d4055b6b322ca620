"""Discrete distributions, and samples of given elements."""

from __future__ import annotations

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.control.while_ import while_
from anabranch.runtime.numpy import namespace as ns
from anabranch.runtime.random.checking import refuse_where
from anabranch.runtime.random.continuous import fraction
from anabranch.runtime.random.keys import bits, shape_of, words
from anabranch.runtime.values.tracer import Tracer

_FLOAT = np.dtype(np.float64)


def integers(
    key: object, low: object, high: object = None, shape: object = None, dtype: Value = np.int64, endpoint: bool = False
) -> Value:
    """Integers from [low, high), all exactly equally likely, with the bounds of `numpy.random.Generator.integers`.

    Parameters
    ----------
    key : uint32 array of shape (..., 2)
    low, high : int
        Scalars or arrays; without `high`, from 0 up to `low`.
    shape : int or tuple of int, optional
        Of the numbers from each key; that of the bounds by default.
    dtype : integer dtype
    endpoint : bool
        Whether `high` is among them.

    Returns
    -------
    array of shape (*key.shape[:-1], *shape)

    Raises
    ------
    ValueError
        Where `low` is not below `high`, or a bound is beyond the dtype.

    Examples
    --------
    >>> from anabranch import random
    >>> dice = random.integers(random.key(0), 1, 6, (1000,), endpoint=True)
    >>> int(dice.min()), int(dice.max())
    (1, 6)
    """
    kind: np.dtype = np.dtype(dtype)
    if kind.kind not in "iu":
        raise TypeError(f"integers can be drawn of integer dtypes, and not of {kind}")
    low, high = (0, low) if high is None else (low, high)
    bounds = np.iinfo(kind)
    first, last = _bound(low), _bound(high)
    refuse_where(_less(first, bounds.min), f"low is out of bounds for {kind}")
    beyond = _less(bounds.max, last if endpoint else last - 1) & _less(bounds.max, last)
    refuse_where(beyond, f"high is out of bounds for {kind}")
    refuse_where(_less(last, first) if endpoint else ~_less(first, last), "low > high" if endpoint else "low >= high")
    start = _wrapped(first)
    # The whole range of 64 bits has 2**64 numbers, which wraps to 0.
    count = _wrapped(last) - start + np.uint64(bool(endpoint))
    sizes = np.broadcast_shapes(first.shape, last.shape) if shape is None else shape_of(shape)
    whole = (*words(key)[0].shape[:-1], *sizes)
    return (start + _below(key, count, sizes)).astype(kind).reshape(whole)[()]


def _bound(value: object) -> Value:
    """A bound as an array; Python ints beyond 64 bits stay exact."""
    found = ns.asarray(value) if isinstance(value, (Tracer, np.ndarray, np.generic)) else np.asarray(value)
    if found.dtype.kind not in "iu" and not (found.dtype.kind == "O" and all(isinstance(v, int) for v in found.flat)):
        raise TypeError(f"the bounds of integers are integers, and not {found.dtype}")
    return found


def _less(a: Value, b: Value) -> Value:
    """`a < b` of integers of any kind, exactly."""
    return ns.less(a, b) if isinstance(a, Tracer) or isinstance(b, Tracer) else np.asarray(np.less(a, b))


def _wrapped(bound: Value) -> Value:
    """A bound as uint64, modulo 2**64."""
    if bound.dtype.kind == "O":
        return np.asarray(bound % 2**64).astype(np.uint64)
    return bound.astype(np.uint64).reshape(bound.shape or (1,))


def _below(key: Value, count: Value, shape: tuple[int, ...]) -> Value:
    """Integers from [0, count) as uint64: those of 64 bits, but for the few that would make some more likely."""
    # Arithmetic of scalars would warn where it wraps.
    whole = (*words(key)[0].shape[:-1], *shape) or (1,)
    full = count == 0
    divisor = ns.where(full, np.uint64(1), count)
    least = ns.where(full, np.uint64(0), (np.uint64(0) - divisor) % divisor)

    def step(draw: Value, done: Value, value: Value) -> tuple[Value, Value, Value]:
        x, y = bits(key, shape, draw)
        drawn = (x.astype(np.uint64) << 32 | y).reshape(whole)
        return draw + 1, done | (drawn >= least), ns.where(done, value, drawn)

    state = (0, ns.zeros(whole, np.bool_), ns.zeros(whole, np.uint64))
    _, _, value = while_(lambda _, done, __: ~done.all(), step, state, ("draw", "done", "value"))
    return ns.where(full, value, value % divisor)


def bernoulli(key: object, p: object = 0.5, shape: object = None) -> Value:
    """Bools that are True with probability `p`, as `jax.random.bernoulli`.

    Parameters
    ----------
    key : uint32 array of shape (..., 2)
    p : float
        A scalar, or an array that broadcasts to `shape`.
    shape : int or tuple of int, optional
        That of `p` by default.

    Returns
    -------
    bool array of shape (*key.shape[:-1], *shape)

    Examples
    --------
    >>> from anabranch import random
    >>> round(float(random.bernoulli(random.key(0), 0.3, (1000,)).mean()), 1)
    0.3
    """
    chance = ns.asarray(p)
    return fraction(key, chance.shape if shape is None else shape_of(shape), _FLOAT) < chance


def categorical(key: object, logits: object, axis: int = -1, shape: object = None) -> Value:
    """Places along an axis, with probabilities in proportion to `exp(logits)`, as `jax.random.categorical`.

    Parameters
    ----------
    key : uint32 array of shape (2,)
    logits : array
    axis : int
    shape : int or tuple of int, optional
        Of the result; the shape of `logits` without the axis by default, to which it must broadcast.

    Returns
    -------
    int64 array

    Examples
    --------
    >>> import numpy as np
    >>> from anabranch import random
    >>> int(random.categorical(random.key(0), np.array([-np.inf, 0.0, -np.inf])))
    1
    """
    rows = ns.moveaxis(ns.asarray(logits), axis, -1)
    sizes = rows.shape[:-1] if shape is None else shape_of(shape)
    return ns.argmax(rows + _gumbel(key, (*sizes, rows.shape[-1])), axis=-1)


def permutation(key: object, x: object, axis: int = 0) -> Value:
    """The slices along an axis, or the ints up to `x`, in random order, as `jax.random.permutation`.

    Parameters
    ----------
    key : uint32 array of shape (2,)
    x : int or array
    axis : int

    Returns
    -------
    array
        A new one.

    Examples
    --------
    >>> import numpy as np
    >>> from anabranch import random
    >>> np.sort(random.permutation(random.key(0), 5))
    array([0, 1, 2, 3, 4])
    """
    items = _items(x)
    return ns.take(items, _order(key, items.shape[axis]), axis=axis)


def choice(key: object, a: object, shape: object = (), replace: bool = True, p: object = None, axis: int = 0) -> Value:
    """Slices of an array along an axis, or ints below `a`, as `jax.random.choice`.

    Parameters
    ----------
    key : uint32 array of shape (2,)
    a : int or array
    shape : int or tuple of int
        Of the sample; it takes the place of the axis.
    replace : bool
        Whether one may be drawn more than once.
    p : array, optional
        The probability of each; all are equally likely by default.
    axis : int

    Raises
    ------
    ValueError
        Where there is nothing or too little to draw from, or the probabilities do not fit.

    Examples
    --------
    >>> import numpy as np
    >>> from anabranch import random
    >>> sample = random.choice(random.key(0), np.array([2, 3, 5, 7]), (3,), replace=False)
    >>> len(set(sample.tolist()))
    3
    """
    items, sizes = _items(a), shape_of(shape)
    axis = range(items.ndim)[axis]
    count, wanted = items.shape[axis], int(np.prod(sizes))
    if wanted and not count:
        raise ValueError("a cannot be empty unless no samples are taken")
    if not replace and wanted > count:
        raise ValueError("Cannot take a larger sample than population when replace is False")
    return ns.take(items, _places(key, count, wanted, replace, p).reshape(sizes), axis=axis)


def _places(key: object, count: int, wanted: int, replace: bool, p: object) -> Value:
    if p is None:
        return integers(key, 0, count, (wanted,)) if replace else _order(key, count)[:wanted]
    chances = ns.asarray(p).astype(np.float64)
    if chances.shape != (count,):
        raise ValueError(f"a and p must have same size; got {count} and p of shape {chances.shape}")
    refuse_where(chances < 0, "probabilities are not non-negative")
    total = chances.sum()
    refuse_where(~(ns.abs(total - 1) <= np.sqrt(np.finfo(float).eps)), "probabilities do not sum to 1")
    if replace:
        sums = ns.cumsum(chances)
        return ns.searchsorted(sums / sums[-1], fraction(key, (wanted,), _FLOAT), side="right")
    refuse_where((chances > 0).sum() < wanted, "Fewer non-zero entries in p than size")
    logs = ns.where(chances > 0, ns.log(ns.where(chances > 0, chances, 1.0)), -np.inf)
    return ns.argsort(-(logs + _gumbel(key, (count,))), kind="stable")[:wanted]


def _items(x: object) -> Value:
    if isinstance(x, (int, np.integer)):
        return np.arange(x)
    items = ns.asarray(x)
    if not items.ndim:
        raise ValueError("what to draw from is an int that is known while tracing, or an array of at least one axis")
    return items


def _order(key: object, count: int) -> Value:
    x, y = bits(key, (count,))
    return ns.argsort(x.astype(np.uint64) << 32 | y, kind="stable")


def _gumbel(key: object, shape: tuple[int, ...]) -> Value:
    return -ns.log(ns.maximum(-ns.log1p(-fraction(key, shape, _FLOAT)), 2.0**-54))
