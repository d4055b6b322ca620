"""Rewritten text to a code object whose lines and columns are the user's."""

from __future__ import annotations
import __future__

import ast
import types
import warnings
from collections.abc import Mapping

import libcst as cst

from anabranch.base.frozen import frozen
from anabranch.transpile.breakpoints import BREAKPOINTS, reveal
from anabranch.transpile.mangle import mangle, unmangled
from anabranch.transpile.positions import Span, record


@frozen
class Emitted:
    """The text, and the code of the user's function in it."""

    text: str
    code: types.CodeType


def emit(
    module: cst.Module,
    original: Mapping[cst.CSTNode, Span],
    origin: Mapping[cst.CSTNode, cst.CSTNode],
    like: types.CodeType,
    taken: frozenset[str],
) -> Emitted:
    """Compile `module` (one factory function), with positions led back to the user's file.

    Parameters
    ----------
    original : mapping of node to Span
        Where the user's nodes stand in the user's file.
    origin : mapping of node to node
        From new nodes to the nodes that they came from, in one or more steps.
    like : code
        The code of the user's function: its file name, its compiler flags, its name.
    taken : frozenset of str
        The names in the user's source. Generated functions have others; in tracebacks they go by the name of the
        function that they are a part of.
    """
    text, spans = record(module)
    tree = ast.parse(text)
    _Positions(text, spans, original, origin).move(tree)
    if any(name in text for name in BREAKPOINTS):
        reveal(tree, taken)
    mangle(tree, like.co_qualname)
    flags = like.co_flags & _future_flags()
    with warnings.catch_warnings():
        # Python has said of the user's own text what it had to say; folded constants are no text of the user's.
        warnings.simplefilter("ignore", SyntaxWarning)
        compiled = compile(tree, like.co_filename, "exec", flags=flags, dont_inherit=True)
    code = _find(compiled, like)
    return Emitted(text, _renamed(code, code.co_qualname, like.co_qualname, taken))


class _Positions:
    """Gives every node of an `ast` the position of the user's code that it came from."""

    def __init__(
        self,
        text: str,
        spans: Mapping[cst.CSTNode, Span],
        original: Mapping[cst.CSTNode, Span],
        origin: Mapping[cst.CSTNode, cst.CSTNode],
    ) -> None:
        self.lines = text.split("\n")
        self.ascii_only = text.isascii()
        self.target: dict[Span, Span] = {}
        for node, span in spans.items():
            source: cst.CSTNode | None = node
            while source is not None and source not in original:
                source = origin.get(source)
            if source is not None:
                self.target[span] = original[source]

    def move(self, tree: ast.Module) -> None:
        first = next(iter(self.target.values()), Span(1, 0, 1, 0))
        self._move(tree, first)

    def _move(self, node: ast.AST, around: Span) -> None:
        if isinstance(node, _LOCATED):
            around = self.target.get(self._span(node), around)
            node.lineno, node.end_lineno = around.line, around.end_line
            node.col_offset, node.end_col_offset = around.column, around.end_column
        for field in node._fields:
            value = getattr(node, field, None)
            if isinstance(value, list):
                for item in value:
                    if isinstance(item, ast.AST):
                        self._move(item, around)
            elif isinstance(value, ast.AST) and not isinstance(value, _BARE):
                self._move(value, around)

    def _span(self, node: _Located) -> Span:
        end_line = node.end_lineno or node.lineno
        if self.ascii_only:
            return Span(node.lineno, node.col_offset, end_line, node.end_col_offset or 0)
        return Span(
            node.lineno,
            self._characters(node.lineno, node.col_offset),
            end_line,
            self._characters(end_line, node.end_col_offset or 0),
        )

    def _characters(self, line: int, offset: int) -> int:
        """An offset in bytes as one in characters."""
        text = self.lines[line - 1] if line <= len(self.lines) else ""
        return offset if text.isascii() else len(text.encode()[:offset].decode())


_Located = ast.stmt | ast.expr | ast.excepthandler | ast.pattern | ast.arg | ast.keyword | ast.alias
_LOCATED = (ast.stmt, ast.expr, ast.excepthandler, ast.pattern, ast.arg, ast.keyword, ast.alias)
# Nodes without a place of their own or anything below them.
_BARE = (ast.expr_context, ast.operator, ast.unaryop, ast.boolop)


def _future_flags() -> int:
    flags = 0
    for feature in __future__.all_feature_names:
        flags |= getattr(__future__, feature).compiler_flag
    return flags


def _find(compiled: types.CodeType, like: types.CodeType) -> types.CodeType:
    """The user's function in the compiled module: in the factory, the last of its name at the shallowest level."""
    level = [c for c in compiled.co_consts if isinstance(c, types.CodeType)]
    while level:
        inner = [c for outer in level for c in outer.co_consts if isinstance(c, types.CodeType)]
        found = [c for c in inner if unmangled(c.co_name, like.co_qualname) == like.co_name]
        if found:
            return found[-1]
        level = inner
    raise AssertionError(f"{like.co_name} is missing in its rewritten text")


def _renamed(
    code: types.CodeType, old: str, new: str, taken: frozenset[str], around: str | None = None
) -> types.CodeType:
    """The code with its names, and those of the functions in it, as the user knows them."""
    name = code.co_name if code.co_name in taken else unmangled(code.co_name, new)
    if around is not None and _is_generated(name, taken):
        name = around
    qualname = new + _below(code.co_qualname.removeprefix(old), new, taken)
    # The body of a class has its qualified name as a constant.
    constants = tuple(
        _renamed(c, old, new, taken, name)
        if isinstance(c, types.CodeType)
        else qualname
        if c == code.co_qualname
        else c
        for c in code.co_consts
    )
    return code.replace(co_consts=constants, co_name=name, co_qualname=qualname)


def _below(path: str, new: str, taken: frozenset[str]) -> str:
    """The part of a qualified name behind that of the function, without generated ones around functions of the user's.

    The generated functions in the innermost of the user's keep their names: by these they are told from it.
    """
    kept: list[str] = []
    shown = [part if part in taken else unmangled(part, new) for part in path.split(".")]
    last = max((i for i, part in enumerate(shown) if part in taken), default=0)
    for place, part in enumerate(shown):
        if 0 < place < last and _is_generated(part, taken):
            kept.pop()  # the `<locals>` before it
        else:
            kept.append(part)
    return ".".join(kept)


def _is_generated(name: str, taken: frozenset[str]) -> bool:
    """Return whether a function of this name is none of the user's."""
    return name not in taken and not name.startswith("<")
