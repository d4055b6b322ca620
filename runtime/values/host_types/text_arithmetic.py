"""Comparisons and sums of arrays of texts, element by element, and the operators of their class."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.values import registry
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.host_types.text_arrays import (
    FUNCTIONS,
    TracedTexts,
    is_text,
    lengths,
    of_width,
    texts_of,
    widened,
)
from anabranch.runtime.values.tracer import Tracer
from anabranch.runtime.values.union import UnionValue

_F = registry.FUNCTIONS


def _operands(ufunc: np.ufunc, a: Value, b: Value) -> tuple[TracedTexts, ...] | None:
    """Both operands as texts of one width; None where one of them is no text."""
    first, second = texts_of(a), texts_of(b)
    if first is None or second is None:
        return None
    if first._dtype.kind != second._dtype.kind:
        raise first._refusal(f"numpy.{ufunc.__name__} with {second._dtype}")
    return widened(first, second)


def compare(ufunc: np.ufunc, a: Value, b: Value) -> Value:
    """As a comparison of two arrays of texts, or of one and a text."""
    found = _operands(ufunc, a, b)
    if found is None:
        return _with_others(ufunc, a, b)
    first, second = found
    if ufunc in (np.equal, np.not_equal):
        same = _F[np.all](_F[np.equal](first._codes, second._codes), axis=-1)
        return same if ufunc is np.equal else _F[np.logical_not](same)
    pairs = list(zip(words(first), words(second), strict=True))
    made = _F[ufunc](*pairs[-1])
    strict = np.less if ufunc in (np.less, np.less_equal) else np.greater
    for x, y in reversed(pairs[:-1]):
        made = _F[np.logical_or](_F[strict](x, y), _F[np.logical_and](_F[np.equal](x, y), made))
    return made


def _with_others(ufunc: np.ufunc, a: Value, b: Value) -> Value:
    """The comparison of texts with what is no text: no number is equal to a text."""
    texts, other = (a, b) if isinstance(a, TracedTexts) else (b, a)
    if ufunc not in (np.equal, np.not_equal):
        sample = np.zeros(1, texts._dtype)
        ufunc(sample, other if not isinstance(other, Tracer) else 1)  # raises what NumPy does
        raise texts._refusal(f"numpy.{ufunc.__name__} with a {type(other).__name__}")
    shape = texts.shape
    if isinstance(other, (Tracer, np.ndarray, np.generic)):
        if not isinstance(other, Tracer) and other.dtype.kind not in "biufc":
            raise texts._refusal(f"numpy.{ufunc.__name__} with such an array")
        shape = np.broadcast_shapes(shape, _F[np.shape](other))
    elif not isinstance(other, (int, float, complex, type(None))):
        raise texts._refusal(f"numpy.{ufunc.__name__} with a {type(other).__name__}")
    return (_F[np.zeros] if ufunc is np.equal else _F[np.ones])(shape, np.bool_)


# How many characters a word has, and the bits of each.
_WORDS = {"U": (3, 21), "S": (7, 8)}


def words(texts: TracedTexts) -> list[Value]:
    """The characters as int64, each of several: texts are in the order of these, from the first on."""
    count, bits = _WORDS[texts._dtype.kind]
    made = []
    for start in range(0, texts._width, count):
        word: Value = np.int64(0)
        for place in range(start, min(start + count, texts._width)):
            shift = np.int64(1 << bits * (count - 1 - place + start))
            word = _F[np.add](word, _F[np.multiply](texts._codes[..., place].astype(np.int64), shift))
        made.append(word)
    return made


def add(a: Value, b: Value) -> Value:
    """As `numpy.add` of texts: each joined with one of the other array."""
    first, second = texts_of(a), texts_of(b)
    if first is None or second is None or first._dtype.kind != second._dtype.kind:
        owner, other = (a, b) if isinstance(a, TracedTexts) else (b, a)
        if isinstance(other, (Tracer, int, float, np.ndarray, np.generic)):
            number = np.ones(1, other.dtype)[0] if isinstance(other, (TracedArray, np.ndarray)) else 1
            np.add(np.zeros(1, owner._dtype), number)  # raises what NumPy does
        raise owner._refusal("numpy.add with what is no text of this kind")
    width = first._width + second._width
    shape = np.broadcast_shapes(first.shape, second.shape)
    places = np.arange(width)
    length = _F[np.broadcast_to](lengths(first._codes), shape)[..., None]
    table = _F[np.concatenate](
        [_F[np.broadcast_to](text._codes, (*shape, text._width)) for text in (first, second)]
        + [_F[np.zeros]((*shape, 1), first._codes.dtype)],
        axis=-1,
    )
    behind = _F[np.minimum](_F[np.add](_F[np.subtract](places, length), first._width), width)
    taken = _F[np.where](_F[np.less](places, length), places, behind)
    exact = None
    if first._exact is not None or second._exact is not None:
        exact = _F[np.add](*(t._width if t._exact is None else t._exact for t in (first, second)))
    return TracedTexts(_F[np.take_along_axis](table, taken, axis=-1), of_width(first._dtype, width), exact)


def _binary_method(ufunc: np.ufunc, reflected: bool = False) -> Callable[[TracedTexts, Any], Value]:
    def method(self: TracedTexts, other: Value) -> Value:
        if isinstance(other, UnionValue) and not is_text(other):
            return other.each(lambda one: method(self, one))
        return FUNCTIONS[ufunc](other, self) if reflected else FUNCTIONS[ufunc](self, other)

    return method


_COMPARISONS = {
    "eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal,
}  # fmt: skip
for _name, _ufunc in _COMPARISONS.items():
    FUNCTIONS[_ufunc] = functools.partial(compare, _ufunc)
    setattr(TracedTexts, f"__{_name}__", _binary_method(_ufunc))
FUNCTIONS[np.add] = add
setattr(TracedTexts, "__add__", _binary_method(np.add))  # noqa: B010 - as the others
setattr(TracedTexts, "__radd__", _binary_method(np.add, reflected=True))  # noqa: B010
