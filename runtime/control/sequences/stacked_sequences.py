"""Lists and tuples of run-time values of one form, gone over by a counted loop."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from anabranch.base.value import Value
from anabranch.runtime.control.sequences import chosen_item
from anabranch.runtime.control.sequences.countable import Countable, changes_length
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.tracing.builder import current, tracing
from anabranch.runtime.values import containers, wrap
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.dynamic_lists import item_forms, records, stacked_parts
from anabranch.runtime.values.dynamic_lists.growable_list import Growable
from anabranch.runtime.values.dynamic_lists.item_forms import ItemForm
from anabranch.runtime.values.dynamic_lists.stacked_parts import NoCommonFormError
from anabranch.runtime.values.heap.snapshot import Heap
from anabranch.runtime.values.memory import item_memory
from anabranch.runtime.values.python_numbers.python_scalar import PythonScalar
from anabranch.runtime.values.tracer import Tracer

FEW = 8  # lists of so many items are gone over item by item


class StackedSequence(Countable):
    """The items of a list or tuple, which lie side by side in arrays."""

    def __init__(self, items: Value, form: ItemForm) -> None:
        self._source, self._form = items, form
        self._inside = Heap(items) if form.mutable else None
        self._before = tuple(items)
        self._length = len(self._before)
        self._alone = False  # whether its items are gone over one by one
        self._wholes = item_forms.wholes(self._before, form)

    @property
    def source_(self) -> Value:
        """The list or tuple."""
        return self._source

    @property
    def holds(self) -> tuple[object, ...]:
        return self._before

    @property
    def has_records(self) -> bool:
        return isinstance(self._form, item_forms.Numbered) and not isinstance(self._before[0], Tracer)

    def at(self, index: int | PythonScalar) -> Value:
        if not isinstance(index, Tracer):
            return self._source[index]
        self._alone = False
        if self._is_as_before():
            place: Atom = wrap.as_atom(index)
            item = self._form.at(iter([item_memory.row(w, place) for w in self._wholes]))
            if self._inside is not None:
                held = Heap((item,))
                current().lent.append((held, self._before))
                # Whether one is an object of before cannot be told.
                current().trace.identity.merge_all(s.target for s in held.slots)
            return item
        return chosen_item.chosen(list(self._source), index, index)

    def _is_as_before(self) -> bool:
        now = self._source
        if self._inside is not None and self._inside.changed():
            return False
        return len(now) == self._length and all(a is b for a, b in zip(now, self._before, strict=True))

    def steps(self) -> Iterator[Value]:
        """The items one by one, and those that are appended while they are gone over."""
        self._alone = True
        yield from self._source

    def end(self, left: Atom) -> None:
        if not self._alone and len(self._source) != self._length:
            raise changes_length(self._source)


class FewNumbers(StackedSequence):
    """A few items of which nothing is known while tracing, so that one loop over them loses nothing."""

    is_few = True


class KnownFloats(StackedSequence):
    """Floats that are known while tracing, which cannot be sizes: one loop over many of them loses little."""

    is_few = True
    little = 256


def form_of(items: Value) -> ItemForm | None:
    """The form of the items of a list or tuple that a counted loop can go over; None for anything else."""
    return _form_of(items) if _is_plain(items) and len(items) > _few() else None


def _is_plain(items: Value) -> bool:
    if not tracing():
        return False
    return type(items) in (list, tuple) or (
        isinstance(items, Growable) and items.native is list and items.items is None
    )


def _form_of(items: Value) -> ItemForm | None:
    return _common_form(items) if containers.has_traced(items[0]) else None


def _common_form(items: Value) -> ItemForm | None:
    try:
        form = form_of_records(items) or stacked_parts.common([stacked_parts.form_of(v, _is_no_array) for v in items])
    except NoCommonFormError:
        return None
    return form if form.types else None


def _few() -> int:
    """The greatest length of lists that are gone over item by item: one, where a step may take very many equations.

    Where functions call themselves the loop would be one of the state of all their calls.
    """
    trace = current().trace
    takes_many = trace.lists.arena_sites or trace.tables.sites
    return 1 if takes_many and not trace.calls.recursive else FEW


def form_of_records(items: Value) -> ItemForm | None:
    """The form of records, each of which stays the very object; None for anything else."""
    if not all(map(records.is_record, items)):
        return None
    graph = records.graph_of(items)
    assert graph is not None
    return item_forms.Numbered(graph, frozenset(graph.kinds[graph.places[v]] for v in items))


def _is_no_array(value: object) -> bool:
    """Of what has an identity, lists and dicts that are only read may be copies, as `check_lent` finds out."""
    return not isinstance(value, TracedArray)


def check_lent(after: object, body: Callable[..., object]) -> None:
    """Refuse a step in which a list or dict of a stacked sequence, of which it had a copy, is changed or kept.

    Parameters
    ----------
    after : object
        What the step gives.
    body : callable
        What it was.
    """
    builder = current()
    if not builder.lent:
        return
    reached = Heap((after, body, *builder.trace.heap.roots))
    for heap, _ in builder.lent:
        if heap.changed() or any(slot.target in reached for slot in heap.slots):
            raise UnsupportedOperationError(
                "a list or dict that is an item of a list is changed, or kept, in a loop over that list; change or "
                "keep a copy of it"
            )


def stacked(items: object) -> StackedSequence | None:
    """The staged form of such a list; None for anything else."""
    form = form_of(items)
    return None if form is None else StackedSequence(items, form)


def few_numbers(items: Value) -> FewNumbers | None:
    """The staged form of a list or tuple of a few numbers, or tuples of numbers, that are known only at run time."""
    if not _is_plain(items) or not 1 < len(items) <= FEW or not all(map(_is_at_run_time, items)):
        return None
    form = _form_of(items)
    return None if form is None else FewNumbers(items, form)


def known_numbers(items: Value) -> StackedSequence | None:
    """The staged form of a list or tuple of more than a few numbers of one type, all known while tracing."""
    kinds = set(map(type, items)) if _is_plain(items) and len(items) > FEW else set()
    if not kinds or not kinds <= {float, int}:
        return None
    form = _common_form(items)
    if form is None or len(kinds) > 1:
        return None
    return KnownFloats(items, form) if kinds == {float} else StackedSequence(items, form)


def _is_at_run_time(item: object) -> bool:
    if type(item) is tuple:
        return bool(item) and all(map(_is_at_run_time, item))
    return isinstance(item, Tracer) and not isinstance(item, TracedArray)
