"""What the documents show runs as it stands: the README's code, `examples/`, programs that users begin with."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from anabranch import jit
from tests.equivalence import check

ROOT = Path(__file__).parents[3]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


def run(file):
    return subprocess.run([sys.executable, str(file)], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda f: f.stem)
def test_example_file(file):
    done = run(file)
    assert done.returncode == 0, done.stderr
    assert done.stdout


def test_examples_are_listed():
    listed = re.findall(r"\]\((\w+\.py)\)", (ROOT / "examples" / "README.md").read_text())
    assert sorted(listed) == [f.name for f in EXAMPLES]


def test_readme_code(tmp_path):
    """The first block of the README prints the second one."""
    code, printed = re.findall(r"^```python\n(.*?)^```", (ROOT / "README.md").read_text(), re.MULTILINE | re.DOTALL)
    program = tmp_path / "readme.py"
    program.write_text(code)
    done = run(program)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == printed.strip()


PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md")), *sorted(ROOT.glob("[bet]*/README.md"))]


def anchors(page):
    """The anchors of the headings of a page, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    prose = re.sub(r"^ *```.*?^ *```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    for target, anchor in re.findall(r"\]\(([^)#:]*)(?:#([^)]*))?\)", prose):
        there = page.parent / target if target else page
        assert there.exists(), target
        assert not anchor or anchor in anchors(there), f"{target}#{anchor}"


def test_the_index_lists_every_page():
    listed = set(re.findall(r"\]\(([\w\-/]+\.md)\)", (ROOT / "docs" / "index.md").read_text()))
    pages = {str(p.relative_to(ROOT / "docs")) for p in (ROOT / "docs").rglob("*.md")}
    assert {p for p in pages if not p.startswith("errors/AB")} - {"index.md", "errors/runtime.md"} <= listed


def test_sum_of_squared_errors(rng):
    def squared_error(a, b):
        total = 0.0
        for i in range(a.shape[0]):
            for j in range(a.shape[1]):
                total += (a[i, j] - b[i, j]) ** 2
        return total

    def squared_error_at_once(a, b):
        return np.sum((a - b) ** 2)

    a, b = rng.normal(size=(500, 500)), rng.normal(size=(500, 500))
    check(squared_error_at_once, a, b)
    np.testing.assert_allclose(jit(squared_error)(a, b), squared_error(a, b), rtol=1e-12)


def power(x):
    if x < 0:
        return x**2
    else:
        return x**3


def conditional_power(x):
    return x**2 if x < 0 else x**3


@pytest.mark.parametrize("function", [power, conditional_power])
@pytest.mark.parametrize("x", [-2.0, 0.0, 3.0, -2, 3])
def test_power_by_sign(function, x):
    check(function, x)
    check(function, x, static=("x",))
    by_position = jit(function, static_argnums=0)
    assert (by_position(x), type(by_position(x))) == (function(x), type(x))


def test_reshape_by_a_product_of_the_shape(rng):
    def flat(x):
        return x.reshape(np.prod(x.shape))

    check(flat, rng.normal(size=(3, 4, 5)))


def test_loss_over_a_dict_of_parameters(rng):
    def loss(parameters, x, y):
        hidden = np.maximum(x @ parameters["w1"] + parameters["b1"], 0.0)
        prediction = hidden @ parameters["w2"] + parameters["b2"]
        error = np.mean((prediction - y) ** 2)
        for name in parameters:
            if name.startswith("w"):
                error = error + 1e-3 * np.sum(parameters[name] ** 2)
        return error

    parameters = {"w1": rng.normal(size=(4, 8)), "b1": np.zeros(8), "w2": rng.normal(size=8), "b2": 0.5}
    check(loss, parameters, rng.normal(size=(20, 4)), rng.normal(size=20))
