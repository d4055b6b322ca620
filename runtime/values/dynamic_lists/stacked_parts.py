"""Values as parts of arrays: the arrays of lists, and of loops that fill or go over them, and the form of any value."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.interval import FULL
from anabranch.runtime.ir.program import Atom, Literal
from anabranch.runtime.tracing.storage import Part
from anabranch.runtime.values import atoms, containers
from anabranch.runtime.values.abstract import Abstract, python_abstract
from anabranch.runtime.values.arrays.numpy_scalar import NumPyScalar
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.dynamic_lists import item_kinds, records
from anabranch.runtime.values.dynamic_lists.growable_list import is_dynamic_list
from anabranch.runtime.values.dynamic_lists.item_forms import (
    ConstantForm,
    Fresh,
    ItemForm,
    Number,
    Numbered,
    SequenceForm,
    StructureForm,
)
from anabranch.runtime.values.lazy_text import Text
from anabranch.runtime.values.memory import memory_layout
from anabranch.runtime.values.memory.item_memory import side_by_side
from anabranch.runtime.values.python_numbers.python_scalar import PythonScalar
from anabranch.runtime.values.pytrees import node_graphs, node_reference
from anabranch.runtime.values.tracer import Tracer
from anabranch.runtime.values.union import UnionValue

# So many items at least, of one form, are one row of numbers in what holds them.
_LINE = 4
_CONSTANTS = (bool, int, float, complex, str, bytes, type(None))


class NoCommonFormError(Exception):
    """Values have no common form, or one of them none at all."""


def array_of(values: Sequence[object], checked: bool = False) -> Atom | None:
    """The array of a list of numbers or arrays of one kind, or of such lists, of which some are parts; else None.

    With `checked` also of Python's ints, for which NumPy asks one by one whether they fit.
    """
    shape: list[int] = []
    first: Any = values
    while isinstance(first, (list, tuple)) and len(first):
        shape.append(len(first))
        first = first[0]
    rows: list[Atom] = []
    kinds: set[Abstract] = set()
    if not isinstance(first, Tracer) or not _collect(values, tuple(shape), rows, kinds) or len(kinds) != 1:
        return None
    (kind,) = kinds
    if not any(isinstance(r, Part) for r in rows) or (checked and kind == python_abstract(int)):
        return None
    return atoms.reshape(side_by_side(rows, kind.type), (*shape, *kind.shape))


def _collect(values: object, shape: tuple[int, ...], rows: list[Atom], kinds: set[Abstract]) -> bool:
    """Gather the atoms of nested lists of this shape; whether they are of this shape, and their items run-time ones."""
    if shape:
        if not isinstance(values, (list, tuple)) or is_dynamic_list(values) or len(values) != shape[0]:
            return False
        return all(_collect(v, shape[1:], rows, kinds) for v in values)
    if not isinstance(values, (PythonScalar, NumPyScalar, TracedArray)):
        return False
    kinds.add(values.abstract)
    rows.append(values.atom)
    return len(kinds) == 1


@frozen
class Alternatives(ItemForm):
    """One of a few immutable kinds, as a tag says."""

    options: tuple[ItemForm, ...]

    @property
    def bases(self) -> list[tuple[tuple[int, ...], ArrayType]]:
        return [((), ArrayType((), atoms.INT32)), *(((), t) for o in self.options for t in o.types)]

    def collect(self, value: Value, columns: Sequence[list[Atom]]) -> None:
        options = value.options if isinstance(value, UnionValue) else (value,)
        places = [self._place(o) for o in options]
        tag: Atom = atoms.literal(places[-1], np.int32)
        held: dict[int, list[Atom]] = {}
        for i in reversed(range(len(options))):
            row, place = self.options[places[i]].leaves(options[i]), places[i]
            if i < len(options) - 1:
                here = value.chosen(i)
                tag = atoms.select(here, atoms.literal(place, np.int32), tag)
                row = [atoms.select(here, a, b) for a, b in zip(row, held.get(place, row), strict=True)]
            held[place] = row
        rest = (held.get(k) or [atoms.unspecified(t) for t in o.types] for k, o in enumerate(self.options))
        for column, atom in zip(columns, [tag, *(a for row in rest for a in row)], strict=True):
            column.append(atom)

    def _place(self, value: object) -> int:
        form = form_of(value, lambda _: False)
        return next(k for k, option in enumerate(self.options) if _holds(option, form))

    def build(self, wholes: Sequence[Atom], place: int) -> Value:
        return self.at(iter([Part(t, w, place) for t, w in zip(self.types, wholes, strict=True)]))

    def at(self, leaves: Iterator[Atom]) -> Value:
        tag = next(leaves)
        options = tuple([o.at(leaves) for o in self.options])
        return options[int(tag.value)] if isinstance(tag, Literal) else UnionValue(tag, options)

    def joined(self, other: ItemForm) -> ItemForm | None:
        if not isinstance(other, Alternatives) or len(other.options) != len(self.options):
            return None
        options = [a.joined(b) for a, b in zip(self.options, other.options, strict=True)]
        return None if None in options else Alternatives(tuple(o for o in options if o is not None))


def _holds(option: ItemForm, form: ItemForm) -> bool:
    joined = option.joined(form)
    return joined is not None and joined.types == option.types


def alternatives(forms: Sequence[ItemForm]) -> ItemForm:
    """The form of what is of any of these forms.

    Raises `UnlikeError` where there are several, of which one has an identity.
    """
    options: list[ItemForm] = []
    for form in forms:
        for k, option in enumerate(options):
            joined = option.joined(form)
            if joined is not None:
                options[k] = joined
                break
        else:
            options.append(form)
    if (len(options) > 1 and any(o.mutable for o in options)) or len(options) > _MOST_KINDS:
        raise NoCommonFormError
    return options[0] if len(options) == 1 else Alternatives(tuple(options))


_MOST_KINDS = 4


def form_of(value: object, is_new: Callable[[Any], bool]) -> ItemForm:
    """The form of a value; `is_new` says of an array, list or dict that nothing else leads to it.

    Raises `UnlikeError` where it has none.
    """
    if isinstance(value, PythonScalar):
        return Number(value.abstract, value.interval)
    if isinstance(value, NumPyScalar):
        return Number(value.abstract, FULL)
    if isinstance(value, TracedArray):
        storage = value.storage
        if value.path or storage.alias_edges or value.is_readonly or not is_new(value):
            raise NoCommonFormError
        return Fresh(value.abstract, memory_layout.traits(value))
    if isinstance(value, node_reference.Reference):
        return Numbered(value.graph_, value.kinds_)
    if isinstance(value, UnionValue):
        value = value.without_undefined()
    if isinstance(value, UnionValue):
        return alternatives([form_of(o, lambda _: False) for o in value.options])
    if isinstance(value, Tracer) or is_dynamic_list(value):
        raise NoCommonFormError
    if type(value) in _CONSTANTS or isinstance(value, (np.generic, np.dtype, type)):
        return ConstantForm(value)
    structure = containers.structure_of(value)
    if structure is None or (structure.mutable and not (item_kinds.can_be_copied(structure) and is_new(value))):
        graph = records.graph_of([value], node_graphs.is_container) if node_graphs.is_member(value) else None
        if graph is None:
            raise NoCommonFormError
        return Numbered(graph, frozenset([graph.kinds[graph.places[value]]]))
    if not issubclass(structure.cls, (tuple, list, dict, Text)):
        raise NoCommonFormError
    items = [form_of(v, is_new) for v in structure.children(value)]
    if type(value) is not dict and len(items) >= _LINE and not isinstance(items[0], ConstantForm):
        try:
            return SequenceForm(structure, common(items), len(items))
        except NoCommonFormError:
            pass
    return StructureForm(structure, tuple(items))


def common(forms: Sequence[ItemForm]) -> ItemForm:
    """The form that holds values of each of these.

    Raises `UnlikeError` where there is none.
    """
    found: ItemForm | None = forms[0]
    for form in forms[1:]:
        if form is not found:
            found = None if found is None else found.joined(form)
        if found is None:
            raise NoCommonFormError
    assert found is not None
    return found
