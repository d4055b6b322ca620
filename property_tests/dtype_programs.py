"""Random programs whose branches and loops bind names, items and attributes to values of several dtypes."""

from __future__ import annotations

import random
import textwrap
from collections.abc import Iterator
from typing import Any

import numpy as np

HEAD = "def f(x, w, n, p):\n"
START = """\
y, z = {arrays}
s, u = {numbers}
r = [{items}]
d = {{'k': {value}}}
b = Box({attribute})
"""
RESULT = "return y, z, s, u, r, d, b.v, y.dtype.name"
DTYPES = ("f4", "f4", "f8", "i4", "i8", "i2", "?", "c8")
DEEPEST = 3

# A statement: its head, and blocks of statements with the heads of those after the first; a line has none.
Statement = tuple[str, tuple[tuple[str, list[Any]], ...]]


class Box:
    """An object with an attribute."""

    def __init__(self, v: Any) -> None:
        self.v = v


class Writer:
    """Writes programs on two arrays `x` and `w` of three numbers each, an int `n` and a float `p`."""

    def __init__(self, choice: random.Random) -> None:
        self.random = choice
        self.loops = 0

    def program(self) -> tuple[str, list[Statement]]:
        """How the names start, and the statements."""
        start = START.format(
            arrays=f"{self.fresh()}, {self.fresh()}",
            numbers=f"{self.constant()}, {self.constant()}",
            items=f"{self.fresh()}, {self.constant()}, {self.constant()}",
            value=self.random.choice((self.fresh(), self.constant())),
            attribute=self.random.choice((self.fresh(), self.constant())),
        )
        return start, self.block(0, self.random.randint(2, 4))

    def block(self, depth: int, most: int = 2) -> list[Statement]:
        return [self.statement(depth) for _ in range(self.random.randint(1, most))]

    def statement(self, depth: int) -> Statement:
        kinds = ["line"] * 5 + (["if", "if", "if else", "for", "while", "try", "leave"] if depth < DEEPEST else [])
        kind = self.random.choice(kinds)
        inner = depth + 1
        match kind:
            case "if":
                return f"if {self.condition()}:", (("", self.block(inner)),)
            case "if else":
                return f"if {self.condition()}:", (("", self.block(inner)), ("else:", self.block(inner)))
            case "for":
                self.loops += 1
                steps = self.random.choice(("n", "3", "n + 1", "1", "2"))
                return f"for i{self.loops} in range({steps}):", (("", self.block(inner)),)
            case "while":
                self.loops += 1
                name = f"k{self.loops}"
                step: Statement = (f"{name} += 1", ())
                return f"{name} = 0\nwhile {name} < {self.random.choice(('n', 'n + 1', '2'))}:", (
                    ("", [step, *self.block(inner)]),
                )
            case "try":
                return "try:", (
                    (
                        "",
                        [*self.block(inner, 1), (f"s = x[n + {self.random.randint(0, 2)}]", ()), *self.block(inner, 1)],
                    ),
                    ("except IndexError:", self.block(inner)),
                )
            case "leave":
                return f"if {self.condition()}:", (("", [(RESULT if depth else f"return {self.array()}", ())]),)
        return self.line(), ()

    def line(self) -> str:
        return self.random.choice((
            f"{self.random.choice('yz')} = {self.array()}",
            f"{self.random.choice('yz')} = {self.array()}",
            f"{self.random.choice('su')} = {self.number()}",
            f"{self.random.choice('su')} = {self.number()}",
            f"r[{self.random.choice(('0', '1', '2'))}] = {self.value()}",
            f"r[1 + (n > 1)] = {self.number()}",
            f"d['k'] = {self.value()}",
            f"b.v = {self.value()}",
            "y, z = z, y",
            "s, u = u, s",
            f"{self.random.choice('su')} += {self.number()}",
            f"{self.random.choice('yz')}[{self.random.choice(('0', '1:'))}] = {self.number()}",
        ))  # fmt: skip

    def condition(self) -> str:
        return self.random.choice(
            ("n > 0", "n > 1", "n == 0", "p > 0.5", "x[0] > 1", "p > 0.5 and n > 0", "n > 0 or p > 2")
        )

    def fresh(self) -> str:
        dtype = self.random.choice(("np.float32", "np.int16", "np.bool_", "np.complex64", "np.int64"))
        return self.random.choice(("np.zeros(3)", f"np.ones(3, {dtype})", f"np.zeros(3, {dtype})", "np.arange(3)"))

    def constant(self) -> str:
        return self.random.choice(("0", "1", "0.5", "True", "np.float32(0.1)", "np.int64(2)", "np.float64(0.1)"))

    def array(self) -> str:
        name = self.random.choice(("x", "w", "y", "z", "x", "y"))
        number = self.random.choice(("2", "0.1", "s", "u", "np.float32(3)", "n", "p"))
        either = f"({name} if {self.condition()} else {self.fresh()})"
        return self.random.choice((
            name, f"{name} * {number}", f"{name} + {number}", f"{name} + {self.random.choice('xyzw')}",
            f"{name}.astype(np.float32)", f"np.where({self.condition()}, {name}, {self.random.choice('xyz')})",
            f"np.maximum({name}, {number})", f"{name} == {number}", either,
            self.fresh(), f"{name}.copy()", f"np.sqrt({name})",
        ))  # fmt: skip

    def number(self) -> str:
        name = self.random.choice("su")
        return self.random.choice((
            self.constant(), f"{name} + 1", f"{name} * 0.5", f"{self.random.choice('xyzw')}[0]", "n", "p", f"{name}",
            f"{self.random.choice('xyz')}.sum()", f"({name} if {self.condition()} else {self.constant()})",
            f"(n and {name})", f"(p or {self.constant()})", "s + u", "s * u", f"{name} / 2",
        ))  # fmt: skip

    def value(self) -> str:
        return self.random.choice((self.array, self.number))()


def lines_of(block: list[Statement]) -> Iterator[str]:
    """The text of a block."""
    for head, blocks in block:
        yield head
        for other, inner in blocks:
            if other:
                yield other
            yield textwrap.indent("\n".join(lines_of(inner)) or "pass", "    ")


def text_of(start: str, block: list[Statement]) -> str:
    """The text of the function."""
    return HEAD + textwrap.indent(start + "\n".join([*lines_of(block), RESULT]), "    ") + "\n"


def smaller(block: list[Statement]) -> Iterator[list[Statement]]:
    """The block with one statement less, or with one in place of what is around it."""
    for k, (head, blocks) in enumerate(block):
        yield block[:k] + block[k + 1 :]
        for j, (other, inner) in enumerate(blocks):
            yield block[:k] + inner + block[k + 1 :]
            for less in smaller(inner):
                changed = (*blocks[:j], (other, less), *blocks[j + 1 :])
                yield [*block[:k], (head, changed), *block[k + 1 :]]


def arguments(choice: random.Random) -> list[tuple[Any, ...]]:
    """Argument sets of the same types."""
    kinds = [np.dtype(choice.choice(DTYPES)) for _ in range(2)]
    base = np.array([1, 0, 2]), np.array([3, 1, 1])
    parts = [(b * 1.25 if k.kind in "fc" else b).astype(k) for b, k in zip(base, kinds, strict=True)]
    return [(*parts, n, p) for n, p in ((0, 0.25), (1, 0.75), (3, 0.25), (2, 2.5))]
