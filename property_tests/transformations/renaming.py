"""Other names for local variables."""

from __future__ import annotations

import ast
import builtins

from property_tests.generation.choices import Choices
from property_tests.generation.programs import GeneratedProgram
from property_tests.transformations.scopes import bound_in
from property_tests.transformations.variants import Variant, fresh, parsed, some, unparsed

# What asks for names at run time.
ASKING = {"locals", "globals", "vars", "eval", "exec", "dir"}


def rename_locals(program: GeneratedProgram, choices: Choices) -> Variant | None:
    """Local names and parameters get others, in another alphabetical order.

    A name is replaced wherever it stands for a variable, in all functions of the module at once, so that closures,
    `nonlocal` and comprehensions stay with what they mean. Left alone is what is seen from outside: names of the
    module, of attributes (whatever a class body binds), of functions and classes, of imports, and those of keyword
    arguments. Applies where nothing asks for names at run time.
    """
    tree = parsed(program)
    if ASKING & {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}:
        return None
    names = sorted(set(bound_in(tree)) - _seen_from_outside(tree))
    if not names:
        return None
    stem = fresh(tree, "v")
    chosen = some(choices, names)
    new = {name: f"{stem}{len(names) - i}_" for i, name in enumerate(names) if name in chosen}
    renamed(tree, new)
    return Variant(unparsed(tree), names={to: name for name, to in new.items()})


def _seen_from_outside(tree: ast.Module) -> set[str]:
    found = set(dir(builtins)) | {name for name in bound_in(tree) if name.startswith("__")}
    for node in ast.walk(tree):
        match node:
            case ast.Module(body=body) | ast.ClassDef(body=body):
                found |= {name for statement in body for name in _own_names(statement)}
            case ast.FunctionDef(name=name):
                found.add(name)
            case ast.Global(names):
                found |= set(names)
            case ast.keyword(arg=str(name)):
                found.add(name)
            case ast.alias(name, other):
                found.add(other or name.partition(".")[0])
    return found


def _own_names(statement: ast.stmt) -> set[str]:
    """Return the names that a statement of a module or a class binds there."""
    if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
        return {statement.name}
    return set(bound_in(statement))


def renamed(tree: ast.AST, new: dict[str, str]) -> None:
    """Replace names of variables in a tree, in place."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.Nonlocal, ast.Global)):
            node.names = [new.get(name, name) for name in node.names]
        elif not isinstance(node, (ast.keyword, ast.alias)):
            for place in ("id", "arg", "name", "rest"):
                value = getattr(node, place, None)
                if isinstance(value, str):
                    setattr(node, place, new.get(value, value))
