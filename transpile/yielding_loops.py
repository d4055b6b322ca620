"""A `for` whose body yields as a `while` over names that can be given on: a sequence and a place in it, or numbers."""

from __future__ import annotations

from collections.abc import Callable

import libcst as cst

from anabranch.base.frozen import frozen
from anabranch.transpile.nodes import Statement, assign, assign_to, call, line, listed, name, parenthesised, tuple_of

_MOST_BOUNDS, _MOST_OF_ENUMERATE = 3, 2


@frozen
class LoopNames:
    """Names of what such loops call.

    `sequence` gives what a loop can go over by places, `bounds` the start, stop and step of a range, `index` a number
    as an int, `length` is `len`.
    """

    sequence: str
    bounds: str
    index: str
    length: str

    @property
    def outside(self) -> tuple[str, ...]:
        """All of them."""
        return self.sequence, self.bounds, self.index, self.length


def plain_loop(
    node: cst.CSTNode, names: LoopNames, fresh: Callable[[str], str], builtin: frozenset[str]
) -> tuple[list[Statement], cst.While]:
    """The statements before the loop, and the loop."""
    assert isinstance(node, cst.For)
    made = _Loop(names, fresh)
    arguments = _arguments(node.iter, builtin)
    kind = node.iter.func.value if arguments and isinstance(node.iter, cst.Call) else ""  # type: ignore[attr-defined]
    if kind == "range" and len(arguments) <= _MOST_BOUNDS:
        before, test, item, step = made.range_(arguments)
    elif kind == "enumerate" and len(arguments) <= _MOST_OF_ENUMERATE:
        before, test, item, step = made.enumerate_(arguments)
    elif kind == "zip":
        before, test, item, step = made.zip_(arguments)
    else:
        before, test, item, step = made.sequence([node.iter])
        item = item.elements[0].value  # type: ignore[attr-defined]
    target = line(cst.Assign([cst.AssignTarget(node.target)], item))
    body = cst.IndentedBlock([target, step, *_statements(node.body)])
    return before, cst.While(test, body, node.orelse)


def _statements(suite: cst.BaseSuite) -> list[cst.BaseStatement]:
    return [s for s in suite.body if isinstance(s, cst.BaseStatement)]


def _arguments(node: cst.BaseExpression, builtin: frozenset[str]) -> list[cst.BaseExpression]:
    """The arguments of a call of a builtin that are all passed by position; none where it is something else."""
    if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Name) or node.func.value not in builtin:
        return []
    if any(a.star or a.keyword is not None for a in node.args):
        return []
    return [a.value for a in node.args]


_Parts = tuple[list[Statement], cst.BaseExpression, cst.BaseExpression, cst.SimpleStatementLine]


@frozen
class _Loop:
    names: LoopNames
    fresh: Callable[[str], str]

    def range_(self, arguments: list[cst.BaseExpression]) -> _Parts:
        at, stop, step = self.fresh("at_"), self.fresh("stop_"), self.fresh("step_")
        made = call(name("range"), *arguments)
        before: list[Statement] = [assign([at, stop, step], call(name(self.names.bounds), made))]
        test: cst.BaseExpression = _less(name(at), name(stop))
        if len(arguments) == _MOST_BOUNDS:
            down = cst.Comparison(name(at), [cst.ComparisonTarget(cst.GreaterThan(), name(stop))])
            up = cst.Comparison(name(step), [cst.ComparisonTarget(cst.GreaterThan(), cst.Integer("0"))])
            test = cst.IfExp(up, test, down)
            return before, test, name(at), _add(at, name(step))
        return before, test, name(at), _add(at, cst.Integer("1"))

    def enumerate_(self, arguments: list[cst.BaseExpression]) -> _Parts:
        before, test, items, step = self.sequence(arguments[:1])
        assert isinstance(items, cst.Tuple)
        number = step.body[0]
        assert isinstance(number, cst.AugAssign)
        assert isinstance(number.target, cst.Name)
        count: cst.BaseExpression = name(number.target.value)
        if len(arguments) > 1:
            start = self.fresh("start_")
            before.insert(1, assign([start], call(name(self.names.index), arguments[1])))
            count = cst.BinaryOperation(count, cst.Add(), name(start))
        return before, test, tuple_of([count, items.elements[0].value]), step

    def zip_(self, arguments: list[cst.BaseExpression]) -> _Parts:
        return self.sequence(arguments)

    def sequence(self, arguments: list[cst.BaseExpression]) -> _Parts:
        """A loop over sequences side by side; the item is a tuple."""
        at = self.fresh("at_")
        items = [self.fresh("items_") for _ in arguments]
        taken = [call(name(self.names.sequence), parenthesised(a) if _is_bare(a) else a) for a in arguments]
        before: list[Statement] = [
            assign_to(listed([name(n) for n in items]), listed(taken)),
            assign([at], cst.Integer("0")),
        ]
        tests = [_less(name(at), call(name(self.names.length), name(n))) for n in items]
        test = tests[0]
        for more in tests[1:]:
            test = cst.BooleanOperation(test, cst.And(), more)
        found = [cst.Subscript(name(n), [cst.SubscriptElement(cst.Index(name(at)))]) for n in items]
        return before, test, tuple_of(found), _add(at, cst.Integer("1"))


def _is_bare(node: cst.BaseExpression) -> bool:
    return isinstance(node, cst.Tuple) and not node.lpar


def _less(left: cst.BaseExpression, right: cst.BaseExpression) -> cst.BaseExpression:
    return cst.Comparison(left, [cst.ComparisonTarget(cst.LessThan(), right)])


def _add(at: str, step: cst.BaseExpression) -> cst.SimpleStatementLine:
    return line(cst.AugAssign(name(at), cst.AddAssign(), step))
