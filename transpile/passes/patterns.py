"""The pattern of a case: its conditions on the subject, and the names that it binds."""

from __future__ import annotations

from dataclasses import field

import libcst as cst

from anabranch.base.frozen import frozen
from anabranch.transpile.bindings import pattern_names
from anabranch.transpile.nodes import Statement, assign, assign_to, call, dotted, keyword, name, string, tuple_of
from anabranch.transpile.simplify import Simplifier


@frozen
class Question:
    """Statements that come first, the test (None where every value will do), and what the names stand for then."""

    before: list[Statement]
    test: cst.BaseExpression | None
    bindings: dict[str, cst.BaseExpression] = field(default_factory=dict)


def question(work: Simplifier, pattern: cst.MatchPattern, subject: str) -> Question:
    """A simple pattern as a test on the subject; any other one as a call of `ab.match`."""
    bindings: dict[str, cst.BaseExpression] = {}
    try:
        tests = _tests(work, pattern, name(subject), bindings)
    except _NotSimpleError:
        return _called(work, pattern, subject)
    return Question([], _all(tests), bindings)


class _NotSimpleError(Exception):
    """The pattern looks into its subject."""


def _tests(
    work: Simplifier, pattern: cst.MatchPattern, subject: cst.Name, bindings: dict[str, cst.BaseExpression]
) -> list[cst.BaseExpression]:
    if isinstance(pattern, cst.MatchValue):
        return [_comparison(subject, cst.Equal(), pattern.value)]
    if isinstance(pattern, cst.MatchSingleton):
        return [_comparison(subject, cst.Is(), pattern.value)]
    if isinstance(pattern, cst.MatchAs):
        found = [] if pattern.pattern is None else _tests(work, pattern.pattern, subject, bindings)
        if pattern.name is not None:
            bindings[pattern.name.value] = subject
        return found
    if isinstance(pattern, cst.MatchOr) and not pattern_names(pattern):
        return [_either([_tests(work, element.pattern, subject, bindings) for element in pattern.patterns])]
    only_class = isinstance(pattern, cst.MatchClass) and not pattern.patterns and not pattern.kwds
    if only_class and "isinstance" not in work.taken:
        assert isinstance(pattern, cst.MatchClass)
        return [call(name("isinstance"), subject, pattern.cls)]
    raise _NotSimpleError


def _all(tests: list[cst.BaseExpression]) -> cst.BaseExpression | None:
    if not tests:
        return None
    found, *others = tests
    for test in others:
        found = cst.BooleanOperation(found, cst.And(), test)
    return found


def _either(alternatives: list[list[cst.BaseExpression]]) -> cst.BaseExpression:
    first, *others = (_all(tests) or name("True") for tests in alternatives)
    for test in others:
        first = cst.BooleanOperation(first, cst.Or(), test)
    return first.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])


def _comparison(left: cst.Name, operator: cst.BaseCompOp, right: cst.BaseExpression) -> cst.Comparison:
    return cst.Comparison(left, [cst.ComparisonTarget(operator, right)])


def _called(work: Simplifier, pattern: cst.MatchPattern, subject: str) -> Question:
    """`matched, found_k = ab.match(subject, pattern)`."""
    names = list(dict.fromkeys(pattern_names(pattern)))
    matched = work.fresh("matched")
    stand_ins = [work.fresh(f"found_{n}") for n in names]
    value = call(dotted(f"{work.ab}.match"), name(subject), _described(work, pattern))
    if names:
        statement: Statement = assign([matched, *stand_ins], value)
    else:
        statement = assign_to(tuple_of([name(matched)]), value)
    return Question([statement], name(matched), {n: name(s) for n, s in zip(names, stand_ins, strict=True)})


def _described(work: Simplifier, pattern: cst.CSTNode) -> cst.BaseExpression:
    """The pattern as an expression; numbers, strings and None, True, False stand for themselves."""

    def made(kind: str, *arguments: cst.BaseExpression | cst.Arg) -> cst.Call:
        return call(dotted(f"{work.ab}.pattern.{kind}"), *arguments)

    if isinstance(pattern, cst.MatchSingleton):
        return pattern.value
    if isinstance(pattern, cst.MatchValue):
        dynamic = isinstance(pattern.value, cst.Attribute)
        return made("value", pattern.value) if dynamic else pattern.value
    if isinstance(pattern, cst.MatchAs):
        own = [] if pattern.name is None else [string(pattern.name.value)]
        if pattern.pattern is None:
            return made("name", *own)
        return made("as_", _described(work, pattern.pattern), *own)
    if isinstance(pattern, cst.MatchStar):
        return made("star", *([] if pattern.name is None else [string(pattern.name.value)]))
    if isinstance(pattern, cst.MatchOr):
        return made("either", *(_described(work, element.pattern) for element in pattern.patterns))
    if isinstance(pattern, cst.MatchSequence):
        parts = [e if isinstance(e, cst.MatchStar) else e.value for e in pattern.patterns]
        return made("sequence", *(_described(work, part) for part in parts))
    if isinstance(pattern, cst.MatchMapping):
        pairs = [cst.DictElement(e.key, _described(work, e.pattern)) for e in pattern.elements]
        rest = [] if pattern.rest is None else [string(pattern.rest.value)]
        return made("mapping", cst.Dict(pairs), *rest)
    assert isinstance(pattern, cst.MatchClass)
    positional = [_described(work, e.value) for e in pattern.patterns]
    named = [keyword(k.key.value, _described(work, k.pattern)) for k in pattern.kwds]
    return made("instance", pattern.cls, *positional, *named)
