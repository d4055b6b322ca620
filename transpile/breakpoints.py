"""Names for a debugger: a block that stops at a breakpoint shows those of the whole function that it is a part of.

A branch or a loop body is a function of its own, whose frame has the names that it uses alone. Another one that it
reads in code that never runs is a free variable of it, which frames show, too, whatever the debugger.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

_Function = ast.FunctionDef | ast.AsyncFunctionDef
BREAKPOINTS = ("breakpoint", "set_trace")
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


def reveal(tree: ast.Module, taken: frozenset[str]) -> None:
    """Have each generated function that stops at a breakpoint read the names of the user's function around it.

    Parameters
    ----------
    tree : Module
        The factory function of a rewritten function; it is changed.
    taken : frozenset of str
        The names in the user's source. Functions of other names are generated.
    """
    shown = taken - _of_factory(tree)
    for node in ast.walk(tree):
        if isinstance(node, _Function) and node.name in taken:
            parts = list(_parts(node, taken))
            stopping = [part for part in parts if _stops(part)]
            if stopping:
                names = sorted({name for part in (node, *parts) for name in _names(part)} & shown)
                for part in stopping:
                    part.body.append(_unread(names, part.body[-1]))


def _of_factory(tree: ast.Module) -> set[str]:
    """The user's names for modules and functions that the factory binds to their staged forms."""
    statements = [s for factory in tree.body if isinstance(factory, ast.FunctionDef) for s in factory.body]
    targets = [target for s in statements if isinstance(s, ast.Assign) for target in s.targets]
    return {target.id for target in targets if isinstance(target, ast.Name)}


def _own(function: _Function) -> Iterator[ast.AST]:
    """The nodes of a function without those of functions, lambdas and classes in it, but with these themselves."""
    left: list[ast.AST] = list(ast.iter_child_nodes(function))
    while left:
        node = left.pop()
        yield node
        if not isinstance(node, _SCOPES):
            left.extend(ast.iter_child_nodes(node))


def _parts(function: _Function, taken: frozenset[str]) -> Iterator[_Function]:
    """The generated functions in a function, in each other, too."""
    for node in _own(function):
        if isinstance(node, _Function) and node.name not in taken:
            yield node
            yield from _parts(node, taken)


def _stops(function: _Function) -> bool:
    calls = (node for node in _own(function) if isinstance(node, ast.Call))
    return any(_is_breakpoint(part) for call in calls for part in (call.func, *call.args))


def _is_breakpoint(called: ast.expr) -> bool:
    """Return whether an expression is `breakpoint` or a debugger's `set_trace`, called as it is or through `ab`."""
    return (isinstance(called, ast.Name) and called.id in BREAKPOINTS) or (
        isinstance(called, ast.Attribute) and called.attr == "set_trace"
    )


def _names(function: _Function) -> Iterator[str]:
    for node in _own(function):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg


def _unread(names: list[str], after: ast.stmt) -> ast.stmt:
    """A statement that reads the names, and never runs."""
    body: list[ast.stmt] = [ast.Expr(ast.Name(name, ast.Load())) for name in names]
    return ast.fix_missing_locations(ast.copy_location(ast.If(ast.Constant(False), body, []), after))
