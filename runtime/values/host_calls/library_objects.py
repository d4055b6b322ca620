"""Objects of libraries that are made of arrays, as arguments and as results of host calls.

Their arrays are traced; what is asked of them else is asked of an object of the library's own, which a host call makes
of the arrays as they are then.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NoReturn

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.config import settings
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.tracing.builder import tracing
from anabranch.runtime.tracing.storage import OfLibrary
from anabranch.runtime.values import containers, wrap
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.attributes import StandIn
from anabranch.runtime.values.host_calls import deferred
from anabranch.runtime.values.host_types import labelled_kinds, library_kinds
from anabranch.runtime.values.host_types.host_type import HostStructure, HostTyped
from anabranch.runtime.values.host_types.labelled_kinds import taken_apart
from anabranch.runtime.values.host_types.library_kinds import LibraryKind
from anabranch.runtime.values.host_types.times import TracedTimes

# Methods that do more than to return a result.
_EFFECTS = ("to_", "plot", "hist", "boxplot", "info")
_WITHOUT = ("to_numpy", "to_list", "to_dict", "to_frame", "to_period", "to_timestamp", "to_series")
_CHANGES = ("insert", "harden_", "soften_", "unshare_", "shrink_", "isetitem")
_ATTRIBUTES = (
    "shape", "ndim", "dtype", "dtypes", "columns", "name", "names", "format", "dims", "size", "sizes", "index",
)  # fmt: skip
_OF_XARRAY = ("to_", "plot", "load", "compute", "persist", "close", "attrs", "encoding", "set_close", "info")


class LibraryObject(HostTyped):
    """The stand-in for such an object: its traced arrays, by name."""

    __array_priority__ = 1500.0  # its operators come before those of arrays and scalars

    def __init__(self, parts: Mapping[str, Value], kind: LibraryKind) -> None:
        self._parts, self._kind = dict(parts), kind

    def __anabranch_sample__(self) -> object:
        return self._kind.make({name: _zeros(part) for name, part in self._parts.items()}, self._kind)

    def __anabranch_structure__(self) -> LibraryStructure:
        return LibraryStructure(LibraryObject, self._kind.names, self._kind)

    def _refusal(self, what: str) -> UnsupportedOperationError:
        return UnsupportedOperationError(
            f"{what} of a {self._kind.name} is not supported in compiled code; compute with its arrays, or do it "
            "outside, or in a function with @anabranch.host"
        )

    # ---- attributes --------------------------------------------------------------------------------------------------

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name in ("_parts", "_kind"):
            raise AttributeError(name)
        direct = self._direct(name)
        if direct is not None:
            return direct
        if self._kind.library == "xarray" and name.startswith(_OF_XARRAY) and name not in _WITHOUT:
            raise self._refusal(f"the attribute {name}")
        found = getattr(self._kind.cls, name, None)
        if name in _ATTRIBUTES and self._is_known(name):
            return getattr(self.__anabranch_sample__(), name)
        if found is None and not hasattr(self.__anabranch_sample__(), name):
            raise AttributeError(f"'{self._kind.cls.__name__}' object has no attribute '{name}'")
        if callable(found) and not isinstance(found, type) and not _is_accessor(found):
            return _Method(self, name)
        return self._called(name, deferred.attribute_of, self, name)

    def _direct(self, name: str) -> Value:
        """An attribute that is an array, or a column; None for others."""
        if name in self._parts and not name.endswith("_"):
            part = self._parts[name]
            return part.viewed() if isinstance(part, TracedArray) else part
        if name == "data" and self._kind.library == "xarray" and "values" in self._parts:
            return self._direct("values")
        columns = self._columns()
        if columns is not None and name in columns and not hasattr(self._kind.cls, name):
            return self[name]
        if name == "to_numpy" and self._has_values():
            return _ToNumpy(self)
        return None

    def _has_values(self) -> bool:
        """Return whether it is made of one array of values, and of labels."""
        return tuple(self._parts)[:1] == ("values",)

    def as_array(self, keep_class: bool = False) -> Value:
        """The array that `numpy.asarray` makes of the object; `keep_class` leaves arrays of classes of their own."""
        if keep_class and issubclass(self._kind.cls, np.ndarray):
            return self
        return self.values if self._has_values() else self._called("numpy.asarray", np.asarray, self)

    def _columns(self) -> Any:
        if self._kind.cls.__name__ == "Dataset":
            return labelled_kinds.variable_names(self._kind)
        return self._kind.extra[0].value if self._kind.cls.__name__ == "DataFrame" else None

    def _is_known(self, name: str) -> bool:
        """Return whether an attribute does not depend on the contents of the arrays."""
        if name == "index" and "index_" in self._parts:
            return False
        if name == "size" and self._kind.library == "scipy":
            return False
        return all(not wrap.is_dynamic_array(part) for part in self._parts.values())

    def __setattr__(self, name: str, value: Value) -> None:
        if name in ("_parts", "_kind"):
            object.__setattr__(self, name, value)
        elif not self._is_part(name, value):  # `m.data *= 2` sets what it has changed
            raise self._refusal(f"setting the attribute {name}")

    def _is_part(self, name: str, value: Value) -> bool:
        part = self._parts.get(name)
        if not isinstance(part, TracedArray) or not isinstance(value, TracedArray):
            return False
        return value.storage is part.storage and value.path == part.path

    # ---- what is computed --------------------------------------------------------------------------------------------

    def _called(self, name: str, function: Callable[..., Any], *args: Value, **kwargs: Value) -> Value:
        """A call on the host."""
        what = f"{self._kind.name}.{name}"
        if not settings().host_calls:
            raise UnsupportedOperationError(f"{what} is called on the host, which the setting host_calls forbids here")
        return deferred.call_of(None)(what, function, args, kwargs)

    def __call__(self, *args: Value, **kwargs: Value) -> NoReturn:
        raise TypeError(f"'{self._kind.cls.__name__}' object is not callable")

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Value, **kwargs: Value) -> Value:
        if kwargs.get("out") is not None:
            raise self._refusal(f"numpy.{ufunc.__name__} with out=")
        if len(inputs) > 1 and not isinstance(inputs[0], StandIn) and self._kind.library != "pandas":
            # NumPy asks so for an operator, too, which may be another function of these types.
            raise self._refusal("an operation on a known array and what is behind it,")
        function = ufunc if method == "__call__" else getattr(ufunc, method)
        return self._called(f"numpy.{ufunc.__name__}", function, *inputs, **kwargs)

    def __array_function__(
        self,
        function: Callable[..., object],
        types: Iterable[type],
        args: tuple[Value, ...],
        kwargs: Mapping[str, Value],
    ) -> Value:
        return self._called(f"numpy.{function.__name__}", function, *args, **kwargs)

    def __getitem__(self, key: Value) -> Value:
        columns = self._columns()
        if columns is not None and isinstance(key, (str, int)):
            series = self._column(columns, key)
            if series is not None:
                return series
            if self._kind.library == "pandas" and key not in columns:
                return self.__anabranch_sample__()[key]  # type: ignore[index]  # raises what it raises for any rows
        return self._called("__getitem__", operator.getitem, self, key)

    def _column(self, columns: Any, key: Value) -> Value:
        """A column of numbers as a series, or the like; None where it is none, or not one."""
        if self._kind.library == "xarray":
            variable = labelled_kinds.variable_of(self._kind, key, self._parts)
            return None if variable is None else LibraryObject(variable[1], variable[0])
        places = [k for k, name in enumerate(columns) if type(name) is type(key) and name == key]
        if len(places) != 1 or f"column_{places[0]}" not in self._parts or type(columns).__name__ == "MultiIndex":
            return None
        parts = {"values": self._parts[f"column_{places[0]}"]}
        parts.update({name: part for name, part in self._parts.items() if name == "index_"})
        return LibraryObject(parts, library_kinds.series_kind(self._kind, key))

    def __setitem__(self, key: Value, value: Value) -> None:
        self._write("an assignment to items", operator.setitem, key, value)

    def _write(self, what: str, function: Callable[..., Any], *args: Value) -> LibraryObject:
        """Change the object in its own memory, which has room for what it becomes."""
        if not self._kind.memory:
            raise self._refusal(what)
        *_, new = self._called(function.__name__, changed, self, function, args, {})
        if new._kind != self._kind:
            raise self._refusal(f"{what}, after which it is made of other arrays,")
        for name in self._kind.memory:
            self._parts[name][...] = new._parts[name]
        return self

    def _changing_method(self, name: str, args: tuple[Value, ...], kwargs: dict[str, Value]) -> Value:
        raise self._refusal(f"the method {name}, which changes the object,")

    def __delitem__(self, key: Value) -> None:
        raise self._refusal("a deletion of items")

    def __len__(self) -> int:
        return len(self.__anabranch_sample__()) if self._is_known("shape") else self._refuse("the length")  # type: ignore[arg-type]

    def _refuse(self, what: str) -> NoReturn:
        raise self._refusal(what)

    def __iter__(self) -> Iterator[Value]:
        if self._columns() is not None:
            return iter(self._columns())
        raise self._refusal("a loop over the items")

    @property
    def _item_count(self) -> Value:
        if self._kind.cls.__name__ not in ("Series", "DataArray", "ndarray"):
            return None
        return next(iter(self._parts.values())).shape[0]

    def _item_of_loop(self, index: Value) -> Value:
        if self._kind.cls.__name__ == "Series":
            return self._parts["values"][index].item()  # a Python number, by its place
        return self[index]

    def __anabranch_number__(self, kind: type) -> Value:
        return self._called(f"__{kind.__name__}__", kind, self)

    def __contains__(self, key: object) -> bool:
        if self._columns() is not None:
            return key in self._columns()
        raise self._refusal("the operator in")

    def __bool__(self) -> bool:
        raise self._refusal("the truth")

    __hash__ = None  # type: ignore[assignment]


def _is_accessor(found: object) -> bool:
    return type(found).__name__ in ("CachedAccessor", "Accessor", "cached_property")


def changed(owner: Any, function: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """The result of a function that changes an object, and the object after it; this alone where it is the result."""
    mine = owner.copy()
    result = function(mine, *args, **kwargs)
    return (mine,) if result is mine else (result, mine)


def _zeros(part: Value) -> np.ndarray:
    dtype = part.dtype
    shape = (0,) * part.ndim if wrap.is_dynamic_array(part) else part.shape
    return np.zeros(shape, dtype)


def set_operators_in_place(
    cls: type[LibraryObject], method_of: Callable[[Callable[[Any, Any], Any]], Callable[[Any, Any], Value]]
) -> None:
    """Give a class the operators that change their left operand, each the method of a function of `operator`."""
    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor"):
        setattr(cls, f"__i{name}__", method_of(getattr(operator, f"__i{name}__")))


def _written_in_place(function: Callable[[Any, Any], Any]) -> Callable[[LibraryObject, Any], Value]:
    return lambda self, other: self._write("an operation in place", function, other)


set_operators_in_place(LibraryObject, _written_in_place)
deferred.set_operators(
    LibraryObject,
    lambda function, self, *others: self._called(f"__{function.__name__.strip('_')}__", function, self, *others),
)


class _Method:
    """A method of such an object."""

    def __init__(self, owner: LibraryObject, name: str) -> None:
        self._owner, self._name = owner, name

    def __call__(self, *args: Value, **kwargs: Value) -> Value:
        name = self._name
        if name.startswith(_EFFECTS) and name not in _WITHOUT and self._owner._kind.library == "pandas":
            raise self._owner._refusal(f"the method {name}")
        changing = deferred.CHANGING if self._owner._kind.library == "scipy" else ("pop", "update")
        if name.startswith((*_CHANGES, *changing)) or kwargs.get("inplace"):
            return self._owner._changing_method(name, args, kwargs)
        return self._owner._called(name, deferred.method_called, self._owner, name, args, kwargs)


class _ToNumpy:
    """The method `to_numpy` of a series: its array."""

    def __init__(self, owner: LibraryObject) -> None:
        self._owner = owner

    def __call__(self, *args: Value, **kwargs: Value) -> Value:
        if args or kwargs:
            return _Method(self._owner, "to_numpy")(*args, **kwargs)
        return self._owner.values


@frozen
class LibraryStructure(HostStructure):
    """That of such an object, with its `LibraryKind`."""

    def children(self, value: Value) -> list[Value]:
        if isinstance(value, LibraryObject):
            return list(value._parts.values())
        taken = taken_apart(value)
        assert taken is not None
        return taken[1]

    def build(self, children: Sequence[Value]) -> Value:
        if tracing():
            return LibraryObject(dict(zip(self.keys, children, strict=True)), self.extra)
        return self.on_host(children, ())

    def on_host(self, children: Sequence[Any], members: Sequence[object]) -> Value:
        return self.extra.make(dict(zip(self.keys, children, strict=True)), self.extra)


def keep(value: Value, name: str) -> bool:
    """Let the arrays of such objects among arguments not be written to any more, which a call returns views of.

    Nor may those be that an object of xarray's is made of.

    Returns
    -------
    bool
        There are such objects, or arrays.
    """
    found = list(_objects(value))
    of_new = getattr(value[0], "__module__", "").startswith("xarray.") and keep_arrays(value, name)
    for one in found:
        for part in one._parts.values():
            array = part._ints if isinstance(part, TracedTimes) else part
            if isinstance(array, TracedArray):
                array.storage.readonly = OfLibrary(
                    f"an array of a {one._kind.name}, which {name} has returned a view of,"
                )
    return bool(found or of_new)


def keep_arrays(value: Value, name: str) -> bool:
    """Let the arrays among arguments not be written to any more, which an object holds that a call has made of them.

    Returns
    -------
    bool
        There are such arrays.
    """
    arrays = list(_arrays(value))
    for array in arrays:
        array.storage.readonly = OfLibrary(f"an array that {name} has made an object of,")
    return bool(arrays)


def _arrays(value: Value) -> Iterator[TracedArray]:
    if isinstance(value, TracedArray):
        yield value
        return
    for part in () if isinstance(value, LibraryObject) else containers.parts_of(value):
        yield from _arrays(part)


def _objects(value: Value) -> Iterator[LibraryObject]:
    if isinstance(value, LibraryObject):
        yield value
        return
    for part in containers.parts_of(value):
        yield from _objects(part)
