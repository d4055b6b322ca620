"""The tag and the options of a union, and the one number or array that they may be."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.ir.interval import FULL
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.values import atoms, number_union, wrap
from anabranch.runtime.values.abstract import Abstract, Kind, abstract_of, join, promote, promoted
from anabranch.runtime.values.attributes import OneOfSeveral
from anabranch.runtime.values.tracer import Tracer, carried_abstract
from anabranch.runtime.values.undefined import Undefined


class UnionBase(OneOfSeveral):
    """`options[tag]`, and what its options have in common where they are numbers or arrays."""

    __slots__ = ("number", "options", "tag")

    def __init__(self, tag: Atom, options: tuple[Value, ...], number: Atom | None = None) -> None:
        self.tag = tag
        self.options = options
        self.number = number  # of numbers of a few kinds, the one that is worth the same, if that is known already

    def chosen(self, index: int) -> Atom:
        """Return whether the option at `index` is the one, as a bool scalar."""
        return atoms.ufunc(np.equal, self.tag, atoms.literal(index, np.int32))

    def among(self, indices: list[int]) -> Atom:
        """Return whether one of these options is chosen, as a bool scalar."""
        pred: Atom = atoms.literal(False)
        for i in indices:
            pred = atoms.logical_or(pred, self.chosen(i))
        return pred

    def kinds(self) -> list[Abstract | None]:
        """The abstract value of each option that is a number or an array of static size; None for any other."""
        return [_abstract_of_static(o) for o in self.options]

    def _merged(self, joined: Callable[[Abstract, Abstract], Abstract | None] = join) -> Abstract | None:
        """The abstract value of one number or array that holds each of the options; None where there is none."""
        return _common(self.kinds(), joined)

    def number_as(self, both: Abstract) -> Atom:
        """The number or array that is worth the same as the chosen one, of this kind; what is none has none."""
        if self.number is not None and self.number.type == both.type:
            return self.number
        known = [(i, o) for i, (o, a) in enumerate(zip(self.options, self.kinds(), strict=True)) if a is not None]
        if not known:
            return atoms.unspecified(both.type)
        (_, last), *others = reversed(known)
        atom = wrap.atom_as(last, both)
        for i, option in others:
            atom = atoms.select(self.chosen(i), wrap.atom_as(option, both), atom)
        return atom

    @property
    def has_several_types(self) -> bool:
        """Return whether no number or array can hold each of the options; unset and None count for nothing."""
        rest = [o for o in self.options if o is not None and not isinstance(o, Undefined)]
        return len(rest) > 1 and not self.of_objects and _common(map(_abstract_of_static, rest)) is None

    @property
    def has_several_dtypes(self) -> bool:
        """Return whether numbers or arrays among the options differ in dtype or kind."""
        known = map(_kind_in_memory, self.options)
        return len({(a.dtype, a.kind) for a in known if a is not None}) > 1

    @property
    def of_objects(self) -> bool:
        """Return whether some option is neither a number or array, nor unset or None."""
        return any(
            not isinstance(o, (Tracer, Undefined)) and o is not None and abstract_of(o) is None for o in self.options
        )

    @property
    def has_several_ranks(self) -> bool:
        """Return whether arrays among the options differ in the number of their dimensions."""
        return len({len(a.shape) for a in map(_kind_in_memory, self.options) if a is not None}) > 1

    @property
    def stays_apart(self) -> bool:
        """Return whether no single value can hold the options: objects, or numbers and arrays of several types."""
        return self.of_objects or self.has_several_types

    @property
    def worth(self) -> Abstract | None:
        """The kind of number that has one worth the same for each option; None where there is none."""
        known = self.kinds()
        both = number_union.common(known)
        if both is None or not all(map(functools.partial(_keeps, both=both), self.options, known)):
            return None
        return both

    def merges_with(self, other: object) -> bool:
        """Return whether the options are numbers of a few kinds that NumPy promotes to one dtype with `other`."""
        against, known = _kind_in_memory(other), self.kinds()
        both = number_union.common(known)
        if both is None or against is None:
            return False
        if against.kind is Kind.PYTHON:
            # Python's numbers are those of one kind beside a number of a kind that is no narrower.
            kinds = {promoted(a, against) for a in known if a is not None}
            return (
                both.kind is Kind.PYTHON and kinds == {against} and against.python is not complex and bool(self.worth)
            )
        result, *others = {promote(a, against) for a in (*known, both) if a is not None}
        if others:
            return False
        # NumPy itself converts a number to the dtype of the result.
        if result == both.dtype:
            return all(
                a is not None and number_union.converts(a, o, both) for a, o in zip(known, self.options, strict=True)
            )
        return self.worth is not None


def _common(
    abstracts: Iterable[Abstract | None], joined: Callable[[Abstract, Abstract], Abstract | None] = join
) -> Abstract | None:
    """The abstract value that holds each of these; None where there is none."""
    found = list(abstracts)
    return functools.reduce(lambda a, b: a and b and joined(a, b), found) if found else None


def are_numbers(value: object) -> bool:
    """Return whether a value is a number, of whatever kind it may be."""
    options = value.options if isinstance(value, UnionBase) else (value,)
    kinds = map(_abstract_of_static, options)
    return all(a is not None and a.kind in (Kind.PYTHON, Kind.SCALAR) for a in kinds)


def beside_union(function: Callable[..., object], operands: tuple[Value, ...], place: int) -> Value:
    """A function of what may be None and of another union; `NotImplemented` where it is of anything else.

    What the function raises for None depends on the other's options: it is done where None is the one, so that a
    check of the other fails there alone.
    """
    value: Any = operands[place]
    if len(operands) == 1 or not (isinstance(operands[1 - place], UnionBase) and any(o is None for o in value.options)):
        return NotImplemented
    other: Any = operands[1 - place]

    def done(v: Value, o: Value) -> Value:
        return function(o, v) if place else function(v, o)

    return value.each(lambda v: other.each(lambda o: done(None, o)) if v is None else done(v, other))


def _keeps(option: object, abstract: Abstract, both: Abstract) -> bool:
    """Return whether a number is worth the same as one of another kind."""
    return number_union.keeps(abstract, option, getattr(option, "interval", FULL), both)


def abstract_of_option(option: object) -> Abstract | None:
    """The abstract value of an option that is a number or an array; None for anything else."""
    return carried_abstract(option)


def _abstract_of_static(option: object) -> Abstract | None:
    """The abstract value of a number, or of an array of static size; None for anything else."""
    return None if wrap.is_dynamic_array(option) else abstract_of_option(option)


def _kind_in_memory(value: Value) -> Abstract | None:
    """The dtype and kind of a number or an array, of any size: the shape is that of the memory it lies in."""
    return value.memory.abstract if wrap.is_dynamic_array(value) else abstract_of_option(value)
