"""Expressions moved to helpers."""

from __future__ import annotations

import ast
import builtins

from property_tests.generation.choices import Choices
from property_tests.generation.programs import GeneratedProgram
from property_tests.transformations.renaming import ASKING
from property_tests.transformations.scopes import bound_in, shared_in, surely_bound
from property_tests.transformations.variants import (
    Variant,
    blocks_in_scope,
    fresh,
    function_of,
    parsed,
    some,
    unparsed,
)

STAYING = (ast.NamedExpr, ast.Lambda, ast.Yield, ast.YieldFrom, ast.Await, ast.GeneratorExp, ast.Starred)


def outline_expressions(program: GeneratedProgram, choices: Choices) -> Variant | None:
    """`y = expression` becomes `y = helper(a, b)`, a function of the module that is given the names it needs.

    Applies to values that are assigned to one target in `f`, where their names are surely set. What is assigned in
    them, or evaluated later, stays; so do calls of what `f` defines, and all of a function that shares names with those
    in it.
    """
    tree = parsed(program)
    function = function_of(tree)
    own, known = set(bound_in(function)), surely_bound(function)
    if shared_in(function) or ASKING & {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}:
        return None
    sites = [s for b in blocks_in_scope(function) for s in b if _moves(s, own, known[id(s)])]
    if not sites:
        return None
    stem = fresh(tree, "helper")
    for n, statement in enumerate(some(choices, sites)):
        assert isinstance(statement, (ast.Assign, ast.AugAssign))
        names = sorted(_names(statement.value) & own)
        helper = ast.parse(f"def {stem}{n}({', '.join(names)}):\n    return {ast.unparse(statement.value)}").body[0]
        statement.value = ast.parse(f"{stem}{n}({', '.join(names)})", mode="eval").body
        tree.body.insert(tree.body.index(function), helper)
    return Variant(unparsed(tree))


def _moves(statement: ast.stmt, own: set[str], bound: frozenset[str]) -> bool:
    """Return whether the value of a statement can be computed in a function of its own."""
    if not isinstance(statement, (ast.Assign, ast.AugAssign)) or isinstance(statement.value, ast.Constant):
        return False
    if isinstance(statement, ast.AugAssign) and not isinstance(statement.target, ast.Name):
        return False
    value = statement.value
    if any(isinstance(n, STAYING) for n in ast.walk(value)) or set(bound_in(value)) & own:
        return False
    called = {n.func.id for n in ast.walk(value) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
    return not (called & own) and called <= set(dir(builtins)) and _names(value) & own <= bound


def _names(value: ast.expr) -> set[str]:
    return {n.id for n in ast.walk(value) if isinstance(n, ast.Name)}
