"""Comparisons and sums of arrays of texts, element by element, and the operators of their class."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.values import containers, registry, wrap
from anabranch.runtime.values.host_types.text_arrays import (
    FUNCTIONS,
    TracedTexts,
    is_text,
    texts_of,
    widened,
)
from anabranch.runtime.values.host_types.text_codes import lengths, of_width
from anabranch.runtime.values.lazy_text import Text, refused
from anabranch.runtime.values.python_numbers.python_scalar import PythonScalar
from anabranch.runtime.values.tracer import Tracer
from anabranch.runtime.values.union import UnionValue

_F = registry.FUNCTIONS


def _operands(a: Value, b: Value) -> tuple[TracedTexts, TracedTexts] | None:
    """Both operands as texts; None where one of them is no text, or one is texts and the other bytes."""
    first, second = texts_of(a), texts_of(b)
    if first is None or second is None or first._dtype.kind != second._dtype.kind:
        return None
    return first, second


def compare(ufunc: np.ufunc, a: Value, b: Value) -> Value:
    """As a comparison of two arrays of texts, or of one and a text."""
    found = _operands(a, b)
    if found is None:
        raise _no_loop(ufunc, a, b)
    _broadcast(*found)
    first, second = widened(*found)
    if ufunc in (np.equal, np.not_equal):
        same = _F[np.all](_F[np.equal](first._codes, second._codes), axis=-1)
        return same if ufunc is np.equal else _F[np.logical_not](same)
    pairs = list(zip(words(first), words(second), strict=True))
    made = _F[ufunc](*pairs[-1])
    strict = np.less if ufunc in (np.less, np.less_equal) else np.greater
    for x, y in reversed(pairs[:-1]):
        made = _F[np.logical_or](_F[strict](x, y), _F[np.logical_and](_F[np.equal](x, y), made))
    return made


def _broadcast(first: TracedTexts, second: TracedTexts) -> Value:
    """An array of False, of the shape that both have together.

    Raises what NumPy does where there is none: the shapes of the codes, with their last axis, are not in its message.
    """
    a, b = (_F[np.zeros](texts.shape, np.bool_) for texts in (first, second))
    return _F[np.logical_or](a, b)


def _no_loop(ufunc: np.ufunc, *operands: Value) -> Exception:
    """The refusal of a ufunc of these operands; raises what NumPy does, where it does."""
    ufunc(*map(_sample, operands))
    texts = next(found for found in map(texts_of, operands) if found is not None)
    return texts._refusal(f"numpy.{ufunc.__name__} with such operands")


def _sample(operand: Value) -> Value:
    """Some operand of the type of this one, of one element."""
    if isinstance(operand, (list, tuple)):
        return type(operand)(map(_sample, operand))
    if isinstance(operand, (TracedTexts, Text)):
        return operand.__anabranch_sample__()
    if not isinstance(operand, Tracer):
        return operand.ravel()[:1] if isinstance(operand, np.ndarray) else operand
    number: Any = operand
    some = np.ones((1,) * number.ndim, number.dtype)
    return some.item() if isinstance(operand, PythonScalar) else some


def _is_equal(ufunc: np.ufunc, a: Value, b: Value) -> Value:
    """As `a == b` or `a != b`: what is no text is equal to none, without an error."""
    texts, other = (a, b) if isinstance(a, TracedTexts) else (b, a)
    if _operands(a, b) is not None:
        return compare(ufunc, a, b)
    if not containers.has_traced(other):
        other = np.asarray(other)
        has_equal = other.dtype.kind not in "biufcUS" and not _has_none(other)
    else:
        has_equal = not isinstance(other, (TracedTexts, Tracer))
    if has_equal:
        raise texts._refusal(f"numpy.{ufunc.__name__} with such a value")
    shape = other.shape if isinstance(other, (TracedTexts, np.ndarray)) else _F[np.shape](other)
    no = _F[np.logical_and](_F[np.zeros](texts.shape, np.bool_), _F[np.zeros](shape, np.bool_))
    return no if ufunc is np.equal else _F[np.logical_not](no)


def _has_none(other: np.ndarray) -> bool:
    """Return whether an array of objects holds only what is equal to no text: None, or a class, or a dict."""
    return other.dtype == object and all(x is None or type(x) in (type, dict, bool, int, float) for x in other.flat)


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
    made = _sum(a, b)
    return made if made.ndim else made[()]


def _sum(a: Value, b: Value) -> TracedTexts:
    """The sum as an array, of no dimension for two single texts."""
    found = _operands(a, b)
    if found is None:
        raise _no_loop(np.add, a, b)
    first, second = found
    width = first._width + second._width
    none = _broadcast(first, second)[..., None]
    places = np.arange(width)
    length = _F[np.add](none, lengths(first._codes)[..., None])
    table = _F[np.concatenate](
        [_F[np.add](none, text._codes) for text in (first, second)] + [none.astype(first._codes.dtype)], axis=-1
    )
    behind = _F[np.minimum](_F[np.add](_F[np.subtract](places, length), first._width), width)
    taken = _F[np.where](_F[np.less](places, length), places, behind)
    exact = None
    if first._exact is not None or second._exact is not None:
        exact = _F[np.add](*(t._width if t._exact is None else t._exact for t in (first, second)))
    if wrap.is_dynamic_array(table) and table.ndim == 2:
        codes = table[_F[np.arange](table.shape[0])[:, None], taken]
    else:
        codes = _F[np.take_along_axis](table, taken, axis=-1)
    return TracedTexts(codes, of_width(first._dtype, width), exact)


def _differ(shape: Sequence[Value], other: Sequence[Value]) -> bool:
    return any(type(a) is type(b) is int and a != b for a, b in zip(shape, other, strict=True))


def _add_in_place(self: TracedTexts, other: Value) -> TracedTexts:
    """As `self += other`: what is too long is cut off."""
    made = _sum(self, other)
    if made.ndim != self.ndim or _differ(made.shape, self.shape):
        one, other = (np.broadcast_to("", texts.shape) for texts in (self, made))
        np.add(one, other, out=np.empty(self.shape, "U1"))  # raises what NumPy does
    self[...] = made
    return self


def _binary_method(
    rule: Callable[[np.ufunc, Value, Value], Value], ufunc: np.ufunc, reflected: bool = False
) -> Callable[[TracedTexts, Any], Value]:
    def method(self: TracedTexts, other: Value) -> Value:
        if isinstance(other, UnionValue) and not is_text(other):
            return other.each(lambda one: method(self, one))
        return rule(ufunc, other, self) if reflected else rule(ufunc, self, other)

    return method


def _refused(ufunc: np.ufunc, *operands: Value) -> NoReturn:
    raise _no_loop(ufunc, *operands)


_COMPARISONS = {
    "eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal,
}  # fmt: skip
_name: str
_ufunc: np.ufunc
for _name, _ufunc in _COMPARISONS.items():
    FUNCTIONS[_ufunc] = functools.partial(compare, _ufunc)
    setattr(TracedTexts, f"__{_name}__", _binary_method(_is_equal if _name in ("eq", "ne") else compare, _ufunc))
FUNCTIONS[np.add] = add
# Operators that NumPy has no loops for.
_OTHERS = {
    "sub": np.subtract, "mul": np.multiply, "truediv": np.true_divide, "floordiv": np.floor_divide,
    "mod": np.remainder, "divmod": np.divmod, "pow": np.power, "matmul": np.matmul, "lshift": np.left_shift,
    "rshift": np.right_shift, "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor,
}  # fmt: skip
for _name, _ufunc in ({"add": np.add} | _OTHERS).items():
    _rule = _refused if _name in _OTHERS else lambda _, a, b: add(a, b)
    setattr(TracedTexts, f"__{_name}__", _binary_method(_rule, _ufunc))
    setattr(TracedTexts, f"__r{_name}__", _binary_method(_rule, _ufunc, reflected=True))
for _name, _ufunc in {
    "neg": np.negative, "pos": np.positive, "abs": np.absolute, "invert": np.invert,
}.items():  # fmt: skip
    setattr(TracedTexts, f"__{_name}__", lambda self, ufunc=_ufunc: _refused(ufunc, self))


def _of_text(self: Text, ufunc: np.ufunc, method: str, *inputs: Value, **kwargs: Value) -> Value:
    """The rule of a ufunc of one text, such as NumPy asks for where an array that is known is an operand."""
    rule = FUNCTIONS.get(ufunc) if method == "__call__" and not kwargs else None
    if rule is None:
        raise refused(self)
    return rule(*inputs)


setattr(Text, "__array_ufunc__", _of_text)  # noqa: B010 - of a class that knows nothing of arrays
setattr(TracedTexts, "__iadd__", _add_in_place)  # noqa: B010 - as the others
