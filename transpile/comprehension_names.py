"""Names that a comprehension binds by `:=` for itself alone, as loops of the comprehension over one value.

`[y for v in a if (y := f(v)) > 0]` becomes `[y for v in a for y in (f(v),) if y > 0]` where nothing else in the
function knows `y`: a comprehension that binds no name of the function can be staged.
"""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from anabranch.base.frozen import frozen
from anabranch.transpile.names import Function, assigns
from anabranch.transpile.nodes import derive, descendants, name, parenthesised, replace_children

_Comprehension = cst.ListComp | cst.GeneratorExp


def with_own_names(function: Function, origin: dict[cst.CSTNode, cst.CSTNode]) -> Function:
    """The function with such loops; `origin` gets what the new nodes stand for."""
    found = {n: plan for n in descendants(function) if (plan := _plan(n)) is not None}
    total = _counts(function)
    inside: dict[str, int] = {}
    for node, plan in found.items():
        counts = _counts(node)
        for own in plan.names:
            inside[own] = inside.get(own, 0) + counts[own]
    chosen = {n for n, plan in found.items() if all(inside[own] == total[own] for own in plan.names)}

    def change(node: cst.CSTNode) -> cst.CSTNode:
        new = replace_children(node, change)
        if node in chosen:
            plan = _plan(new)
            assert plan is not None
            new = plan.made
        return derive(new, node, origin) if new is not node else node

    made = change(function) if chosen else function
    assert isinstance(made, (cst.FunctionDef, cst.Lambda))
    return made


@frozen
class _Plan:
    """A comprehension with loops for the names that it binds."""

    made: _Comprehension
    names: frozenset[str]


@frozen
class _Bound:
    """The name that an expression binds before anything else, the value, and the expression of the name."""

    own: str
    value: cst.BaseExpression
    rest: cst.BaseExpression


def _plan(node: cst.CSTNode) -> _Plan | None:
    if not isinstance(node, (cst.ListComp, cst.GeneratorExp)) or not assigns(node):
        return None
    clauses: list[tuple[cst.CompFor, list[cst.BaseExpression]]] = []
    loop: cst.CompFor | None = node.for_in
    while loop is not None:
        if loop.asynchronous is not None or assigns(loop.iter):
            return None
        clauses.append((loop, [part for c in loop.ifs for part in _parts(c.test)]))
        loop = loop.inner_for_in
    flat: list[tuple[cst.CompFor, list[cst.BaseExpression]]] = []
    bound: list[str] = []
    for loop, tests in clauses:
        flat.append((loop.with_changes(ifs=[], inner_for_in=None), []))
        for test in tests:
            if not _split(test, flat, bound):
                return None
    element = node.elt
    if assigns(element):
        ends: list[tuple[cst.CompFor, list[cst.BaseExpression]]] = [*flat]
        if not _split(element, ends, bound):
            return None
        element = ends[-1][1].pop()
        flat = ends
    made = node.with_changes(elt=element, for_in=_nested(flat))
    if len(set(bound)) < len(bound) or _reads_too_early(made, bound):
        return None
    return _Plan(made, frozenset(bound))


def _split(
    test: cst.BaseExpression, flat: list[tuple[cst.CompFor, list[cst.BaseExpression]]], bound: list[str]
) -> bool:
    """Add a condition to the loops, with loops for what it binds; False where it binds in the middle of something."""
    while assigns(test):
        found = _first_bound(test)
        if found is None or assigns(found.value):
            return False
        one = cst.Tuple([cst.Element(found.value, comma=cst.Comma())])
        flat.append((cst.CompFor(name(found.own), one), []))
        bound.append(found.own)
        test = found.rest
    flat[-1][1].append(test)
    return True


def _parts(test: cst.BaseExpression) -> list[cst.BaseExpression]:
    """The conditions that an `and` is of."""
    if isinstance(test, cst.BooleanOperation) and isinstance(test.operator, cst.And):
        return [*_parts(test.left), *_parts(test.right)]
    return [test]


def _first_bound(node: cst.BaseExpression) -> _Bound | None:
    """Return what an expression binds before it does anything else."""
    if isinstance(node, cst.NamedExpr):
        assert isinstance(node.target, cst.Name)
        return _Bound(node.target.value, parenthesised(node.value), name(node.target.value))
    if isinstance(node, cst.Call) and isinstance(node.func, cst.Name) and node.args and not node.args[0].star:
        found = _first_bound(node.args[0].value)
        if found is None or found.own == node.func.value:
            return None
        arguments = [node.args[0].with_changes(value=found.rest), *node.args[1:]]
        return _Bound(found.own, found.value, node.with_changes(args=arguments))
    field = next((f for kind, f in _FIRST.items() if isinstance(node, kind)), None)
    if field is None:
        return None
    found = _first_bound(getattr(node, field))
    return None if found is None else _Bound(found.own, found.value, node.with_changes(**{field: found.rest}))


# The parts of expressions that come first.
_FIRST: dict[type[cst.BaseExpression], str] = {
    cst.Comparison: "left", cst.BinaryOperation: "left", cst.UnaryOperation: "expression", cst.Attribute: "value",
    cst.Subscript: "value", cst.BooleanOperation: "left", cst.IfExp: "test",
}  # fmt: skip


def _nested(flat: Sequence[tuple[cst.CompFor, list[cst.BaseExpression]]]) -> cst.CompFor:
    made: cst.CompFor | None = None
    for loop, tests in reversed(flat):
        made = loop.with_changes(ifs=[cst.CompIf(test) for test in tests], inner_for_in=made)
    assert made is not None
    return made


def _reads_too_early(made: _Comprehension, bound: Sequence[str]) -> bool:
    """Return whether a name is read before its loop, or in what it is bound to: there it has the value from before."""
    unbound = set(bound)
    loop: cst.CompFor | None = made.for_in
    while loop is not None:
        if unbound & _counts(loop.iter).keys():
            return True
        unbound -= _counts(loop.target).keys()
        if any(unbound & _counts(c.test).keys() for c in loop.ifs):
            return True
        loop = loop.inner_for_in
    return False


def _counts(node: cst.CSTNode) -> dict[str, int]:
    """How often each name stands in code."""
    found: dict[str, int] = {}
    for part in descendants(node):
        if isinstance(part, cst.Name):
            found[part.value] = found.get(part.value, 0) + 1
    return found
