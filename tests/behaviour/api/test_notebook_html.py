"""Forms of functions, Programs, explanations and reports in notebooks: well-formed, and escaped."""

from __future__ import annotations

import html.parser

import numpy as np
import pytest

from anabranch import jit
from anabranch.base.html_text import code, element, folded, table, text
from anabranch.testing import check_equivalent


class Shown(html.parser.HTMLParser):
    """The text of a piece of HTML, and its elements, each of which is closed."""

    def __init__(self, source):
        super().__init__()
        self.text, self.tags, self._open = "", [], []
        self.feed(source)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self._open.append(tag)

    def handle_endtag(self, tag):
        assert self._open.pop() == tag

    def handle_data(self, data):
        self.text += data


def less(x, kind):
    while x < 10.0 and kind != "<b>&lt;":
        x = x * 2.0
    return x


@jit
def half(x):
    return x * 0.5


def test_function():
    f = jit(less, static_argnames="kind")
    before = Shown(f._repr_html_())
    assert "table" not in before.tags
    f(1.0, "<i>")
    f(1.0, "<i>")
    shown = Shown(f._repr_html_())
    assert repr(f) in shown.text
    assert "1 calls found an executable, 1 did not" in shown.text
    assert "static '<i>'" in shown.text
    assert 'kind != "<b>&lt;"' in shown.text
    assert not {"b", "i"} & set(shown.tags)


def test_function_that_cannot_be_rewritten():
    async def never(x):
        return x

    assert "AB101" in Shown(jit(never)._repr_html_()).text


def test_traced_and_program():
    traced = half.trace(np.ones(3))
    shown = Shown(traced._repr_html_())
    assert repr(traced) in shown.text
    assert str(traced.program) in shown.text
    assert Shown(traced.program._repr_html_()).text == str(traced.program)


def test_explanation():
    f = jit(less, static_argnames="kind")
    found = f.explain(1.0, "<i>")
    shown = Shown(found._repr_html_())
    assert found.signature in shown.text
    assert {"caption", "table"} <= set(shown.tags)
    assert "i" not in shown.tags


def test_in_colours():
    """Rich shows the text, and some of it in styles."""
    text = pytest.importorskip("rich.text").Text
    made = [
        jit(lambda x: x.sum()).explain(np.ones(3)),
        jit(lambda x: x.sum()).trace(np.ones(3)).program,
        check_equivalent(lambda x: x, 1.0, compiler=lambda f: lambda x: x + 1),
    ]
    for found in made:
        shown = found.__rich__()
        assert isinstance(shown, text)
        assert shown.plain == str(found)
        assert shown.spans


def test_report():
    def other(x, kind):
        return x

    report = check_equivalent(less, 1.0, "<i>", compiler=lambda f: other)
    assert report is not None
    shown = Shown(report._repr_html_())
    assert "less(1.0, '<i>') differs" in shown.text
    assert report.difference.plain in shown.text
    assert report.difference.compiled in shown.text
    assert "i" not in shown.tags


@pytest.mark.parametrize(
    ("made", "tags"),
    [
        (text("<a>"), []),
        (code("<a>"), ["pre"]),
        (element("p", text("<a>"), title="<a>\"'"), ["p"]),
        (folded("<a>", code("1")), ["details", "summary", "pre"]),
        (table([("<a>", 1)], ("<a>", "b"), "<a>"), ["table", "caption", "tr", "th", "th", "tr", "td", "td"]),
    ],
)
def test_pieces(made, tags):
    shown = Shown(made)
    assert shown.tags == tags
    assert "a" not in shown.tags
