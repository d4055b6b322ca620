"""`try` with `except*`."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from anabranch.transpile.blocks import Units
from anabranch.transpile.lowering import Here, LoweredUnit, Lowering
from anabranch.transpile.nodes import children
from anabranch.transpile.passes.base import Example, StatementPass
from anabranch.transpile.passes.try_ import lower_try


class TryStar(StatementPass[cst.TryStar]):
    """As try; each handler gets the part of a group of exceptions that it catches."""

    handles = (cst.TryStar,)
    examples = (
        Example(
            "def f(n):\n    try:\n        n = 1 / n\n    except* ArithmeticError as e:\n"
            "        if n:\n            raise\n        n = 0\n    return n\n",
            """def f(n):
    def try_body():
        nonlocal n
        n = 1 / n
    def except_arithmetic_error(e):
        nonlocal n
        def if_true():
            raise ab.reraised()
        def if_false():
            pass
        ab.if_(n, if_true, if_false)
        n = 0
    ab.try_star_(try_body, (lambda: ArithmeticError, except_arithmetic_error))
    return n
""",
        ),
    )

    def lower(self, work: Lowering, node: cst.TryStar, here: Here, rest: Units) -> LoweredUnit:
        for handler in node.handlers:
            work.session.reraising.update(_reraising(handler.body))
        return lower_try(work, node, here, rest)


def _reraising(node: cst.CSTNode) -> Iterator[cst.Raise]:
    """The `raise` statements of a handler that name no exception; those of handlers and functions in it are others."""
    if isinstance(node, cst.Raise) and node.exc is None:
        yield node
    for child in children(node):
        if not isinstance(child, (cst.ExceptHandler, cst.ExceptStarHandler, cst.FunctionDef, cst.ClassDef)):
            yield from _reraising(child)
