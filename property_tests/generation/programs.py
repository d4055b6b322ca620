"""Whole programs: a function `f` of random arguments, and the strategy that writes them."""

from __future__ import annotations

import ast
import functools
import linecache
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from hypothesis import strategies as st

from property_tests.generation.arguments import arguments_text
from property_tests.generation.choices import Choices, Drawn, Seeded, one
from property_tests.generation.constructs import PRODUCTIONS
from property_tests.generation.kinds import (
    BOOL,
    COMPLEX,
    FLOAT,
    INT,
    Array,
    Dict,
    Element,
    Function,
    Generator,
    Growing,
    Kind,
    List,
    Record,
    Tuple,
)
from property_tests.generation.writer import Writer, indented, leaves

PARAMETERS: tuple[tuple[str, Kind], ...] = (
    ("a", Array("float64", (4,))),
    ("x", FLOAT),
    ("b", Array("int64", (5,))),
    ("c", Array("float64", (2, 3))),
    ("flag", BOOL),
    ("m", INT),
    ("g", Array("float32", (3,))),
    ("u", Array("uint8", (4,))),
    ("q", COMPLEX),
    ("r", Array("float64", (4,))),
)
RARE_PARAMETERS: tuple[tuple[str, Kind], ...] = (
    ("s", Array("float64", (3, 3))),
    ("w", Array("bool_", (4,))),
    ("h", Array("int32", (2, 3))),
    ("z", Array("complex128", (3,))),
    ("l", Array("float64", (0,))),
    ("o", Array("float64", ())),
    ("v", Element("float64")),
    ("j", Element("int64")),
)
# Those that a program has only along with what is made of them.
CONTAINERS: tuple[tuple[str, Kind, str], ...] = (
    ("values", List(INT, 3), "list"),
    ("rows", List(Array("float64", (2,)), 2), "containers of arrays"),
    ("pair", Tuple((INT, FLOAT)), "tuple"),
    ("table", Dict(("p", "q"), FLOAT), "dict"),
    ("queue", Growing(INT), "list of any length"),
    ("rng", Generator("np.random.default_rng"), "random numbers"),
    ("dice", Generator("np.random.RandomState"), "random numbers"),
)
SIZES = (3, 4, 6, 6, 8, 8, 12, 16, 28, 55)


@dataclass(frozen=True)
class GeneratedProgram:
    """A program and what it is called with.

    Attributes
    ----------
    text : str
        A module that defines `f`.
    argsets : tuple of str
        Tuples of arguments, as source text that the module's names are known to. They are of the same types.
    features : frozenset of str
        What it is made of.
    """

    text: str
    argsets: tuple[str, ...]
    features: frozenset[str] = frozenset()

    @cached_property
    def scope(self) -> dict[str, Any]:
        """The module's names; the source of its functions can be found."""
        name = f"generated_{zlib.crc32(self.text.encode()):08x}.py"
        linecache.cache[name] = (len(self.text), None, self.text.splitlines(keepends=True), name)
        scope: dict[str, Any] = {"__name__": "generated"}
        exec(compile(self.text, name, "exec", dont_inherit=True), scope)
        return scope

    @property
    def function(self) -> Callable[..., Any]:
        """The function `f`."""
        found: Callable[..., Any] = self.scope["f"]
        return found

    def driven(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, or where the program defines `drive`, what that does with it."""
        return functools.partial(self.scope["drive"], function) if "drive" in self.scope else function

    def arguments(self) -> list[tuple[Any, ...]]:
        """The sets of arguments, new ones each time."""
        return [eval(text, dict(self.scope)) for text in self.argsets]

    def __str__(self) -> str:
        calls = "".join(f"# f{argset}\n" for argset in self.argsets)
        return f"{self.text}\n{calls}"


def write_program(choices: Choices, chosen: frozenset[str] | None = None) -> GeneratedProgram:
    """Write a program.

    Parameters
    ----------
    choices : Choices
    chosen : frozenset of str, optional
        The features that it may have; a random subset by default, so that rare ones meet without the usual ones.
    """
    room = one(choices, SIZES)
    allowed, subject = _swarm(choices) if chosen is None else (chosen, "")
    parameters: dict[str, Kind] = {"n": INT}
    parameters |= dict(p for p in PARAMETERS if choices.below(100) >= 60)
    parameters |= dict(p for p in RARE_PARAMETERS if choices.below(100) >= 90)
    parameters |= {name: kind for name, kind, needs in CONTAINERS if needs in allowed and choices.below(100) >= 80}
    writer = Writer(PRODUCTIONS, choices, allowed, subject, dict(parameters), room)
    body = _body(writer, parameters)
    text = "\n".join(
        ["import numpy as np", *writer.prelude, f"def f({', '.join(parameters)}):", *indented([*writer.head, *body])],
    )
    argsets = tuple(arguments_text(choices, parameters, writer.having) for _ in range(2))
    return GeneratedProgram(ast.unparse(ast.parse(text)) + "\n", argsets, frozenset(writer.used))


def _body(writer: Writer, parameters: dict[str, Kind]) -> list[str]:
    """The statements of `f`. What it gives is told by kinds where it may return early, else it is all that there is."""
    early = "return" in writer.features
    results = tuple(parameters.values()) if early else None
    lines: list[str] = []
    with writer.at(results=results):
        while not lines or (writer.room > 0 and not leaves(lines) and writer.chance(92)):
            lines += writer.statement()
        if leaves(lines):
            return lines
        if results is not None:
            return [*lines, f"return {returned(writer, results)}"]
        return [*lines, f"return {', '.join(visible(writer))}"]


def visible(writer: Writer) -> list[str]:
    """The result of a program: the values of all names but functions, which a compiled function does not return.

    Of an object whose class is made in the function, and so is another one at each call, the attributes.
    """
    return [
        f"({', '.join(f'{name}.{field}' for field, _ in kind.fields)})"
        if isinstance(kind, Record) and kind.local
        else name
        for name, kind in writer.names.items()
        if not isinstance(kind, Function)
    ]


def returned(writer: Writer, results: tuple[Kind, ...]) -> str:
    """Return the expression of a `return`: a value for each kind."""
    return ", ".join(writer.atom(kind) for kind in results)


def _swarm(choices: Choices) -> tuple[frozenset[str], str]:
    """A random subset of the features (half, few or most of them), and what half of the programs have more of."""
    every = PRODUCTIONS.features()
    mask, other = choices.below(1 << len(every)), choices.below(1 << len(every))
    mask = one(choices, (mask, mask & other, mask | other))
    subjects = PRODUCTIONS.features_by_construct()
    subject = one(choices, ("",) * len(subjects) + tuple(subjects))
    some = {feature for bit, feature in enumerate(every) if mask >> bit & 1}
    if subject:
        # Most are about containers, and what they write may be of use to others.
        some |= subjects[subject] | {needs for _, _, needs in CONTAINERS if choices.below(100) >= 50}
    return frozenset(some), subject


@st.composite
def programs(draw: st.DrawFn, chosen: frozenset[str] | None = None) -> GeneratedProgram:
    """Programs, as `write_program`."""
    return write_program(Drawn(draw), chosen)


def program_of(seed: int) -> GeneratedProgram:
    """The program of a seed, the same each time."""
    return write_program(Seeded(seed))
