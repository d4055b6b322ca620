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
from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.interval import Interval
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.values import atoms
from anabranch.runtime.values.dynamic_lists import item_forms, records, stacked_parts
from anabranch.runtime.values.dynamic_lists.item_forms import ConstantForm, ItemForm, Number, StructureForm
from anabranch.runtime.values.dynamic_lists.stacked_parts import Alternatives, NoCommonFormError
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.memory import item_memory
from anabranch.runtime.values.python_numbers.python_scalar import python_scalar
from anabranch.runtime.values.union import UnionValue

NAN = (
    "run-time values with a NaN among them are sorted, and their order in Python depends on how it sorts; use np.sort, "
    "which puts NaN last"
)


def keys_of(items: Sequence[object], key: Callable[[Any], object]) -> list[Value]:
    """`[key(item) for item in items]`, by one loop where the items have one form."""
    if len(items) > FEW:
        records.graph_of(items)
        try:
            form = stacked_parts.common([stacked_parts.form_of(v, _never) for v in items])
        except NoCommonFormError:
            form = ConstantForm(None)
        if form.types:
            made = stacked(GeneratorExpression(StackedSequence(items, form), lambda item: key(item)))
            if made is not None:
                return made
    return [key(item) for item in items]


def sorted_by_keys(items: Sequence[object], keys: Sequence[object], reverse: bool) -> list[Value] | None:
    """The items in the order of their keys, equal ones as they were; None for a few, and for what is no numbers."""
    graph = records.graph_of(items)
    if len(items) <= FEW and (graph is None or len(items) < 2):
        return None
    try:
        columns = list(_columns(_with_ranks(keys)))
        form = stacked_parts.alternatives([stacked_parts.form_of(v, _never) for v in items])
    except NoCommonFormError:
        return None
    line = item_memory.iota(len(items))
    last = atoms.broadcast_to(atoms.literal(len(items) - 1, np.int64), line.type.shape)
    order = atoms.ufunc(np.subtract, last, line) if reverse else line
    for column in reversed(columns):
        _refuse_nan(column)
        places = atoms.op("argsort", item_memory.gathered(column, order), axis=0, stable=True)
        order = item_memory.gathered(order, places)
    if reverse:
        order = item_memory.gathered(order, atoms.ufunc(np.subtract, last, line))
    wholes = [item_memory.gathered(w, order) for w in item_forms.wholes(items, form)]
    return [form.build(wholes, place) for place in range(len(items))]


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


def _refuse_nan(column: Atom) -> None:
    if column.type.dtype.kind == "f":
        bad = atoms.op("reduce_any", atoms.ufunc(np.isnan, column), axes=(0,))
        run_time_checks.fail_if(bad, lambda _: UnsupportedOperationError(NAN))


def _columns(keys: Sequence[object]) -> Iterator[Atom]:
    """Yield the columns by which the keys are compared, the most significant first."""
    form = stacked_parts.alternatives([stacked_parts.form_of(k, _of_key) for k in keys])
    wholes = item_forms.wholes(keys, form)
    if isinstance(form, Alternatives) and all(isinstance(o, Number) for o in form.options):
        yield from _of_several_types(wholes[0], wholes[1:])
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


def _of_several_types(tags: Atom, wholes: Sequence[Atom]) -> Iterator[Atom]:
    """Numbers of several types, as Python compares them: by the nearest floats, then by what ints are beyond these."""
    shape = tags.type.shape
    if any(w.type.dtype.kind not in "biuf" for w in wholes):
        raise NoCommonFormError
    near: Atom = atoms.broadcast_to(atoms.literal(0.0), shape)
    rounding: Atom = atoms.broadcast_to(atoms.literal(0, np.int64), shape)
    for k, whole in enumerate(wholes):
        here = atoms.ufunc(np.equal, tags, atoms.broadcast_to(atoms.literal(k, np.int32), shape))
        floats = atoms.convert(whole, np.float64)
        near = atoms.select(here, floats, near)
        if whole.type.dtype.kind in "iu":
            if whole.type.dtype == np.uint64:
                raise NoCommonFormError
            rounding = atoms.select(here, _rounding_error(atoms.convert(whole, np.int64), floats), rounding)
    yield near
    yield rounding


def _rounding_error(ints: Atom, floats: Atom) -> Atom:
    """By how much ints are more than the floats next to them."""
    shape = ints.type.shape
    most = ArrayType(shape, np.dtype(np.float64))
    top = atoms.broadcast_to(atoms.literal(2.0**63), most.shape)
    over = atoms.ufunc(np.greater_equal, floats, top)
    # The float next to the greatest ints is no int64.
    back = atoms.convert(atoms.select(over, atoms.broadcast_to(atoms.literal(0.0), shape), floats), np.int64)
    high = atoms.broadcast_to(atoms.literal(2**63 - 1, np.int64), shape)
    one = atoms.broadcast_to(atoms.literal(1, np.int64), shape)
    past = atoms.ufunc(np.subtract, atoms.ufunc(np.subtract, ints, high), one)
    return atoms.select(over, past, atoms.ufunc(np.subtract, ints, back))
