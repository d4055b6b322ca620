"""Names that parameters, assignment targets, patterns and imports bind."""

from __future__ import annotations

import libcst as cst

from anabranch.transpile.nodes import children


def parameters(node: cst.Parameters) -> list[cst.Param]:
    """All parameters in order, the starred ones included."""
    found = [*node.posonly_params, *node.params]
    if isinstance(node.star_arg, cst.Param):
        found.append(node.star_arg)
    found += node.kwonly_params
    if node.star_kwarg is not None:
        found.append(node.star_kwarg)
    return found


def bound_names(target: cst.CSTNode) -> list[str]:
    """Names that an assignment target binds, left to right."""
    if isinstance(target, cst.Name):
        return [target.value]
    if isinstance(target, (cst.Tuple, cst.List)):
        return [n for e in target.elements for n in bound_names(e.value)]
    if isinstance(target, cst.StarredElement):
        return bound_names(target.value)
    return []


def pattern_names(pattern: cst.CSTNode) -> list[str]:
    """Names that a match pattern captures, in the order in which they are bound."""
    own: list[str] = []
    if isinstance(pattern, (cst.MatchAs, cst.MatchStar)) and pattern.name is not None:
        own = [pattern.name.value]
    if isinstance(pattern, cst.MatchMapping) and pattern.rest is not None:
        own = [pattern.rest.value]
    return [n for child in children(pattern) for n in pattern_names(child)] + own


def imported_names(node: cst.Import | cst.ImportFrom) -> list[str]:
    """Names that an import binds."""
    if isinstance(node.names, cst.ImportStar):
        return []
    found = []
    for alias in node.names:
        if alias.asname is not None:
            found += bound_names(alias.asname.name)
            continue
        first: cst.BaseExpression = alias.name
        while isinstance(first, cst.Attribute):
            first = first.value
        assert isinstance(first, cst.Name)
        found.append(first.value)
    return found
