"""The Program: a typed, functional intermediate representation with four structures.

Syntax of the text form (`str(program)`)::

    program   ::= "{ lambda" binder* "; let" equation* "in (" atom* group* ") }"
    group     ::= ";" name atom*                      ; writes y
    binder    ::= name ":" type                       x:f64[3,4]
    equation  ::= binder* "=" op params? atom*        y:f64[3] = add x 2.0:f64[]
    params    ::= "[" key "=" value ... "]"           a sub-Program is printed in place, indented
    atom      ::= name | literal ":" type

Data are positional (`Equation.inputs`), metadata are keywords (`Equation.params`). A sub-Program is closed: what it
reads from outside is an input of the equation that holds it. The outputs of a traced function stand in groups
(`OutputGroups`), the results first.
"""

from __future__ import annotations

import dataclasses
import itertools
import sys
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np

from anabranch.base.coloured import coloured
from anabranch.base.frozen import frozen
from anabranch.base.html_text import code
from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.op import Op


@frozen(eq=False)
class Var:
    """A value computed once; two Vars are equal only when they are the same object."""

    type: ArrayType


@frozen(eq=False)
class Literal:
    """A constant; `value` is a NumPy array (0-d for scalars), which is never written to."""

    value: np.ndarray

    @property
    def type(self) -> ArrayType:
        return ArrayType(self.value.shape, self.value.dtype)

    @property
    def key(self) -> tuple[ArrayType, bytes]:
        """The type and the bytes, which tell two constants apart."""
        return self.type, self.value.tobytes()


Atom: TypeAlias = Var | Literal


def are_same(a: Atom | None, b: Atom | None) -> bool:
    """Return whether two atoms are one, or equal constants."""
    return a is b or (isinstance(a, Literal) and isinstance(b, Literal) and a.type == b.type and a.key == b.key)


class SourceLocation(NamedTuple):
    """The user's code that an equation came from, and the place in it."""

    code: types.CodeType
    instruction: int

    @property
    def place(self) -> tuple[str, int, int]:
        """File, line and column; both count from 1."""
        first, _, column, _ = next(itertools.islice(self.code.co_positions(), self.instruction // 2, None))
        return self.code.co_filename, first or self.code.co_firstlineno, (column or 0) + 1

    def __str__(self) -> str:
        file, line, _ = self.place
        return f"{file}:{line}"


@frozen(eq=False)
class Equation:
    """`outputs = op[params](inputs)`."""

    op: Op
    inputs: tuple[Atom, ...]
    params: Mapping[str, Any]
    outputs: tuple[Var, ...]
    source: SourceLocation | None = None

    def with_programs(self, change: Callable[[Program], Program]) -> Equation:
        """The equation with `change` applied to each sub-Program; itself where that changes none."""
        if not self.params:
            return self
        changed: dict[str, Any] = {}
        for name, value in self.params.items():
            if isinstance(value, Program):
                if (one := change(value)) is not value:
                    changed[name] = one
            elif isinstance(value, tuple) and value and isinstance(value[0], Program):
                several = tuple(map(change, value))
                if any(new is not old for new, old in zip(several, value, strict=True)):
                    changed[name] = several
        return dataclasses.replace(self, params={**self.params, **changed}) if changed else self

    def programs(self) -> Iterator[Program]:
        """The sub-Programs among the params, in order."""
        for value in self.params.values():
            for item in value if isinstance(value, tuple) else (value,):
                if isinstance(item, Program):
                    yield item

    @property
    def has_programs(self) -> bool:
        """Return whether there are any."""
        return any(True for _ in self.programs())


def all_equations(equations: Iterable[Equation]) -> Iterator[Equation]:
    """Yield equations, each before those of its sub-Programs."""
    for equation in equations:
        yield equation
        for program in equation.programs():
            yield from all_equations(program.equations)


T = TypeVar("T")


@frozen
class OutputGroups:
    """Where each group is among the outputs, in this order; a Program of which nothing is said has results only."""

    # Leaves of the result and of new contents of objects, but for arrays that are an argument or occur twice; several
    # may be one output (`Plan.stacks`).
    results: slice = slice(0, sys.maxsize)
    writes: slice = slice(0, 0)  # new contents of `Plan.mutated`
    draws: slice = slice(0, 0)  # states of `Plan.draws`, which stay after a failure, too
    conditions: slice = slice(0, 0)  # what `Plan.returned_arguments` need
    effects: slice = slice(0, 0)  # for each of `Plan.effects` an error code, and what it shows
    effect_count: slice = slice(0, 0)  # how many effects were done, where they are done while the program runs
    failures: slice = slice(0, 0)  # the error code and what `Plan.details` hold; empty where nothing can fail

    @staticmethod
    def joined(**groups: Sequence[T]) -> tuple[OutputGroups, list[T]]:
        """Return where these groups are, and all outputs."""
        ends = list(itertools.accumulate(map(len, groups.values()), initial=0))
        places = dict(zip(groups, map(slice, ends, ends[1:]), strict=True))
        return OutputGroups(**places), list(itertools.chain(*groups.values()))

    @property
    def others(self) -> slice:
        """All after the results: what the host reads."""
        return slice(self.results.stop, None)

    def named(self, outputs: Sequence[T]) -> Iterator[tuple[str, Sequence[T]]]:
        """Yield each group's name and outputs."""
        for field in dataclasses.fields(self):
            yield field.name, outputs[getattr(self, field.name)]


@frozen(eq=False)
class Program:
    """Inputs, equations in order, outputs. Nothing else is in scope.

    Attributes
    ----------
    inputs, equations, outputs
    name : str
    groups : OutputGroups
        What the outputs are for.
    failures_leave : bool
        Where the error code is set, nothing else of a run is seen.

    Examples
    --------
    >>> import numpy as np
    >>> from anabranch import make_xpr
    >>> program = make_xpr(lambda x: np.sin(x) * 2.0)(1.0)
    >>> [equation.op.name for equation in program.equations]
    ['sin', 'multiply']
    """

    inputs: tuple[Var, ...]
    equations: tuple[Equation, ...]
    outputs: tuple[Atom, ...]
    name: str = "main"
    groups: OutputGroups = OutputGroups()
    failures_leave: bool = False

    @property
    def in_types(self) -> tuple[ArrayType, ...]:
        return tuple(v.type for v in self.inputs)

    @property
    def out_types(self) -> tuple[ArrayType, ...]:
        return tuple(a.type for a in self.outputs)

    def lines(self) -> list[PrintedLine]:
        """The text by lines, each with the user's code that its equation came from."""
        return _Printer().program(self)

    def __str__(self) -> str:
        return "\n".join([line.text for line in self.lines()])

    # What an equation does may hold values of the trace, which have no text.
    __repr__ = __str__

    def __rich__(self) -> Any:
        """The text in colours, for terminals."""
        types = r"\b(?:bool|complex|[uif])\d*\[[\d,]*\]"
        return coloured(self, {types: "cyan", r"(?<== )\w+": "bold blue", r"\b(?:lambda|let|in)\b": "magenta"})

    def _repr_html_(self) -> str:
        return code(self)


class PrintedLine(NamedTuple):
    """A line of a Program's text, and the user's code that it came from."""

    text: str
    source: SourceLocation | None = None

    def indented(self) -> PrintedLine:
        """The line, four columns further in."""
        return self._replace(text="    " + self.text)


class _Printer:
    """Names Vars a, b, …, z, ba, … in order of definition, over all nested Programs."""

    def __init__(self) -> None:
        self.names: dict[Var, str] = {}

    def name(self, var: Var) -> str:
        if var not in self.names:
            n, letters = len(self.names), ""
            while True:
                letters = "abcdefghijklmnopqrstuvwxyz"[n % 26] + letters
                n //= 26
                if n == 0:
                    break
            self.names[var] = letters
        return self.names[var]

    def binder(self, var: Var) -> str:
        return f"{self.name(var)}:{var.type}"

    def atom(self, atom: Atom) -> str:
        if isinstance(atom, Var):
            return self.name(atom)
        value = atom.value
        text = str(value.item()) if value.ndim == 0 else "<array>"
        if value.ndim and value.size <= 8:
            text = str(value.tolist()).replace(" ", "")
        return f"{text}:{atom.type}"

    def program(self, program: Program) -> list[PrintedLine]:
        head = " ".join(map(self.binder, program.inputs))
        lines = [PrintedLine(f"{{ lambda {head} ; let" if head else "{ lambda ; let")]
        for equation in program.equations:
            lines += [line.indented() for line in self.equation(equation)]
        return [*lines, PrintedLine(f"  in ({self.outputs(program)}) }}")]

    def outputs(self, program: Program) -> str:
        (_, results), *others = program.groups.named([*map(self.atom, program.outputs)])
        if len(program.outputs) == len(results) == 1:
            return f"{results[0]},"
        return ", ".join(results) + "".join([f"; {name} {', '.join(atoms)}" for name, atoms in others if atoms])

    def equation(self, equation: Equation) -> list[PrintedLine]:
        inputs = "".join(" " + self.atom(a) for a in equation.inputs)
        params: list[PrintedLine] = []
        for key, value in equation.params.items():
            params += self.param(key, value)
        binders = " ".join(map(self.binder, equation.outputs))
        head = f"{binders} = {equation.op.name}" if binders else f"= {equation.op.name}"
        if not params:
            return [PrintedLine(head + inputs, equation.source)]
        texts = [line.text for line in params]
        if len(params) <= 4 and all("\n" not in p and not p.startswith(" ") for p in texts):
            return [PrintedLine(f"{head}[{' '.join(texts)}]{inputs}", equation.source)]
        lines = [PrintedLine(f"{head}["), *[line.indented() for line in params], PrintedLine("]" + inputs)]
        # What is in a sub-Program may have a place of its own.
        return [line if line.source else line._replace(source=equation.source) for line in lines]

    def param(self, key: str, value: Any) -> list[PrintedLine]:
        if isinstance(value, Program):
            value = (value,)
        if isinstance(value, tuple) and any(isinstance(v, Program) for v in value):
            lines = [PrintedLine(f" {key}=")]
            for sub in value:
                lines += [line.indented() for line in self.program(sub)]
            return lines
        return [PrintedLine(f"{key}={value}".replace(" ", ""))]
