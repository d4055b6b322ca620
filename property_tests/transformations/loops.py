"""Loops written in another way."""

from __future__ import annotations

import ast

from property_tests.generation.choices import Choices
from property_tests.generation.programs import GeneratedProgram
from property_tests.transformations.scopes import bound_in
from property_tests.transformations.variants import (
    Variant,
    blocks_in_scope,
    fresh,
    functions_in,
    parsed,
    some,
    unparsed,
)


def for_to_while(program: GeneratedProgram, choices: Choices) -> Variant | None:
    """`for i in range(first, end, step): …` becomes a `while` with a counter of its own.

    The bounds are computed before the loop, in order. A step sets `i` and counts first, so that what the body does to
    `i` changes nothing, `continue` goes on, and `i` holds the last number behind the loop, or what it held before if
    there was none. `else` and `break` stay. Applies to loops over `range` and `reversed(range(…))`, in any function
    but generators, whose yields must be known where they are asked for one by one; with a step that is a number other
    than 0; `reversed` with no step.
    """
    tree = parsed(program)
    if {"range", "reversed"} & set(bound_in(tree)):
        return None
    sites = [
        (block, s)
        for function in functions_in(tree)
        if not any(isinstance(n, (ast.Yield, ast.YieldFrom)) for n in ast.walk(function))
        for block in blocks_in_scope(function)
        for s in block
        if isinstance(s, ast.For) and _Range.of(s.iter) is not None
    ]
    if not sites:
        return None
    stem = fresh(tree, "counted")
    for n, (block, loop) in enumerate(some(choices, sites)):
        at = block.index(loop)
        block[at : at + 1] = _as_while(loop, f"{stem}{n}")
    return Variant(unparsed(tree))


class _Range:
    """The bounds of a range: texts of the first number, and of where it ends, and the step."""

    def __init__(self, first: str, end: str, step: int, turned: bool = False) -> None:
        self.first, self.end, self.step, self.turned = first, end, step, turned

    @staticmethod
    def of(node: ast.expr) -> _Range | None:
        """The bounds, where an expression is such a range."""
        match node:
            case ast.Call(ast.Name("reversed"), [inner], []):
                found = _Range.of(inner)
                if found is None or found.step != 1 or found.turned:
                    return None
                return _Range(found.first, found.end, -1, turned=True)
            case ast.Call(ast.Name("range"), [end], []) if not isinstance(end, ast.Starred):
                return _Range("0", ast.unparse(end), 1)
            case ast.Call(ast.Name("range"), [first, end], []):
                return _Range(ast.unparse(first), ast.unparse(end), 1)
            case ast.Call(ast.Name("range"), [first, end, step], []):
                by = _number(step)
                return _Range(ast.unparse(first), ast.unparse(end), by) if by else None
        return None


def _number(node: ast.expr) -> int | None:
    match node:
        case ast.Constant(int(value)):
            return value
        case ast.UnaryOp(ast.USub(), ast.Constant(int(value))):
            return -value
    return None


def _as_while(loop: ast.For, counter: str) -> list[ast.stmt]:
    bounds = _Range.of(loop.iter)
    assert bounds is not None
    end = f"{counter}_end"
    lines = [f"{counter} = int({bounds.first})", f"{end} = int({bounds.end})"]
    if bounds.turned:
        lines.append(f"{counter}, {end} = {end} - 1, {counter} - 1")
    lines += [
        f"while {counter} {'<' if bounds.step > 0 else '>'} {end}:",
        f"    {ast.unparse(loop.target)} = {counter}",
        f"    {counter} += {bounds.step}",
    ]
    made = ast.parse("\n".join(lines)).body
    staged = made[-1]
    assert isinstance(staged, ast.While)
    staged.body += loop.body
    staged.orelse = loop.orelse
    return made
