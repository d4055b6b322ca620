"""StableHLO's ops that move elements, on small arrays in registers: NumPy moves the names of the elements."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import numpy as np

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.native.llvm_types import NotNativeError, packed
from anabranch.runtime.ops.stablehlo_text import Body

# Names in the shapes of the operands, the type of the result and the attributes, to names in the shape of the result.
Move: TypeAlias = Callable[[Sequence[np.ndarray], ArrayType, str], np.ndarray]

_INTS = re.compile(r"-?\d+")


def numbers(attributes: str, name: str) -> list[int]:
    """The ints of an attribute, `name = array<i64: 0, 1>` or `name = 0 : i64`."""
    found = re.search(rf"{name} = (?:array<i64:?([^>]*)>|(-?\d+))", attributes)
    if found is None:
        raise NotNativeError(f"no {name} in {attributes}")
    return [int(n) for n in _INTS.findall(found[1] or found[2] or "")]


def bounds(attributes: str) -> tuple[slice, ...]:
    """The bounds of a static slice."""
    rows = [numbers(attributes, name) for name in ("start_indices", "limit_indices", "strides")]
    return tuple(slice(*row) for row in zip(*rows, strict=True))


def reduced(arrays: Sequence[np.ndarray], inits: Sequence[str], axes: Sequence[int], body: Body) -> list[str]:
    """The elements of arrays of names combined along axes, in C order."""
    axes = sorted(axes)
    rest = [i for i in range(arrays[0].ndim) if i not in axes]
    rows = [a.transpose([*rest, *axes]).reshape(int(np.prod([a.shape[i] for i in rest])), -1) for a in arrays]
    results: list[list[str]] = [[] for _ in arrays]
    for row in range(rows[0].shape[0]):
        state = list(inits)
        for column in range(rows[0].shape[1]):
            state = list(body([*state, *(r[row, column] for r in rows)]))
        for result, value in zip(results, state, strict=True):
            result.append(value)
    return [packed(result) for result in results]


def _slice(names: Sequence[np.ndarray], out: ArrayType, attributes: str) -> np.ndarray:
    return np.asarray(names[0][bounds(attributes)], object)


def _broadcast(names: Sequence[np.ndarray], out: ArrayType, attributes: str) -> np.ndarray:
    shape = [1] * len(out.shape)
    for axis, n in zip(numbers(attributes, "broadcast_dimensions"), names[0].shape, strict=True):
        shape[axis] = n
    return np.broadcast_to(names[0].reshape(shape), out.shape)


def _transpose(names: Sequence[np.ndarray], out: ArrayType, attributes: str) -> np.ndarray:
    return names[0].transpose(numbers(attributes, "permutation"))


def _reverse(names: Sequence[np.ndarray], out: ArrayType, attributes: str) -> np.ndarray:
    return np.flip(names[0], tuple(numbers(attributes, "dimensions")))


def _concatenate(names: Sequence[np.ndarray], out: ArrayType, attributes: str) -> np.ndarray:
    (axis,) = numbers(attributes, "dimension")
    return np.concatenate(names, axis)


def _pad(names: Sequence[np.ndarray], out: ArrayType, attributes: str) -> np.ndarray:
    x, value = names
    made = np.full(out.shape, value[()], object)
    lows, gaps = numbers(attributes, "edge_padding_low"), numbers(attributes, "interior_padding")
    # A negative padding takes elements away.
    for place, name in np.ndenumerate(x):
        at = tuple(low + k * (gap + 1) for k, low, gap in zip(place, lows, gaps, strict=True))
        if all(0 <= k < n for k, n in zip(at, out.shape, strict=True)):
            made[at] = name
    return made


MOVES: Mapping[str, Move] = {
    "slice": _slice,
    "broadcast_in_dim": _broadcast,
    "transpose": _transpose,
    "reverse": _reverse,
    "concatenate": _concatenate,
    "pad": _pad,
}
