"""A function with values of some parameters folded in: dead branches gone, short loops written out.

What is left computes what the function computes when it is called with these values. Parameters that are rebound
anywhere stay names; what could raise, or is of the user's making, is not computed here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import libcst as cst

from anabranch.transpile.bindings import bound_names, parameters, pattern_names
from anabranch.transpile.constants import UNKNOWN, NameValues, items_of, literal, value_of
from anabranch.transpile.folding import Folding, decided
from anabranch.transpile.known_parts import Body, bindings, breaks, fits, is_flat, leaves, lines_of, shown_in_text
from anabranch.transpile.names import Function, scope_of, usage_of
from anabranch.transpile.nodes import Statement, are_same, children, descendants, line, name, replace_children

_Targeting = TypeVar("_Targeting", bound=cst.For | cst.AugAssign | cst.AnnAssign | cst.Del)
_MOST_STEPS, _MOST_STATEMENTS, _MOST_ROUNDS = 8, 24, 4


def specialise(
    function: Function,
    known: Mapping[str, object],
    outside: Mapping[str, object],
    origin: dict[cst.CSTNode, cst.CSTNode],
) -> Function:
    """The function with the values of these parameters folded in.

    Parameters
    ----------
    known : mapping
        Values by the names of parameters.
    outside : mapping
        The function's globals.
    origin : dict
        Gets, for each new node, the node that it stands for.
    """
    own = {p.name.value for p in parameters(function.params)}
    return _specialised(
        function, NameValues({n: v for n, v in known.items() if n in own}, frozenset(), outside), origin
    )


def _specialised(function: Function, names: NameValues, origin: dict[cst.CSTNode, cst.CSTNode]) -> Function:
    """The function, in whose body these names are known; its own names hide them where they are others."""
    before = _locals(function)
    fixed = names.known.keys() - _rebound(function)
    inside = NameValues({n: names.known[n] for n in fixed}, names.own | before, names.outside)
    needed: frozenset[str] = frozenset()
    while True:
        work = _Statements(inside, origin, needed, frozenset(_captured(function)))
        made = function
        for _ in range(_MOST_ROUNDS):
            again = work.whole(made)
            if again is made:
                break
            made = again
        # What is assigned nowhere any more would be looked for outside of the function.
        lost = (before - _locals(made)) & _mentioned(made)
        if not lost:
            return made
        if lost <= needed:
            return function
        needed |= lost


def _rebound(function: Function) -> set[str]:
    """Names that the function, or one inside it, binds in its body."""
    usage = usage_of([function.body])
    inner = set().union(*(i.writes for i in usage.inner))
    return (
        usage.all_writes | usage.apart | usage.deletes | usage.globals | usage.nonlocals | inner | _captured(function)
    )


def _captured(function: Function) -> set[str]:
    """Names that patterns bind, in the function or one inside it."""
    return {n for node in descendants(function.body) if isinstance(node, cst.Match) for n in pattern_names(node)}


def _locals(function: Function) -> frozenset[str]:
    return scope_of(function).locals | _captured(function)


def _mentioned(function: Function) -> set[str]:
    return {n.value for n in descendants(function.body) if isinstance(n, cst.Name)}


@dataclass(slots=True)
class _Statements(Folding):
    """One walk over a function's body.

    Parameters
    ----------
    captured : frozenset of str
        Names that patterns bind.
    top : block, optional
        The body.
    """

    captured: frozenset[str] = frozenset()
    top: cst.CSTNode | None = field(default=None)

    def whole(self, function: Function) -> Function:
        """The function with its body folded; the same one where there is nothing to do."""
        if isinstance(function, cst.Lambda):
            body: cst.BaseExpression | cst.BaseSuite = self.expression(function.body)
            return function if body is function.body else self.derived(function.with_changes(body=body), function)
        self.top = function.body
        outside = self.names
        body = self.suite(function.body)
        self.names = outside
        return function if body is function.body else self.derived(function.with_changes(body=body), function)

    # ---- statements --------------------------------------------------------------------------------------------------

    def suite(self, suite: cst.BaseSuite) -> cst.BaseSuite:
        """A block, with at least one statement."""
        body = lines_of(suite)
        made = self.statements(body, suite is self.top)
        if are_same(made, body):
            return suite
        made = made or [line(cst.Pass())]
        if isinstance(suite, cst.IndentedBlock):
            return self.derived(suite.with_changes(body=made), suite)
        return self.derived(cst.IndentedBlock(made), suite)

    def statements(self, body: Body, top: bool = False) -> list[cst.BaseStatement]:
        """Statements folded; those after one that always leaves are gone."""
        found: list[cst.BaseStatement] = []
        for number, statement in enumerate(body):
            made = self.statement(statement)
            if top:
                self._note(statement, body)
            found += self._commented(made, statement)
            if made and leaves(made[-1]) and self.may_go(body[number + 1 :]):
                break
        return found

    def statement(self, node: cst.BaseStatement) -> list[cst.BaseStatement]:
        """The statements that stand for one."""
        match node:
            case cst.SimpleStatementLine():
                return self._line(node)
            case cst.If():
                return self._if(node)
            case cst.While():
                return self._while(node)
            case cst.For():
                return self._for(node)
            case cst.Match():
                return self._match(node)
            case cst.FunctionDef():
                return [self._function(node)]
            case cst.ClassDef():
                return [node]
        return [self._compound(node)]

    def _note(self, statement: cst.BaseStatement, body: Body) -> None:
        """A name that one statement of the function's own block gives a known value, and nothing else does."""
        if not isinstance(statement, cst.SimpleStatementLine) or len(statement.body) != 1:
            return
        small = statement.body[0]
        if not isinstance(small, cst.Assign) or len(small.targets) != 1:
            return
        target, value = small.targets[0].target, value_of(small.value, self.names)
        if not isinstance(target, cst.Name) or value is UNKNOWN or literal(value) is None:
            return
        text = target.value
        if text in self.captured:
            return
        others = usage_of([s for s in body if s is not statement])
        elsewhere = others.all_writes | others.apart | others.deletes | others.globals | others.nonlocals
        if text not in elsewhere and all(text not in i.writes for i in others.inner):
            self.names = replace(self.names, known={**self.names.known, text: value})

    def _commented(self, made: list[cst.BaseStatement], old: cst.BaseStatement) -> list[cst.BaseStatement]:
        """The first of the new statements takes over the comments above the old one."""
        leading = old.leading_lines if isinstance(old, Statement) else ()
        if not made or not leading or made[0] is old or (isinstance(made[0], Statement) and made[0].leading_lines):
            return made
        first = made[0].with_changes(leading_lines=leading)
        return [self.derived(first, made[0]), *made[1:]]

    def _line(self, node: cst.SimpleStatementLine) -> list[cst.BaseStatement]:
        small = [made for part in node.body if (made := self._small(part)) is not None]
        if not small:
            return []
        if are_same(small, node.body):
            return [node]
        if small[-1] is not node.body[-1]:
            small[-1] = self.derived(small[-1].with_changes(semicolon=cst.MaybeSentinel.DEFAULT), small[-1])
        return [self.derived(node.with_changes(body=small), node)]

    def _small(self, node: cst.BaseSmallStatement) -> cst.BaseSmallStatement | None:
        """A small statement; None for an assertion that holds."""
        if isinstance(node, cst.Assert):
            test = self.test(node.test)
            if decided(value_of(test, self.names)) is True and self.may_go([node]):
                return None
            return self.derived(node.with_changes(test=test), node) if test is not node.test else node
        if isinstance(node, cst.Expr) and isinstance(node.value, (cst.SimpleString, cst.ConcatenatedString)):
            return node
        if isinstance(node, (cst.Global, cst.Nonlocal, cst.Import, cst.ImportFrom)):
            return node
        if isinstance(node, (cst.AugAssign, cst.AnnAssign, cst.Del)):
            return self._with_target(node)
        return self.derived(replace_children(node, self._part), node)

    def _if(self, node: cst.If) -> list[cst.BaseStatement]:
        test = self.test(node.test)
        answer = decided(value_of(test, self.names))
        orelse = node.orelse
        if answer is True and (orelse is None or self.may_go([orelse])):
            return self.statements(lines_of(node.body))
        if answer is False and self.may_go([node.body]):
            if orelse is None:
                return []
            return self._if(orelse) if isinstance(orelse, cst.If) else self.statements(lines_of(orelse.body))
        body = self.suite(node.body)
        other: cst.If | cst.Else | None = None
        if isinstance(orelse, cst.If):
            other = self._elif(orelse)
        elif orelse is not None:
            suite = self.suite(orelse.body)
            other = self.derived(orelse.with_changes(body=suite), orelse) if suite is not orelse.body else orelse
        if test is node.test and body is node.body and other is orelse:
            return [node]
        return [self.derived(node.with_changes(test=test, body=body, orelse=other), node)]

    def _elif(self, node: cst.If) -> cst.If | cst.Else | None:
        made = self._if(node)
        if len(made) == 1 and isinstance(made[0], cst.If):
            return made[0]
        if not made:
            return None
        return self.derived(cst.Else(cst.IndentedBlock(made)), node)

    def _while(self, node: cst.While) -> list[cst.BaseStatement]:
        test = self.test(node.test)
        if decided(value_of(test, self.names)) is False and self.may_go([node.body]):
            return [] if node.orelse is None else self.statements(lines_of(node.orelse.body))
        return [self._compound(node.with_changes(test=test) if test is not node.test else node)]

    def _compound(self, node: cst.BaseStatement) -> cst.BaseStatement:
        return self.derived(replace_children(node, self._part), node)

    def _part(self, node: cst.CSTNode) -> cst.CSTNode:
        """A part of a statement: blocks are blocks, targets stay, all else is an expression."""
        if isinstance(node, cst.BaseSuite):
            return self.suite(node)
        if isinstance(node, (cst.AssignTarget, cst.AsName)):
            return self.derived(replace_children(node, self._target), node)
        if isinstance(
            node, (cst.Else, cst.Finally, cst.ExceptHandler, cst.ExceptStarHandler, cst.WithItem, cst.MatchCase)
        ):
            return self.derived(replace_children(node, self._part), node)
        if isinstance(node, cst.MatchPattern):
            return node
        return self.expression(node)

    def _with_target(self, node: _Targeting) -> _Targeting:
        """A statement that binds, changes or deletes its target."""
        target = node.target
        hidden = replace_children(node, lambda part: self._target(part) if part is target else self._part(part))
        return self.derived(hidden, node)

    def _target(self, node: cst.CSTNode) -> cst.CSTNode:
        """A target: names stay, objects and indices of which parts are bound are expressions."""
        if isinstance(node, cst.Name):
            return node
        if isinstance(node, (cst.Tuple, cst.List, cst.Element, cst.StarredElement)):
            return self.derived(replace_children(node, self._target), node)
        return self.expression(node)

    def _function(self, node: cst.FunctionDef) -> cst.FunctionDef:
        """A function inside: its own names hide those that are known."""
        made = self.inside(node)
        assert isinstance(made, cst.FunctionDef)
        params = replace_children(made.params, self._default)
        return made if params is made.params else self.derived(made.with_changes(params=params), node)

    def _default(self, node: cst.CSTNode) -> cst.CSTNode:
        if isinstance(node, cst.Param):
            default = None if node.default is None else self.expression(node.default)
            return node if default is node.default else self.derived(node.with_changes(default=default), node)
        return node

    # ---- loops and matches -------------------------------------------------------------------------------------------

    def _for(self, node: cst.For) -> list[cst.BaseStatement]:
        items = items_of(node.iter, self.names, _MOST_STEPS)
        steps = None if items is None or node.asynchronous is not None else self._steps(node, items)
        if steps is None:
            return [self._with_target(node)]
        found: list[cst.BaseStatement] = []
        for step in steps:
            found += step
            if step and leaves(step[-1]):
                return found
        if node.orelse is not None:
            found += self.statements(lines_of(node.orelse.body))
        return found

    def _steps(self, node: cst.For, items: list[Any]) -> list[list[cst.BaseStatement]] | None:
        """The statements of each step; None where the loop has to stay."""
        body, targets = lines_of(node.body), bound_names(node.target)
        size = sum(isinstance(n, cst.BaseStatement) for n in descendants(node.body)) * len(items)
        if size > _MOST_STATEMENTS or breaks(body) or not is_flat(node.target):
            return None
        if not items:
            return [] if self.may_go([node]) else None
        bound = [bindings(node.target, item) for item in items]
        if any(b is None or any(literal(v) is None for v in b.values()) for b in bound):
            return None
        folded = self._may_fold(body, targets)
        last = self._assignments(bound[-1] or {}, node.target) if self._is_used_after(node, targets) else []
        outside, steps = self.names, []
        for binding in bound:
            assert binding is not None
            self.names = replace(outside, known={**outside.known, **binding}) if folded else outside
            first = [] if folded else self._assignments(binding, node.target)
            steps.append([*first, *self.statements([self._copied(s) for s in body])])
        self.names = outside
        return [*steps, last] if folded and last else steps

    def _may_fold(self, body: Body, targets: Sequence[str]) -> bool:
        """Return whether the loop's names keep their values in a step, and no function takes them along."""
        usage = usage_of(body)
        changed = usage.all_writes | usage.apart | usage.deletes
        taken = set().union(*(i.reads | i.writes for i in usage.inner))
        return (
            changed.isdisjoint(targets)
            and self.captured.isdisjoint(targets)
            and taken.isdisjoint(targets)
            and self.needed.isdisjoint(targets)
            and shown_in_text(body).isdisjoint(targets)
        )

    def _is_used_after(self, node: cst.For, targets: Sequence[str]) -> bool:
        """Return whether a loop's names occur outside of it, but in other loops over the same names."""
        if self.top is None:
            return True
        pending: list[cst.CSTNode] = [self.top]
        while pending:
            part = pending.pop()
            if part is node or (isinstance(part, cst.For) and bound_names(part.target) == list(targets)):
                continue
            if isinstance(part, cst.Name) and part.value in targets:
                return True
            pending += children(part)
        return False

    def _assignments(self, binding: Mapping[str, object], target: cst.CSTNode) -> list[cst.BaseStatement]:
        """Assignments of known values, which stand for a target, or a pattern, that binds the names."""
        found: list[cst.BaseStatement] = []
        for text, value in binding.items():
            shown = literal(value)
            assert shown is not None
            found.append(self.derived(line(cst.Assign([cst.AssignTarget(name(text))], shown)), target))
        return found

    def _copied(self, node: cst.BaseStatement) -> cst.BaseStatement:
        """A copy for one more step, each part known to stand for the user's."""
        made = node.deep_clone()
        for new, old in zip(descendants(made), descendants(node), strict=True):
            self.origin[new] = old
        return made

    def _match(self, node: cst.Match) -> list[cst.BaseStatement]:
        subject = value_of(node.subject, self.names)
        if subject is UNKNOWN or literal(subject) is None:
            return [self._compound(node)]
        left = list(node.cases)
        while left:
            answer = fits(left[0].pattern, subject)
            guard = left[0].guard
            if answer is True and guard is not None:
                answer = None if pattern_names(left[0].pattern) else decided(value_of(guard, self.names))
            if answer is None or not (self.may_go([left[0]]) if answer is False else self.may_go(left[1:])):
                break
            if answer:
                captured = dict.fromkeys(pattern_names(left[0].pattern), subject)
                bound = self._assignments(captured, left[0].pattern)
                return [*bound, *self.statements(lines_of(left[0].body))]
            left.pop(0)
        if not left:
            return []
        return [self._compound(node.with_changes(cases=left) if len(left) < len(node.cases) else node)]

    def inside(self, function: Function) -> Function:
        return _specialised(function, self.names.without(scope_of(function).locals), self.origin)
