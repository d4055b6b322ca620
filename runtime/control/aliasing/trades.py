"""Leaves of a loop's state that trade their arrays: in each step they get those of each other, in some order.

Which order that is conditions may choose. That it is one whatever they choose shows by trying all truths of them.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.runtime.control.aliasing.body_trace import NUMBER
from anabranch.runtime.control.aliasing.loop_sources import EntryArray, Row
from anabranch.runtime.control.aliasing.points_to import is_never, link, select_last
from anabranch.runtime.ir.program import Atom, Equation, Literal, Program, Var
from anabranch.runtime.ops.structured import Branches
from anabranch.runtime.tracing.builder import Builder
from anabranch.runtime.values import atoms
from anabranch.runtime.values.arrays.traced_array import TracedArray

# So many combinations of what conditions depend on are tried, and arrays lie in so many orders.
_MOST_COMBINATIONS = 256
_MOST_ORDERS = 24

# The place among the leaves, for each of them, of the one whose array it gets.
Order: TypeAlias = tuple[int, ...]
# What an atom is in one combination of truths.
_Known: TypeAlias = Mapping[object, object]


@frozen
class Choices:
    """Which of several ways it is: the first one, unless one of the others is said to be."""

    others: Sequence[Atom]

    def chosen(self, ways: Sequence[Atom]) -> Atom:
        """The value in the way that it is, of the values in all ways."""
        return select_last([(atoms.literal(True), ways[0]), *zip(self.others, ways[1:], strict=True)])


@frozen
class Trade:
    """Leaves that trade their arrays."""

    leaves: tuple[int, ...]
    orders: tuple[Order, ...]  # in which the arrays from before the loop may lie after some steps, that before it first
    steps: tuple[Order, ...]  # what a step may do
    number: Var | None  # which of the orders it is, as the body carries it; None where the steps that have run say so

    def carried(self, choices: Choices) -> list[tuple[Atom, Var, Atom]]:
        """The number before the loop, in the body and after a step, in the body's builder."""
        if self.number is None:
            return []
        after = choices.chosen(list(map(self._moved, self.steps)))
        return [(atoms.literal(0, np.int64), self.number, after)]

    def _moved(self, step: Order) -> Atom:
        """The number after a step."""
        assert self.number is not None
        after = [self.orders.index(_after(order, step)) for order in self.orders]
        if after == list(range(len(after))):
            return self.number
        return select_last((_equal(self.number, k), atoms.literal(number, np.int64)) for k, number in enumerate(after))

    def choices(self, rows: Sequence[Row]) -> Choices:
        """Which of the steps it is, in the body's builder."""
        return Choices([self._is(step, rows) for step in self.steps[1:]])

    def outputs(self, choices: Choices, values: Sequence[Atom]) -> dict[int, Atom]:
        """The array that a step leaves in each leaf, of those at its start: all by the same choices."""
        columns = zip(*self.steps, strict=True)
        return {
            leaf: choices.chosen([values[source] for source in column])
            for leaf, column in zip(self.leaves, columns, strict=True)
        }

    def _is(self, step: Order, rows: Sequence[Row]) -> Atom:
        """Return whether a step does this."""
        holds: Atom = atoms.literal(True)
        left = [other for other in self.steps if other != step]
        for place, source in enumerate(step):
            if any(other[place] != source for other in left):
                left = [other for other in left if other[place] == source]
                holds = atoms.logical_and(holds, _holds(rows[self.leaves[place]], self.leaves[source]))
        return holds

    def follow(
        self,
        made: Sequence[TracedArray | None],
        handles: Sequence[TracedArray | None],
        carried: Mapping[Var, Atom],
        count: Atom,
    ) -> None:
        """Give the memory from before the loop what it holds after it, and link the arrays after it with that.

        Parameters
        ----------
        made, handles
            The arrays of all leaves after the loop, and before it.
        carried
            What has become of numbers.
        count
            How many steps have run.
        """
        length = atoms.literal(len(self.orders), np.int64)
        number = atoms.ufunc(np.remainder, count, length) if self.number is None else carried[self.number]
        preds = [_equal(number, place) for place in range(len(self.orders))]
        arrays, befores = [made[k] for k in self.leaves], [handles[k] for k in self.leaves]
        values = [None if array is None else array.atom for array in arrays]
        for place, handle in enumerate(befores):
            if handle is not None:
                after = [(pred, values[order.index(place)]) for pred, order in zip(preds, self.orders, strict=True)]
                handle.overwrite(select_last(((pred, v) for pred, v in after if v is not None), handle.atom))
        for place, array in enumerate(arrays):
            if array is None:
                continue
            array.storage.is_another = all(handle is not None for handle in befores)
            # The first one is that from before the loop: it is also what `trades` takes where no number is known.
            for source in dict.fromkeys(order[place] for order in self.orders):
                those = [pred for pred, order in zip(preds, self.orders, strict=True) if order[place] == source]
                holds, handle = functools.reduce(atoms.logical_or, those), befores[source]
                if handle is not None and not is_never(holds):
                    link(array, holds, handle)


def trades(body: Builder, rows: Sequence[Row], leaves: Sequence[int]) -> list[Trade] | None:
    """The trades of leaves, which together get the arrays that they have; None where it is not known that they do."""
    places = {leaf: place for place, leaf in enumerate(leaves)}
    sources = [source for leaf in leaves for _, source in rows[leaf]]
    if not all(isinstance(s, EntryArray) and not s.path and s.leaf in places for s in sources):
        return None
    steps: dict[Order, None] = {}
    conditions = _Conditions(body, [pred for leaf in leaves for pred, _ in rows[leaf]])
    if conditions.count > _MOST_COMBINATIONS:
        return None
    for known in conditions.combinations():
        tests = iter(conditions.tests)
        step = tuple(places[_source(rows[leaf], [next(tests)(known) for _ in rows[leaf]])] for leaf in leaves)
        if len(set(step)) < len(step):
            return None
        steps[step] = None
    if len(steps) == 1:
        return [_fixed([leaves[place] for place in cycle]) for cycle in _cycles(next(iter(steps)))]
    orders = [tuple(range(len(leaves)))]
    for order in orders:
        orders += [after for step in steps if (after := _after(order, step)) not in orders]
        if len(orders) > _MOST_ORDERS:
            return None
    return [Trade(tuple(leaves), tuple(orders), tuple(steps), body.formal(NUMBER))]


def _after(order: Order, step: Order) -> Order:
    return tuple(order[source] for source in step)


def _fixed(cycle: Sequence[int]) -> Trade:
    """Leaves each of which gets, in each step, what the next one has."""
    length = len(cycle)
    orders = tuple(tuple((place + n) % length for place in range(length)) for n in range(length))
    return Trade(tuple(cycle), orders, (orders[1 % length],), None)


def _cycles(step: Order) -> Iterator[list[int]]:
    """The cycles of a permutation."""
    left = dict(enumerate(step))
    while left:
        cycle = [next(iter(left))]
        while (following := left.pop(cycle[-1])) != cycle[0]:
            cycle.append(following)
        yield cycle


def _leaf(source: object) -> int:
    assert isinstance(source, EntryArray)
    return source.leaf


def _source(row: Row, truths: Sequence[bool]) -> int:
    """The leaf whose array a row gives."""
    *_, last = [row[0], *(pair for pair, is_true in zip(row, truths, strict=True) if is_true)]
    return _leaf(last[1])


def _holds(row: Row, leaf: int) -> Atom:
    """Return whether a row gives the array of a leaf."""
    return select_last((pred, atoms.literal(_leaf(source) == leaf)) for pred, source in row)


def _equal(number: Atom, value: int) -> Atom:
    return atoms.ufunc(np.equal, number, atoms.literal(value, np.int64))


class _Scope:
    """The equations of a body or of a branch."""

    def __init__(
        self, equations: Sequence[Equation], key: tuple[object, ...] = (), around: _Scope | None = None
    ) -> None:
        self.key = key  # tells the branches apart
        self._around = around
        self._equations = {var: equation for equation in equations for var in equation.outputs}
        self._operands: dict[Atom, Atom] = {}

    def branch(self, equation: Equation, program: Program) -> _Scope:
        """That of a branch of a condition."""
        made = _Scope(program.equations, (*self.key, equation, program), self)
        made._operands = dict(zip(program.inputs, equation.inputs[1:], strict=True))
        return made

    def resolved(self, atom: Atom) -> tuple[Atom, _Scope]:
        """The atom that an input of the branch stands for, and the scope around that has it; else the atom here."""
        if self._around is None or atom not in self._operands:
            return atom, self
        return self._around.resolved(self._operands[atom])

    def equation(self, atom: Atom) -> Equation | None:
        """The equation that gives it."""
        return self._equations.get(atom) if isinstance(atom, Var) else None


class _Conditions:
    """Conditions as functions of what decides them: of bools, and of numbers that they compare with constants."""

    def __init__(self, body: Builder, conditions: Sequence[Atom]) -> None:
        self._values: dict[object, dict[object, None]] = {}
        scope = _Scope(body.equations)
        # Whether each condition holds, in a combination of these.
        self.tests = [self._test(condition, scope, True) for condition in conditions]

    @property
    def count(self) -> float:
        """How many combinations there are."""
        return math.prod(map(len, self._values.values()))

    def combinations(self) -> Iterator[_Known]:
        """The combinations of truths that the conditions may have."""
        for row in itertools.product(*self._values.values()):
            yield dict(zip(self._values, row, strict=True))

    def _test(self, atom: Atom, scope: _Scope, value: object) -> Callable[[_Known], bool]:
        """Return whether an atom has a value, as a function of what decides it."""
        atom, scope = scope.resolved(atom)
        if isinstance(atom, Literal):
            is_it = bool(atom.value == value)
            return lambda _: is_it
        equation = scope.equation(atom)
        name, inputs = ("", ()) if equation is None else (equation.op.name, equation.inputs)
        if name == "equal" and isinstance(inputs[1], Literal):
            return self._test(inputs[0], scope, inputs[1].value.item())
        if name in _LOGIC:
            parts = [self._test(one, scope, True) for one in inputs]
            if name == "logical_not":
                return lambda known: not parts[0](known)
            join = any if name == "logical_or" else all
            return lambda known: join(part(known) for part in parts)
        if equation is not None and name in ("cond", "select"):
            ways = [(one, scope) for one in inputs[1:]]
            if isinstance(equation.op, Branches):
                programs, place = equation.op.results(equation.params), equation.outputs.index(atom)
                ways = [(program.outputs[place], scope.branch(equation, program)) for program in programs]
            chosen = self._test(inputs[0], scope, True)
            first, second = (self._test(one, where, value) for one, where in ways)
            return lambda known: first(known) if chosen(known) else second(known)
        key = scope.key, atom
        self._values.setdefault(key, {None: None})[value] = None
        return lambda known: known[key] == value


_LOGIC = ("logical_and", "logical_or", "logical_not")
