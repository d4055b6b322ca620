"""`match` on values: a chain of ifs."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import libcst as cst

from anabranch.transpile.blocks import Choice, Given, Unit, Units, units_of
from anabranch.transpile.lowering import Here, Lowering, Step
from anabranch.transpile.names import pattern_names, usage_of
from anabranch.transpile.nodes import assign, call, listed, name, string
from anabranch.transpile.passes.base import Example, StatementPass
from anabranch.transpile.reader import Reader

# Classes whose one positional pattern is the subject itself.
_SELF_MATCHING = frozenset(
    {"bool", "bytearray", "bytes", "dict", "float", "frozenset", "int", "list", "set", "str", "tuple"}
)


@dataclass(slots=True)
class _Plan:
    """What a pattern asks, in order, and what it binds."""

    tests: list[cst.BaseExpression] = field(default_factory=list)
    bindings: dict[str, cst.BaseExpression] = field(default_factory=dict)


class Match(StatementPass):
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
    r = ab.if_(ab.or_(subject == 0, lambda: subject == 1), if_true, if_false, (), ("r",))
    return r
""",
        ),
    )

    def lower(self, work: Lowering, node: object, here: Here, rest: Units) -> Step:
        assert isinstance(node, cst.Match)
        (subject,) = here.place.fresh_outwards("subject")
        value = work.argument(node.subject, node.subject, here.place)
        chain: Units = ()
        for case in reversed(node.cases):
            chain = self._case(work, case, subject, here, chain)
        return Step([assign([subject], value)], chain + rest)

    def _case(self, work: Lowering, case: cst.MatchCase, subject: str, here: Here, others: Units) -> Units:
        """The units for a case and those after it."""
        reader = Reader(work, work.flow.entry(case), here.place)
        plan = _Plan()
        self._plan(reader, case.pattern, name(subject), plan)
        if case.guard is not None:
            self._guard(work, case, plan, reader)
        body: Units = units_of(case.body)
        if plan.bindings:
            values = listed(list(plan.bindings.values()))
            statement = assign(list(plan.bindings), values)
            binding: Unit = Given(statement, case.pattern, case.pattern)
            body = (binding, *body)
        if not plan.tests:
            return body
        first, *more = plan.tests
        test = reader.staged("and_", first, *(reader.thunk_of(t) for t in more)) if more else first
        return (Choice(test, body, others, case.pattern, case),)

    def _guard(self, work: Lowering, case: cst.MatchCase, plan: _Plan, reader: Reader) -> None:
        """A guard sees what its pattern binds; the names themselves are bound only where the guard holds."""
        guard = case.guard
        assert guard is not None
        point = work.flow.entry(guard)
        bound = work.flow.graph.mask(pattern_names(case.pattern))
        failed = [t for t in work.flow.graph.after[point] if not self._in_body(work, case, t)]
        inner = usage_of([guard]).inner
        if any(work.flow.live_in[t] & bound for t in failed) or (bound and inner):
            work.session.report("AB113", guard)
        once = "AB107" if plan.tests else None
        guarded = replace(reader, point=point, once=once, standing_for=dict(plan.bindings))
        plan.tests.append(guarded.argument(guard))

    def _in_body(self, work: Lowering, case: cst.MatchCase, node: int) -> bool:
        return node in work.regions.nodes(units_of(case.body))

    def _plan(self, reader: Reader, pattern: cst.MatchPattern, subject: cst.BaseExpression, plan: _Plan) -> None:
        if isinstance(pattern, cst.MatchValue):
            plan.tests.append(_equal(subject, reader.rewrite(pattern.value)))
        elif isinstance(pattern, cst.MatchSingleton):
            plan.tests.append(reader.staged("is_", subject, pattern.value))
        elif isinstance(pattern, cst.MatchAs):
            if pattern.pattern is not None:
                self._plan(reader, pattern.pattern, subject, plan)
            if pattern.name is not None:
                plan.bindings[pattern.name.value] = subject
        elif isinstance(pattern, cst.MatchOr):
            plan.tests.append(self._either(reader, pattern, subject))
        elif isinstance(pattern, cst.MatchClass):
            self._class(reader, pattern, subject, plan)
        else:
            reader.work.session.report("AB112", pattern)

    def _either(self, reader: Reader, pattern: cst.MatchOr, subject: cst.BaseExpression) -> cst.BaseExpression:
        alternatives: list[cst.BaseExpression] = []
        for element in pattern.patterns:
            plan = _Plan()
            self._plan(reader, element.pattern, subject, plan)
            if plan.bindings:
                reader.work.session.report("AB112", pattern)
            first, *more = plan.tests or [name("True")]
            whole = reader.staged("and_", first, *(reader.thunk_of(t) for t in more)) if more else first
            alternatives.append(whole)
        first, *others = alternatives
        return reader.staged("or_", first, *(reader.thunk_of(other) for other in others))

    def _class(self, reader: Reader, pattern: cst.MatchClass, subject: cst.BaseExpression, plan: _Plan) -> None:
        kind = pattern.cls
        positional = list(pattern.patterns)
        plain = isinstance(kind, cst.Name) and kind.value in _SELF_MATCHING and not reader.is_local(kind.value)
        if len(positional) > (1 if plain else 0) or any(map(reader.is_local, ("isinstance", "hasattr"))):
            reader.work.session.report("AB112", pattern)
            return
        plan.tests.append(reader.rewrite(call(name("isinstance"), subject, kind)))
        for element in positional:
            self._plan(reader, element.value, subject, plan)
        for keyword in pattern.kwds:
            text = keyword.key.value
            plan.tests.append(reader.rewrite(call(name("hasattr"), subject, string(text))))
            self._plan(reader, keyword.pattern, cst.Attribute(subject, name(text)), plan)


class Binding(StatementPass):
    """What a pattern captures is assigned at the start of its block."""

    handles = (Given,)

    def lower(self, work: Lowering, node: object, here: Here, rest: Units) -> Step:
        assert isinstance(node, Given)
        return Step([node.statement], rest)


def _equal(left: cst.BaseExpression, right: cst.BaseExpression) -> cst.BaseExpression:
    return cst.Comparison(left, [cst.ComparisonTarget(cst.Equal(), right)])
