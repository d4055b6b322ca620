"""Objects of libraries that are made of arrays, taken apart by their class."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from anabranch.runtime.values.host_types import labelled_kinds, library_kinds
from anabranch.runtime.values.host_types.library_kinds import Parts


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
        return labelled_kinds.array_taken if name == "DataArray" else labelled_kinds.dataset_taken
    return None


_take_of: Callable[[type], Callable[[Any], Parts | None] | None] = functools.lru_cache(maxsize=1024)(_taker)
