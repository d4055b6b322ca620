"""`f.inspect`: each line of the user's beside what became of it, as a page and as a text."""

from __future__ import annotations

import collections
import html.parser
import inspect

import numpy as np
import pytest

from anabranch import djit, jit
from anabranch.__main__ import main
from anabranch.runtime.errors import UnsupportedConstructError

VOID = {"meta", "link", "br", "input"}


class Page(html.parser.HTMLParser):
    """The contents of a page: its ids, its links, and the lines of each column with their classes."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.tags = [], [], collections.Counter()
        self.lines = collections.defaultdict(list)  # of a column: classes and text
        self._open, self._column = [], None
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        self.tags[tag] += 1
        if tag not in VOID:
            self._open.append((tag, values.get("class", "")))
        if "id" in values:
            self.ids.append(values["id"])
            if values["id"].startswith("column-"):
                self._column = values["id"].removeprefix("column-")
        if "href" in values:
            self.links.append(values["href"])
        if (values.get("class") or "").startswith("line"):
            self.lines[self._column].append([set(values["class"].split()), ""])

    def handle_endtag(self, tag):
        assert self._open.pop()[0] == tag

    def handle_data(self, data):
        within = [name for _, name in self._open]
        if any(name.startswith("line") for name in within) and not {"number", "jumps"} & set(within):
            self.lines[self._column][-1][1] += data

    def of(self, column, *words):
        """The numbers of the places that the lines with these words came from."""
        return {
            next((c for c in classes if c[0] == "l" and c[1:].isdigit()), None)
            for classes, text in self.lines[column]
            if all(word in text for word in words)
        }


def limited(v, top):
    return top if v > top else v


def total(x, top):
    s = 0.0
    for v in x:
        if v < 2.0 and v != -1.0:
            s += limited(v, top)
    print("<b>&amp;</b>")
    return s


def smooth(x, n):
    y = np.tanh(x) @ x
    for _ in range(n):
        x = np.sin(x) + 1.0
    return x * y


def test_every_line_of_the_user_is_there_and_leads_to_what_became_of_it():
    found = jit(smooth).inspect(np.ones(400_000), 3)
    page = Page(found.html)
    assert [c.name for c in found.columns] == ["source", "rewritten", "program", "stablehlo", "hlo"]
    assert list(page.lines) == [c.name for c in found.columns]
    assert [text for _, text in page.lines["source"]] == inspect.getsource(smooth).splitlines()
    (loop,) = page.of("source", "for _ in range(n)")
    assert loop is not None
    assert page.of("rewritten", "ab.for_(") == page.of("program", "= for[") == {loop}
    assert page.of("stablehlo", "stablehlo.while") == {loop}
    (sine,) = page.of("source", "np.sin(x)")
    assert page.of("rewritten", "np.sin(x)") == page.of("program", "= sin ") == {sine}
    assert page.of("stablehlo", '"stablehlo.sine"') == {sine}
    assert page.of("hlo", " sine(") == {sine}
    (tanh,) = page.of("source", "np.tanh(x)")
    assert page.of("program", "= tanh ") == page.of("hlo", " tanh(") == {tanh}


def test_a_long_text_is_cut(monkeypatch):
    monkeypatch.setattr("anabranch.runtime.api.inspection.page._MOST_LINES", 9)
    found = jit(smooth).inspect(np.ones(400_000), 3)
    page = Page(found.html)
    assert len(page.lines["source"]) == 5
    for column in found.columns[1:]:
        assert len(page.lines[column.name]) == 10
        assert page.lines[column.name][-1][1] == f"… {len(column.lines) - 9} more lines"
    assert {link.removeprefix("#") for link in page.links} <= set(page.ids)


def test_ids_are_single_and_links_lead_to_them():
    page = Page(jit(smooth).inspect(np.ones(400_000), 3).html)
    assert len(set(page.ids)) == len(page.ids)
    targets = {link.removeprefix("#") for link in page.links}
    assert targets <= set(page.ids)
    assert any(target.startswith("hlo-") for target in targets)
    assert page.tags["script"] == page.tags["style"] == 1
    assert page.tags["link"] == page.tags["img"] == 0


def test_machine_code_has_the_users_lines():
    found = jit(lambda x: _doubled(x)).inspect(np.ones(8))
    page = Page(found.html)
    assert [c.name for c in found.columns][-2:] == ["llvm", "assembly"]
    (step,) = page.of("source", "s += v * 3.5")
    assert step is not None
    assert step in page.of("llvm", "fmul double")
    assert any(step in classes for classes, _ in page.lines["assembly"])


def test_loops_that_xla_calls_have_them_too():
    def running(x):
        y = np.tanh(x)
        out = np.zeros(50)
        for i in range(50):
            out[i] = y[i] * 3.5
        return out, y

    found = jit(running).inspect(np.ones(200_000))
    page = Page(found.html)
    assert [c.name for c in found.columns][-3:] == ["hlo", "llvm", "assembly"]
    (step,) = page.of("source", "y[i] * 3.5")
    assert page.of("llvm", "fmul double") == {step}
    assert any(step in classes for classes, _ in page.lines["assembly"])
    assert page.of("hlo", " tanh(") == page.of("source", "np.tanh")


def _doubled(x):
    s = 0.0
    for v in x:
        s += v * 3.5
    return s


def test_text_is_escaped():
    found = jit(total).inspect(np.ones(3), 5.0)
    assert "<b>" not in found.html
    page = Page(found.html)
    assert any("<b>&amp;</b>" in text for _, text in page.lines["source"])
    assert page.tags["b"] == 0
    # The function called is there, too.
    assert page.of("source", "return top if v > top") != {None}


def test_the_facts():
    f = jit(smooth)
    f(np.ones(3), 2)
    f(np.ones(400_000), 2)
    found = f.inspect(np.ones(400_000), 2)
    assert [e.is_this for e in found.entries] == [False, True]
    assert found.entries[0].why == "it was not compiled before"
    assert "x is float64[400000], was float64[3]" in found.entries[1].why
    assert [row.stage for row in found.times][:4] == ["rewriting", "tracing", "optimising", "lowering"]
    assert found.times[-1].seconds is None
    assert found.times[-1].note == "in memory"
    assert found.costs["bytes of results"] == 3_200_000
    assert str(found.explanation) == str(f.explain(np.ones(400_000), 2))
    assert all(text in found.html for text in ("was float64[3]", "one loop of a number of steps", "3,200,000"))
    assert f.cache_info().misses == 2


def test_why_it_was_compiled_again():
    def f(x):
        return x * SCALE

    global SCALE
    SCALE = 2.0
    compiled = jit(f)
    compiled(1.0)
    SCALE = 3.0
    assert compiled(1.0) == 3.0
    (entry,) = compiled.inspect(1.0).entries
    assert "since then this has changed: " in entry.why
    compiled.clear_cache()
    assert compiled.inspect(1.0).entries == ()


def test_text_for_a_terminal():
    lines = str(jit(smooth).inspect(np.ones(400_000), 3)).splitlines()
    assert lines[0] == "smooth(x: float64[400000], n: Python int)"
    (row,) = [line for line in lines if " │ " in line and line.endswith("x = np.sin(x) + 1.0")]
    counts, _, _ = row.partition(" │ ")
    assert len(counts.split()) == 4
    assert all(int(count) > 0 for count in counts.split())


def test_the_page_is_saved_and_framed(tmp_path):
    found = jit(limited).inspect(1.0, 2.0)
    found.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == found.html
    framed = found._repr_html_()
    assert framed.startswith('<iframe srcdoc="&lt;!DOCTYPE html&gt;')
    assert Page(framed).tags == {"iframe": 1}


class Model:
    def __init__(self):
        self.rate = 0.5

    @jit
    def step(self, x):
        while x > 1.0:
            x = x * self.rate
        return x


@jit
def numbers(n):
    yield from range(n)


def test_methods_generators_and_djit():
    assert Model().step.inspect(4.0).explanation.function == "Model.step"
    assert numbers.inspect(3).columns[0].lines
    assert djit(limited).inspect(1.0, 2.0).explanation.function == "limited"
    assert jit(limited, static_argnames="top").inspect(1.0, 2.0).columns[2].lines
    assert jit(total, native_loops=False).inspect(np.ones(3), 2.0).columns[-1].name == "hlo"


def test_what_cannot_be_compiled_is_refused():
    async def never(x):
        return x

    with pytest.raises(UnsupportedConstructError):
        jit(never).inspect(1.0)
    with pytest.raises(TypeError, match="missing"):
        jit(limited).inspect(1.0)


def test_command(tmp_path, capsys):
    path = tmp_path / "functions.py"
    path.write_text(f"import numpy as np\n\n\n{inspect.getsource(smooth)}\n\nasync def never(x):\n    return x\n")
    page = tmp_path / "page.html"
    assert main(["inspect", f"{path}:smooth", "np.ones(4)", "2"]) == 0
    assert capsys.readouterr().out.startswith("smooth(x: float64[4], n: Python int)\n")
    assert main(["inspect", f"{path}:smooth", "np.ones(4)", "2", "--html", str(page)]) == 0
    assert capsys.readouterr().out == f"{page} shows what becomes of smooth(x: float64[4], n: Python int)\n"
    assert Page(page.read_text(encoding="utf-8")).lines["assembly"]
    for given, status, words in (
        (["smooth"], 2, "the parameter 'x' has no annotation"),
        (["smooth", "1.0"], 2, "raises TypeError"),
        (["smooth", "np.ones(4)", "2", "--html", f"{tmp_path}/no/page.html"], 2, "can't be written"),
        (["never", "1.0"], 1, "AB101"),
    ):
        assert main(["inspect", f"{path}:{given[0]}", *given[1:]]) == status
        assert words in capsys.readouterr().err
