"""Assignments, imports and declarations: kept, with their expressions rewritten."""

from __future__ import annotations

from typing import Any

import libcst as cst

from anabranch.transpile.bindings import imported_names
from anabranch.transpile.lowering import Here, Lowering
from anabranch.transpile.nodes import are_same, call, name
from anabranch.transpile.passes.base import Example, SmallPass
from anabranch.transpile.reader import Reader


class Assign(SmallPass[cst.Assign]):
    """An assignment stays; its value and the parts of its targets are rewritten."""

    handles = (cst.Assign,)
    examples = (
        Example(
            "def f(a, i, x):\n    a[i if x else 0], b = x, not x\n    return b\n",
            "def f(a, i, x):\n    a[ab.ifexp(x, lambda: i, lambda: 0)], b = x, ab.not_(x)\n    return b\n",
        ),
        Example(
            "def f(items):\n    first, *rest, last = items\n    return rest\n",
            "def f(items):\n    first, rest, last = ab.starred(items, 1, 1)\n    return rest\n",
        ),
    )

    def lower(self, work: Lowering, node: cst.Assign, here: Here) -> list[cst.BaseSmallStatement]:
        reader = Reader(work, work.flow.entry(node), here.place)
        value = reader.bare(node.value)
        targets = [work.target(reader, target.target) for target in node.targets]
        if len(targets) == 1 and (place := _starred(targets[0])) is not None and not isinstance(value, cst.Tuple):
            # Python itself would make a list of a known number of items.
            counts = (place, len(targets[0].elements) - 1 - place)  # type: ignore[attr-defined]
            value = reader.staged("starred", value, *(cst.Integer(str(count)) for count in counts))
            targets = [_without_star(targets[0])]
        if value is node.value and are_same(targets, [target.target for target in node.targets]):
            return [node]
        changed = [o.with_changes(target=n) for n, o in zip(targets, node.targets, strict=True)]
        return [node.with_changes(value=value, targets=changed)]


def _starred(target: cst.BaseExpression) -> int | None:
    """The place of the starred element of a target; None where there is none."""
    elements = target.elements if isinstance(target, (cst.Tuple, cst.List)) else ()
    return next((k for k, element in enumerate(elements) if isinstance(element, cst.StarredElement)), None)


def _without_star(target: Any) -> cst.BaseAssignTargetExpression:
    """The target, of which the starred element gets what it stands for."""
    elements = [cst.Element(element.value, comma=element.comma) for element in target.elements]
    made: cst.BaseAssignTargetExpression = target.with_changes(elements=elements)
    return made


class Annotated(SmallPass[cst.AnnAssign]):
    """An annotated assignment stays, a nonlocal without its annotation; its value is rewritten."""

    handles = (cst.AnnAssign,)

    def lower(self, work: Lowering, node: cst.AnnAssign, here: Here) -> list[cst.BaseSmallStatement]:
        reader = Reader(work, work.flow.entry(node), here.place)
        target = work.target(reader, node.target)
        value = node.value if node.value is None else reader.rewrite(node.value)
        if isinstance(node.target, cst.Name) and node.target.value in here.place.shared:
            return [cst.Pass() if value is None else cst.Assign([cst.AssignTarget(target)], value)]
        if value is node.value and target is node.target:
            return [node]
        return [node.with_changes(value=value, target=target)]


class Augmented(SmallPass[cst.AugAssign]):
    """An augmented assignment stays, after a check where its name may be unset."""

    handles = (cst.AugAssign,)

    def lower(self, work: Lowering, node: cst.AugAssign, here: Here) -> list[cst.BaseSmallStatement]:
        reader = Reader(work, work.flow.entry(node), here.place)
        before: list[cst.BaseSmallStatement] = []
        if isinstance(node.target, cst.Name) and reader.may_be_unset(node.target.value):
            before = [cst.Expr(reader.rewrite(node.target))]
        target = work.target(reader, node.target)
        value = reader.bare(node.value)
        if value is node.value and target is node.target:
            return [*before, node]
        return [*before, node.with_changes(value=value, target=target)]


class Import(SmallPass[cst.Import | cst.ImportFrom]):
    """An import in a function, of which what is imported is exchanged for its staged counterpart."""

    handles = (cst.Import, cst.ImportFrom)
    examples = (
        Example(
            "def f(x):\n    import math\n    return math.pi\n",
            "def f(x):\n    import math; math = ab.imported(math)\n    return math.pi\n",
        ),
    )

    def lower(self, work: Lowering, node: cst.Import | cst.ImportFrom, here: Here) -> list[cst.BaseSmallStatement]:
        imported = work.layout.constant("imported")
        exchanges = [
            cst.Assign([cst.AssignTarget(name(bound))], call(imported, name(bound))) for bound in imported_names(node)
        ]
        return [node, *exchanges]


class Declaration(SmallPass[cst.Global | cst.Nonlocal]):
    """A global or nonlocal declaration stays."""

    handles = (cst.Global, cst.Nonlocal)

    def lower(self, work: Lowering, node: cst.Global | cst.Nonlocal, here: Here) -> list[cst.BaseSmallStatement]:
        return [node]
