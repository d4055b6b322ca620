"""The user's functions that a Program came from, and their rewritten forms."""

from __future__ import annotations

import ast
import functools
import linecache
import os
import types
from collections.abc import Collection, Iterator, Sequence

from anabranch import transpile
from anabranch.runtime.api.inspection.columns import Column, InspectedLine
from anabranch.runtime.ir.program import Program


class UserCode:
    """The code of a function as the user wrote it, or as it was rewritten."""

    def __init__(self, code: types.CodeType) -> None:
        self.rewritten = transpile.rewritten_with(code)  # its rewritten form; None where it was left as it is
        self.file = code.co_filename
        self.first_line = self.rewritten.first_line if self.rewritten is not None else code.co_firstlineno

    def span(self) -> range:
        """The lines of the function in its file."""
        found = [(end - start, start, end) for start, end in _functions(self.file) if start <= self.first_line <= end]
        _, start, end = min(found, default=(0, self.first_line, self.first_line))
        return range(start, end + 1)


@functools.lru_cache(maxsize=8)
def _spans(text: str) -> tuple[tuple[int, int], ...]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return ()
    return tuple(
        (min([node.lineno, *[d.lineno for d in getattr(node, "decorator_list", ())]]), node.end_lineno or node.lineno)
        for node in ast.walk(tree)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
    )


def _functions(file: str) -> tuple[tuple[int, int], ...]:
    """First and last lines of all functions in a file."""
    return _spans("".join(linecache.getlines(file)))


def user_codes(code: types.CodeType, program: Program, callers: Collection[types.CodeType] = ()) -> list[UserCode]:
    """The function with this code, and those of whose lines there are equations, each once.

    What is computed before and after the function has the place of one of its callers, which are no part of it.
    """
    found: dict[tuple[str, range], UserCode] = {}
    others = (one for one in _codes(program) if one not in callers)
    for one in map(UserCode, dict.fromkeys([code, *others])):
        known = found.setdefault((one.file, one.span()), one)
        known.rewritten = known.rewritten or one.rewritten
    return list(found.values())


def _codes(program: Program) -> Iterator[types.CodeType]:
    for equation in program.equations:
        if equation.source is not None:
            yield equation.source.code
        for inner in equation.programs():
            yield from _codes(inner)


def source_column(codes: Sequence[UserCode]) -> Column:
    """The functions as the user wrote them."""
    lines: list[InspectedLine] = []
    for one in codes:
        if lines:
            lines.append(InspectedLine(""))
        for number in one.span():
            text = linecache.getline(one.file, number).rstrip("\n")
            lines.append(InspectedLine(text, (one.file, number), number))
    files = ", ".join(dict.fromkeys(os.path.basename(one.file) for one in codes))
    return Column("source", "source", files, tuple(lines))


def rewritten_column(codes: Sequence[UserCode]) -> Column:
    """The functions as they are traced."""
    lines: list[InspectedLine] = []
    for one in codes:
        if lines:
            lines.append(InspectedLine(""))
        if one.rewritten is None:
            lines += [InspectedLine("# left as it is"), *_as_it_is(one)]
            continue
        users: dict[int, int] = {}
        for own, user in one.rewritten.line_pairs():
            users.setdefault(own, user)
        for number, text in enumerate(one.rewritten.source.rstrip().splitlines(), 1):
            place = (one.file, users[number]) if number in users else None
            lines.append(InspectedLine(text, place, number))
    return Column("rewritten", "rewritten", "what is traced", tuple(lines))


def _as_it_is(code: UserCode) -> Iterator[InspectedLine]:
    for number in code.span():
        yield InspectedLine(linecache.getline(code.file, number).rstrip("\n"), (code.file, number), number)
