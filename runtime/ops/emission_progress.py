"""The values of a Program that are still to be read while it is emitted."""

from __future__ import annotations

from anabranch.runtime.ir.program import Atom, Equation, Program, Var


class EmissionProgress:
    """How far the emission of a Program has come, and which of its values are read later on."""

    def __init__(self, program: Program, env: dict[Var, str]) -> None:
        self.place = 0
        self._env = env
        self._equations = program.equations
        self._last: dict[Atom, int] = {a: i for i, e in enumerate(program.equations) for a in e.inputs}
        self._last |= dict.fromkeys(program.outputs, len(program.equations))
        self._elementwise = {v for e in program.equations if e.op.is_elementwise for v in e.outputs}

    @property
    def equation(self) -> Equation:
        """The one that is being emitted."""
        return self._equations[self.place]

    def is_elementwise(self, atom: Atom) -> bool:
        """Return whether an equation of the Program itself computes a value element by element."""
        return atom in self._elementwise

    def needs(self, name: str) -> bool:
        """Return whether an equation after the present one, or an output, reads the name."""
        return any(self._last.get(var, -1) > self.place for var, known in self._env.items() if known == name)
