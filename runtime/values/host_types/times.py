"""Arrays and scalars of `datetime64` and `timedelta64`: int64 in a Program, and a unit that is known while tracing."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.errors import ConcretizationError, UnsupportedOperationError
from anabranch.runtime.tracing.builder import current, tracing
from anabranch.runtime.values import registry, static_requests, wrap
from anabranch.runtime.values.abstract import Kind
from anabranch.runtime.values.arrays.numpy_scalar import NumPyScalar
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.host_types import time_arithmetic
from anabranch.runtime.values.host_types.host_type import HostStructure, HostTyped
from anabranch.runtime.values.python_numbers.python_scalar import python_scalar
from anabranch.runtime.values.tracer import Tracer
from anabranch.runtime.values.union import UnionValue

_F = registry.FUNCTIONS
# The key of the only part of one date or duration, which is no array.
SCALAR = "int"
_NAT, _LAST = time_arithmetic.NAT, np.int64(np.iinfo(np.int64).max)


class TracedTimes(HostTyped):
    """An array of dates or durations, or one of them as NumPy's scalar: `_ints` are its int64."""

    def __init__(self, ints: Value, dtype: np.dtype) -> None:
        self._ints, self.dtype = ints, dtype

    def __anabranch_sample__(self) -> object:
        return np.zeros(1, self.dtype)[0] if self._is_scalar else np.zeros((1,) * self._ints.ndim, self.dtype)

    def __anabranch_structure__(self) -> TimeStructure:
        return TimeStructure(type(self), (SCALAR if self._is_scalar else "ints",), self.dtype)

    def _refusal(self, what: str) -> UnsupportedOperationError:
        if self._is_scalar:  # an argument is NumPy's own scalar then
            static_requests.request_static(self._ints, f"a plain {self.dtype}")
        return UnsupportedOperationError(
            f"{what} of {self.dtype} is not supported in compiled code; compute with the integers, "
            "x.astype('int64'), or outside of the function"
        )

    @property
    def _is_scalar(self) -> bool:
        return isinstance(self._ints, (NumPyScalar, np.generic))

    def _like(self, ints: Value, dtype: np.dtype | None = None) -> TracedTimes:
        return TracedTimes(ints, self.dtype if dtype is None else dtype)

    # ---- attributes and elements -------------------------------------------------------------------------------------

    shape = property(lambda self: self._ints.shape)
    ndim = property(lambda self: self._ints.ndim)
    size = property(lambda self: self._ints.size)
    itemsize = property(lambda self: 8)
    nbytes = property(lambda self: self._ints.size * 8)
    T = property(lambda self: self._like(self._ints.T))

    @property
    def _item_count(self) -> Value:
        return self._ints.shape[0] if self._ints.ndim else None

    def __len__(self) -> int:
        return len(self._ints)

    def __getitem__(self, key: Value) -> Value:
        return self._like(self._ints[key])

    def __setitem__(self, key: Value, value: Value) -> None:
        self._ints[key] = _assigned(value, self.dtype)

    def __iter__(self) -> Value:
        return (self[i] for i in range(len(self)))

    def __copy__(self) -> TracedTimes:
        return self._like(self._ints.copy())

    def __bool__(self) -> bool:
        raise self._refusal("the truth")

    def __hash__(self) -> int:
        if not self._is_scalar:
            raise TypeError("unhashable type: 'numpy.ndarray'")
        if tracing():
            current().trace.outside.needs_plain()
            current().trace.tables.ask_for_places()
        raise ConcretizationError(f"a hash of {self.dtype} is needed while tracing, which is known only at run time")

    @property
    def key_(self) -> Value:
        """The int by which it is found as a key; of an array, which has no hash, None."""
        return self._ints if self._is_scalar else None

    def same_key_(self, other: Value) -> Value:
        times = times_of(other)
        if times is not None and times.dtype == self.dtype:
            return python_scalar(wrap.as_atom(binary(np.equal, self, times), np.bool_))
        if times is None and not isinstance(other, (Tracer, int, float, np.generic)):
            return False
        raise UnsupportedOperationError(
            f"a {self.dtype} and a number, or a date or duration of another unit, are keys of one dict or members of "
            "one set of keys known only at run time; give them one unit by astype"
        )

    def __getattr__(self, name: str) -> Any:
        sample = self.__anabranch_sample__()
        if name.startswith("_") or not hasattr(sample, name):
            owner = "numpy.ndarray" if isinstance(sample, np.ndarray) else f"numpy.{type(sample).__name__}"
            raise AttributeError(f"'{owner}' object has no attribute '{name}'")
        if name in _ON_INTS:
            return lambda *args, **kwargs: self._like(getattr(self._ints, name)(*args, **kwargs))
        if not self._is_scalar and callable(getattr(np.ndarray, name)):
            return functools.partial(registry.HOST_CALLS[0], getattr(np.ndarray, name), self)
        raise self._refusal(f"numpy.ndarray.{name}")

    def _unstaged(self, function: Callable[..., object]) -> Callable[..., Any]:
        """NumPy's own function: on the host the times are their ints, seen in another way."""
        return functools.partial(registry.HOST_CALLS[0], function)

    def astype(self, dtype: Value, *, copy: bool = True) -> Value:
        """As `ndarray.astype`: to another unit, or to numbers."""
        target = np.dtype(dtype)
        if target.kind in "Mm":
            np.zeros(1, self.dtype).astype(target)  # raises what NumPy does
            if target.kind != self.dtype.kind or not target.isnative:
                raise self._refusal(f"astype({target})")
            ints = time_arithmetic.converted(self._ints, self.dtype, target)
            if ints is self._ints and (copy or target != self.dtype):
                ints = ints.copy() if isinstance(ints, TracedArray) or wrap.is_dynamic_array(ints) else ints
            return self if ints is self._ints else self._like(ints, target)
        if target.kind not in "iuf":
            raise self._refusal(f"astype({target})")
        return self._ints.astype(target)

    def view(self, dtype: Value = None) -> Value:
        """As `ndarray.view`, as integers or as times of another unit."""
        target = self.dtype if dtype is None else np.dtype(dtype)
        if target.kind in "Mm" and target.itemsize == 8:
            return self._like(self._ints if self._is_scalar else self._ints.view(), target)
        return self._ints.view(target)

    # ---- what is computed --------------------------------------------------------------------------------------------

    def min(self, axis: Value = None, **kwargs: Value) -> Value:
        """As `ndarray.min`: no time where one of the elements is none."""
        ints = self._ints.min(axis=axis, **kwargs)
        return self._like(ints)  # the least int is "no time"

    def max(self, axis: Value = None, **kwargs: Value) -> Value:
        """As `ndarray.max`."""
        missing = time_arithmetic.isnat(self._ints).any(axis=axis, **kwargs)
        return self._like(time_arithmetic.where(missing, _NAT, self._ints.max(axis=axis, **kwargs)))

    def argmin(self, axis: Value = None, **kwargs: Value) -> Value:
        """As `ndarray.argmin`: the first element that is no time goes before all others."""
        return self._ints.argmin(axis=axis, **kwargs)

    def argmax(self, axis: Value = None, **kwargs: Value) -> Value:
        """As `ndarray.argmax`."""
        missing = time_arithmetic.isnat(self._ints)
        return _F[np.where](missing, _LAST, _F[np.minimum](self._ints, _LAST - 1)).argmax(axis=axis, **kwargs)

    def sum(self, axis: Value = None, **kwargs: Value) -> Value:
        """As `ndarray.sum`, of durations."""
        if self.dtype.kind == "M":
            np.zeros(1, self.dtype).sum()  # raises what NumPy does
        missing = time_arithmetic.isnat(self._ints).any(axis=axis, **kwargs)
        return self._like(time_arithmetic.where(missing, _NAT, self._ints.sum(axis=axis, **kwargs)))

    def sort(self, axis: Value = -1) -> None:
        """As `ndarray.sort`: what is no time comes last."""
        self._ints[...] = restored(_F[np.sort](as_last(self._ints), axis=axis))

    def argsort(self, axis: Value = -1, **kwargs: Value) -> Value:
        """As `ndarray.argsort`."""
        return _F[np.argsort](as_last(self._ints), axis=axis, **kwargs)

    @property
    def _functions(self) -> Mapping[Any, Callable[..., Any]]:
        return FUNCTIONS


# Methods that give the same times in other places.
_ON_INTS = frozenset(["reshape", "ravel", "flatten", "copy", "transpose", "squeeze", "take", "repeat", "swapaxes"])


def as_last(ints: Value) -> Value:
    """The ints with those that are no time as the greatest, so that the order is NumPy's."""
    return _F[np.subtract](ints, np.int64(1))  # the least int wraps around


def restored(ints: Value) -> Value:
    """The ints of times that `as_last` has made of them."""
    return _F[np.add](ints, np.int64(1))


@frozen
class TimeStructure(HostStructure):
    """That of dates or durations, with their dtype; one date or duration has another key than an array."""

    def holds(self, value: Value) -> bool:
        return isinstance(value, np.generic) and self.keys == (SCALAR,) and value.dtype == self.extra

    def children(self, value: Value) -> list[Value]:
        return [value._ints if isinstance(value, TracedTimes) else value.view(np.int64)]

    def build(self, children: Sequence[Value]) -> Value:
        (ints,) = children
        return ints.view(self.extra) if isinstance(ints, np.generic) else TracedTimes(ints, self.extra)

    def on_host(self, children: Sequence[Any], members: Sequence[object]) -> Value:
        return children[0].view(self.extra)


# ---- operands --------------------------------------------------------------------------------------------------------


def times_of(value: Value) -> TracedTimes | None:
    """A value that is dates or durations; None for any other."""
    if isinstance(value, TracedTimes):
        return value
    if isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in "Mm":
        return TracedTimes(np.int64(value.view(np.int64)) if not value.shape else value.view(np.int64), value.dtype)
    return None


def is_constant(value: object) -> bool:
    """Return whether a value is dates or durations that are known while tracing."""
    return isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in "Mm"


def _assigned(value: Value, dtype: np.dtype) -> Value:
    """The ints to write for a value that is assigned to elements."""
    times = times_of(value)
    if times is None:
        if isinstance(value, Tracer) or not (value is None or isinstance(value, (str, int))):
            raise UnsupportedOperationError(
                f"assigning such a value to elements of {dtype} is not supported in compiled code; assign dates or "
                "durations of NumPy's"
            )
        return np.array(value, dtype).view(np.int64)[()]
    np.zeros(1, dtype)[0:1] = np.zeros(1, times.dtype)  # raises what NumPy does
    return time_arithmetic.converted(times._ints, times.dtype, dtype)


def _sample(value: Value) -> Value:
    """The value or dtype by which NumPy types an operand."""
    times = times_of(value)
    if times is not None:
        return np.ones((1,) * times.ndim, times.dtype)[()] if not times.ndim else np.ones(1, times.dtype)
    if isinstance(value, Tracer):
        known: Any = value.abstract if not wrap.is_dynamic_array(value) else None
        if known is None:
            return np.ones(1, _F[np.asarray](value).dtype)
        if known.kind is Kind.PYTHON:
            return known.python(1)
        return np.ones((1,) * len(known.shape), known.dtype)[()]
    return value


def _typed(value: Value) -> Value:
    """The dtype of an operand, or Python's class of a number."""
    times = times_of(value)
    if times is not None:
        return times.dtype
    sample = _sample(value)
    return type(sample) if type(sample) in (int, float, bool) else np.asarray(sample).dtype


def binary(ufunc: np.ufunc, x: Value, y: Value) -> Value:
    """A ufunc of two operands, one of which is dates or durations."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        made = ufunc(*map(_sample, (x, y)))  # raises what NumPy does
    dtypes = ufunc.resolve_dtypes((_typed(x), _typed(y), None))
    kinds = "".join("i" if t.kind in "bu" else t.kind for t in dtypes[:2])
    loop = time_arithmetic.LOOPS.get((ufunc, kinds))
    if loop is None:
        raise (times_of(x) or times_of(y))._refusal(f"numpy.{ufunc.__name__}")  # type: ignore[union-attr]
    result = loop(*(_operand(v, t) for v, t in zip((x, y), dtypes, strict=False)))
    return result if made.dtype.kind not in "Mm" else TracedTimes(result, made.dtype)


def _operand(value: Value, dtype: np.dtype) -> Value:
    times = times_of(value)
    if times is None:
        return _F[np.asarray](value).astype(np.int64 if dtype.kind in "Mm" else dtype)[()]
    ints = time_arithmetic.converted(times._ints, times.dtype, dtype)
    return _F[np.asarray](ints) if isinstance(ints, np.ndarray) else ints


def unary(ufunc: np.ufunc, x: TracedTimes) -> Value:
    """A ufunc of dates or durations."""
    made = ufunc(_sample(x))  # raises what NumPy does
    return TracedTimes(time_arithmetic.UNARY[ufunc](x._ints), made.dtype)


def _binary_method(ufunc: np.ufunc, reflected: bool) -> Callable[[TracedTimes, Any], Value]:
    def method(self: TracedTimes, other: Value) -> Value:
        if isinstance(other, UnionValue):
            return other.each(lambda one: method(self, one))
        if times_of(other) is None and not isinstance(other, (Tracer, np.ndarray, np.generic, int, float)):
            if ufunc in (np.equal, np.not_equal) and other is not None and not isinstance(other, str):
                return NotImplemented
            raise self._refusal(f"numpy.{ufunc.__name__} with a {type(other).__name__}")
        return binary(ufunc, other, self) if reflected else binary(ufunc, self, other)

    return method


def _inplace_method(ufunc: np.ufunc) -> Callable[[TracedTimes, Any], Value]:
    def method(self: TracedTimes, other: Value) -> Value:
        made = binary(ufunc, self, other)
        if self._is_scalar:
            return made
        if not isinstance(made, TracedTimes):
            raise self._refusal(f"{ufunc.__name__} in place")
        if not np.can_cast(made.dtype, self.dtype, "same_kind"):
            ufunc(np.ones(1, self.dtype), _sample(other), out=np.ones(1, self.dtype))  # raises what NumPy does
        self._ints[...] = time_arithmetic.converted(made._ints, made.dtype, self.dtype)
        return self

    return method


_OPERATORS = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "truediv": np.true_divide, "floordiv": np.floor_divide,
    "mod": np.remainder,
}  # fmt: skip
_COMPARISONS = {
    "eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal,
}  # fmt: skip
for _name, _ufunc in _OPERATORS.items():
    setattr(TracedTimes, f"__{_name}__", _binary_method(_ufunc, reflected=False))
    setattr(TracedTimes, f"__r{_name}__", _binary_method(_ufunc, reflected=True))
    setattr(TracedTimes, f"__i{_name}__", _inplace_method(_ufunc))
for _name, _ufunc in _COMPARISONS.items():
    setattr(TracedTimes, f"__{_name}__", _binary_method(_ufunc, reflected=False))
for _name, _one in (("neg", np.negative), ("pos", np.positive), ("abs", np.absolute)):
    setattr(TracedTimes, f"__{_name}__", lambda self, ufunc=_one: unary(ufunc, self))


# The functions of NumPy's that take dates or durations, with their rules.
FUNCTIONS: dict[Any, Callable[..., Any]] = {}
