"""Lists of texts whose length is known only at run time, as arrays for functions of NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.tracing.builder import current
from anabranch.runtime.values import registry
from anabranch.runtime.values.dynamic_lists import list_as_array
from anabranch.runtime.values.dynamic_lists.growable_list import Growable, is_dynamic_list
from anabranch.runtime.values.host_types.text_array_functions import MAKERS
from anabranch.runtime.values.host_types.text_arrays import FUNCTIONS, TracedTexts, texts_of
from anabranch.runtime.values.host_types.text_codes import lengths
from anabranch.runtime.values.lazy_text import Text
from anabranch.runtime.values.pytrees import layout as layouts

_F = registry.FUNCTIONS


def with_lists(original: Callable[..., Any], args: tuple[Value, ...], dtype: Value) -> tuple[Value, ...]:
    """Arguments of a function, with lists of texts whose length is known only at run time as arrays.

    An empty list would be an array of floats, unless a dtype says otherwise.
    """
    if not args or not (original in FUNCTIONS or original in MAKERS):
        return args
    may_be_empty = dtype is not None or original is np.isin
    return tuple([_with_lists(value, may_be_empty) for value in args])


def _with_lists(value: Value, may_be_empty: bool) -> Value:
    if is_dynamic_list(value):
        is_of_texts = all(map(_is_text_kind, value.items.structure.variants))
        return _of_list(value, may_be_empty) if is_of_texts else value
    if isinstance(value, Growable) and value.items is None:
        value = list(value.native.__iter__(value))
    if type(value) in (list, tuple) and any(map(is_dynamic_list, value)):
        return type(value)(_with_lists(part, may_be_empty) for part in value)
    return value


def _is_text_kind(kind: layouts.Layout) -> bool:
    """Return whether items of a list of this layout are texts."""
    match kind:
        case layouts.Constant(value):
            return isinstance(value, str)
        case layouts.Union(options):
            return all(map(_is_text_kind, options))
        case layouts.Node(structure):
            return structure.cls is Text
    return False


def _of_list(items: Value, may_be_empty: bool) -> TracedTexts:
    called = current().trace.outside.called
    rows = called(list)(called(map)(_codes_of, items))
    codes = list_as_array.as_array(rows.items, of_nothing=None if may_be_empty else np.dtype(np.float64))
    exact = _F[np.max](lengths(codes), initial=1)
    return TracedTexts(codes, np.dtype((np.str_, codes.shape[-1])), exact)


def _codes_of(text: Value) -> Value:
    texts = texts_of(text)
    assert texts is not None
    return texts._codes
