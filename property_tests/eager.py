"""Facts about the eager run of a generated program, beside its outcome."""

from __future__ import annotations

import ast
import linecache
import traceback
from typing import Any

from anabranch.runtime.testing.outcomes import Outcome
from property_tests.generation.programs import GeneratedProgram

_FAULTS = (TypeError, NameError, AttributeError, SyntaxError, RecursionError)
_SEEN = "seen_"
# Expressions that give no object that has a name elsewhere, too.
_NUMBERS = (ast.BinOp, ast.UnaryOp, ast.Compare, ast.Constant, ast.JoinedStr)


def is_ill_typed(error: BaseException | None) -> bool:
    """Return whether an exception shows that the program makes no sense: a fault of the generator.

    What the program raises itself, and names that are read before they are set, are meant.
    """
    if not isinstance(error, _FAULTS) or isinstance(error, UnboundLocalError):
        return False
    places = list(traceback.walk_tb(error.__traceback__))
    line = linecache.getline(places[-1][0].f_code.co_filename, places[-1][1]) if places else ""
    return not line.lstrip().startswith("raise")


def is_told_otherwise(want: BaseException | None, got: BaseException | None) -> bool:
    """Return whether both say that one name is not set: in compiled code a comprehension is no function of its own."""
    return (
        isinstance(want, NameError)
        and isinstance(got, UnboundLocalError)
        and str(got) == str(want).replace("free", "local").removesuffix(" in enclosing scope")
    )


def binds_anew(text: str) -> bool:
    """Return whether a loop or a `try` binds names to what may be lists or objects of the caller's elsewhere."""
    blocks = (ast.For, ast.While, ast.Try, ast.With)
    inside = (node for block in ast.walk(ast.parse(text)) if isinstance(block, blocks) for node in ast.walk(block))
    return any(
        isinstance(node, (ast.Assign, ast.AnnAssign, ast.NamedExpr)) and not isinstance(node.value, _NUMBERS)
        for node in inside
    )


def appends_by_condition(text: str) -> bool:
    """Return whether a branch or a loop makes a list longer: it has copies of the arrays then, as is documented."""
    blocks = (ast.For, ast.While, ast.Try, ast.If)
    inside = (node for block in ast.walk(ast.parse(text)) if isinstance(block, blocks) for node in ast.walk(block))
    return any(isinstance(node, ast.Attribute) and node.attr == "append" for node in inside)


def meets_long_ints(program: GeneratedProgram, args: tuple[Any, ...]) -> bool:
    """Return whether the eager run meets an int that 64 bits do not hold."""
    long: list[int] = []

    def seen(value: Any) -> Any:
        if isinstance(value, int) and not -(2**63) <= value < 2**63:
            long.append(value)
        return value

    tree = ast.fix_missing_locations(_Watched().visit(ast.parse(program.text)))
    scope: dict[str, Any] = {"__name__": "generated", _SEEN: seen}
    exec(compile(tree, "watched.py", "exec", dont_inherit=True), scope)
    Outcome(scope["f"], args, {})
    return bool(long)


class _Watched(ast.NodeTransformer):
    """The program with each int that an operation or a call gives shown to `seen`."""

    def _watched(self, node: ast.expr) -> ast.expr:
        self.generic_visit(node)
        return ast.Call(ast.Name(_SEEN, ast.Load()), [node], [])

    visit_BinOp = visit_UnaryOp = visit_Call = _watched

    def visit_AugAssign(self, node: ast.AugAssign) -> list[ast.stmt]:
        self.generic_visit(node)
        if not isinstance(node.target, ast.Name):
            return [node]
        return [node, ast.Expr(ast.Call(ast.Name(_SEEN, ast.Load()), [ast.Name(node.target.id, ast.Load())], []))]

    def visit_MatchValue(self, node: ast.MatchValue) -> ast.MatchValue:
        return node  # -1 is a pattern, and no operation
