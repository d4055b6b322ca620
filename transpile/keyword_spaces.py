"""Spaces around keywords, which Python can do without beside a bracket, and the parser of the source not always."""

from __future__ import annotations

import io
import keyword
import tokenize
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence

# Columns of the spaces that a line has got, by its number.
Gaps = Mapping[int, Sequence[int]]


def spaced(text: str) -> tuple[str, Gaps]:
    """The text with a space between each keyword and what stands right beside it, and where these spaces are."""
    wanted: dict[int, set[int]] = defaultdict(set)
    end = (0, 0)
    after_keyword = False
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        is_keyword = token.type == tokenize.NAME and keyword.iskeyword(token.string)
        if token.start == end and end[1] and (is_keyword or after_keyword) and token.string.strip():
            wanted[end[0]].add(end[1])
        end, after_keyword = token.end, is_keyword
    lines = text.splitlines(keepends=True)
    for number, columns in wanted.items():
        for column in sorted(columns, reverse=True):
            line = lines[number - 1]
            lines[number - 1] = line[:column] + " " + line[column:]
    return "".join(lines), {n: [c + k for k, c in enumerate(sorted(columns))] for n, columns in wanted.items()}


def spaces_before(gaps: Gaps, line: int, column: int) -> int:
    """How many of these spaces a line has got before a place."""
    return bisect_left(gaps.get(line, ()), column)
