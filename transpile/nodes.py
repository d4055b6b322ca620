"""Small helpers on concrete syntax trees: walking, replacing, building."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import TypeVar

import libcst as cst

Node = TypeVar("Node", bound=cst.CSTNode)
Statement = cst.SimpleStatementLine | cst.BaseCompoundStatement

# Fields that hold only layout, or names that are no variables.
_LAYOUT = frozenset(
    {
        "lpar", "rpar", "lbracket", "rbracket", "lbrace", "rbrace", "comma", "semicolon", "equal", "leading_lines",
        "lines_after_decorators", "header", "footer", "trailing_whitespace", "indent", "colon", "dot", "operator",
        "asynchronous", "newline", "encoding", "annotation", "returns", "star", "keyword", "first_colon",
        "second_colon", "separator",
    }
)  # fmt: skip
_NOT_VARIABLES: dict[type[cst.CSTNode], set[str]] = {cst.Attribute: {"attr"}}


@cache
def fields(kind: type[cst.CSTNode]) -> tuple[str, ...]:
    """Names of the fields of a node type that can hold code."""
    skipped: set[str] = _NOT_VARIABLES.get(kind, set())
    names = (f.name for f in dataclasses.fields(kind))
    return tuple(n for n in names if n not in _LAYOUT and n not in skipped and not n.startswith("whitespace"))


_node_kinds: dict[type[object], bool] = {}


def _is_node(value: object) -> bool:
    """Return whether a value is a node; looked up by class, as `isinstance` is slow on abstract classes."""
    kind = type(value)
    found = _node_kinds.get(kind)
    if found is None:
        found = _node_kinds[kind] = isinstance(value, cst.CSTNode)
    return found


def children(node: cst.CSTNode) -> list[cst.CSTNode]:
    """The nodes right below `node` that are code, in field order."""
    found: list[cst.CSTNode] = []
    for name in fields(type(node)):
        value = getattr(node, name)
        if _is_node(value):
            found.append(value)
        elif value and isinstance(value, (list, tuple)):
            found += [item for item in value if _is_node(item)]
    return found


def descendants(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """`node` and every code node below it, nested functions included."""
    work = [node]
    while work:
        found = work.pop()
        yield found
        work += reversed(children(found))


def replace_children(node: Node, change: Callable[[cst.CSTNode], cst.CSTNode]) -> Node:
    """`node` with every child passed through `change`; the very same node where none differs."""
    changes: dict[str, object] = {}
    for name in fields(type(node)):
        value = getattr(node, name)
        if _is_node(value):
            new = change(value)
            if new is not value:
                changes[name] = new
        elif value and isinstance(value, (list, tuple)):
            items = [change(item) if _is_node(item) else item for item in value]
            if any(new is not old for new, old in zip(items, value, strict=True)):
                changes[name] = items
    return node.with_changes(**changes) if changes else node


def derive(new: Node, old: cst.CSTNode, origin: dict[cst.CSTNode, cst.CSTNode]) -> Node:
    """`new`, of which `origin` gets to know that all in it that is new stands for `old`."""
    for node in descendants(new):
        if node is not old:
            origin.setdefault(node, old)
    return new


def are_same(new: Sequence[object], old: Sequence[object]) -> bool:
    """Return whether the items of two sequences are the very same."""
    return len(new) == len(old) and all(n is o for n, o in zip(new, old, strict=True))


def name(text: str) -> cst.Name:
    """`text`."""
    return cst.Name(text)


def dotted(text: str) -> cst.BaseExpression:
    """`a.b.c` as an expression."""
    first, *rest = text.split(".")
    found: cst.BaseExpression = cst.Name(first)
    for part in rest:
        found = cst.Attribute(found, cst.Name(part))
    return found


def string(text: str) -> cst.SimpleString:
    """`"text"`."""
    return cst.SimpleString(f'"{text}"')


def call(function: cst.BaseExpression, *arguments: cst.BaseExpression | cst.Arg) -> cst.Call:
    """`function(arguments…)`, on one line but for what the arguments bring along."""
    return cst.Call(function, [a if isinstance(a, cst.Arg) else cst.Arg(a) for a in arguments])


def keyword(text: str, value: cst.BaseExpression) -> cst.Arg:
    """`text=value`, an argument."""
    tight = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
    return cst.Arg(value, keyword=name(text), equal=tight)


def thunk(value: cst.BaseExpression) -> cst.Lambda:
    """`lambda: value`."""
    return cst.Lambda(cst.Parameters(), value)


def tuple_of(items: Sequence[cst.BaseExpression], parentheses: bool = True) -> cst.Tuple:
    """`(items…)`."""
    elements = [cst.Element(item) for item in items]
    return cst.Tuple(elements) if parentheses else cst.Tuple(elements, lpar=[], rpar=[])


def listed(items: Sequence[cst.BaseExpression]) -> cst.BaseExpression:
    """One item bare, several as a tuple without parentheses (the form of returns and targets)."""
    return items[0] if len(items) == 1 else tuple_of(items, parentheses=False)


def line(small: cst.BaseSmallStatement, leading: Sequence[cst.EmptyLine] = ()) -> cst.SimpleStatementLine:
    """A line of one small statement."""
    return cst.SimpleStatementLine([small], leading_lines=leading)


def assign(targets: Sequence[str], value: cst.BaseExpression) -> cst.SimpleStatementLine:
    """`targets = value`, or just `value` where there is no target."""
    if not targets:
        return line(cst.Expr(value))
    return line(cst.Assign([cst.AssignTarget(_as_target(listed([name(t) for t in targets])))], value))


def assign_to(target: cst.BaseExpression, value: cst.BaseExpression) -> cst.SimpleStatementLine:
    """`target = value`."""
    return line(cst.Assign([cst.AssignTarget(_as_target(target))], value))


def _as_target(value: cst.BaseExpression) -> cst.BaseAssignTargetExpression:
    assert isinstance(value, cst.BaseAssignTargetExpression)
    return value


def define(
    function: str,
    parameters: Iterable[str],
    body: Sequence[cst.BaseStatement],
    like: cst.IndentedBlock | None = None,
    leading: Sequence[cst.EmptyLine] = (),
) -> cst.FunctionDef:
    """A plain function; comments around the block `like` stay around the body."""
    statements = list(body) or [line(cst.Pass())]
    block = cst.IndentedBlock(statements) if like is None else like.with_changes(body=statements)
    params = cst.Parameters([cst.Param(name(p)) for p in parameters])
    return cst.FunctionDef(name(function), params, block, leading_lines=leading)


def parenthesised(node: cst.BaseExpression) -> cst.BaseExpression:
    """`node` in parentheses, unless it has some."""
    return node if node.lpar else node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
