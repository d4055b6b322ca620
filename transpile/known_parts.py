"""Questions about statements, loops and patterns whose parts are known."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import libcst as cst

from anabranch.transpile.bindings import bound_names
from anabranch.transpile.constants import UNKNOWN, NameValues, value_of
from anabranch.transpile.nodes import children, descendants

Body = Sequence[cst.BaseStatement]


def lines_of(suite: cst.BaseSuite) -> Body:
    """The statements of a block, of one that stands on its head's line too."""
    if isinstance(suite, cst.IndentedBlock):
        return suite.body
    assert isinstance(suite, cst.SimpleStatementSuite)
    return [cst.SimpleStatementLine(suite.body)]


def leaves(statement: cst.BaseStatement) -> bool:
    """Return whether nothing after a statement runs."""
    last = statement.body[-1] if isinstance(statement, cst.SimpleStatementLine) else None
    return isinstance(last, (cst.Return, cst.Raise, cst.Break, cst.Continue))


def breaks(body: Iterable[cst.CSTNode]) -> bool:
    """Return whether the steps of a loop with this body leave it, or one another."""
    for node in body:
        if isinstance(node, (cst.Break, cst.Continue)):
            return True
        if isinstance(node, (cst.For, cst.While)):
            if node.orelse is not None and breaks([node.orelse]):
                return True
        elif not isinstance(node, (cst.FunctionDef, cst.ClassDef, cst.Lambda)) and breaks(children(node)):
            return True
    return False


def is_flat(target: cst.CSTNode) -> bool:
    """Return whether a loop's target is a name, or a tuple of names."""
    if isinstance(target, cst.Tuple):
        return all(isinstance(e.value, cst.Name) and not isinstance(e, cst.StarredElement) for e in target.elements)
    return isinstance(target, cst.Name)


def bindings(target: cst.BaseExpression, item: object) -> dict[str, Any] | None:
    """Return the values of a loop's names in a step."""
    if isinstance(target, cst.Name):
        return {target.value: item}
    names = bound_names(target)
    if type(item) is not tuple or len(item) != len(names) or len(set(names)) < len(names):
        return None
    return dict(zip(names, item, strict=True))


def fits(pattern: cst.MatchPattern, subject: object) -> bool | None:
    """Return whether a pattern takes a known subject; None where that is not said here."""
    match pattern:
        case cst.MatchAs(pattern=None):
            return True
        case cst.MatchAs(pattern=inner):
            return fits(inner, subject) if inner is not None else True
        case cst.MatchSingleton(value=value):
            return {"None": None, "True": True, "False": False}[value.value] is subject
        case cst.MatchValue(value=value):
            known = value_of(value, NameValues({}, frozenset(), {}))
            return None if known is UNKNOWN else bool(known == subject)
        case cst.MatchOr(patterns=parts):
            answers = [fits(p.pattern, subject) for p in parts]
            return True if answers[0] is True else None if None in answers else any(answers)
    return None


def shown_in_text(body: Body) -> set[str]:
    """Names in f-strings, which stay as they are."""
    texts = [n for s in body for n in descendants(s) if isinstance(n, cst.FormattedString)]
    return {n.value for text in texts for n in descendants(text) if isinstance(n, cst.Name)}
