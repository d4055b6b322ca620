"""Arrays of texts, or bytes, of one width: the codes of their characters, and what is computed element by element."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.ir.interval import Interval
from anabranch.runtime.tracing.builder import current
from anabranch.runtime.values import atoms, registry, wrap
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.host_types.host_type import HostStructure, HostTyped
from anabranch.runtime.values.lazy_text import NUMPYS_TEXT, Text
from anabranch.runtime.values.list_buffer import ListBuffer
from anabranch.runtime.values.python_numbers.python_scalar import python_scalar
from anabranch.runtime.values.tracer import Tracer
from anabranch.runtime.values.union import UnionValue

_F = registry.FUNCTIONS
# The codes of characters, by the kind of the dtype: `numpy.str_` or `numpy.bytes_`.
CODES: dict[str, np.dtype] = {"U": np.dtype(np.uint32), "S": np.dtype(np.uint8)}


class TracedTexts(HostTyped):
    """An array of texts: `_codes` has those of the characters along a last axis, and 0 behind the last character."""

    def __init__(self, codes: Value, dtype: np.dtype) -> None:
        self._codes, self.dtype = codes, dtype

    @property
    def _width(self) -> int:
        return width_of(self.dtype)

    def __anabranch_sample__(self) -> object:
        return np.zeros((1,) * self.ndim, self.dtype)

    def __anabranch_structure__(self) -> TextArrayStructure:
        return TextArrayStructure(type(self), ("codes",), self.dtype)

    def _refusal(self, what: str) -> UnsupportedOperationError:
        return UnsupportedOperationError(
            f"{what} of an array of {self.dtype} is not supported in compiled code; do it outside, or in a function "
            "with @anabranch.host"
        )

    def _like(self, codes: Value) -> TracedTexts:
        return TracedTexts(codes, self.dtype)

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
        return (self[i] for i in range(len(self)))

    def __getitem__(self, key: Value) -> Value:
        if isinstance(key, UnionValue):
            return key.through(lambda one: self[one])
        if isinstance(key, str):
            np.zeros((1,) * self.ndim, self.dtype)[key]  # raises what NumPy does
        part = self._codes[with_characters(key)]
        return numpys_text(self._plain(part)) if self._is_of_one(key) else self._like(part)

    def _plain(self, codes: Value) -> Text:
        """The text of a row of codes, as Python's."""
        if self.dtype.kind == "S":
            raise UnsupportedOperationError(
                f"an element of an array of {self.dtype} is not supported in compiled code; compare the array, or make "
                "texts of it, x.astype('U')"
            )
        return plain_text(codes)

    def _is_of_one(self, key: Value) -> bool:
        """Return whether a key is that of one element."""
        places = key if isinstance(key, tuple) else (key,)
        return len(places) == self.ndim and all(map(_is_number, places))

    def __setitem__(self, key: Value, value: Value) -> None:
        texts = texts_of(value)
        if texts is None:
            if isinstance(value, Tracer):
                raise self._refusal("an assignment of a number to elements")
            texts = constant(np.array(value, self.dtype))
        self._codes[with_characters(key)] = resized(texts, self._width)

    def __copy__(self) -> TracedTexts:
        return self._like(self._codes.copy())

    def __bool__(self) -> bool:
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
        if any(type(size) is int and size == -1 for size in sizes):
            sizes = _F[np.reshape](_F[np.zeros](self.shape, np.bool_), sizes).shape
        return self._like(self._codes.reshape(*sizes, self._width))

    def ravel(self, order: Value = "C") -> TracedTexts:
        """As `ndarray.ravel`."""
        return self if self.ndim == 1 else self.reshape(self.size, order=order)

    def flatten(self, order: Value = "C") -> TracedTexts:
        """As `ndarray.flatten`."""
        return self.copy().ravel(order)

    def copy(self, order: Value = "C") -> TracedTexts:
        """As `ndarray.copy`."""
        del order
        return self._like(self._codes.copy())

    def transpose(self, *axes: Value) -> TracedTexts:
        """As `ndarray.transpose`."""
        given = tuple(axes[0]) if len(axes) == 1 and isinstance(axes[0], (tuple, list)) else axes
        order = [axis % self.ndim for axis in given] or list(range(self.ndim))[::-1]
        return self._like(self._codes.transpose(*order, self.ndim))

    def fill(self, value: Value) -> None:
        """As `ndarray.fill`."""
        self[...] = value

    def sort(self, axis: Value = -1, kind: Value = None) -> None:
        """As `ndarray.sort`."""
        self._codes[...] = FUNCTIONS[np.sort](self, axis, kind)._codes

    def tolist(self) -> Value:
        """As `ndarray.tolist`: texts of Python's."""
        if self.ndim > 1:
            return [part.tolist() for part in self]
        if not self.ndim:
            return self._plain(self._codes)
        if self.dtype.kind == "S":
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
            return registry.HOST_CALLS[0](np.ndarray.astype, self, target)
        target = of_width(target, width_of(target) or self._width)
        if target == self.dtype:
            return self.copy() if copy else self
        if not np.can_cast(self.dtype, target, casting):
            np.zeros(1, self.dtype).astype(target, casting=casting)  # raises what NumPy does
        if target.kind == self.dtype.kind:
            return TracedTexts(_F[np.array](resized(self, width_of(target))), target)
        return registry.HOST_CALLS[0](np.ndarray.astype, self, target)


# The functions of NumPy's that take arrays of texts, with their rules, and those that are methods, too.
FUNCTIONS: dict[Any, Callable[..., Any]] = {}
METHODS = frozenset(["argsort", "repeat", "take", "searchsorted", "squeeze", "swapaxes", "nonzero", "compress"])


def _is_number(place: Value) -> bool:
    if isinstance(place, Tracer):
        return not wrap.is_dynamic_array(place) and not wrap.shape_of(place) and place.abstract.dtype.kind in "iu"
    return isinstance(place, (int, np.integer)) and not isinstance(place, bool)


def with_characters(key: Value) -> Value:
    """The key of elements as one of all their characters."""
    parts = key if isinstance(key, tuple) else (key,)
    return (*parts, slice(None)) if any(part is Ellipsis for part in parts) else key


# ---- texts and their codes -------------------------------------------------------------------------------------------


def plain_text(codes: Value) -> Text:
    """The text of a row of codes, as Python's."""
    places = np.arange(1, wrap.shape_of(codes)[0] + 1)
    length = _F[np.max](_F[np.where](_F[np.not_equal](codes, 0), places, 0))
    known = Interval(0, int(places[-1]))
    return Text("decoded", (ListBuffer(wrap.as_atom(codes)), python_scalar(wrap.as_atom(length, np.int64), known)))


def numpys_text(text: Value) -> Text:
    """The text as NumPy's scalar, `numpy.str_`."""
    return Text(NUMPYS_TEXT, (text,))


def is_kept(dtype: np.dtype) -> bool:
    """Return whether there is a form for arrays of a dtype: texts of some width, in the machine's order of bytes."""
    return dtype.kind in "US" and dtype.isnative and dtype.itemsize > 0


def width_of(dtype: np.dtype) -> int:
    """How many characters the elements of a dtype have at most."""
    return dtype.itemsize // CODES[dtype.kind].itemsize


def of_width(dtype: np.dtype, width: int) -> np.dtype:
    """The dtype of texts, or bytes, as those of another dtype, of a width."""
    return np.dtype((dtype.type, width))


def codes_of(array: np.ndarray) -> np.ndarray:
    """The codes of the characters of an array of texts, in its memory."""
    return array.view([("codes", CODES[array.dtype.kind], (width_of(array.dtype),))])["codes"]


def constant(array: np.ndarray) -> TracedTexts:
    """Texts that are known while tracing."""
    codes = np.array(codes_of(np.ascontiguousarray(array).reshape(array.shape)))
    codes.flags.writeable = False
    return TracedTexts(wrap.array_of(atoms.literal(codes)), array.dtype)


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
        return constant(array) if is_kept(array.dtype) else None
    if isinstance(value, (Text, UnionValue)):
        return _spelled(value) if is_text(value) else None
    if isinstance(value, (list, tuple)) and value and all(map(is_text, value)):
        return _stacked([text for text in map(texts_of, value) if text is not None])
    return None


def _spelled(text: Value) -> TracedTexts:
    """A text that is known only at run time, as wide as it may be."""
    if isinstance(text, UnionValue) and all(isinstance(option, str) for option in text.options):
        table = constant(np.array(text.options))
        return table._like(_F[np.take](table._codes, wrap.numpy_result(text.tag), axis=0))
    codes = current().trace.outside.text_operations.codes(text)
    return TracedTexts(codes, np.dtype((np.str_, wrap.shape_of(codes)[0])))


def _stacked(texts: Sequence[TracedTexts]) -> TracedTexts | None:
    dtype = common(texts)
    return None if dtype is None else TracedTexts(_F[np.stack]([resized(t, width_of(dtype)) for t in texts]), dtype)


def common(several: Sequence[TracedTexts]) -> np.dtype | None:
    """The dtype that has room for the elements of several arrays; None for texts and bytes, which NumPy converts."""
    if len({texts.dtype.kind for texts in several}) > 1:
        return None
    return of_width(several[0].dtype, max(texts._width for texts in several))


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
        return [value._codes if isinstance(value, TracedTexts) else codes_of(value)]

    def build(self, children: Sequence[Value]) -> Value:
        (codes,) = children
        return self.on_host(children, ()) if type(codes) is np.ndarray else TracedTexts(codes, self.extra)

    def on_host(self, children: Sequence[Any], members: Sequence[object]) -> Value:
        codes = np.ascontiguousarray(children[0])
        return codes.view(self.extra)[..., 0]


# ---- comparisons and sums --------------------------------------------------------------------------------------------


def _operands(ufunc: np.ufunc, a: Value, b: Value) -> tuple[TracedTexts, TracedTexts] | None:
    """Both operands as texts of one width; None where one of them is no text."""
    first, second = texts_of(a), texts_of(b)
    if first is None or second is None:
        return None
    dtype = common((first, second))
    if dtype is None:
        raise first._refusal(f"numpy.{ufunc.__name__} with {second.dtype}")
    one, other = (TracedTexts(resized(texts, width_of(dtype)), dtype) for texts in (first, second))
    return one, other


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
        sample = np.zeros(1, texts.dtype)
        ufunc(sample, other if not isinstance(other, Tracer) else 1)  # raises what NumPy does
        raise texts._refusal(f"numpy.{ufunc.__name__} with a {type(other).__name__}")
    shape = texts.shape
    if isinstance(other, (Tracer, np.ndarray, np.generic)):
        if not isinstance(other, Tracer) and other.dtype.kind not in "biufc":
            raise texts._refusal(f"numpy.{ufunc.__name__} with such an array")
        shape = _F[np.broadcast_to](_F[np.zeros](texts.shape, np.bool_), np.broadcast_shapes(shape, other.shape)).shape
    elif not isinstance(other, (int, float, complex, type(None))):
        raise texts._refusal(f"numpy.{ufunc.__name__} with a {type(other).__name__}")
    return (_F[np.zeros] if ufunc is np.equal else _F[np.ones])(shape, np.bool_)


# How many characters a word has, and the bits of each.
_WORDS = {"U": (3, 21), "S": (7, 8)}


def words(texts: TracedTexts) -> list[Value]:
    """The characters as int64, each of several: texts are in the order of these, from the first on."""
    count, bits = _WORDS[texts.dtype.kind]
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
    if first is None or second is None or common((first, second)) is None:
        owner, other = (a, b) if isinstance(a, TracedTexts) else (b, a)
        if isinstance(other, (Tracer, int, float, np.ndarray, np.generic)):
            number = np.ones(1, other.dtype)[0] if isinstance(other, (TracedArray, np.ndarray)) else 1
            np.add(np.zeros(1, owner.dtype), number)  # raises what NumPy does
        raise owner._refusal("numpy.add with what is no text of this kind")
    width = first._width + second._width
    shape = np.broadcast_shapes(first.shape, second.shape)
    places = np.arange(width)
    ends = _F[np.where](_F[np.not_equal](first._codes, 0), places[: first._width] + 1, 0)
    length = _F[np.broadcast_to](_F[np.max](ends, axis=-1), shape)[..., None]
    table = _F[np.concatenate](
        [_F[np.broadcast_to](text._codes, (*shape, text._width)) for text in (first, second)]
        + [_F[np.zeros]((*shape, 1), first._codes.dtype)],
        axis=-1,
    )
    behind = _F[np.minimum](_F[np.add](_F[np.subtract](places, length), first._width), width)
    taken = _F[np.where](_F[np.less](places, length), places, behind)
    return TracedTexts(_F[np.take_along_axis](table, taken, axis=-1), of_width(first.dtype, width))


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
TracedTexts.__add__ = _binary_method(np.add)  # type: ignore[attr-defined]
TracedTexts.__radd__ = _binary_method(np.add, reflected=True)  # type: ignore[attr-defined]
