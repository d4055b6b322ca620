"""NumPy's functions of arrays of texts: those that put elements in other places, and those that make arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from anabranch.base.value import Value
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.tracing.builder import tracing
from anabranch.runtime.values import containers, registry
from anabranch.runtime.values.host_types.text_arithmetic import compare
from anabranch.runtime.values.host_types.text_arrays import (
    FUNCTIONS,
    TracedTexts,
    is_text,
    of_kind,
    resized,
    texts_of,
)
from anabranch.runtime.values.host_types.text_codes import CODES, of_width, width_of
from anabranch.runtime.values.host_types.text_order import of_one_width, operand
from anabranch.runtime.values.lazy_text import Text

_F = registry.FUNCTIONS


# ---- the same elements in other places -------------------------------------------------------------------------------


def _places(texts: TracedTexts, start: Value = 0) -> Value:
    """The places of the elements in a line of them, which begin at one."""
    return _F[np.add](_F[np.arange](texts.size), start).reshape(texts.shape)


def _rearranged(function: Callable[..., Any]) -> Callable[..., Value]:
    """The rule of a function that gives elements of its first argument in other places, in memory of its own."""

    def rule(a: Value, *args: Value, **kwargs: Value) -> Value:
        texts = operand(a, function)
        return texts.ravel()[_F[function](_places(texts), *args, **kwargs)]

    return rule


def _joined(function: Callable[..., Any], several: Callable[..., tuple[Sequence[Value], Callable[..., Any]]]) -> Any:
    """The rule of a function that gives elements of several arrays."""

    def rule(*args: Value, **kwargs: Value) -> Value:
        arrays, call = several(*args, **kwargs)
        texts = [operand(array, function, args[0]) for array in arrays]
        starts, places = 0, []
        for one in texts:
            places.append(_places(one, starts))
            starts = starts + one.size
        taken = call(places)
        return of_one_width([one.ravel() for one in texts], lambda codes: _F[np.concatenate](codes)[taken])

    return rule


def _in_sequence(function: Callable[..., Any]) -> Any:
    return _joined(function, lambda arrays, **kwargs: (arrays, lambda places: _F[function](places, **kwargs)))


def _append(arr: Value, values: Value, axis: Value = None) -> tuple[Sequence[Value], Callable[..., Any]]:
    return (arr, values), lambda places: _F[np.append](*places, axis=axis)


def _insert(arr: Value, obj: Value, values: Value, axis: Value = None) -> Value:
    """As `numpy.insert`: what is inserted gets the width of the array."""
    texts = operand(arr, np.insert)
    given = of_kind(operand(values, np.insert), texts._dtype)
    table = _F[np.concatenate]([texts.ravel()._codes, resized(given.ravel(), texts._width)])
    return texts._like(table[_F[np.insert](_places(texts), obj, _places(given, texts.size), axis=axis)])


concatenate = _joined(
    np.concatenate, lambda arrays, axis=0: (arrays, lambda places: _F[np.concatenate](places, axis=axis))
)


def _where(condition: Value, *choices: Value) -> Value:
    if not choices:
        raise UnsupportedOperationError("numpy.where of an array of texts is not supported; compare it with a text")
    x, y = (operand(choice, np.where, choices[0]) for choice in choices)
    holds = _F[np.asarray](condition)[..., None]
    return of_one_width((x, y), lambda codes: _F[np.where](holds, *codes))


def _select(condlist: Value, choicelist: Value, default: Value = 0) -> Value:
    made = operand(default, np.select, choicelist[0])
    for condition, choice in reversed(list(zip(condlist, choicelist, strict=True))):
        made = _where(condition, choice, made)
    return made


def _choose(a: Value, choices: Value, *_: Value, **__: Value) -> Value:
    raise UnsupportedOperationError(
        "numpy.choose of texts is not supported in compiled code; index an array of them: np.array(texts)[a]"
    )


def _of_method(name: str) -> Callable[..., Value]:
    return lambda a, *args, **kwargs: getattr(operand(a, getattr(np, name)), name)(*args, **kwargs)


def _view(key: Callable[..., Value]) -> Callable[..., Value]:
    """The rule of a function that is a view by a key."""
    return lambda a, *args, **kwargs: operand(a, np.flip)[key(operand(a, np.flip), *args, **kwargs)]


def _flip_key(texts: TracedTexts, axis: Value = None) -> Value:
    turned = range(texts.ndim) if axis is None else normalize_axis_tuple(axis, texts.ndim)
    return tuple([slice(None, None, -1) if k in turned else slice(None) for k in range(texts.ndim)])


def _flipped(axis: int) -> Callable[..., Value]:
    def key(texts: TracedTexts) -> Value:
        if texts.ndim <= axis:
            raise ValueError(f"Input must be >= {axis + 1}-d.")
        return _flip_key(texts, axis)

    return key


def _swapaxes(a: Value, axis1: int, axis2: int) -> Value:
    order = list(range(a.ndim))
    axis1, axis2 = (normalize_axis_index(one, a.ndim, f"axis{k}") for k, one in ((1, axis1), (2, axis2)))
    order[axis1], order[axis2] = order[axis2], order[axis1]
    return a.transpose(*order)


def _squeeze(a: Value, axis: Value = None) -> Value:
    shape = _F[np.squeeze](_F[np.zeros](a.shape, np.bool_), axis).shape
    return a if len(shape) == a.ndim else a.reshape(*shape)


def _expand_dims(a: Value, axis: int) -> Value:
    return a.reshape(_F[np.expand_dims](_F[np.zeros](a.shape, np.bool_), axis).shape)


def _broadcast_to(array: Value, shape: Value, subok: Value = False) -> Value:
    texts = operand(array, np.broadcast_to)
    sizes = (shape,) if isinstance(shape, int) else tuple(shape)
    return texts._like(_F[np.broadcast_to](texts._codes, (*sizes, texts._width)))


def _is_set(texts: TracedTexts) -> Value:
    return _F[np.any](_F[np.not_equal](texts._codes, 0), axis=-1)


def _of_truth(function: Callable[..., Any]) -> Callable[..., Value]:
    """The rule of a function that asks which texts are not empty."""
    return lambda a, *args, **kwargs: _F[function](_is_set(operand(a, function)), *args, **kwargs)


def _of_codes(function: Callable[..., Any]) -> Callable[..., Value]:
    """The rule of a function that asks about the memory of arrays."""
    return lambda *args: _F[function](*[a._codes if isinstance(a, TracedTexts) else a for a in args])


FUNCTIONS.update(
    {
        np.concatenate: concatenate, np.append: _joined(np.append, _append),
        np.insert: _insert, np.where: _where, np.select: _select, np.choose: _choose,
        **{f: _in_sequence(f) for f in (np.stack, np.vstack, np.hstack, np.dstack, np.column_stack)},
        **{f: _rearranged(f) for f in (np.repeat, np.tile, np.roll, np.take, np.delete)},
        np.compress: lambda condition, a, axis=None: _rearranged_compress(a, condition, axis),
        **{getattr(np, name): _of_method(name) for name in ("reshape", "ravel", "transpose", "copy")},
        np.flip: _view(_flip_key), np.swapaxes: _swapaxes, np.squeeze: _squeeze, np.expand_dims: _expand_dims,
        np.flipud: _view(_flipped(0)), np.fliplr: _view(_flipped(1)),
        np.broadcast_to: _broadcast_to,
        **{f: _of_truth(f) for f in (np.any, np.all, np.nonzero, np.flatnonzero, np.count_nonzero)},
        np.shape: lambda a: a.shape, np.ndim: lambda a: a.ndim,
        np.size: lambda a, axis=None: a.size if axis is None else a.shape[axis],
        np.shares_memory: _of_codes(np.shares_memory), np.may_share_memory: _of_codes(np.may_share_memory),
        np.strings.equal: lambda a, b: compare(np.equal, a, b), np.char.equal: lambda a, b: compare(np.equal, a, b),
    }
)  # fmt: skip


def _rearranged_compress(a: Value, condition: Value, axis: Value) -> Value:
    texts = operand(a, np.compress)
    return texts._like(texts.ravel()._codes[_F[np.compress](condition, _places(texts), axis)])


setattr(TracedTexts, "compress", lambda self, condition, axis=None: _rearranged_compress(self, condition, axis))  # noqa: B010


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
    if dtype is not None and np.dtype(dtype).kind not in "US":
        return _filled(shape, fill_value).astype(dtype)
    made = zeros(shape, texts._dtype if dtype is None else np.dtype(dtype))
    made[...] = texts
    return TracedTexts(made._codes, made._dtype, texts._exact if dtype is None else None)


def _like(fill: Value) -> Callable[..., Value]:
    def rule(a: Value, *given: Value, dtype: Value = None, shape: Value = None, **_: Value) -> Value:
        sizes = _F[np.shape](a) if shape is None else shape
        if dtype is not None and np.dtype(dtype).kind not in "US":
            return _F[np.zeros](sizes, dtype) if fill is not None else _F[np.full](sizes, given[0], dtype)
        made = zeros(sizes, a.dtype if dtype is None else np.dtype(dtype))
        if fill is None:
            made[...] = given[0]
        return made

    return rule


_LIKE: dict[Any, Callable[..., Any]] = {np.zeros_like: _like(0), np.empty_like: _like(0), np.full_like: _like(None)}
FUNCTIONS.update(_LIKE)


def _array(
    original: Callable[..., Any], a: Value, dtype: Value = None, *, copy: Value = True, **options: Value
) -> Value:
    target = None if dtype is None else np.dtype(dtype)
    texts = texts_of(a)
    if texts is None or options or (target is not None and target.kind != texts._dtype.kind):
        if texts is not None and not options and target is not None:
            return texts.astype(target)
        raise UnsupportedOperationError(
            f"numpy.{original.__name__} of texts with such options is not supported in compiled code"
        )
    width = 0 if target is None else width_of(target)
    if isinstance(a, TracedTexts) and width in (0, None if a._exact is not None else a._width):
        return a.copy() if original is np.array and copy else a
    if not width:
        return texts._like(_F[np.array](texts._codes))
    return TracedTexts(_F[np.array](resized(texts, width)), of_width(texts._dtype, width))


FUNCTIONS.update(
    {
        np.array: lambda *args, **kwargs: _array(np.array, *args, **kwargs),
        np.asarray: lambda *args, **kwargs: _array(np.asarray, *args, **kwargs),
    }
)
MAKERS: dict[Any, Callable[..., Any]] = {
    np.full: _filled, np.array: FUNCTIONS[np.array], np.asarray: FUNCTIONS[np.asarray],
}  # fmt: skip
_OF_ONE_TEXT: dict[Any, Value] = {np.isscalar: True, np.shape: (), np.ndim: 0, np.size: 1}
_CONVERT = (np.array, np.asarray)
# Functions whose texts may all be constants, with the place of the argument that tells.
_OF_CONSTANTS: dict[Any, Callable[..., Value]] = {
    np.full: lambda shape, fill_value, *_, **__: fill_value, np.array: lambda a, *_, **__: a,
    np.asarray: lambda a, *_, **__: a, np.where: lambda condition, x=None, *_: x,
    np.select: lambda condlist, choicelist, *_: choicelist[0] if choicelist else None,
}  # fmt: skip


def _is_of_texts(value: Value) -> bool:
    """Return whether a value is a text, or a list of texts, or of lists of them."""
    return is_text(value) or (isinstance(value, (list, tuple)) and bool(value) and all(map(_is_of_texts, value)))


def _is_like_texts(like: Value, dtype: Value) -> bool:
    """Return whether an array like another has texts as elements."""
    if isinstance(like, np.ndarray) and like.dtype.kind in "US":
        return True
    return isinstance(dtype, (str, type, np.dtype)) and np.dtype(dtype).kind in "US"


def _is_number(texts: Value, dtype: Value = None, **_: Value) -> bool:
    """Return whether known texts become numbers, which are known, too."""
    return dtype is not None and np.dtype(dtype).kind not in "US" and not containers.has_traced(texts)


def made(original: Callable[..., Any], args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    """The array of texts that a function makes of texts among its arguments; None for any other call."""
    if args and isinstance(args[0], TracedTexts) and original in FUNCTIONS:
        return FUNCTIONS[original](*args, **kwargs)
    if args and isinstance(args[0], Text) and original in _OF_ONE_TEXT:
        return _OF_ONE_TEXT[original]
    if original in _LIKE and tracing() and args and _is_like_texts(args[0], kwargs.get("dtype")):
        return FUNCTIONS[original](*args, **kwargs)
    telling = _OF_CONSTANTS.get(original)
    if telling is None or not tracing() or not args:
        return None
    try:
        found = telling(*args, **kwargs)
    except TypeError:
        return None
    if not _is_of_texts(found) or (original in _CONVERT and _is_number(found, *args[1:2], **kwargs)):
        return None
    rule = MAKERS.get(original) or FUNCTIONS[original]
    return rule(*args, **kwargs)
