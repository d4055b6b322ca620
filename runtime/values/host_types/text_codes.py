"""The codes of the characters of texts of one width, and the keys by which arrays of them are indexed."""

from __future__ import annotations

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.ir.interval import Interval
from anabranch.runtime.values import registry, wrap
from anabranch.runtime.values.lazy_text import NUMPYS_TEXT, Text
from anabranch.runtime.values.list_buffer import ListBuffer
from anabranch.runtime.values.python_numbers.python_scalar import python_scalar
from anabranch.runtime.values.tracer import Tracer

_F = registry.FUNCTIONS
# The codes of characters, by the kind of the dtype: `numpy.str_` or `numpy.bytes_`.
CODES: dict[str, np.dtype] = {"U": np.dtype(np.uint32), "S": np.dtype(np.uint8)}


def is_number(place: Value) -> bool:
    """Return whether a part of a key is a place."""
    if isinstance(place, Tracer):
        return not wrap.is_dynamic_array(place) and not wrap.shape_of(place) and place.abstract.dtype.kind in "iu"
    return isinstance(place, (int, np.integer)) and not isinstance(place, bool)


def with_characters(key: Value) -> Value:
    """The key of elements as one of all their characters."""
    parts = key if isinstance(key, tuple) else (key,)
    return (*parts, slice(None)) if any(part is Ellipsis for part in parts) else key


def lengths(codes: Value) -> Value:
    """How many characters the texts have whose codes lie along a last axis."""
    places = np.arange(1, codes.shape[-1] + 1)
    return _F[np.max](_F[np.where](_F[np.not_equal](codes, 0), places, 0), axis=-1)


def plain_text(codes: Value) -> Text:
    """The text of a row of codes, as Python's."""
    length, known = lengths(codes), Interval(0, wrap.shape_of(codes)[0])
    return Text("decoded", (ListBuffer(wrap.as_atom(codes)), python_scalar(wrap.as_atom(length, np.int64), known)))


def numpys_text(text: Value) -> Text:
    """The text as NumPy's scalar, `numpy.str_`."""
    return Text(NUMPYS_TEXT, (text,))


def is_kept(dtype: np.dtype) -> bool:
    """Return whether there is a form for arrays of a dtype: texts of some width, in the machine's order of bytes."""
    return dtype.kind in "US" and dtype.isnative


def width_of(dtype: np.dtype) -> int:
    """How many characters the elements of a dtype have at most."""
    return dtype.itemsize // CODES[dtype.kind].itemsize


def of_width(dtype: np.dtype, width: int) -> np.dtype:
    """The dtype of texts, or bytes, as those of another dtype, of a width."""
    return np.dtype((dtype.type, width))


def codes_of(array: np.ndarray) -> np.ndarray:
    """The codes of the characters of an array of texts, in its memory."""
    if not array.itemsize:
        return np.zeros((*array.shape, 0), CODES[array.dtype.kind])
    return array.view([("codes", CODES[array.dtype.kind], (width_of(array.dtype),))])["codes"]
