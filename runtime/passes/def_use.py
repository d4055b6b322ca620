"""Definitions and uses of the values of one Program: who computes a value, who reads it, what is overwritten."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np

from anabranch.runtime.ir.program import Atom, Equation, Literal, Program, Var
from anabranch.runtime.ops.indexing import dynamic_slice
from anabranch.runtime.ops.shape import broadcast_in_dim, slice_

# How many definitions back two values are compared.
_DEEPEST = 32


def known(places: Iterable[int]) -> tuple[Atom, ...]:
    """Return indices as constants."""
    return tuple(Literal(np.asarray(place, np.int64)) for place in places)


def parameters_key(equation: Equation) -> str | None:
    """The params as text; None where an equation with the same op, inputs and params may compute something else."""
    if not equation.op.pure or equation.has_programs:
        return None
    # The text of an array does not show all of it.
    if any(isinstance(value, np.ndarray) for value in equation.params.values()):
        return None
    return str(sorted(equation.params.items(), key=str))


class DefUse:
    """A Program's definitions and uses."""

    def __init__(self, program: Program) -> None:
        self.made: dict[Var, int] = {}
        self.equations = program.equations
        self.consumers: dict[Var, set[int]] = {}
        # The bounds that `Windows` has found, by the reduction and the value.
        self.bounds: dict[tuple[str, Atom], Any] = {}
        self._keys: dict[Atom, int] = {}
        self._numbers: dict[Hashable, int] = {}
        for i, equation in enumerate(program.equations):
            self.made.update(dict.fromkeys(equation.outputs, i))
            for atom in equation.inputs:
                if isinstance(atom, Var):
                    self.consumers.setdefault(atom, set()).add(i)
        for atom in program.outputs:
            if isinstance(atom, Var):
                self.consumers.setdefault(atom, set()).add(len(program.equations))

    def maker(self, atom: Atom) -> Equation | None:
        """The equation that computes a value; None for inputs and constants."""
        at = self.made.get(atom) if isinstance(atom, Var) else None
        return None if at is None else self.equations[at]

    def part(self, atom: Atom) -> tuple[Atom, tuple[Atom, ...]] | None:
        """The array that a value is a block of, and the block's offsets; None for other values."""
        maker = self.maker(atom)
        if maker is None or maker.op not in (dynamic_slice, slice_):
            return None
        if maker.op is dynamic_slice:
            return maker.inputs[0], maker.inputs[1:]
        is_block = all(stride == 1 for stride in maker.params["strides"])
        return (maker.inputs[0], known(maker.params["starts"])) if is_block else None

    def uniform(self, atom: Atom) -> Atom | None:
        """Return the scalar that all elements are equal to; None where there is none."""
        if isinstance(atom, Literal):
            value = atom.value
            alike = value.size and not any(n > 1 and s for n, s in zip(value.shape, value.strides, strict=True))
            return Literal(value[(0,) * value.ndim].copy()) if alike else None
        maker = self.maker(atom)
        if maker is None or maker.op is not broadcast_in_dim or maker.inputs[0].type.shape != ():
            return None
        return maker.inputs[0]

    def is_shared(self, atom: Atom) -> bool:
        """Return whether more than one equation reads a value, so that it is computed anyway."""
        return isinstance(atom, Var) and len(self.consumers.get(atom, ())) > 1

    def stays(self, array: Atom, first: int, last: int) -> bool:
        """Return whether nothing writes over an array between two equations, so that reading it later takes no copy."""
        if not isinstance(array, Var):
            return True
        return not any(self._writes(array, i) for i in self.consumers.get(array, ()) if first < i < last)

    def _writes(self, array: Var, i: int) -> bool:
        if i == len(self.equations):
            return False
        equation = self.equations[i]
        if equation.has_programs:
            return True
        return equation.op.update is not None and equation.inputs[0] is array

    def key(self, atom: Atom, depth: int = 0) -> int:
        """Return a number that is the same for two values that are surely equal."""
        if atom not in self._keys:
            self._keys[atom] = self._numbers.setdefault(self._form(atom, depth), len(self._numbers))
        return self._keys[atom]

    def _form(self, atom: Atom, depth: int) -> Hashable:
        if isinstance(atom, Literal):
            return atom.key
        maker = self.maker(atom)
        params = None if maker is None or depth == _DEEPEST else parameters_key(maker)
        if maker is None or params is None:
            return atom
        inputs = tuple(self.key(a, depth + 1) for a in maker.inputs)
        return (maker.op, maker.outputs.index(atom), params, inputs)
