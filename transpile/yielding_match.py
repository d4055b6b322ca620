"""A `match` whose cases yield, as one that says which case it is, and an `if` of that number with the cases' blocks."""

from __future__ import annotations

from collections.abc import Callable

import libcst as cst

from anabranch.transpile.bindings import pattern_names
from anabranch.transpile.nodes import Statement, assign, name


def plain_match(node: cst.Match, fresh: Callable[[str], str]) -> list[Statement]:
    """The statements that stand for the match."""
    number = fresh("case_")
    kept = [case.with_changes(body=_noting(number, place)) for place, case in enumerate(node.cases, 1)]
    chain: cst.If | cst.Else | None = None
    for place, case in reversed(list(enumerate(node.cases, 1))):
        block = cst.IndentedBlock([*_bound(case.pattern), *_statements(case.body)])
        if place == len(node.cases) and _takes_all(case):
            chain = cst.Else(block)
        else:
            test = cst.Comparison(name(number), [cst.ComparisonTarget(cst.Equal(), cst.Integer(str(place)))])
            chain = cst.If(test, block, chain)
    first = assign([number], cst.Integer("0"))
    if isinstance(chain, cst.If):
        return [first, node.with_changes(cases=kept), chain]
    assert isinstance(chain, cst.Else)
    return [first, node.with_changes(cases=kept), cst.If(name("True"), chain.body)]


def _noting(number: str, place: int) -> cst.IndentedBlock:
    return cst.IndentedBlock([assign([number], cst.Integer(str(place)))])


def _bound(pattern: cst.MatchPattern) -> list[Statement]:
    """Bind the names of a pattern anew: in its block they surely have values."""
    return [assign([text], name(text)) for text in dict.fromkeys(pattern_names(pattern))]


def _takes_all(case: cst.MatchCase) -> bool:
    return case.guard is None and isinstance(case.pattern, cst.MatchAs) and case.pattern.pattern is None


def _statements(suite: cst.BaseSuite) -> list[Statement]:
    if isinstance(suite, cst.SimpleStatementSuite):
        return [cst.SimpleStatementLine([small]) for small in suite.body]
    return [s for s in suite.body if isinstance(s, Statement)]
