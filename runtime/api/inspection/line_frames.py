"""Lines with their times as nested bars: a line lies in the loops, branches and functions that it stands in."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterable, Iterator, Sequence

from anabranch.runtime.api.inspection.columns import Place
from anabranch.runtime.api.inspection.flame_graph import Frame

# A statement that others stand in: its line, and the last one of it.
_Block = tuple[int, int]
_COMPOUND = (
    ast.FunctionDef, ast.For, ast.While, ast.If, ast.With, ast.Try, ast.Match,
)  # fmt: skip


def line_frames(times: Iterable[tuple[Place, float]]) -> Iterator[Frame]:
    """The bars of lines, each with its seconds; those of one file follow one another."""
    by_file: dict[str, list[tuple[int, float]]] = {}
    for (file, line), seconds in times:
        by_file.setdefault(file, []).append((line, seconds))
    for file, lines in by_file.items():
        yield from _nested(file, sorted(lines), _blocks(file), 0)


def _blocks(file: str) -> list[_Block]:
    """The statements of a file that others stand in, those around before those within."""
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except SyntaxError:  # a notebook's cell with commands of its own
        return []
    found = [(node.lineno, node.end_lineno or node.lineno) for node in ast.walk(tree) if isinstance(node, _COMPOUND)]
    return sorted(found, key=lambda block: (block[0], -block[1]))


def _nested(file: str, lines: Sequence[tuple[int, float]], blocks: Sequence[_Block], depth: int) -> Iterator[Frame]:
    """The bars of lines that stand in the same statements, so many; one that others stand in has these within it."""
    rest = list(lines)
    while rest:
        line, seconds = rest[0]
        around = [block for block in blocks if block[0] <= line <= block[1]]
        if len(around) <= depth:
            yield Frame(_text(file, line), seconds)
            del rest[0]
            continue
        block = around[depth]
        within = [found for found in rest if found[0] <= block[1]]
        own = sum(seconds for line, seconds in within if line == block[0])
        inner = [found for found in within if found[0] != block[0]]
        children = tuple(_nested(file, inner, blocks, depth + 1))
        yield Frame(_text(file, block[0]), own + sum(child.seconds for child in children), children)
        del rest[: len(within)]


def _text(file: str, line: int) -> str:
    return f"{line}: {linecache.getline(file, line).strip()}"
