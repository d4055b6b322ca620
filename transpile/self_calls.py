"""The calls with which a function ends that are, by their name, calls of itself."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from anabranch.transpile.names import Function, FunctionNames


def tail_calls(function: Function, scope: FunctionNames) -> frozenset[cst.CSTNode]:
    """The calls `return f(x)`, or in the arms of `return f(x) if c else g(x)`, in a function `f`.

    Those in loops, and in `with` and `try` statements, are none: something follows them.
    """
    if not isinstance(function, cst.FunctionDef) or function.name.value in scope.locals:
        return frozenset()
    found = _of_block(function.body)
    return frozenset(call for call in found if _name(call.func) == function.name.value)


def _of_block(block: cst.BaseSuite | cst.If | cst.Else | None) -> Iterator[cst.Call]:
    if isinstance(block, cst.If):
        yield from _of_block(block.body)
        yield from _of_block(block.orelse)
    elif isinstance(block, cst.Else):
        yield from _of_block(block.body)
    elif isinstance(block, cst.SimpleStatementSuite):
        for small in block.body:
            yield from _of_return(small)
    elif isinstance(block, cst.IndentedBlock):
        for statement in block.body:
            if isinstance(statement, cst.If):
                yield from _of_block(statement)
            elif isinstance(statement, cst.SimpleStatementLine):
                for small in statement.body:
                    yield from _of_return(small)


def _of_return(statement: cst.BaseSmallStatement) -> Iterator[cst.Call]:
    pending = [statement.value] if isinstance(statement, cst.Return) else []
    while pending:
        value = pending.pop()
        if isinstance(value, cst.Call):
            yield value
        elif isinstance(value, cst.IfExp):
            pending += [value.body, value.orelse]


def _name(function: cst.BaseExpression) -> str:
    if isinstance(function, cst.Attribute):
        return function.attr.value
    return function.value if isinstance(function, cst.Name) else ""
