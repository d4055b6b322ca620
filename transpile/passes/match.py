"""`match`: a chain of ifs."""

from __future__ import annotations

import libcst as cst

from anabranch.base.frozen import frozen
from anabranch.transpile.bindings import pattern_names
from anabranch.transpile.nodes import Statement, assign, descendants, listed, name, parenthesised, replace_children
from anabranch.transpile.passes.base import Example, SimplificationPass
from anabranch.transpile.passes.patterns import Question, question
from anabranch.transpile.simplify import Simplifier


@frozen
class _Case:
    """One case: what it asks, what it binds, and whether it binds before its guard is asked."""

    case: cst.MatchCase
    question: Question
    early: bool

    @property
    def bindings(self) -> list[Statement]:
        found = self.question.bindings
        return [assign(list(found), listed(list(found.values())))] if found else []


class Match(SimplificationPass[cst.Match]):
    """A match statement becomes a chain of ifs on its subject."""

    handles = (cst.Match,)
    examples = (
        Example(
            "def f(n):\n    match n + 1:\n        case 0 | 1:\n            r = 10\n        case k if k > 5:\n"
            "            r = k\n        case _:\n            r = 0\n    return r\n",
            """def f(n):
    subject = n + 1
    def if_true():
        r = 10
        return r
    def if_false():
        def if_true():
            k = subject
            r = k
            return r
        def if_false():
            r = 0
            return r
        r = ab.if_(subject > 5, if_true, if_false, (), ("r",))
        return r
    r = ab.if_(ab.any_true(subject == 0, lambda: subject == 1), if_true, if_false, (), ("r",))
    return r
""",
        ),
        Example(
            'def f(p):\n    match p:\n        case [0, *_] | {"x": 0}:\n            return 0\n'
            "        case [1, k]:\n            return k\n    return 1\n",
            """def f(p):
    subject = p
    (matched,) = ab.match(subject, ab.pattern.either(ab.pattern.sequence(0, ab.pattern.star()), """
            """ab.pattern.mapping({"x": 0})))
    def if_true():
        return 0
    def if_false():
        matched_2, found_k = ab.match(subject, ab.pattern.sequence(1, ab.pattern.name("k")))
        def if_true():
            k = found_k
            return k
        def if_false():
            return 1
        return ab.if_(matched_2, if_true, if_false)
    return ab.if_(matched, if_true, if_false)
""",
        ),
    )

    def simplify(self, work: Simplifier, node: cst.Match, written: cst.Match) -> list[Statement] | None:
        subject = work.fresh("subject")
        cases = [
            _Case(case, question(work, case.pattern, subject), _binds_early(work, own))
            for case, own in zip(node.cases, written.cases, strict=True)
        ]
        chain: list[Statement] = []
        for case in reversed(cases):
            chain = [work.derived(s, case.case.pattern) for s in self._statements(work, case, chain)]
        first = work.derived(assign([subject], node.subject), node.subject)
        return [first, *chain]

    def _statements(self, work: Simplifier, case: _Case, others: list[Statement]) -> list[Statement]:
        """The statements for a case and those after it."""
        asked, guard = case.question, case.case.guard
        body = _statements_of(case.case.body)
        if guard is None:
            return [*asked.before, *_branch(asked.test, [*case.bindings, *body], others, case.case.body)]
        if not case.early:
            guard = _reading(work, guard, asked.bindings)
            test = guard if asked.test is None else cst.BooleanOperation(asked.test, cst.And(), parenthesised(guard))
            return [*asked.before, *_branch(test, [*case.bindings, *body], others, case.case.body)]
        if asked.test is None:
            return [*asked.before, *case.bindings, *_branch(guard, body, others, case.case.body)]
        holds = work.fresh("holds")
        bound = [*case.bindings, assign([holds], guard)]
        return [
            *asked.before,
            assign([holds], asked.test),
            *_branch(name(holds), bound, [], None),
            *_branch(name(holds), body, others, case.case.body),
        ]


def _branch(
    test: cst.BaseExpression | None, body: list[Statement], others: list[Statement], like: cst.BaseSuite | None
) -> list[Statement]:
    """`if test: body else: others`; a chain goes on as elif."""
    if test is None:
        return body
    block = like.with_changes(body=body) if isinstance(like, cst.IndentedBlock) else cst.IndentedBlock(body)
    orelse: cst.If | cst.Else | None = None
    if len(others) == 1 and isinstance(others[0], cst.If):
        orelse = others[0]
    elif others:
        orelse = cst.Else(cst.IndentedBlock(others))
    return [cst.If(test, block, orelse)]


def _statements_of(suite: cst.BaseSuite) -> list[Statement]:
    if isinstance(suite, cst.SimpleStatementSuite):
        return [cst.SimpleStatementLine([small]) for small in suite.body]
    return list(suite.body)  # type: ignore[arg-type]


def _binds_early(work: Simplifier, case: cst.MatchCase) -> bool:
    """Return whether the captures of a pattern must be bound before the guard: a failed guard leaves them bound."""
    names = set(pattern_names(case.pattern))
    if case.guard is None or not names:
        return False
    return any(isinstance(n, _LATE) for n in descendants(case.guard)) or any(_seen_elsewhere(work, n) for n in names)


def _seen_elsewhere(work: Simplifier, text: str) -> bool:
    """Return whether a captured name is used outside of the cases that capture it, or at any later time."""
    function = work.functions[-1]
    nodes = list(descendants(function))
    own: set[cst.CSTNode] = set()
    for node in nodes:
        if isinstance(node, cst.MatchCase) and text in pattern_names(node.pattern):
            own.update(descendants(node))
        elif isinstance(node, _LATE) and node is not function:
            own.difference_update(descendants(node))
    return any(isinstance(n, cst.Name) and n.value == text and n not in own for n in nodes)


# What may look at a name later than where it stands, or in a scope of its own.
_LATE = (cst.FunctionDef, cst.ClassDef, cst.Lambda, cst.BaseComp, cst.NamedExpr)


def _reading(work: Simplifier, node: cst.BaseExpression, bindings: dict[str, cst.BaseExpression]) -> cst.BaseExpression:
    """The guard with captured names read as what they stand for."""

    def changed(part: cst.CSTNode) -> cst.CSTNode:
        if isinstance(part, cst.Name):
            new: cst.CSTNode = bindings[part.value].deep_clone() if part.value in bindings else part
        else:
            new = replace_children(part, changed)
        if new is not part:
            work.origin[new] = part
        return new

    new = changed(node)
    assert isinstance(new, cst.BaseExpression)
    return new
