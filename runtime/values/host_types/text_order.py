"""The order of texts in arrays: sorting, searching and sets, by numbers that are in the order of the texts."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.values import registry
from anabranch.runtime.values.host_types.text_arithmetic import compare, words
from anabranch.runtime.values.host_types.text_arrays import FUNCTIONS, TracedTexts, joined, texts_of, widened

_F = registry.FUNCTIONS


def operand(value: Value, function: Callable[..., object], owner: Value = None) -> TracedTexts:
    """An operand as an array of texts; refused where it is none."""
    found = texts_of(value)
    if found is None:
        name = f"numpy.{function.__name__} with what is no text"
        if isinstance(owner, TracedTexts):
            raise owner._refusal(name)
        raise UnsupportedOperationError(f"{name} is not supported in compiled code for arrays of texts")
    return found


def of_one_width(several: Sequence[TracedTexts], join: Callable[[list[Value]], Value]) -> TracedTexts:
    """The array that a function makes of the codes of others, after they got one width."""
    found = joined(several, join)
    if found is None:
        raise several[0]._refusal("a function of texts and bytes")
    return found


def keys(*arrays: TracedTexts) -> list[Value]:
    """For each array one of int64 of its shape: equal where texts are, of any of the arrays, and in their order."""
    if len({texts._dtype.kind for texts in arrays}) > 1:
        raise arrays[0]._refusal("a function of texts and bytes")
    each = [words(texts) for texts in widened(*arrays)]
    if len(each[0]) == 1:
        return [one[0] for one in each]
    flat = [_F[np.concatenate]([_F[np.ravel](of[k]) for of in each]) for k in range(len(each[0]))]
    order = _F[np.lexsort](flat[::-1])
    new: Value = None
    for word in flat:
        line = word[order]
        differs = _F[np.not_equal](line[1:], line[:-1])
        new = differs if new is None else _F[np.logical_or](new, differs)
    first = _F[np.zeros](1, np.int64)
    ranks = _F[np.concatenate]([first, _F[np.cumsum](new)])[: order.shape[0]]
    placed = ranks[_F[np.argsort](order)]
    made, start = [], 0
    for texts in arrays:
        made.append(placed[start : start + texts.size].reshape(texts.shape))
        start = start + texts.size
    return made


def _unique(
    ar: Value, return_index: Value = False, return_inverse: Value = False, return_counts: Value = False,
    axis: Value = None, *, equal_nan: Value = True, sorted: Value = True,
) -> Value:  # fmt: skip
    texts = operand(ar, np.unique)
    if axis is not None and not (texts.ndim == 1 and axis in (0, -1)):
        raise texts._refusal("numpy.unique along an axis")
    (key,) = keys(texts)
    _, places, *others = _F[np.unique](key, True, return_inverse, return_counts)
    made = texts._like(texts.ravel()._codes[places])
    if not (return_index or return_inverse or return_counts):
        return made
    return (made, *((places,) if return_index else ()), *others)


def _argsort(a: Value, axis: Value = -1, kind: Value = None, order: Value = None, *, stable: Value = None) -> Value:
    del order
    (key,) = keys(operand(a, np.argsort))
    return _F[np.argsort](key, axis=axis, kind="stable" if kind is None and stable is None else kind, stable=stable)


def _sort(a: Value, axis: Value = -1, kind: Value = None, order: Value = None, *, stable: Value = None) -> Value:
    texts = operand(a, np.sort)
    places = _argsort(texts.ravel() if axis is None else texts, -1 if axis is None else axis)
    if axis is None or texts.ndim == 1:
        line = texts if texts.ndim == 1 else texts.ravel()
        return texts._like(line._codes[places])
    return texts._like(_F[np.take_along_axis](texts._codes, places[..., None], axis=axis if axis >= 0 else axis - 1))


def in_order(texts: TracedTexts, reverse: bool) -> TracedTexts:
    """A line of texts in order, as `sorted` has it: equal ones cannot be told apart."""
    ordered: TracedTexts = _sort(texts)
    return ordered._like(ordered._codes[::-1]) if reverse else ordered


def extreme(least: bool, texts: TracedTexts) -> Value:
    """The first least, or greatest, of a line of texts."""
    (key,) = keys(texts)
    return texts[_F[np.argmin if least else np.argmax](key)]


def _isin(
    element: Value, test_elements: Value, assume_unique: Value = False, invert: Value = False, *, kind: Value = None
) -> Value:
    first, second = texts_of(element), texts_of(test_elements)
    if first is None or second is None:
        of_no_text = second is None and _holds_no_text(test_elements)
        texts = first if first is not None else second
        assert texts is not None
        if first is None or not of_no_text:
            raise texts._refusal("numpy.isin with such values")
        return _F[np.zeros](first.shape, np.bool_) if not invert else _F[np.ones](first.shape, np.bool_)
    if first._dtype.kind != second._dtype.kind:
        raise first._refusal(f"numpy.isin with {second._dtype}")
    tested = second.ravel()
    if type(tested.size) is int and tested.size <= _FEW:
        same = [compare(np.equal, first, tested._like(tested._codes[place])) for place in range(tested.size)]
        found = functools.reduce(_F[np.logical_or], same, _F[np.zeros](first.shape, np.bool_))
        return _F[np.asarray](_F[np.logical_not](found) if invert else found)
    return _F[np.isin](*keys(first, second), invert=invert)


_FEW = 16  # of so many each is compared with all


def _holds_no_text(values: Value) -> bool:
    return isinstance(values, (list, tuple)) and all(isinstance(value, (int, float)) for value in values)


def _searchsorted(a: Value, v: Value, side: Value = "left", sorter: Value = None) -> Value:
    line, wanted = operand(a, np.searchsorted, v), operand(v, np.searchsorted, a)
    return _F[np.searchsorted](*keys(line, wanted), side=side, sorter=sorter)


def _union(ar1: Value, ar2: Value) -> Value:
    return _unique(of_one_width([operand(ar, np.union1d).ravel() for ar in (ar1, ar2)], _F[np.concatenate]))


def _intersection(ar1: Value, ar2: Value, assume_unique: Value = False, return_indices: Value = False) -> Value:
    first, second = (operand(ar, np.intersect1d).ravel() for ar in (ar1, ar2))
    _, *places = _F[np.intersect1d](*keys(first, second), assume_unique, True)
    made = of_one_width((first, second), lambda codes: codes[0][places[0]])
    return (made, *places) if return_indices else made


def _difference(ar1: Value, ar2: Value, assume_unique: Value = False) -> Value:
    texts = operand(ar1, np.setdiff1d).ravel()
    texts = texts if assume_unique else _unique(texts)
    return texts[_isin(texts, ar2, invert=True)]


def _lexsort(keys_: Value, axis: Value = -1) -> Value:
    return _F[np.lexsort](tuple(keys(texts)[0] if (texts := texts_of(k)) is not None else k for k in keys_), axis)


def _array_equal(a1: Value, a2: Value, equal_nan: Value = False) -> Value:
    first, second = texts_of(a1), texts_of(a2)
    if first is None or second is None or first._dtype.kind != second._dtype.kind:
        return False
    return _F[np.array_equal](*(texts._codes for texts in widened(first, second)))


FUNCTIONS.update(
    {
        np.unique: _unique, np.argsort: _argsort, np.sort: _sort, np.isin: _isin, np.searchsorted: _searchsorted,
        np.union1d: _union, np.intersect1d: _intersection, np.setdiff1d: _difference, np.lexsort: _lexsort,
        np.array_equal: _array_equal,
    }
)  # fmt: skip
