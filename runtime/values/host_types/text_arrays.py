"""Arrays of texts, or bytes, of one width: the codes of their characters, and what is computed element by element."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.tracing.builder import current
from anabranch.runtime.values import atoms, containers, registry, wrap
from anabranch.runtime.values.arrays import dynamic_array
from anabranch.runtime.values.arrays.dynamic_array import DynamicArray
from anabranch.runtime.values.containers import Structure
from anabranch.runtime.values.host_types import text_codes
from anabranch.runtime.values.host_types.host_type import HostStructure, HostTyped
from anabranch.runtime.values.lazy_text import Text
from anabranch.runtime.values.tracer import Tracer
from anabranch.runtime.values.union import UnionValue

_F = registry.FUNCTIONS


class TracedTexts(HostTyped):
    """An array of texts: `_codes` has those of the characters along a last axis, and 0 behind the last character.

    Where the width of NumPy's array is known only at run time `_exact` is this width, and `_dtype` has room for the
    most that it may be.
    """

    def __init__(self, codes: Value, dtype: np.dtype, exact: Value = None) -> None:
        self._codes, self._dtype, self._exact = codes, dtype, exact

    @property
    def dtype(self) -> np.dtype:
        """As `ndarray.dtype`."""
        if self._exact is not None:
            raise UnsupportedOperationError(
                "the dtype of an array of texts whose width is known only at run time is not known in compiled code; "
                "give it one with a width where the array is made, such as dtype='U20'"
            )
        return self._dtype

    @property
    def _width(self) -> int:
        return text_codes.width_of(self._dtype)

    def __anabranch_sample__(self) -> object:
        return np.zeros((1,) * self.ndim, self._dtype)

    def __anabranch_structure__(self) -> TextArrayStructure:
        keys = ("codes",) if self._exact is None else ("codes", "width")
        return TextArrayStructure(type(self), keys, self._dtype)

    def _refusal(self, what: str) -> UnsupportedOperationError:
        return UnsupportedOperationError(
            f"{what} of an array of {self._dtype} is not supported in compiled code; do it outside, or in a function "
            "with @anabranch.host"
        )

    def _like(self, codes: Value) -> TracedTexts:
        return TracedTexts(codes, self._dtype, self._exact)

    # ---- attributes and elements -------------------------------------------------------------------------------------

    itemsize = property(lambda self: self.dtype.itemsize)
    ndim = property(lambda self: self._codes.ndim - 1)
    shape = property(lambda self: tuple(self._codes.shape[: self.ndim]))
    size = property(lambda self: functools.reduce(lambda a, b: a * b, self.shape, 1))
    nbytes = property(lambda self: self.size * self.itemsize)
    T = property(lambda self: self.transpose())

    @property
    def _item_count(self) -> Value:
        return self._codes.shape[0] if self.ndim else None

    def __len__(self) -> int:
        if not self.ndim:
            raise TypeError("len() of unsized object")
        return int(self._codes.shape[0])

    def __iter__(self) -> Iterator[Value]:
        if not self.ndim:
            raise TypeError("iteration over a 0-d array")
        return (self[i] for i in range(len(self)))

    def __getitem__(self, key: Value) -> Value:
        if isinstance(key, UnionValue):
            return key.through(lambda one: self[one])
        if isinstance(key, str):
            np.zeros((1,) * self.ndim, self._dtype)[key]  # raises what NumPy does
        part = self._codes[text_codes.with_characters(key)]
        return text_codes.numpys_text(self._plain(part)) if self._is_of_one(key) else self._like(part)

    def _plain(self, codes: Value) -> Text:
        """The text of a row of codes, as Python's."""
        if self._dtype.kind == "S":
            raise UnsupportedOperationError(
                f"an element of an array of {self._dtype} is not supported in compiled code; compare the array, or "
                "make texts of it, x.astype('U')"
            )
        return text_codes.plain_text(codes)

    def _is_of_one(self, key: Value) -> bool:
        """Return whether a key is that of one element."""
        places = key if isinstance(key, tuple) else (key,)
        return len(places) == self.ndim and all(map(text_codes.is_number, places))

    def __setitem__(self, key: Value, value: Value) -> None:
        texts = texts_of(value)
        if texts is None:
            if isinstance(value, Tracer):
                raise self._refusal("an assignment of a number to elements")
            texts = constant(np.array(value, self._dtype))
        if texts.ndim:
            # The shapes of the codes, with their last axis, are not in NumPy's messages.
            _F[np.zeros](self.shape, np.bool_)[key] = _F[np.zeros](texts.shape, np.bool_)
        codes = resized(of_kind(texts, self._dtype), self._width)
        if self._exact is not None:
            codes = _F[np.where](_F[np.less](np.arange(self._width), self._exact), codes, codes.dtype.type(0))
        self._codes[text_codes.with_characters(key)] = codes

    def __copy__(self) -> TracedTexts:
        return self._like(self._codes.copy())

    def __bool__(self) -> bool:
        if type(self.size) is int and self.size > 1:
            bool(np.empty(self.shape, "U1"))  # raises what NumPy does
        raise self._refusal("the truth")

    def __hash__(self) -> int:
        raise TypeError("unhashable type: 'numpy.ndarray'")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or not hasattr(np.ndarray, name):
            raise AttributeError(f"'numpy.ndarray' object has no attribute '{name}'")
        rule = FUNCTIONS.get(getattr(np, name, None))
        if rule is not None and name in METHODS:
            return functools.partial(rule, self)
        if name in ("astype", "view", "setfield", "resize", "partition", "byteswap") or not callable(
            getattr(np.ndarray, name)
        ):
            raise self._refusal(f"numpy.ndarray.{name}")
        return functools.partial(registry.HOST_CALLS[0], getattr(np.ndarray, name), self)

    def _unstaged(self, function: Callable[..., object]) -> Callable[..., Any]:
        """NumPy's own function, which the host calls with the array of texts."""
        return functools.partial(registry.HOST_CALLS[0], function)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Value, **kwargs: Value) -> Value:
        rule = FUNCTIONS.get(ufunc) if method == "__call__" and not kwargs else None
        if rule is not None:
            return rule(*inputs)
        if kwargs.get("out") is not None:
            raise self._refusal(f"numpy.{ufunc.__name__} with out=")
        function = ufunc if method == "__call__" else getattr(ufunc, method)
        return registry.HOST_CALLS[0](function, *inputs, **kwargs)

    @property
    def _functions(self) -> Mapping[Any, Callable[..., Any]]:
        return FUNCTIONS

    # ---- methods that have other names than functions, or are views --------------------------------------------------

    def reshape(self, *shape: Value, order: Value = "C") -> TracedTexts:
        """As `ndarray.reshape`."""
        if order != "C":
            raise self._refusal(f"reshape in order {order!r}")
        sizes = tuple(shape[0]) if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
        sizes = _F[np.reshape](_F[np.zeros](self.shape, np.bool_), sizes).shape
        return self._like(self._codes.reshape(*sizes, self._width))

    def ravel(self, order: Value = "C") -> TracedTexts:
        """As `ndarray.ravel`."""
        if order != "C":
            raise self._refusal(f"ravel in order {order!r}")
        return self._like(self._codes.ravel().reshape(-1, self._width))

    def flatten(self, order: Value = "C") -> TracedTexts:
        """As `ndarray.flatten`."""
        return self.copy().ravel(order)

    def copy(self, order: Value = "C") -> TracedTexts:
        """As `ndarray.copy`."""
        del order
        return self._like(self._codes.copy())

    def transpose(self, *axes: Value) -> TracedTexts:
        """As `ndarray.transpose`."""
        given = axes[0] if len(axes) == 1 and isinstance(axes[0], (tuple, list, type(None))) else axes
        np.zeros((1,) * self.ndim).transpose(given or None)  # raises what NumPy does
        order = [axis % self.ndim for axis in given or range(self.ndim)[::-1]]
        return self._like(self._codes.transpose(*order, self.ndim))

    def fill(self, value: Value) -> None:
        """As `ndarray.fill`."""
        self[...] = value

    def sort(self, axis: Value = -1, kind: Value = None) -> None:
        """As `ndarray.sort`."""
        self._codes[...] = FUNCTIONS[np.sort](self, axis, kind)._codes.copy()

    def tolist(self) -> Value:
        """As `ndarray.tolist`: texts of Python's."""
        if self.ndim > 1:
            return [part.tolist() for part in self]
        if not self.ndim:
            return self._plain(self._codes)
        if self._dtype.kind == "S":
            raise self._refusal("numpy.ndarray.tolist")
        called = current().trace.outside.called
        return called(list)(called(map)(str, self))

    def item(self, *place: Value) -> Value:
        """As `ndarray.item`: a text of Python's."""
        places = place[0] if len(place) == 1 and isinstance(place[0], tuple) else place
        if len(places) == 1:
            return self._plain(self.ravel()._codes[places[0]])
        np.zeros(self.shape, np.bool_).item(*places)  # raises what NumPy does
        return self._plain(self._codes[places] if places else self._codes.reshape(self._width))

    def astype(self, dtype: Value, order: Value = "K", casting: Value = "unsafe", *, copy: Value = True) -> Value:
        """As `ndarray.astype`, to texts of another width; other types on the host."""
        target = np.dtype(dtype)
        if target.kind not in "US" or not target.isnative:
            return self._converted(target)
        if target.kind == self._dtype.kind and text_codes.width_of(target) in (
            0,
            None if self._exact is not None else self._width,
        ):
            return self.copy() if copy else self
        if text_codes.width_of(target) or self._exact is None:
            target = text_codes.of_width(target, text_codes.width_of(target) or self._width)
        if not np.can_cast(self._dtype, target, casting):
            np.zeros(1, self.dtype).astype(target, casting=casting)  # raises what NumPy does
        if target.kind == self._dtype.kind:
            return TracedTexts(_F[np.array](resized(self, text_codes.width_of(target))), target)
        return self._converted(target)

    def _converted(self, target: np.dtype) -> Value:
        """The elements as those of another dtype, by NumPy itself: they may be no numbers."""
        if target.kind not in "biufcUS" or not target.itemsize:
            return registry.HOST_CALLS[0](np.ndarray.astype, self, target)
        codes = self._codes
        shape = codes.capacity if isinstance(codes, DynamicArray) else codes.shape
        return registry.HOST_CALLS_LIKE[0](np.zeros(shape[:-1], target), np.ndarray.astype, self, target)


# The functions of NumPy's that take arrays of texts, with their rules, and those that are methods, too.
FUNCTIONS: dict[Any, Callable[..., Any]] = {}
METHODS = frozenset(["argsort", "repeat", "take", "searchsorted", "squeeze", "swapaxes", "nonzero"])


# ---- texts and their codes -------------------------------------------------------------------------------------------


def constant(array: np.ndarray) -> TracedTexts:
    """Texts that are known while tracing."""
    codes = np.array(text_codes.codes_of(np.ascontiguousarray(array).reshape(array.shape)))
    codes.flags.writeable = False
    made: TracedTexts = TextArrayStructure(TracedTexts, ("codes",), array.dtype).build(
        [wrap.array_of(atoms.literal(codes))]
    )
    return made


def is_text(value: object) -> bool:
    """Return whether a value is a text, or known bytes, or a choice of texts, or an array of texts."""
    if isinstance(value, (str, bytes, Text, TracedTexts)):
        return True
    if isinstance(value, UnionValue):
        return all(isinstance(option, (str, Text)) for option in value.options)
    return isinstance(value, np.ndarray) and value.dtype.kind in "US"


def texts_of(value: Value) -> TracedTexts | None:
    """A value as an array of texts, of no dimension for one text; None for any other value."""
    if isinstance(value, TracedTexts):
        return value
    if isinstance(value, (str, bytes, np.ndarray)):
        array = np.asarray(value)
        return constant(array) if text_codes.is_kept(array.dtype) else None
    if isinstance(value, (Text, UnionValue)):
        return _spelled(value) if is_text(value) else None
    return _listed(value) if isinstance(value, (list, tuple)) and value else None


def _listed(items: Sequence[Value]) -> TracedTexts | None:
    """Texts of a list, or of lists in it; None where something else is among them."""
    if not containers.has_traced(items):
        array = np.asarray(items)
        return constant(array) if text_codes.is_kept(array.dtype) else None
    found = [texts_of(item) for item in items]
    texts = [text for text in found if text is not None]
    if len(texts) < len(found) or len({text.shape for text in texts}) > 1:
        return None
    return joined(texts, _F[np.stack])


def of_kind(texts: TracedTexts, dtype: np.dtype) -> TracedTexts:
    """The texts as bytes, or bytes as texts, where a dtype says so."""
    if texts._dtype.kind == dtype.kind:
        return texts
    made: TracedTexts = texts.astype(text_codes.of_width(dtype, texts._width))
    return made


def _spelled(text: Value) -> TracedTexts:
    """A text that is known only at run time: as an array it is as wide as it is long."""
    if isinstance(text, UnionValue) and all(isinstance(option, str) for option in text.options):
        table = constant(np.array(text.options))
        codes = _F[np.take](table._codes, wrap.numpy_result(text.tag), axis=0)
        is_known = len({max(len(option), 1) for option in text.options}) == 1
    else:
        codes, is_known = current().trace.outside.text_operations.codes(text), False
    dtype = np.dtype((np.str_, wrap.shape_of(codes)[0]))
    return TracedTexts(codes, dtype, None if is_known else _F[np.maximum](text_codes.lengths(codes), 1))


def joined(several: Sequence[TracedTexts], join: Callable[[list[Value]], Value]) -> TracedTexts | None:
    """The array that a function makes of the codes of others, after they got one width; None for texts and bytes.

    NumPy converts bytes to texts then.
    """
    if len({texts._dtype.kind for texts in several}) > 1:
        return None
    width, exact = max(texts._width for texts in several), None
    known = max((texts._width for texts in several if texts._exact is None), default=0)
    if known < width:  # one that may be wider, or not
        widths = [texts._exact for texts in several if texts._exact is not None]
        exact = functools.reduce(_F[np.maximum], widths, max(known, 1))
    codes = join([resized(texts, width) for texts in several])
    return TracedTexts(codes, text_codes.of_width(several[0]._dtype, width), exact)


def resized(texts: TracedTexts, width: int) -> Value:
    """The codes for elements of another width: what is too long is cut off."""
    codes = texts._codes
    if texts._width > width:
        return codes[..., :width]
    if texts._width == width:
        return codes
    missing = _F[np.zeros]((*texts.shape, width - texts._width), codes.dtype)
    return _F[np.concatenate]([codes, missing], axis=-1)


@frozen
class TextArrayStructure(HostStructure):
    """That of an array of texts, with its dtype."""

    def children(self, value: Value) -> list[Value]:
        if not isinstance(value, TracedTexts):
            return [text_codes.codes_of(value)]
        return [value._codes] if value._exact is None else [value._codes, value._exact]

    def build(self, children: Sequence[Value]) -> Value:
        codes, *exact = children
        if type(codes) is np.ndarray:
            return self.on_host(children, ())
        if exact or (type(codes.shape[-1]) is int and codes.shape[-1]):
            return TracedTexts(codes, self.extra, *exact)
        return _of_run_time_width(codes, self.extra)

    def on_host(self, children: Sequence[Any], members: Sequence[object]) -> Value:
        codes, *exact = children
        if codes.strides[-1] != codes.itemsize and codes.size:  # a view needs the characters side by side
            codes = np.ascontiguousarray(codes)
        width = int(exact[0]) if exact else codes.shape[-1]
        if not width:
            return np.ndarray(codes.shape[:-1], (self.extra.type, 0))
        made = codes.view(text_codes.of_width(self.extra, codes.shape[-1]))[..., 0]
        return made.astype(text_codes.of_width(self.extra, width)) if exact else made

    def is_form_of(self, other: Structure | None) -> bool:
        return type(other) is type(self) and (other.keys, other.extra.kind) == (self.keys, self.extra.kind)


def _of_run_time_width(codes: Value, dtype: np.dtype) -> TracedTexts:
    """Texts that a host call returns, of a width that is known only at run time, or 0."""
    width = codes.shape[-1]
    if isinstance(codes, DynamicArray):
        rest = codes.extents[:-1]
        codes = dynamic_array.make(codes.memory, (*rest, None)) if any(rest) else codes.memory
    else:
        codes = _F[np.zeros]((*codes.shape[:-1], 1), codes.dtype)
    exact = wrap.numpy_result(wrap.as_atom(width, np.int64))
    return TracedTexts(codes, text_codes.of_width(dtype, codes.shape[-1]), exact)


def widened(*several: TracedTexts) -> tuple[TracedTexts, ...]:
    """The same texts with room for as many characters in each array."""
    width = max(texts._width for texts in several)
    return tuple([TracedTexts(resized(texts, width), text_codes.of_width(texts._dtype, width)) for texts in several])
