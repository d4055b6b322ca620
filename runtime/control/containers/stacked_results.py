"""Lists that comprehensions, `map` and generators make, as one loop that fills arrays.

Where the items have one form (`values.dynamic_lists.stacked_parts`), and their number is known, each step of a counted
loop writes its item into a row of arrays made before the loop. The list is made of those rows, which become equations
only where they are read one by one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from anabranch.base.by_identity import IdentitySet
from anabranch.base.value import Value
from anabranch.runtime.control.branches.own_errors import is_own
from anabranch.runtime.control.exits import NEXT, State, no_value
from anabranch.runtime.control.generator_expression import GeneratorExpression
from anabranch.runtime.control.if_ import where
from anabranch.runtime.control.loops import stage_loops
from anabranch.runtime.control.loops.growth import prefer_fixed_lengths
from anabranch.runtime.control.loops.loop_state import LoopStatement
from anabranch.runtime.control.loops.unroll_budget import weight
from anabranch.runtime.control.sequences import stacked_sequences
from anabranch.runtime.control.sequences.countable import Countable
from anabranch.runtime.errors import AnabranchError
from anabranch.runtime.ir import interpret
from anabranch.runtime.ir.program import Atom, Equation, Literal, Program, Var
from anabranch.runtime.tracing.builder import Builder, building, current, tracing
from anabranch.runtime.tracing.container_state import MANY
from anabranch.runtime.tracing.storage import Storage
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.decisions import note
from anabranch.runtime.values.dynamic_lists import stacked_parts
from anabranch.runtime.values.dynamic_lists.item_forms import (
    ConstantForm,
    ItemForm,
    Number,
    StaticNumbersForm,
    StructureForm,
)
from anabranch.runtime.values.dynamic_lists.stacked_parts import NoCommonFormError
from anabranch.runtime.values.heap.snapshot import Attempt, Heap
from anabranch.runtime.values.memory import item_memory
from anabranch.runtime.values.python_numbers.python_scalar import PythonScalar

FEW = 8  # so many steps are traced one by one
_MOST_UNROLLED = 1000  # equations of steps made one by one, where a list of any items can be made instead
_MOST_EVALUATIONS = 20_000  # of equations, for numbers that hang on the position alone


class _ApartError(Exception):
    """The items are to be made one by one."""


class _ManyError(Exception):
    """There are so many items that each would take its time, and none is known while tracing."""


def stacked(items: GeneratorExpression, listed: Callable[[GeneratorExpression], Value] | None = None) -> Value | None:
    """The list of what an expression yields, of one loop; None where the items are to be made one by one.

    Of many items it is the list that `listed` makes, if that is given.
    """
    counted = items.counted()
    if not tracing() or counted is None or counted.length <= FEW:
        return None
    site, trace = items.site, current().trace
    if site in trace.loops.unstacked:
        return None
    what = f"the comprehension at {where(items.element)}"
    flags = trace.lists.grow_here, trace.lists.wants_growth, trace.lists.wants_known
    fillings: list[_Filling] = []

    def filled() -> list[Value]:
        with Attempt(items.element, counted.holds, undone_by=BaseException) as trying:
            fillings.append(_Filling(items, counted, what, trying.heap))
            return fillings[-1].list(MANY if listed else counted.length)

    try:
        made = prefer_fixed_lengths(filled, filled, site, items.element, counted.holds)
        note("staged", what, lambda: f"one loop of {counted.length} steps, whose items are rows of arrays")
        return made
    except _ManyError:
        pass
    except (_ApartError, NoCommonFormError, AnabranchError) as error:
        trace.loops.unstacked.add(site)
        are_costly = any(f.weight * counted.length > _MOST_UNROLLED for f in fillings)
        if listed is None or isinstance(error, _ApartError) or not are_costly:
            why = str(error.args[0]).splitlines()[0] if isinstance(error, AnabranchError) else _WHY[type(error)]
            note("unrolled", what, lambda: f"{counted.length} steps, as it cannot be one loop: {why}")
            return None
    finally:
        trace.lists.grow_here, trace.lists.wants_growth, trace.lists.wants_known = flags
    assert listed is not None
    trace.lists.demand_growth()
    return listed(items)


_WHY = {
    _ApartError: "nothing in it is known only at run time, or a step raises while it is traced",
    NoCommonFormError: "its items are not numbers, new arrays, or tuples and lists of these, of one kind",
}


class _Filling:
    """A loop that fills arrays with the items of a comprehension."""

    def __init__(self, items: GeneratorExpression, counted: Countable, what: str, before: Heap) -> None:
        self._items, self._counted, self._what = items, counted, what
        self._count: int = counted.length
        self._outer = current()
        self._heap = before
        self._form: ItemForm = ConstantForm(None)
        self._memory: list[Storage] = []
        self.weight = 0  # the equations of a step

    def list(self, most: int) -> list[Value]:
        """Emit the loop; returns its items, if there are not more than `most` that are known only at run time."""
        stage_loops.stage(
            LoopStatement(
                body=self._step,
                test=None,
                trip=atoms.literal(self._count, np.int64),
                most=self._count,
                init=(),
                names=(),
                roots=(self._items.element, self._counted.holds),
                site=self._items.site,
                what=self._what,
            )
        )
        if self._form.mutable and self._heap.changes():
            raise NoCommonFormError  # an item may be what was put somewhere else, too
        if self._count > most and not isinstance(self._form, StaticNumbersForm | ConstantForm):
            raise _ManyError
        self._counted.end(atoms.literal(False))
        wholes = [self._outer.read(s) for s in self._memory]
        made = [self._form.build(wholes, place) for place in range(self._count)]
        return [v for row in made for v in row] if self._items.nested else made

    def _step(self, index: int | PythonScalar) -> State:
        builder = current()
        try:
            value = self._items.element_of(self._counted.at(index))
        except Exception as error:
            # What Python would raise depends on the numbers that it would have; it is raised where there are such.
            raise (error if is_own(error) else _ApartError) from None
        self.weight = weight(builder.equations)
        stacked_sequences.check_lent(value, self._items.element)
        if self._items.nested:
            value = stacked(value) if isinstance(value, GeneratorExpression) else None
            if value is None:
                raise NoCommonFormError
        form = stacked_parts.form_of(value, self._news(builder))
        if not _reads(builder):
            raise _ApartError
        form = _with_known(form, value, builder, index, self._count)
        self._form = form
        self._memory = []
        place = wrap.as_atom(index, np.int64)
        for atom in form.leaves(value):
            type = atom.type
            zero: Atom = _zeros(self._outer, (self._count, *type.shape), type.dtype)
            storage = self._outer.new_storage(zero)
            self._memory.append(storage)
            builder.write(storage, item_memory.updated(builder.read(storage), atom, place))
        return (NEXT, no_value)

    def _news(self, builder: Builder) -> Callable[[Any], bool]:
        """Return a predicate: an array or a list was made in this step, and is met for the first time."""
        met: IdentitySet[object] = IdentitySet()

        def is_new(value: object) -> bool:
            if not met.admit(value.storage if isinstance(value, TracedArray) else value):
                return False
            if isinstance(value, TracedArray):
                return value.storage in builder.env and not builder.outer_has(value.storage)
            return not self._heap.has_seen(value)

        return is_new


def _zeros(outer: Builder, shape: tuple[int, ...], dtype: np.dtype) -> Atom:
    """Zeros, in a builder that is not the current one."""
    with building(outer):
        return item_memory.zeros(shape, dtype)


def _reads(builder: Builder) -> bool:
    """Return whether a step reads anything but constants from before it."""
    counters = {
        builder.trace.failures.error_code,
        builder.trace.output.counter,
        *builder.trace.failures.details.values(),
    }
    return (
        bool(builder.captures)
        or not counters.issuperset(builder.storage_inputs)
        or builder.trace.output.counter in builder.written
    )


# ---- what hangs on the position alone --------------------------------------------------------------------------------


def _with_known(form: ItemForm, value: Value, builder: Builder, index: Value, count: int) -> ItemForm:
    """The form with those numbers of it known that only the position decides, as Python would have computed them."""
    if isinstance(form, StructureForm):
        children = form.structure.children(value)
        rows = zip(form.parts, children, strict=True)
        return StructureForm(form.structure, tuple(_with_known(p, c, builder, index, count) for p, c in rows))
    if isinstance(form, Number) and isinstance(value, PythonScalar) and not isinstance(index, int):
        found = _evaluated(value.atom, builder, index.atom, count)
        if found is not None:
            return StaticNumbersForm(tuple(v.item() for v in found))
    return form


def _evaluated(atom: Atom, builder: Builder, index: Var, count: int) -> list[Value] | None:
    """Return the value of an atom at each position; None where it depends on more than that, or costs too much."""
    makers = {o: e for e in builder.equations for o in e.outputs}
    needed: set[Equation] = set()
    pending, seen = [atom], set[Atom]()
    while pending:
        part = pending.pop()
        if isinstance(part, Literal) or part in seen or part is index:
            continue
        seen.add(part)
        maker = makers.get(part)
        if maker is None or not maker.op.pure or maker.has_programs:
            return None
        needed.add(maker)
        pending += maker.inputs
    if len(needed) * count > _MOST_EVALUATIONS:
        return None
    equations = tuple(e for e in builder.equations if e in needed)
    program = Program((index,), equations, (atom,), "position")
    return [interpret.evaluate(program, np.int64(i))[0] for i in range(count)]
