"""`raise`."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from anabranch.transpile.lowering import Here, Lowering
from anabranch.transpile.nodes import children
from anabranch.transpile.passes.base import Example, SmallPass
from anabranch.transpile.reader import Reader


class Raise(SmallPass[cst.Raise]):
    """A call raises one of several exceptions; in handlers of except* a raise of nothing names what it raises."""

    handles = (cst.Raise,)
    examples = (
        Example(
            "def f(x, error):\n    if x:\n        raise ValueError(x)\n    raise error\n",
            """def f(x, error):
    def if_true():
        raise ab.call(ValueError, x)
    def if_false():
        pass
    ab.if_(x, if_true, if_false)
    raise ab.raised(error)
""",
        ),
    )

    def lower(self, work: Lowering, node: cst.Raise, here: Here) -> list[cst.BaseSmallStatement]:
        if node in work.session.reraising:
            return [_raised(node, cst.Call(work.layout.constant("reraised")))]
        reader = Reader(work, work.flow.entry(node), here.place)
        parts = raised_parts(node)
        if all(_is_known(part, reader) for part in parts):
            return [work.rewrite_children(node, node, here.place)]
        return [_raised(node, reader.staged("raised", *[reader.argument(part) for part in parts]))]


def _raised(node: cst.Raise, error: cst.BaseExpression) -> cst.Raise:
    return node.with_changes(exc=error, cause=None, whitespace_after_raise=cst.SimpleWhitespace(" "))


def raised_in(node: cst.CSTNode, name: str) -> Iterator[cst.BaseExpression]:
    """Where `raise` statements say a name; those of functions inside are others."""
    for part in raised_parts(node) if isinstance(node, cst.Raise) else ():
        if isinstance(part, cst.Name) and part.value == name:
            yield part
    for child in children(node):
        if not isinstance(child, (cst.FunctionDef, cst.ClassDef)):
            yield from raised_in(child, name)


def raised_parts(node: cst.Raise) -> list[cst.BaseExpression]:
    """The exception and its cause, as far as there are such."""
    return [*([node.exc] if node.exc else ()), *([node.cause.item] if node.cause else ())]


def _is_known(error: cst.BaseExpression, reader: Reader) -> bool:
    """Return whether an exception is that of a handler, or of a class that no name of the function's own stands for."""
    if error in reader.work.session.caught:
        return True
    if isinstance(error, cst.Call):
        error = error.func
    while isinstance(error, cst.Attribute):
        error = error.value
    return isinstance(error, cst.Name) and not reader.is_local(error.value)
