"""Which names a program binds, and which of them are surely set where a statement stands."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from property_tests.transformations.variants import Function, blocks_of, parameters_of

LEAVING = (ast.Return, ast.Raise, ast.Break, ast.Continue)


def bound_in(tree: ast.AST) -> Iterator[str]:
    """All names that are bound as variables somewhere in a tree, as often as they are."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(name, ast.Store() | ast.Del()) | ast.arg(name):
                yield name
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                yield name
            case ast.MatchMapping(rest=str(name)):
                yield name
            case ast.alias(name, other):
                yield other or name.partition(".")[0]


def unset_in(tree: ast.AST) -> set[str]:
    """The names that are unset somewhere: by `del`, or at the end of an `except … as`."""
    deleted = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Del)}
    return deleted | {n.name for n in ast.walk(tree) if isinstance(n, ast.ExceptHandler) and n.name}


def shared_in(function: Function) -> set[str]:
    """The names that are declared `nonlocal` or `global` in a function or in one inside of it."""
    return {name for n in ast.walk(function) if isinstance(n, (ast.Nonlocal, ast.Global)) for name in n.names}


def surely_bound(function: Function) -> dict[int, frozenset[str]]:
    """The names that are set before each statement of a function, by the statement's id, on whatever way it is reached.

    Too few rather than too many.
    """
    found: dict[int, frozenset[str]] = {}
    unset = unset_in(function) | shared_in(function)
    _walk(function.body, frozenset(p.arg for p in parameters_of(function)) - unset, unset, found)
    return found


def _walk(
    block: Sequence[ast.stmt], bound: frozenset[str], unset: set[str], found: dict[int, frozenset[str]]
) -> frozenset[str] | None:
    """Return the names that are set after a block; None where its end is not reached."""
    left = False
    for statement in block:
        found[id(statement)] = bound
        inside = bound | _targets(statement.target) - unset if isinstance(statement, ast.For) else bound
        definition = isinstance(statement, (ast.FunctionDef, ast.ClassDef))
        ends = [] if definition else [_walk(inner, inside, unset, found) for inner in blocks_of(statement)]
        if isinstance(statement, ast.If) and statement.orelse:
            there = [end for end in ends if end is not None]
            left = left or not there
            bound = frozenset.intersection(*there) if there else bound
        left = left or isinstance(statement, LEAVING)
        bound |= _set_by(statement) - unset
    return None if left else bound


def _set_by(statement: ast.stmt) -> set[str]:
    match statement:
        case ast.Assign(targets=targets):
            return {name for target in targets for name in _targets(target)}
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            return {name}
        case ast.AnnAssign(target=target, value=ast.expr()) | ast.AugAssign(target=target):
            return _targets(target)
    return set()


def _targets(target: ast.expr) -> set[str]:
    return {n.id for n in ast.walk(target) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
