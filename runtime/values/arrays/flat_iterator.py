"""`a.flat`: the elements of a traced array in C order, gone over, read and written in place."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.errors import AnabranchError, UnsupportedOperationError
from anabranch.runtime.ir.interval import FULL, Interval
from anabranch.runtime.tracing.builder import Builder, current
from anabranch.runtime.tracing.failures import Failure
from anabranch.runtime.values import registry, wrap
from anabranch.runtime.values.abstract import Kind
from anabranch.runtime.values.arrays import array_flags, index_checks
from anabranch.runtime.values.arrays.numpy_scalar import NumPyLike
from anabranch.runtime.values.arrays.traced_array import TracedArray, expect_writable
from anabranch.runtime.values.attributes import Bare
from anabranch.runtime.values.memory import views
from anabranch.runtime.values.python_numbers.python_scalar import PythonScalar, python_scalar
from anabranch.runtime.values.tracer import INPLACE, Tracer


class FlatIterator(Bare, sample=lambda: np.zeros(1).flat):
    """A `numpy.flatiter` on a traced array: all elements as a view of one dimension."""

    def __init__(self, array: TracedArray) -> None:
        self.base = array
        self._line = array.viewed(views.Reshape((array.size,)))
        self._made: Builder = current()
        self._place = 0

    def take_up(self) -> TracedArray:
        """The elements that are left, all of which a loop now goes over."""
        self._check_place()
        first, self._place = self._place, self._line.size
        left: TracedArray = self._line[first:] if first else self._line
        return left

    def _check_place(self) -> None:
        if self._made is not current():
            raise UnsupportedOperationError(
                "a.flat is kept under a name and iterated over in a run-time branch or loop, so that how much is left "
                "of it is known only at run time; write a.flat where the iteration is"
            )

    @property
    def index(self) -> int:
        self._check_place()
        return self._place

    @property
    def coords(self) -> tuple[int, ...]:
        self._check_place()
        line = np.broadcast_to(np.int8(0), self.base.shape).flat
        for _ in range(self._place):
            next(line)
        return line.coords

    def __iter__(self) -> Iterator[Value]:
        return self

    def __next__(self) -> Value:
        self._check_place()
        if self._place >= self._line.size:
            raise StopIteration
        self._place += 1
        return self._line[self._place - 1]

    def __len__(self) -> int:
        return self._line.size

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"'numpy.flatiter' object has no attribute '{name}'")

    def copy(self) -> Value:
        return self._line.__copy__()

    def __array__(self, *_: object, **__: object) -> Value:
        return self.__anabranch_value__()

    def __anabranch_value__(self) -> Value:
        """The elements as an array: the array's own memory where that is in C order."""
        return self._line.viewed() if array_flags.ArrayFlags(self.base).c_contiguous else self.copy()

    def __getitem__(self, key: Value) -> Value:
        """Elements, as a new array where the key is no integer."""
        self._restart()
        found = self._line[_place_of(key, self._line.size)]
        return found.__copy__() if isinstance(found, TracedArray) or wrap.is_dynamic_array(found) else found

    def __setitem__(self, key: Value, value: Value) -> None:
        """Write elements: the values over and over, as many as there are places."""
        self._restart()
        expect_writable(self._line, "underlying array is read-only")
        line, place = self._line, _place_of(key, self._line.size)
        if not _is_several(value):
            if isinstance(place, (int, PythonScalar)):
                _set_single(line, place, value)
            else:
                line[place] = _as_elements(value)
            return
        given = registry.FUNCTIONS[np.ravel](registry.FUNCTIONS[np.asarray](value))
        if not wrap.is_dynamic_array(given) and _kind(place) == "b":
            if given.shape[0]:
                registry.FUNCTIONS[np.place](line, place, given)
            return
        target = line[place]
        if wrap.is_dynamic_array(target) or wrap.is_dynamic_array(given):
            raise UnsupportedOperationError(
                "a.flat[key] = values with a size known only at run time is not supported in compiled code; write "
                "single elements, or one value"
            )
        if not isinstance(target, TracedArray):
            _as_numpy(line.size, lambda flat: operator.setitem(flat, 0, np.zeros(given.shape)))
        if target.size and given.shape[0]:
            line[place] = registry.FUNCTIONS[np.resize](given, target.shape)

    def _restart(self) -> None:
        """An access begins the iteration anew, as NumPy's does."""
        if self._made is current():
            self._place = 0


def _is_several(value: Value) -> bool:
    if isinstance(value, Tracer) and not wrap.is_dynamic_array(value):
        return bool(value.abstract.shape) or value.abstract.kind is Kind.ARRAY
    return not isinstance(value, (np.generic, int, float, complex))


def _as_elements(value: Value) -> Value:
    """A value for several elements: of NumPy's scalars an array, which is cast; Python's numbers as they are."""
    if isinstance(value, np.generic) or (isinstance(value, Tracer) and value.abstract.kind is Kind.SCALAR):
        return registry.FUNCTIONS[np.ravel](registry.FUNCTIONS[np.asarray](value))
    return value


def _set_single(line: TracedArray, place: int | PythonScalar, value: Value) -> None:
    """Set one element; whatever is wrong with the value, the exception says no more than that something is."""
    numbered = current().trace.failures.numbered
    before = len(numbered)
    try:
        line[place] = value
    except (TypeError, ValueError, OverflowError) as error:
        if isinstance(error, AnabranchError):
            raise
        raise _no_single_item() from error
    for number in range(before, len(numbered)):
        numbered[number] = Failure(_no_single_item, None, numbered[number].frames)


def _no_single_item(_: object = None) -> ValueError:
    return ValueError("Error setting single item of array.")


def _place_of(key: Value, size: int) -> Value:
    """The key for the line of all elements; raises what NumPy does for one that is no place in it."""
    if type(key) is tuple and len(key) == 1:
        (key,) = key
    if key is Ellipsis:
        return slice(None)
    kind = _kind(key)
    if kind == "i" and not wrap.shape_of(key) and not isinstance(key, list):
        place = index_checks.integer(key, size, None)
        return place if isinstance(place, int) else python_scalar(place, Interval(0, max(size - 1, 0)))
    if kind == "i" and isinstance(key, Tracer):
        place = index_checks.checked(wrap.as_atom(key, np.int64), FULL, size, None)
        return wrap.array_of(place)
    if kind == "b" and isinstance(key, Tracer) and wrap.shape_of(key) == (size,):
        return key
    if isinstance(key, Tracer):
        known = key.abstract
        like = known.python(0) if known.kind is Kind.PYTHON else np.zeros(known.shape, known.dtype)
        _as_numpy(size, lambda flat: flat[like])
    if not isinstance(key, slice):
        _as_numpy(size, lambda flat: flat[key], isinstance(key, (list, np.ndarray)) and np.ndim(key) > 0)
    return key


def _kind(key: Value) -> str:
    """The kind of dtype of a key that is a number, or an array or a list of numbers."""
    if isinstance(key, Tracer) and not wrap.is_dynamic_array(key):
        return key.abstract.dtype.kind
    return "i" if isinstance(key, (int, np.integer)) and not isinstance(key, bool) else ""


def _as_numpy(size: int, access: Callable[[Any], object], is_fine: bool = False) -> None:
    """Raise what NumPy does for an access to an iterator over so many elements; refuse what it takes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        access(np.zeros(size).flat)
    if not is_fine:
        raise UnsupportedOperationError(
            "numpy.ndarray.flat with such an index is not supported in compiled code; index it with ints, slices, "
            "lists or arrays of ints, or a mask of its size"
        )


def _operator(ufunc: np.ufunc, is_second: bool) -> Callable[[FlatIterator, Any], Value]:
    """`a.flat + x`, or `x + a.flat`, and their kin, which NumPy's arrays and scalars take for x, and numbers do not."""

    def operator(self: FlatIterator, other: Any) -> Value:
        if not isinstance(other, (np.ndarray, np.generic, NumPyLike)):
            return NotImplemented
        return registry.FUNCTIONS[ufunc](*((other, self.copy()) if is_second else (self.copy(), other)))

    return operator


def _compared(ufunc: np.ufunc) -> Callable[[FlatIterator, Any], Value]:
    return lambda self, other: registry.FUNCTIONS[ufunc](self.copy(), other)


for _name, _ufunc in (
    ("eq", np.equal),
    ("ne", np.not_equal),
    ("lt", np.less),
    ("le", np.less_equal),
    ("gt", np.greater),
    ("ge", np.greater_equal),
):
    setattr(FlatIterator, f"__{_name}__", _compared(_ufunc))
for _name, _computed in INPLACE.items():
    setattr(FlatIterator, f"__{_name}__", _operator(_computed, is_second=False))
    setattr(FlatIterator, f"__r{_name}__", _operator(_computed, is_second=True))

# Messages of Python's name the class.
FlatIterator.__name__ = "numpy.flatiter"
