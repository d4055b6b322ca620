"""The statements of the user's that stand at a line: which loops are around it, and which names it assigns."""

from __future__ import annotations

import ast
import functools
import linecache
from collections.abc import Iterator

from anabranch.runtime.api.inspection.columns import Place

_LOOPS = (ast.For, ast.While)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@functools.lru_cache(maxsize=8)
def _nodes(text: str) -> tuple[ast.AST, ...]:
    try:
        return tuple(ast.walk(ast.parse(text)))
    except (SyntaxError, ValueError, RecursionError):  # a notebook's cell with commands of its own
        return ()


def _of(file: str) -> tuple[ast.AST, ...]:
    return _nodes("".join(linecache.getlines(file)))


def loop_at(place: Place) -> str:
    """The loop that begins at a line: "for", "while", "comprehension"; empty where there is none."""
    for node in _of(place[0]):
        if isinstance(node, _LOOPS) and node.lineno == place[1]:
            return "for" if isinstance(node, ast.For) else "while"
        if isinstance(node, _COMPREHENSIONS) and node.lineno == place[1]:
            return "comprehension"
    return ""


def loops_around(place: Place) -> list[Place]:
    """The lines of the loops in whose bodies a line stands, the outermost first."""
    file, line = place
    found = [
        node.lineno
        for node in _of(file)
        if isinstance(node, _LOOPS) and node.body[0].lineno <= line <= (node.body[-1].end_lineno or node.lineno)
    ]
    return [(file, number) for number in sorted(found)]


def assigned_at(place: Place) -> list[str]:
    """The names that the statement at a line assigns, or whose items or parts it assigns."""
    for node in _of(place[0]):
        if isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign)) and _is_at(node, place[1]):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            return list(dict.fromkeys(name for target in targets for name in _names(target)))
    return []


def _is_at(node: ast.stmt, line: int) -> bool:
    return node.lineno <= line <= (node.end_lineno or node.lineno)


def _names(target: ast.expr) -> Iterator[str]:
    match target:
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            for part in parts:
                yield from _names(part)
        case ast.Starred(value=value) | ast.Subscript(value=value):
            yield from _names(value)
        case ast.Name() | ast.Attribute():
            yield ast.unparse(target)


def writes_at(place: Place) -> bool:
    """Return whether the statement at a line writes to items or parts of something."""
    for node in _of(place[0]):
        if isinstance(node, (ast.Assign, ast.AugAssign)) and _is_at(node, place[1]):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            return isinstance(node, ast.AugAssign) or any(isinstance(t, ast.Subscript) for t in targets)
    return False


def handed_on_in(loop: Place) -> tuple[Place, list[str]] | None:
    """The first statement in a loop that gives names what others are, as `u, v = v, u` does, and those names."""
    for node in _of(loop[0]):
        if isinstance(node, _LOOPS) and node.lineno == loop[1]:
            for inner in ast.walk(node):
                names = list(dict.fromkeys(_handed_on(inner))) if isinstance(inner, ast.Assign) else []
                if names:
                    return (loop[0], inner.lineno), names  # type: ignore[attr-defined]
    return None


def _handed_on(node: ast.Assign) -> Iterator[str]:
    for target in node.targets:
        for to, value in zip(_items(target), _items(node.value), strict=False):
            if isinstance(to, ast.Name) and isinstance(value, ast.Name) and to.id != value.id:
                yield to.id


def _items(node: ast.expr) -> list[ast.expr]:
    return node.elts if isinstance(node, (ast.Tuple, ast.List)) else [node]


def asks_for_copies(loop: Place) -> bool:
    """Return whether a loop itself calls `copy`."""
    return any(
        isinstance(inner, ast.Call) and isinstance(inner.func, ast.Attribute) and inner.func.attr == "copy"
        for node in _of(loop[0])
        if isinstance(node, _LOOPS) and node.lineno == loop[1]
        for inner in ast.walk(node)
    )
