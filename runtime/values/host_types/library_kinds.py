"""Objects of libraries that are made of arrays: how each is taken apart, and made again of its arrays.

Nothing here imports a library: an object of one is there only if the user has imported it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from anabranch.base.frozen import frozen


class ByContents:
    """A part that is the same for all objects of a kind, such as an index of texts: told apart by what it holds."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __hash__(self) -> int:
        return hash((type(self.value), getattr(self.value, "shape", None)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ByContents) or type(self.value) is not type(other.value):
            return False
        if self.value is other.value:
            return True
        same = getattr(self.value, "identical", None) or self.value.equals
        return bool(same(other.value))

    def __repr__(self) -> str:
        return f"{type(self.value).__name__} of {len(self.value)}"


@frozen
class LibraryKind:
    """The class of an object and all that is known of it beside its arrays."""

    cls: type
    names: tuple[str, ...]  # of the arrays: those of attributes that are these arrays have their names
    extra: tuple[Any, ...]  # what else the object is made of
    make: Callable[[Mapping[str, Any], LibraryKind], Any]  # makes an object of the arrays, by name, and the kind

    @property
    def library(self) -> str:
        """The package that the class is of, as it is imported."""
        return self.cls.__module__.partition(".")[0]

    @property
    def name(self) -> str:
        """The name of the class, for messages."""
        return f"{self.library}.{self.cls.__name__}"

    @property
    def memory(self) -> tuple[str, ...]:
        """The arrays that an object's own operators write to, where they never put others in their place."""
        if self.cls.__name__ == "DataArray":
            return ("values",)
        return self.names if self.cls.__name__ in ("MaskedArray", "matrix", "ndarray") else ()

    @property
    def can_change(self) -> bool:
        """Return whether objects change in place, and never see changes of others."""
        return self.library == "pandas" and int(_pandas().__version__.partition(".")[0]) >= 3


Parts = tuple[LibraryKind, list[Any]]


def is_numeric(array: object) -> bool:
    """Return whether this is an array of numbers, dates or durations that a program can hold."""
    return (
        type(array) is np.ndarray
        and array.dtype.kind in "biufcmM"
        and array.dtype.itemsize <= 16
        and (array.dtype.char not in "gG")
    )


# ---- scipy.sparse ----------------------------------------------------------------------------------------------------


def _sparse_of(*names: str) -> Callable[[Any], Parts | None]:
    def take(value: Any) -> Parts | None:
        parts = [getattr(value, name) for name in names]
        if not all(map(is_numeric, parts)):
            return None
        return LibraryKind(type(value), names, tuple(value.shape), _made_sparse), parts

    return take


def _made_sparse(parts: Mapping[str, Any], kind: LibraryKind) -> Any:
    made = kind.cls(kind.extra, dtype=parts["data"].dtype)
    for name, part in parts.items():
        setattr(made, name, part)
    return made


def _coordinates(value: Any) -> Parts | None:
    coords = getattr(value, "coords", None) or (value.row, value.col)
    parts = [value.data, *coords]
    if not all(map(is_numeric, parts)):
        return None
    names = ("data", "row", "col") if len(coords) == 2 else ("data", *(f"coord{i}" for i in range(len(coords))))
    return LibraryKind(type(value), names, tuple(value.shape), _made_of_coordinates), parts


def _made_of_coordinates(parts: Mapping[str, Any], kind: LibraryKind) -> Any:
    made = kind.cls(kind.extra, dtype=parts["data"].dtype)
    data, *coords = parts.values()
    made.data = data
    if hasattr(made, "coords"):
        made.coords = tuple(coords)
    else:
        made.row, made.col = coords
    return made


SPARSE: dict[str, Callable[[Any], Parts | None]] = {
    "csr": _sparse_of("data", "indices", "indptr"),
    "csc": _sparse_of("data", "indices", "indptr"),
    "bsr": _sparse_of("data", "indices", "indptr"),
    "dia": _sparse_of("data", "offsets"),
    "coo": _coordinates,
}


# ---- numpy.ma and numpy.matrix ---------------------------------------------------------------------------------------


def masked_taken(value: Any) -> Parts | None:
    """The parts of a masked array: its data, and its mask where it has one."""
    data, mask, fill = value.data, value._mask, value._fill_value
    if not is_numeric(data):
        return None
    extra = (bool(value.hardmask), None if fill is None else (fill.dtype, fill.tobytes()))
    if mask is np.ma.nomask:
        return LibraryKind(np.ma.MaskedArray, ("data",), extra, _made_masked), [data]
    return LibraryKind(np.ma.MaskedArray, ("data", "mask"), extra, _made_masked), [data, mask]


def _made_masked(parts: Mapping[str, Any], kind: LibraryKind) -> Any:
    hard, fill = kind.extra
    made: Any = np.ma.MaskedArray(parts["data"], mask=parts.get("mask", np.ma.nomask), hard_mask=hard, copy=False)
    if fill is not None:
        made._fill_value = np.frombuffer(fill[1], fill[0])[0:1].reshape(())
    return made


def matrix_taken(value: Any) -> Parts | None:
    """The parts of a matrix: its array."""
    array = np.asarray(value)
    if not is_numeric(array):
        return None
    return LibraryKind(np.matrix, ("A",), (), _made_matrix), [array]


def _made_matrix(parts: Mapping[str, Any], kind: LibraryKind) -> Any:
    return np.asarray(parts["A"]).view(np.matrix)


# ---- numpy.longdouble ------------------------------------------------------------------------------------------------


def long_taken(value: Any) -> Parts | None:
    """The parts of an array or a scalar of extended precision, which no program computes with: its bytes."""
    if type(value) is not np.ndarray and not isinstance(value, np.generic):
        return None
    array = np.asarray(value)
    if array.dtype.char not in "gG" or array.dtype.itemsize <= 16 // (1 + (array.dtype.kind == "f")):
        return None
    cls = np.ndarray if isinstance(value, np.ndarray) else type(value)
    part = array[..., np.newaxis].view(np.uint8)
    return LibraryKind(cls, ("bytes_",), (array.dtype,), _made_long), [part]


def _made_long(parts: Mapping[str, Any], kind: LibraryKind) -> Any:
    made = np.ascontiguousarray(parts["bytes_"]).view(kind.extra[0])[..., 0]
    return made if kind.cls is np.ndarray else made[()]


# ---- pandas ----------------------------------------------------------------------------------------------------------


def _pandas() -> Any:
    return sys.modules["pandas"]


def label(name: Any) -> tuple[type, Any]:
    """A name with its class: 1 and True are equal, and two names."""
    return type(name), name


def _index(index: Any) -> tuple[Any, list[Any]]:
    """The description of an index apart from its numbers, and these, if it is of any."""
    pandas = _pandas()
    if type(index) is pandas.RangeIndex and index.start == 0 and index.step == 1:
        return ("counted", label(index.name)), []
    if type(index) is pandas.Index and is_numeric(index.values):
        return ("numbers", label(index.name)), [index.values]
    return ByContents(index.copy(deep=False)), []


def _made_index(form: Any, numbers: Sequence[Any], count: int) -> Any:
    pandas = _pandas()
    if isinstance(form, ByContents):
        return form.value
    kind, (_, name) = form
    return pandas.RangeIndex(count, name=name) if kind == "counted" else pandas.Index(numbers[0], name=name, copy=False)


def _column(values: Any) -> tuple[Any, list[Any]]:
    """A column: its numbers, or what it holds where these are no numbers."""
    array = values.to_numpy() if isinstance(values.dtype, np.dtype) else None
    return (None, [array]) if array is not None and is_numeric(array) else (ByContents(values.copy()), [])


def series_taken(value: Any) -> Parts | None:
    """The parts of a series: its values, and its index where that is of numbers."""
    form, array = _column(value)
    if form is not None or value.attrs or not value.flags.allows_duplicate_labels:
        return None
    index, numbers = _index(value.index)
    names = ("values", "index_")[: 1 + len(numbers)]
    return LibraryKind(type(value), names, (label(value.name), index), _made_series), [*array, *numbers]


def _made_series(parts: Mapping[str, Any], kind: LibraryKind) -> Any:
    ((_, name), form), values = kind.extra, parts["values"]
    index = _made_index(form, [parts["index_"]] if "index_" in parts else [], len(values))
    return kind.cls(values, index=index, name=name, copy=False)


def frame_taken(value: Any) -> Parts | None:
    """The parts of a data frame: its columns of numbers, and its index where that is of numbers."""
    if value.attrs or not value.flags.allows_duplicate_labels:
        return None
    index, numbers = _index(value.index)
    forms, arrays = [], list(numbers)
    names = ["index_"] * len(numbers)
    for place in range(len(value.columns)):
        form, array = _column(value.iloc[:, place])
        forms.append(form)
        arrays += array
        names += [f"column_{place}"] * len(array)
    extra = (ByContents(value.columns.copy(deep=False)), index, tuple(forms), None if arrays else len(value))
    return LibraryKind(type(value), tuple(names), extra, _made_frame), arrays


def _made_frame(parts: Mapping[str, Any], kind: LibraryKind) -> Any:
    columns, form, forms, count = kind.extra
    held = {k: parts[f"column_{k}"] if f is None else f.value for k, f in enumerate(forms)}
    arrays = list(parts.values())
    index = _made_index(form, [parts["index_"]] if "index_" in parts else [], len(arrays[0]) if arrays else count)
    for place, f in enumerate(forms):
        if f is not None:
            held[place] = f.value.set_axis(index)
    made = kind.cls(held, index=index, copy=False)
    made.columns = columns.value
    return made


def series_kind(frame: LibraryKind, name: Any) -> LibraryKind:
    """The kind of a column of a data frame."""
    names = ("values", "index_") if "index_" in frame.names else ("values",)
    return LibraryKind(_pandas().Series, names, (label(name), frame.extra[1]), _made_series)
