"""Where each node stands in a text: one walk of code generation that notes spans."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import libcst as cst
from libcst._nodes.internal import CodegenState


@dataclass(frozen=True, slots=True)
class Span:
    """Lines from 1, columns (in characters) from 0, as in the text."""

    line: int
    column: int
    end_line: int
    end_column: int


class _Recorder(CodegenState):
    """Generates code and notes the span of every node that asks for it."""

    def __init__(self, module: cst.Module) -> None:
        super().__init__(default_indent=module.default_indent, default_newline=module.default_newline)
        self.spans: dict[cst.CSTNode, Span] = {}
        self.line = 1
        self.column = 0

    def add_indent_tokens(self) -> None:
        self.tokens.extend(self.indent_tokens)
        self.column += sum(map(len, self.indent_tokens))

    def add_token(self, value: str) -> None:
        self.tokens.append(value)
        breaks = value.count("\n")
        if breaks:
            self.line += breaks
            self.column = len(value) - value.rfind("\n") - 1
        else:
            self.column += len(value)

    @contextmanager
    def record_syntactic_position(
        self, node: cst.CSTNode, *, start_node: cst.CSTNode | None = None, end_node: cst.CSTNode | None = None
    ) -> Iterator[None]:
        line, column = self.line, self.column
        yield
        first = self.spans.get(start_node) if start_node is not None else None
        last = self.spans.get(end_node) if end_node is not None else None
        if first is not None:
            line, column = first.line, first.column
        end = (last.end_line, last.end_column) if last is not None else (self.line, self.column)
        self.spans[node] = Span(line, column, *end)


def record(module: cst.Module) -> tuple[str, dict[cst.CSTNode, Span]]:
    """The text of a module, and where each of its nodes stands in it."""
    state = _Recorder(module)
    module._codegen(state)
    return "".join(state.tokens), state.spans
