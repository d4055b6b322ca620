"""Lists of run-time values in order, by stable sorts of arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.control.containers.stacked_results import stacked
from anabranch.runtime.control.generator_expression import GeneratorExpression
from anabranch.runtime.control.sequences.stacked_sequences import FEW, StackedSequence
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.ir.interval import Interval
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.ops.sorting import greatest
from anabranch.runtime.tracing.builder import current
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.abstract import Abstract, Kind
from anabranch.runtime.values.dynamic_lists import item_forms, records, stacked_parts
from anabranch.runtime.values.dynamic_lists.item_forms import ConstantForm, ItemForm, Number, StructureForm
from anabranch.runtime.values.dynamic_lists.stacked_parts import Alternatives, NoCommonFormError
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.lazy_text import Text
from anabranch.runtime.values.memory import item_memory
from anabranch.runtime.values.python_numbers.python_scalar import python_scalar
from anabranch.runtime.values.pytrees import node_graphs
from anabranch.runtime.values.pytrees.node_graphs import NodeGraph
from anabranch.runtime.values.tracer import Tracer
from anabranch.runtime.values.union import UnionValue

NAN = (
    "run-time values with a NaN among them are sorted, and their order in Python depends on how it sorts; use np.sort, "
    "which puts NaN last"
)

_LARGE = (
    "ints of NumPy's from 2**53 on are sorted together with floats, and their order depends on how Python sorts; give "
    "them one type, or make Python's ints and floats of them"
)


def keys_of(items: Sequence[object], key: Callable[[Any], object]) -> list[Value]:
    """`[key(item) for item in items]`, by one loop where the items have one form."""
    if len(items) > FEW:
        _graph_of(items)
        try:
            form = stacked_parts.common([stacked_parts.form_of(v, _never) for v in items])
        except NoCommonFormError:
            form = ConstantForm(None)
        if form.types:
            made: list[Value] | None = stacked(
                GeneratorExpression(StackedSequence(items, form), lambda item: key(item))
            )
            if made is not None:
                return made
    return [key(item) for item in items]


def sorted_by_keys(items: Sequence[object], keys: Sequence[object], reverse: bool) -> list[Value] | None:
    """The items in the order of their keys, equal ones as they were; None for a few, and for what is no numbers."""
    graph = _graph_of(items)
    of_texts = any(map(_has_text, keys))
    if len(items) <= (_FEW_TEXTS if of_texts else FEW) and (graph is None or len(items) < 2):
        return None
    line = item_memory.iota(len(items))
    last = atoms.broadcast_to(atoms.literal(len(items) - 1, np.int64), line.type.shape)
    backwards = atoms.ufunc(np.subtract, last, line)
    try:
        form = stacked_parts.alternatives([stacked_parts.form_of(v, _never) for v in items])
    except NoCommonFormError:
        return None
    try:
        columns = list(_columns(_with_ranks(keys)))
    except NoCommonFormError:
        if not of_texts:
            return None
        for key in keys:
            refuse_nan_in(key)
        order = current().trace.outside.text_operations.places_in_order(keys[::-1] if reverse else keys)
        if reverse:
            order = atoms.ufunc(np.subtract, last, order)
    else:
        for column in columns:
            refuse_nan(column)
        order = order_by(columns, backwards if reverse else line)
    if reverse:
        order = item_memory.gathered(order, backwards)
    wholes = [item_memory.gathered(w, order) for w in item_forms.wholes(items, form)]
    return [form.build(wholes, place) for place in range(len(items))]


def _has_text(key: object) -> bool:
    """Return whether a key is a text that is known only at run time, or a tuple or list with one."""
    return any(map(_has_text, key)) if isinstance(key, (tuple, list)) else isinstance(key, Text)


_FEW_TEXTS = 2  # comparisons of texts are loops


def _graph_of(items: Sequence[object]) -> NodeGraph | None:
    """The graph of the dicts and objects among the items, and of the lists where there are many."""
    return records.graph_of(items, node_graphs.is_container if len(items) > FEW else records.is_record)


def _with_ranks(keys: Sequence[Value]) -> Sequence[Value]:
    """The keys with known texts as the numbers of these in order, where all keys have texts in one place."""
    if any(isinstance(k, str) or _is_one_of_texts(k) for k in keys):
        texts = [k.options if isinstance(k, UnionValue) else (k,) for k in keys]
        if not all(isinstance(t, str) for options in texts for t in options):
            return keys
        ranks = {t: n for n, t in enumerate(sorted({t for options in texts for t in options}))}
        return [_rank(k, ranks) for k in keys]
    if not all(type(k) is tuple for k in keys) or len(set(map(len, keys))) != 1:
        return keys
    return list(zip(*map(_with_ranks, zip(*keys, strict=True)), strict=True)) if keys[0] else keys


def _is_one_of_texts(key: object) -> bool:
    return isinstance(key, UnionValue) and all(isinstance(o, str) for o in key.options)


def _rank(key: Value, ranks: dict[str, int]) -> Value:
    if not isinstance(key, UnionValue):
        return ranks[key]
    coded = atoms.coded(key.tag, [ranks[o] for o in key.options])
    return python_scalar(atoms.convert(coded, np.int64), Interval(0, len(ranks)))


def _never(_: object) -> bool:
    return False


def order_by(columns: Sequence[Atom], order: Atom, valid: Atom | None = None) -> Atom:
    """The positions in the order of columns, the most significant first; what is equal stays in the `order` given.

    Where only the elements at the front are `valid` they stay there: the others are behind them in each column.
    """
    for column in reversed(columns):
        ranked = item_memory.gathered(column, order)
        if valid is not None:
            ranked = with_others_last(ranked, valid)
        places = atoms.op("argsort", ranked, axis=0, stable=True)
        order = item_memory.gathered(order, places)
    return order


def with_others_last(column: Atom, valid: Atom) -> Atom:
    """The column, with what no other is sorted behind in the place of what is not valid."""
    last = atoms.broadcast_to(atoms.literal(greatest(column.type.dtype)), column.type.shape)
    return atoms.select(valid, column, last)


def refuse_nan(column: Atom, valid: Atom | None = None) -> None:
    """Raise at run time where a NaN is among the valid elements of a column."""
    if column.type.dtype.kind == "f":
        bad = atoms.ufunc(np.isnan, column)
        bad = bad if valid is None else atoms.logical_and(bad, valid)
        found = atoms.op("reduce_any", bad, axes=(0,))
        run_time_checks.fail_if(found, lambda _: UnsupportedOperationError(NAN))


def refuse_nan_in(key: object) -> None:
    """The same of the parts of one key."""
    if isinstance(key, (tuple, list)):
        for part in key:
            refuse_nan_in(part)
    elif isinstance(key, Tracer) and key.abstract.dtype.kind == "f" and not key.abstract.shape:
        bad = atoms.ufunc(np.isnan, wrap.as_atom(key))
        run_time_checks.fail_if(bad, lambda _: UnsupportedOperationError(NAN))


def _columns(keys: Sequence[object]) -> Iterator[Atom]:
    """Yield the columns by which the keys are compared, the most significant first."""
    form = stacked_parts.alternatives([stacked_parts.form_of(k, _of_key) for k in keys])
    wholes = item_forms.wholes(keys, form)
    numbers = [o.abstract for o in form.options if isinstance(o, Number)] if isinstance(form, Alternatives) else []
    if isinstance(form, Alternatives) and len(numbers) == len(form.options):
        yield from of_several_types(numbers, wholes[0], wholes[1:])
        return
    if not _is_compared(form):
        raise NoCommonFormError
    for whole in wholes:
        count, *rest = whole.type.shape
        for index in np.ndindex(*rest):
            starts, limits = (0, *index), (count, *(i + 1 for i in index))
            cut = atoms.op("slice", whole, starts=starts, limits=limits, strides=(1,) * len(starts)) if rest else whole
            yield atoms.reshape(cut, (count,))


def _of_key(_: object) -> bool:
    """Of lists in keys nothing but their items counts; arrays have no order."""
    return True


def _is_compared(form: ItemForm) -> bool:
    match form:
        case Number(abstract, _):
            return abstract.dtype.kind in "biuf"
        case StructureForm(structure, rows):
            return issubclass(structure.cls, (tuple, list)) and all(map(_is_compared, rows))
        case item_forms.SequenceForm(structure, item, _):
            return issubclass(structure.cls, (tuple, list)) and _is_compared(item)
        case ConstantForm():
            return True  # the same in all
    return False


def of_several_types(
    kinds: Sequence[Abstract], tags: Atom, wholes: Sequence[Atom], valid: Atom | None = None
) -> Iterator[Atom]:
    """The columns by which numbers of several types are compared: the nearest floats, then what ints are beyond these.

    Parameters
    ----------
    kinds : sequence of Abstract
        The types.
    tags : Atom
        Which of them each number is of.
    wholes : sequence of Atom
        For each of them the numbers, where they are of it.
    valid : Atom, optional
        Which places have a number.
    """
    shape = tags.type.shape
    if any(kind.dtype.kind not in "biuf" for kind in kinds):
        raise NoCommonFormError
    # NumPy compares ints with floats as floats, and with other ints as ints, which is no order of large ones.
    is_order = all(k.kind is Kind.PYTHON for k in kinds) or not any(k.dtype.kind == "f" for k in kinds)
    near: Atom = atoms.broadcast_to(atoms.literal(0.0), shape)
    rounding: Atom = atoms.broadcast_to(atoms.literal(0, np.int64), shape)
    for k, whole in enumerate(wholes):
        here = atoms.ufunc(np.equal, tags, atoms.broadcast_to(atoms.literal(k, np.int32), shape))
        floats = atoms.convert(whole, np.float64)
        near = atoms.select(here, floats, near)
        if whole.type.dtype.kind in "iu" and is_order:
            ints = whole if whole.type.dtype == np.uint64 else atoms.convert(whole, np.int64)
            rounding = atoms.select(here, _rounding_error(ints, floats), rounding)
        elif whole.type.dtype.kind in "iu" and whole.type.dtype.itemsize == 8:
            _refuse_large(floats, here if valid is None else atoms.logical_and(here, valid))
    yield near
    yield rounding


def _refuse_large(ints: Atom, where: Atom) -> None:
    """Raise at run time where some ints, as floats, are other ints."""
    large = atoms.ufunc(
        np.greater_equal, atoms.ufunc(np.absolute, ints), item_memory.filled(ints.type.shape, float, 2.0**53)
    )
    found = atoms.any_of(atoms.logical_and(large, where))
    run_time_checks.fail_if(found, lambda _: UnsupportedOperationError(_LARGE))


def _rounding_error(ints: Atom, floats: Atom) -> Atom:
    """By how much ints of 64 bits are more than the floats next to them."""
    shape, dtype = ints.type.shape, ints.type.dtype
    bounds = np.iinfo(dtype)
    # The float next to the greatest ints is one more than these: in the dtype's arithmetic, the least.
    over = atoms.ufunc(np.greater_equal, floats, atoms.broadcast_to(atoms.literal(float(bounds.max)), shape))
    inside = atoms.select(over, atoms.broadcast_to(atoms.literal(0.0), shape), floats)
    least = atoms.broadcast_to(atoms.literal(bounds.min, dtype), shape)
    back = atoms.select(over, least, atoms.convert(inside, dtype))
    return atoms.convert(atoms.ufunc(np.subtract, ints, back), np.int64)
