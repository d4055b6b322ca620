"""NumPy's functions of arrays of texts: by numbers that are in the order of the texts, and by places of elements."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.tracing.builder import tracing
from anabranch.runtime.values import registry
from anabranch.runtime.values.host_types.text_arrays import (
    CODES,
    FUNCTIONS,
    TracedTexts,
    common,
    compare,
    is_text,
    of_width,
    resized,
    texts_of,
    width_of,
    words,
)
from anabranch.runtime.values.union import UnionValue

_F = registry.FUNCTIONS


def _texts(value: Value, function: Callable[..., object], owner: Value = None) -> TracedTexts:
    """An operand as an array of texts; refused where it is none."""
    found = texts_of(value)
    if found is None:
        name = f"numpy.{function.__name__} with what is no text"
        if isinstance(owner, TracedTexts):
            raise owner._refusal(name)
        raise UnsupportedOperationError(f"{name} is not supported in compiled code for arrays of texts")
    return found


def _common(several: Sequence[TracedTexts]) -> np.dtype:
    found = common(several)
    if found is None:
        raise several[0]._refusal("a function of texts and bytes")
    return found


# ---- numbers in the order of the texts -------------------------------------------------------------------------------


def keys(*arrays: TracedTexts) -> list[Value]:
    """For each array one of int64 of its shape: equal where texts are, of any of the arrays, and in their order."""
    dtype = _common(arrays)
    each = [words(TracedTexts(resized(texts, width_of(dtype)), dtype)) for texts in arrays]
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
    texts = _texts(ar, np.unique)
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
    (key,) = keys(_texts(a, np.argsort))
    return _F[np.argsort](key, axis=axis, kind="stable" if kind is None and stable is None else kind, stable=stable)


def _sort(a: Value, axis: Value = -1, kind: Value = None, order: Value = None, *, stable: Value = None) -> Value:
    texts = _texts(a, np.sort)
    places = _argsort(texts.ravel() if axis is None else texts, -1 if axis is None else axis)
    if axis is None or texts.ndim == 1:
        return texts._like(texts.ravel()._codes[places])
    return texts._like(_F[np.take_along_axis](texts._codes, places[..., None], axis=axis if axis >= 0 else axis - 1))


def in_order(texts: TracedTexts, reverse: bool) -> TracedTexts:
    """A line of texts in order, as `sorted` has it: equal ones cannot be told apart."""
    ordered = _sort(texts)
    return ordered[::-1] if reverse else ordered


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
    return _F[np.isin](*keys(first, second), invert=invert)


def _holds_no_text(values: Value) -> bool:
    return isinstance(values, (list, tuple)) and all(isinstance(value, (int, float)) for value in values)


def _searchsorted(a: Value, v: Value, side: Value = "left", sorter: Value = None) -> Value:
    line, wanted = _texts(a, np.searchsorted, v), _texts(v, np.searchsorted, a)
    return _F[np.searchsorted](*keys(line, wanted), side=side, sorter=sorter)


def _union(ar1: Value, ar2: Value) -> Value:
    return _unique(_concatenate([_texts(ar, np.union1d).ravel() for ar in (ar1, ar2)]))


def _intersection(ar1: Value, ar2: Value, assume_unique: Value = False, return_indices: Value = False) -> Value:
    first, second = (_texts(ar, np.intersect1d).ravel() for ar in (ar1, ar2))
    _, *places = _F[np.intersect1d](*keys(first, second), assume_unique, True)
    dtype = _common((first, second))
    made = TracedTexts(resized(first, width_of(dtype))[places[0]], dtype)
    return (made, *places) if return_indices else made


def _difference(ar1: Value, ar2: Value, assume_unique: Value = False) -> Value:
    texts = _texts(ar1, np.setdiff1d).ravel()
    texts = texts if assume_unique else _unique(texts)
    return texts[_isin(texts, ar2, invert=True)]


def _lexsort(keys_: Value, axis: Value = -1) -> Value:
    return _F[np.lexsort](tuple(keys(texts)[0] if (texts := texts_of(k)) is not None else k for k in keys_), axis)


def _array_equal(a1: Value, a2: Value, equal_nan: Value = False) -> Value:
    first, second = texts_of(a1), texts_of(a2)
    if first is None or second is None or first.ndim != second.ndim:
        return False
    if any(type(size) is not int for size in (*first.shape, *second.shape)):
        raise first._refusal("numpy.array_equal of arrays of run-time sizes")
    return _F[np.all](compare(np.equal, first, second)).item() if first.shape == second.shape else False


# ---- the same elements in other places -------------------------------------------------------------------------------


def _places(texts: TracedTexts, start: Value = 0) -> Value:
    """The places of the elements in a line of them, which begin at one."""
    return _F[np.add](_F[np.arange](texts.size), start).reshape(texts.shape)


def _rearranged(function: Callable[..., Any]) -> Callable[..., Value]:
    """The rule of a function that gives elements of its first argument in other places, in memory of its own."""

    def rule(a: Value, *args: Value, **kwargs: Value) -> Value:
        texts = _texts(a, function)
        return texts._like(texts.ravel()._codes[_F[function](_places(texts), *args, **kwargs)])

    return rule


def _joined(function: Callable[..., Any], several: Callable[..., tuple[Sequence[Value], Callable[..., Any]]]) -> Any:
    """The rule of a function that gives elements of several arrays."""

    def rule(*args: Value, **kwargs: Value) -> Value:
        arrays, call = several(*args, **kwargs)
        texts = [_texts(array, function, args[0]) for array in arrays]
        dtype = _common(texts)
        starts, places = 0, []
        for one in texts:
            places.append(_places(one, starts))
            starts = starts + one.size
        table = _F[np.concatenate]([resized(one.ravel(), width_of(dtype)) for one in texts])
        return TracedTexts(table[call(places)], dtype)

    return rule


def _in_sequence(function: Callable[..., Any]) -> Any:
    return _joined(function, lambda arrays, **kwargs: (arrays, lambda places: _F[function](places, **kwargs)))


def _append(arr: Value, values: Value, axis: Value = None) -> tuple[Sequence[Value], Callable[..., Any]]:
    return (arr, values), lambda places: _F[np.append](*places, axis=axis)


def _insert(arr: Value, obj: Value, values: Value, axis: Value = None) -> Value:
    """As `numpy.insert`: what is inserted gets the width of the array."""
    texts, given = _texts(arr, np.insert), _texts(values, np.insert)
    table = _F[np.concatenate]([texts.ravel()._codes, resized(given.ravel(), texts._width)])
    return texts._like(table[_F[np.insert](_places(texts), obj, _places(given, texts.size), axis=axis)])


_concatenate = _joined(
    np.concatenate, lambda arrays, axis=0: (arrays, lambda places: _F[np.concatenate](places, axis=axis))
)


def _where(condition: Value, *choices: Value) -> Value:
    if not choices:
        raise UnsupportedOperationError("numpy.where of an array of texts is not supported; compare it with a text")
    x, y = (_texts(choice, np.where, choices[0]) for choice in choices)
    dtype = _common((x, y))
    holds = _F[np.asarray](condition)[..., None]
    return TracedTexts(_F[np.where](holds, *(resized(texts, width_of(dtype)) for texts in (x, y))), dtype)


def _select(condlist: Value, choicelist: Value, default: Value = 0) -> Value:
    made = _texts(default, np.select, choicelist[0])
    for condition, choice in reversed(list(zip(condlist, choicelist, strict=True))):
        made = _where(condition, choice, made)
    shape = np.broadcast_shapes(made.shape, *(c.shape for c in condlist))
    return made._like(_F[np.array](_F[np.broadcast_to](made._codes, (*shape, made._width))))


def _choose(a: Value, choices: Value, *_: Value, **__: Value) -> Value:
    raise UnsupportedOperationError(
        "numpy.choose of texts is not supported in compiled code; index an array of them: np.array(texts)[a]"
    )


def _of_method(name: str) -> Callable[..., Value]:
    return lambda a, *args, **kwargs: getattr(_texts(a, getattr(np, name)), name)(*args, **kwargs)


def _view(key: Callable[..., Value]) -> Callable[..., Value]:
    """The rule of a function that is a view by a key."""
    return lambda a, *args, **kwargs: _texts(a, np.flip)[key(_texts(a, np.flip), *args, **kwargs)]


def _flip_key(texts: TracedTexts, axis: Value = None) -> Value:
    axes = range(texts.ndim) if axis is None else (axis,) if isinstance(axis, int) else axis
    turned = {one % texts.ndim for one in axes}
    return tuple([slice(None, None, -1) if k in turned else slice(None) for k in range(texts.ndim)])


def _swapaxes(a: Value, axis1: int, axis2: int) -> Value:
    order = list(range(a.ndim))
    order[axis1], order[axis2] = order[axis2], order[axis1]
    return a.transpose(*order)


def _squeeze(a: Value, axis: Value = None) -> Value:
    shape = _F[np.squeeze](_F[np.zeros](a.shape, np.bool_), axis).shape
    return a.reshape(*shape)


def _expand_dims(a: Value, axis: int) -> Value:
    return a.reshape(_F[np.expand_dims](_F[np.zeros](a.shape, np.bool_), axis).shape)


def _broadcast_to(array: Value, shape: Value, subok: Value = False) -> Value:
    texts = _texts(array, np.broadcast_to)
    sizes = (shape,) if isinstance(shape, int) else tuple(shape)
    return texts._like(_F[np.broadcast_to](texts._codes, (*sizes, texts._width)))


def _is_set(texts: TracedTexts) -> Value:
    return _F[np.any](_F[np.not_equal](texts._codes, 0), axis=-1)


def _of_truth(function: Callable[..., Any]) -> Callable[..., Value]:
    """The rule of a function that asks which texts are not empty."""
    return lambda a, *args, **kwargs: _F[function](_is_set(_texts(a, function)), *args, **kwargs)


FUNCTIONS.update(
    {
        np.unique: _unique, np.argsort: _argsort, np.sort: _sort, np.isin: _isin, np.searchsorted: _searchsorted,
        np.union1d: _union, np.intersect1d: _intersection, np.setdiff1d: _difference, np.lexsort: _lexsort,
        np.array_equal: _array_equal, np.concatenate: _concatenate, np.append: _joined(np.append, _append),
        np.insert: _insert, np.where: _where, np.select: _select, np.choose: _choose,
        **{f: _in_sequence(f) for f in (np.stack, np.vstack, np.hstack, np.dstack, np.column_stack)},
        **{f: _rearranged(f) for f in (np.repeat, np.tile, np.roll, np.take, np.delete)},
        np.compress: lambda condition, a, axis=None: _rearranged_compress(a, condition, axis),
        **{getattr(np, name): _of_method(name) for name in ("reshape", "ravel", "transpose", "copy")},
        np.flip: _view(_flip_key), np.swapaxes: _swapaxes, np.squeeze: _squeeze, np.expand_dims: _expand_dims,
        np.flipud: _view(lambda texts: _flip_key(texts, 0)), np.fliplr: _view(lambda texts: _flip_key(texts, 1)),
        np.broadcast_to: _broadcast_to,
        **{f: _of_truth(f) for f in (np.any, np.all, np.nonzero, np.flatnonzero, np.count_nonzero)},
        np.shape: lambda a: a.shape, np.ndim: lambda a: a.ndim, np.size: lambda a: a.size,
        np.strings.equal: lambda a, b: compare(np.equal, a, b), np.char.equal: lambda a, b: compare(np.equal, a, b),
    }
)  # fmt: skip


def _rearranged_compress(a: Value, condition: Value, axis: Value) -> Value:
    texts = _texts(a, np.compress)
    return texts._like(texts.ravel()._codes[_F[np.compress](condition, _places(texts), axis)])


# ---- functions that make such arrays ---------------------------------------------------------------------------------


def zeros(shape: Value, dtype: np.dtype) -> TracedTexts:
    """An array of empty texts."""
    width = max(width_of(dtype), 1)
    sizes = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
    return TracedTexts(_F[np.zeros]((*sizes, width), CODES[dtype.kind]), of_width(dtype, width))


def _filled(shape: Value, fill_value: Value, dtype: Value = None, order: Value = "C", **_: Value) -> Value:
    texts = texts_of(fill_value)
    if texts is None:
        raise UnsupportedOperationError("an array of texts is filled with what is no text")
    made = zeros(shape, texts.dtype if dtype is None else np.dtype(dtype))
    made[...] = texts
    return made


def _like(fill: Value) -> Callable[..., Value]:
    def rule(a: Value, *given: Value, dtype: Value = None, shape: Value = None, **_: Value) -> Value:
        made = zeros(a.shape if shape is None else shape, a.dtype if dtype is None else np.dtype(dtype))
        if fill is None:
            made[...] = given[0]
        return made

    return rule


FUNCTIONS.update({np.zeros_like: _like(0), np.empty_like: _like(0), np.full_like: _like(None)})


def _array(
    original: Callable[..., Any], a: Value, dtype: Value = None, *, copy: Value = True, **options: Value
) -> Value:
    target = None if dtype is None else np.dtype(dtype)
    texts = texts_of(a)
    if texts is None or options or (target is not None and target.kind != texts.dtype.kind):
        if isinstance(a, TracedTexts) and not options and target is not None:
            return a.astype(target)
        raise UnsupportedOperationError(
            f"numpy.{original.__name__} of texts with such options is not supported in compiled code"
        )
    width = None if target is None else width_of(target)
    if not width:
        width = texts._width if isinstance(a, TracedTexts) else _known_width(a, original)
    if isinstance(a, TracedTexts) and width == a._width:
        return a.copy() if original is np.array and copy else a
    return TracedTexts(_F[np.array](resized(texts, width)), of_width(texts.dtype, width))


def _known_width(items: Value, original: Callable[..., Any]) -> int:
    """The width of the array that NumPy makes of texts: it depends on which these are."""
    if isinstance(items, (str, bytes)):
        return max(len(items), 1)
    if isinstance(items, np.ndarray):
        return width_of(items.dtype)
    if isinstance(items, UnionValue) and len({len(option) for option in items.options if isinstance(option, str)}) == 1:
        return max(len(items.options[0]), 1)
    if isinstance(items, (list, tuple)):
        # One of a known length that is as long as any other may be decides.
        least = [len(item) if isinstance(item, (str, bytes)) else _least_of(item) for item in items]
        most = max(len(item) if isinstance(item, (str, bytes)) else _texts(item, original)._width for item in items)
        if max(least) == most:
            return max(most, 1)
    raise UnsupportedOperationError(
        f"how wide the texts are in the array that numpy.{original.__name__} makes is known only at run time; give "
        "it a dtype with a width, such as dtype='U20'"
    )


def _least_of(item: Value) -> int:
    if isinstance(item, UnionValue) and all(isinstance(option, str) for option in item.options):
        return min(len(option) for option in item.options)
    return 0


FUNCTIONS.update(
    {
        np.array: lambda *args, **kwargs: _array(np.array, *args, **kwargs),
        np.asarray: lambda *args, **kwargs: _array(np.asarray, *args, **kwargs),
    }
)
_MAKERS: dict[Any, Callable[..., Any]] = {
    np.full: _filled, np.array: FUNCTIONS[np.array], np.asarray: FUNCTIONS[np.asarray],
}  # fmt: skip
# Functions whose texts may all be constants, with the place of the argument that tells.
_OF_CONSTANTS: dict[Any, Callable[..., Value]] = {
    np.full: lambda shape, fill_value, *_, **__: fill_value, np.array: lambda a, *_, **__: a,
    np.asarray: lambda a, *_, **__: a, np.where: lambda condition, x=None, *_: x,
    np.select: lambda condlist, choicelist, *_: choicelist[0] if choicelist else None,
}  # fmt: skip


def made(original: Callable[..., Any], args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    """The array of texts that a function makes of texts among its arguments; None for any other call."""
    telling = _OF_CONSTANTS.get(original)
    if telling is None or not tracing() or not args:
        return None
    try:
        found = telling(*args, **kwargs)
    except TypeError:
        return None
    if not (is_text(found) or (isinstance(found, (list, tuple)) and found and all(map(is_text, found)))):
        return None
    rule = _MAKERS.get(original) or FUNCTIONS[original]
    return rule(*args, **kwargs)
