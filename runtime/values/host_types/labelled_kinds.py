"""Objects of libraries that are made of arrays, taken apart by their class; how xarray's are made again."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.runtime.values.host_types import library_kinds
from anabranch.runtime.values.host_types.library_kinds import ByContents, LibraryKind, Parts, is_numeric, label


@frozen
class _Form:
    """A variable apart from its numbers."""

    name: tuple[type, Any]  # with its class
    dims: tuple[Any, ...]
    held: ByContents | None  # what it holds where that is no numbers
    about: ByContents  # its attributes and encoding


class _About:
    """The attributes and the encoding of a variable."""

    def __init__(self, attrs: Mapping[Any, Any], encoding: Mapping[Any, Any]) -> None:
        self.attrs, self.encoding = dict(attrs), dict(encoding)

    def equals(self, other: _About) -> bool:
        """Return whether another one holds the same."""
        return bool(_typed((self.attrs, self.encoding)) == _typed((other.attrs, other.encoding)))

    def __len__(self) -> int:
        return len(self.attrs) + len(self.encoding)


class _Texts:
    """The texts of a variable."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array.copy()

    def equals(self, other: _Texts) -> bool:
        """Return whether another one holds the same."""
        return self.array.dtype == other.array.dtype and bool(np.array_equal(self.array, other.array))

    def __len__(self) -> int:
        return len(self.array)


def _typed(value: Any) -> Any:
    """A value that is equal to others of its type only."""
    if isinstance(value, Mapping):
        return {k: _typed(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value), [_typed(v) for v in value]
    if isinstance(value, np.ndarray):
        return value.dtype, value.shape, value.tobytes()
    return type(value), value


def _xarray() -> Any:
    return sys.modules["xarray"]


def _form(name: Any, variable: Any) -> tuple[_Form, list[Any]] | None:
    """The form of a variable, and its numbers; None for one whose data are elsewhere, or of other objects."""
    about = ByContents(_About(variable.attrs, variable.encoding))
    data = variable.values if isinstance(variable, _xarray().IndexVariable) else variable._data
    if is_numeric(data):
        return _Form(label(name), variable.dims, None, about), [data]
    if not isinstance(data, np.ndarray) or data.dtype.kind not in "OU" or data.ndim != 1:
        return None
    if not all(isinstance(item, str) for item in data):
        return None
    return _Form(label(name), variable.dims, ByContents(_Texts(data)), about), []


def _made_variable(form: _Form, array: Any) -> Any:
    about = form.about.value
    data = array if form.held is None else form.held.value.array.copy()
    return _xarray().Variable(form.dims, data, dict(about.attrs), dict(about.encoding))


def _has_plain_indexes(value: Any) -> bool:
    """Return whether each dimension with coordinates has the index that xarray makes of these."""
    indexes = _xarray().indexes
    kinds = [type(index) for index in value.xindexes.values()]
    return all(kind is indexes.PandasIndex for kind in kinds) and set(value.xindexes) == (
        set(value.dims) & set(value.coords)
    )


def _taken(variables: Mapping[Any, Any], names: Mapping[Any, str]) -> tuple[list[str], list[_Form], list[Any]] | None:
    found: list[str] = []
    forms, arrays = [], []
    for name, variable in variables.items():
        taken = _form(name, variable)
        if taken is None:
            return None
        forms.append(taken[0])
        arrays += taken[1]
        found += [names[name]] * len(taken[1])
    return found, forms, arrays


def array_taken(value: Any) -> Parts | None:
    """The parts of a `DataArray`: its values, and the numbers among its coordinates."""
    main = _form(value.name, value.variable)
    if main is None or main[0].held is not None or not _has_plain_indexes(value):
        return None
    coords = {name: value.coords[name].variable for name in value.coords}
    rest = _taken(coords, {name: f"coord_{place}_" for place, name in enumerate(coords)})
    if rest is None:
        return None
    extra = (main[0], tuple(rest[1]))
    return LibraryKind(type(value), ("values", *rest[0]), extra, _made_array), [*main[1], *rest[2]]


def _made_array(parts: Mapping[str, Any], kind: LibraryKind) -> Any:
    main, forms = kind.extra
    coords = {form.name[1]: _made_variable(form, parts.get(f"coord_{place}_")) for place, form in enumerate(forms)}
    about = main.about.value
    made = kind.cls(parts["values"], coords, main.dims, main.name[1], dict(about.attrs))
    made.encoding = dict(about.encoding)
    return made


def dataset_taken(value: Any) -> Parts | None:
    """The parts of a `Dataset`: the numbers of its variables, and of its coordinates."""
    if not _has_plain_indexes(value):
        return None
    variables = {name: value.variables[name] for name in (*value.data_vars, *value.coords)}
    taken = _taken(variables, {name: f"variable_{place}_" for place, name in enumerate(variables)})
    if taken is None or not taken[2]:
        return None
    extra = (len(value.data_vars), tuple(taken[1]), ByContents(_About(value.attrs, value.encoding)))
    return LibraryKind(type(value), tuple(taken[0]), extra, _made_dataset), taken[2]


def _made_dataset(parts: Mapping[str, Any], kind: LibraryKind) -> Any:
    count, forms, about = kind.extra
    made = {form.name[1]: _made_variable(form, parts.get(f"variable_{place}_")) for place, form in enumerate(forms)}
    names = list(made)
    dataset = kind.cls(
        {name: made[name] for name in names[:count]},
        {name: made[name] for name in names[count:]},
        dict(about.value.attrs),
    )
    dataset.encoding = dict(about.value.encoding)
    return dataset


def variable_names(dataset: LibraryKind) -> list[Any]:
    """The names of the variables of a dataset that are no coordinates."""
    count, forms, _ = dataset.extra
    return [form.name[1] for form in forms[:count]]


def variable_of(dataset: LibraryKind, name: Any, parts: Mapping[str, Any]) -> tuple[LibraryKind, dict[str, Any]] | None:
    """The kind of a variable of a dataset as an array, and its parts; None for one that holds no numbers."""
    count, forms, _ = dataset.extra
    place = next((k for k, f in enumerate(forms[:count]) if f.name == label(name) and f.held is None), None)
    if place is None:
        return None
    own: dict[str, Any] = {"values": parts[f"variable_{place}_"]}
    coords: list[_Form] = []
    for other, form in enumerate(forms[count:], count):
        if set(form.dims) <= set(forms[place].dims):
            if form.held is None:
                own[f"coord_{len(coords)}_"] = parts[f"variable_{other}_"]
            coords.append(form)
    extra = (forms[place], tuple(coords))
    return LibraryKind(_xarray().DataArray, tuple(own), extra, _made_array), own


def taken_apart(value: object) -> Parts | None:
    """The kind of an object and its arrays; None for anything that is not made of arrays of numbers."""
    take = _take_of(type(value))
    return None if take is None else take(value)


def _taker(cls: type) -> Callable[[Any], Parts | None] | None:
    module, name = cls.__module__, cls.__name__
    if (module, name) in (("pandas.core.series", "Series"), ("pandas", "Series")):
        return library_kinds.series_taken
    if (module, name) in (("pandas.core.frame", "DataFrame"), ("pandas", "DataFrame")):
        return library_kinds.frame_taken
    if module.startswith("scipy.sparse."):
        return library_kinds.SPARSE.get(name.partition("_")[0]) if name.endswith(("_matrix", "_array")) else None
    if name == "MaskedArray" and module.startswith("numpy.ma"):
        return library_kinds.masked_taken
    if cls is np.ndarray or issubclass(cls, np.generic):
        return library_kinds.long_taken
    if cls is np.matrix:
        return library_kinds.matrix_taken
    if module.startswith("xarray.") and name in ("DataArray", "Dataset"):
        return array_taken if name == "DataArray" else dataset_taken
    return None


_take_of: Callable[[type], Callable[[Any], Parts | None] | None] = functools.lru_cache(maxsize=1024)(_taker)
