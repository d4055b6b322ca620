"""Where each node stands in a text: one walk of code generation that notes spans."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import NamedTuple

import libcst as cst
from libcst._nodes.internal import CodegenState


class Span(NamedTuple):
    """Lines from 1, columns (in characters) from 0, as in the text."""

    line: int
    column: int
    end_line: int
    end_column: int


class _Recorder(CodegenState):
    """Generates code and notes the span of every node that asks for it."""

    def __init__(self, module: cst.Module, first_line: int) -> None:
        super().__init__(default_indent=module.default_indent, default_newline=module.default_newline)
        self.spans: dict[cst.CSTNode, Span] = {}
        self.line = first_line
        self.column = 0

    def add_indent_tokens(self) -> None:
        self.tokens.extend(self.indent_tokens)
        self.column += sum(map(len, self.indent_tokens))

    def add_token(self, value: str) -> None:
        self.tokens.append(value)
        if "\n" in value:
            self.line += value.count("\n")
            self.column = len(value) - value.rfind("\n") - 1
        else:
            self.column += len(value)

    def record_syntactic_position(  # type: ignore[override]
        self, node: cst.CSTNode, *, start_node: cst.CSTNode | None = None, end_node: cst.CSTNode | None = None
    ) -> AbstractContextManager[None]:
        return _Mark(self, node, start_node, end_node)


class _Mark:
    """Notes the span of one node; a plain class, since every node of the text passes here."""

    __slots__ = ("column", "end_node", "line", "node", "start_node", "state")

    def __init__(
        self, state: _Recorder, node: cst.CSTNode, start_node: cst.CSTNode | None, end_node: cst.CSTNode | None
    ) -> None:
        self.state, self.node, self.start_node, self.end_node = state, node, start_node, end_node
        self.line = self.column = 0

    def __enter__(self) -> None:
        self.line, self.column = self.state.line, self.state.column

    def __exit__(self, *error: object) -> None:
        state = self.state
        line, column, end_line, end_column = self.line, self.column, state.line, state.column
        if self.start_node is not None and (first := state.spans.get(self.start_node)):
            line, column = first[:2]
        if self.end_node is not None and (last := state.spans.get(self.end_node)):
            end_line, end_column = last[2:]
        state.spans[self.node] = Span(line, column, end_line, end_column)


def record(module: cst.Module, first_line: int = 1) -> tuple[str, dict[cst.CSTNode, Span]]:
    """The text of a module, and where each of its nodes stands in it, the first line having the number `first_line`."""
    state = _Recorder(module, first_line)
    module._codegen(state)
    return "".join(state.tokens), state.spans
