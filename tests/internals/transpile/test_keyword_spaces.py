"""Keywords right beside brackets: Python reads them, and so does the parser of the source."""
# ruff: noqa: E701, E702

from __future__ import annotations

import ast
import inspect
import time

import pytest

from anabranch import UnsupportedOperationError, jit
from anabranch.transpile.keyword_spaces import spaced
from tests.equivalence import check_calls


# fmt: off
def crowded(a, c):
    s = 0
    for x in(a if c else [1.0]).copy(): s += x
    t = [k for(k)in(a if c else a[:1])or[2.0]if(k>1)and(k<9)]
    return(s)if(c)else(t, s / len(a))


def refused(a, c):
    é = "é"; return [k for(k)in(a if c else a[:1])or[1.0]if(k>1)and(a[0])], é, time.time()
# fmt: on


def test_results():
    check_calls(crowded, ([1.0, 2.0], True), ([1.0, 2.0], False), ([], True))


def test_what_is_refused_is_named_where_it_stands():
    with pytest.raises(UnsupportedOperationError) as raised:
        jit(refused)([2.0, 2.0], True)
    (line,) = [text for text in inspect.getsource(refused).splitlines() if "time" in text]
    assert f":{len(line[: line.index('time')].encode()) + 1}\n" in str(raised.value)


@pytest.mark.parametrize(
    "text", ["x = (a)if(b)else(c)\n", "if 1:\n    for(a)in(b)or[c]:pass\n", "x = not(a)\n", "x = 'a'if b else'c'\n"]
)
def test_the_text_means_the_same(text: str) -> None:
    made, gaps = spaced(text)
    assert ast.dump(ast.parse(made)) == ast.dump(ast.parse(text))
    lines = made.splitlines()
    assert all(lines[number - 1][column] == " " for number, columns in gaps.items() for column in columns)
    assert len(made) == len(text) + sum(map(len, gaps.values()))
