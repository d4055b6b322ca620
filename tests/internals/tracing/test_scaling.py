"""How the work of a first call grows with a program: at most three times where the program is twice as large.

Each family writes one program in several sizes. What is counted is the calls of functions that tracing, optimising and
lowering make, which are the same in every run, the Program's equations and the length of the StableHLO text. XLA's own
work is not part of it.
"""

from __future__ import annotations

import cProfile
import itertools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

from anabranch import jit
from anabranch.runtime.lower import module
from anabranch.runtime.passes import optimise
from tests.equations import every_equation

V = np.linspace(-1.0, 1.0, 40)


class Family(NamedTuple):
    """Programs of one kind: the source of a function `f` by its size, its arguments, the sizes, settings."""

    source: Callable[[int], str]
    args: tuple[Any, ...]
    sizes: tuple[int, int, int]
    settings: Callable[[int], dict[str, Any]]


FAMILIES: dict[str, Family] = {}


def family(*args: Any, sizes: tuple[int, int, int] = (8, 16, 32), settings: Any = lambda n: {}) -> Any:
    def add(source: Callable[[int], str]) -> Callable[[int], str]:
        FAMILIES[source.__name__] = Family(source, args, sizes, settings)
        return source

    return add


def pad(depth: int, text: str) -> str:
    return "    " * depth + text + "\n"


def rows(n: int, template: str) -> str:
    """A template for each number, with `{k}` for it and `{next}` for the one after it, the first after the last."""
    return "".join(template.format(k=k, next=(k + 1) % n) for k in range(n))


# ---- branches ----------------------------------------------------------------------------------------------------


@family(V, V * 2.0, V > 0.0)
def swaps_in_a_row(n):
    return "def f(a, b, c):\n" + rows(n, "    if c[{k}]:\n        a, b = b, a\n") + "    return a + b[0]\n"


@family(V, V * 2.0, V > 0.0)
def swaps_in_a_branch_of_what_it_has_made(n):
    swaps = rows(n, "        if c[{k}]:\n            a, b = b, a\n")
    return "def f(a, b, c):\n    if c[39]:\n        a, b = a * 2.0, b * 3.0\n" + swaps + "    return a + b[0]\n"


@family(3.0)
def branches_in_a_row(n):
    return "def f(x):\n" + rows(n, "    if x > {k}.0:\n        x = x * 0.5 + {k}.0\n") + "    return x\n"


@family(3.0, sizes=(16, 32, 64))
def branches_in_branches(n):
    lines = "def f(x):\n    y = x\n"
    for k in range(n):
        lines += pad(k + 1, f"if x > {k}.5:") + pad(k + 2, f"y = y + {k}.0")
    for k in reversed(range(n)):
        lines += pad(k + 1, "else:") + pad(k + 2, f"y = y - {k}.0")
    return lines + "    return y\n"


@family(3.0, sizes=(16, 32, 64))
def returns_in_a_row(n):
    return "def f(x):\n" + rows(n, "    if x > {k}.5:\n        return x * {k}.0\n    x = x + 0.25\n") + "    return x\n"


@family(3)
def names_that_may_be_none(n):
    set_, used = (
        "    a{k} = None\n    if m > {k}:\n        a{k} = m * {k}\n",
        "    if a{k} is not None:\n        s += a{k}\n",
    )
    return "def f(m):\n" + rows(n, set_) + "    s = 0\n" + rows(n, used) + "    return s\n"


@family(3, V)
def arrays_of_branches(n):
    row = "    b = a{k} if m > {k} else a{next}\n    b[0] = 5.0\n"
    return "def f(m, x):\n" + rows(n, "    a{k} = x + {k}\n") + rows(n, row) + "    return a0\n"


@family(V)
def numbers_of_two_dtypes_in_an_array(n):
    item = "    kept.append(0 if x[{k}] > 0 else x[{k}])\n"
    return "def f(x):\n    kept = []\n" + rows(n, item) + "    return np.array(kept)\n"


# ---- loops -------------------------------------------------------------------------------------------------------


def nest(n, head, body, foot=""):
    return "".join(pad(k + 1, line.format(k=k)) for k in range(n) for line in head) + pad(n + 1, body) + foot


@family(3, sizes=(4, 8, 16))
def for_loops_in_for_loops(n):
    return "def f(m):\n    y = 0.0\n" + nest(n, ["for i{k} in range(m):"], "y = y + 1.5", "    return y\n")


@family(3, sizes=(4, 8, 16))
def while_loops_in_while_loops(n):
    lines = "def f(m):\n    y = 0.0\n"
    for k in range(n):
        lines += pad(k + 1, f"i{k} = 0") + pad(k + 1, f"while i{k} < m:") + pad(k + 2, f"i{k} = i{k} + 1")
    return lines + pad(n + 1, "y = y + 1.5") + "    return y\n"


@family(3, np.ones((200, 200)), sizes=(4, 8, 16))
def loops_around_a_large_step(n):
    return "def f(m, x):\n    y = x\n" + nest(n, ["for i{k} in range(m):"], "y = y @ x + y.sum()", "    return y\n")


@family(3, sizes=(4, 8, 16))
def returns_of_loops_in_loops(n):
    lines = "def f(m):\n    y = 0.0\n" + nest(n, ["for i{k} in range(m):"], "y = y + 1.5")
    for k in reversed(range(n)):
        lines += pad(k + 2, f"if y > {k}.0:") + pad(k + 3, f"return y + {k}")
    return lines + "    return y\n"


@family(3)
def loops_in_a_row(n):
    return "def f(m):\n    y = 0.0\n" + rows(n, "    for i in range(m):\n        y = y * 0.5 + i\n") + "    return y\n"


@family(3, V)
def ways_out_of_a_loop(n):
    step = (
        "        x = x + 1.0\n        if x[0] > {k}.0:\n            return x * {k}.0\n        if x[1] > {k}.0:\n"
        "            break\n        if x[2] > {k}.5:\n            continue\n"
    )
    return "def f(m, x):\n    for i in range(m):\n" + rows(n, step) + "    return x\n"


@family(3, V)
def names_carried(n):
    lines = "def f(m, x):\n" + rows(n, "    a{k} = {k}.0\n    b{k} = x + {k}\n") + "    for i in range(m):\n"
    return lines + rows(n, "        a{k} = a{next} + i\n        b{k} = b{next} + i\n") + "    return a0, b1\n"


@family(3, V)
def arrays_written_in_a_loop(n):
    lines = "def f(m, x):\n" + rows(n, "    a{k} = x + {k}.0\n") + "    for i in range(m):\n"
    return lines + rows(n, "        a{k}[i] = a{next}[i] + i\n") + "    return a0\n"


@family(V, 3)
def reductions_in_a_loop(n):
    lines = "def f(x, m):\n    z, s = x * 3, 0.0\n    for i in range(m):\n"
    return lines + rows(n, "        z = z * z + z\n        s = s + (z + i).sum()\n") + "    return s\n"


# ---- containers and sizes ----------------------------------------------------------------------------------------


@family(3)
def items_of_a_dict(n):
    lines = "def f(m):\n    d = {" + rows(n, "'{k}': {k}.0, ") + "}\n    for i in range(m):\n"
    return lines + rows(n, "        d['{k}'] = d['{next}'] + i\n") + "    return d\n"


def lists_of_lists(n, head):
    lines = "def f(m):\n    r0 = []\n"
    for k in range(n):
        lines += "".join(pad(k + 1, line.format(k=k)) for line in head)
        lines += pad(k + 2, f"r{k + 1} = []") if k < n - 1 else pad(n + 1, f"r{k}.append(m + i0)")
    return lines + "".join(pad(k + 2, f"r{k}.append(r{k + 1})") for k in reversed(range(n - 1))) + "    return r0\n"


@family(3, sizes=(2, 4, 8), settings=lambda n: {"auto_static": False})
def lists_of_lists_of_run_time_length(n):
    return lists_of_lists(n, ["for i{k} in range(m):"])


@family(3, sizes=(2, 4, 8), settings=lambda n: {"auto_static": False})
def lists_of_lists_of_while_loops(n):
    return lists_of_lists(n, ["i{k} = 0", "while i{k} < m:", "    i{k} += 1"])


@family(3, sizes=(2, 4, 8), settings=lambda n: {"auto_static": False})
def lists_of_lists_of_known_length(n):
    return lists_of_lists(n, ["for i{k} in range(30):"])


@family(V, sizes=(8, 16, 32))
def appends_under_conditions(n):
    head = "def f(a):\n    out = []\n    for x in a:\n"
    return head + rows(n, "        if x > {k}:\n            out.append({k})\n") + "    return len(out)\n"


@family(3, sizes=(2, 4, 8))
def sums_of_sums(n):
    lines = "def f(m):\n    s0 = 0\n"
    for k in range(n):
        lines += pad(k + 1, f"for i{k} in range(m):") + pad(k + 2, f"s{k + 1} = 0")
    lines += pad(n + 1, f"s{n} += 0.5")
    return lines + "".join(pad(k + 2, f"s{k} += s{k + 1}") for k in reversed(range(n))) + "    return s0\n"


@family(3, sizes=(16, 32, 64))
def length_of_a_list(n):
    return f"def f(m):\n    l = {list(range(n))}\n    for i in range(m):\n        l[i] = l[i] + 1\n    return l\n"


# All sums of the smallest size would be proved not to overflow, those of others are not.
@family(3, sizes=(16, 32, 64))
def changed_objects(n):
    lines = "class C:\n    def __init__(self, v):\n        self.v = v\n\ndef f(m):\n" + rows(n, "    a{k} = C({k})\n")
    return lines + "    for i in range(m):\n" + rows(n, "        a{k}.v = a{next}.v + i\n") + "    return a0.v\n"


@family(V, 3)
def blocks_of_run_time_size(n):
    row = "    z = z + 1\n    y[m:m + 4] = z[{k}:{k} + 4]\n    y[:m] = y[:m] + z[:m]\n"
    return "def f(x, m):\n    y, z = x * 2, x * 3\n" + rows(n, row) + "    return y\n"


@family(V)
def comprehensions_in_a_row(n):
    return "def f(x):\n    s = 0.0\n" + rows(n, "    s = s + sum([v * {k} for v in x])\n") + "    return s\n"


@family(3, sizes=(100, 200, 400))
def loop_over_a_text(n):
    text = ("gattaca" * n)[:n]
    return (
        f"def f(m):\n    t, s = {text!r}, 0\n    counts = dict.fromkeys(sorted(set(t)), 0)\n"
        "    for i, c in enumerate(t):\n        counts[c] += m\n        if c in 'ac' and t[i - 1] < c:\n"
        "            s += ord(c) * m\n    return s, counts, c\n"
    )


@family(3, sizes=(100, 200, 400))
def loops_over_two_texts(n):
    s, t = ("gattaca" * n)[:n], ("catgt" * n)[:n]
    return (
        f"def f(m):\n    s, t, d = {s!r}, {t!r}, np.zeros(({n} + 1, {n} + 1))\n    for i in range(len(s)):\n"
        "        for j in range(len(t)):\n            d[i + 1, j + 1] = d[i, j] + m * (s[i] == t[j])\n    return d\n"
    )


@family(3, sizes=(40, 80, 160))
def text_of_many_characters(n):
    text = "".join(map(chr, range(0x4E00, 0x4E00 + n)))
    return (
        f"def f(m):\n    best, out = '', []\n    for c in {text!r}:\n        if c > best:\n            best = c\n"
        "            out.append(c)\n        m = m * 2 % 7\n    return best, out, m\n"
    )


# ---- functions ---------------------------------------------------------------------------------------------------


@family(3.0)
def calls_in_a_row(n):
    helper = "def g(x):\n    if x > 2.0:\n        return x - 1.0\n    return x * 2.0\n\n"
    return helper + "def f(x):\n" + rows(n, "    x = g(x)\n") + "    return x\n"


@family(3.0, sizes=(16, 32, 64))
def calls_in_calls(n):
    row = "def g{up}(x):\n    if x > {k}.0:\n        return g{k}(x - 1.0)\n    return x\n"
    helpers = "".join(row.format(k=k, up=k + 1) for k in range(n))
    return f"def g0(x):\n    return x\n{helpers}def f(x):\n    return g{n}(x)\n"


@family(3, sizes=(4, 8, 16))
def calls_in_loops_in_calls(n):
    row = "def g{up}(x, m):\n    for i in range(m):\n        x = g{k}(x, m) + 1.0\n    return x\n"
    helpers = "".join(row.format(k=k, up=k + 1) for k in range(n))
    return f"def g0(x, m):\n    return x\n{helpers}def f(m):\n    return g{n}(0.0, m)\n"


@family(2.0, sizes=(25, 50, 100))
def recursion_known_while_tracing(n):
    return (
        "def g(n, x):\n    if n == 0:\n        return x\n    if x > n:\n        x = x + 1.0\n"
        "    return g(n - 1, x) * 2.0\n"
        f"def f(x):\n    return g({n}, x)\n"
    )


@family(200, 2.0, sizes=(8, 16, 32), settings=lambda n: {"recursion_limit": n, "auto_static": False})
def recursion_that_is_traced_at_each_level(n):
    return (
        "def g(n, x):\n    x[0] += 1.0\n    return x[0] if n == 0 else g(n - 1, x * 2.0)\n"
        "def f(n, x):\n    return g(n, np.array([x]))\n"
    )


# ---- structures of nodes -----------------------------------------------------------------------------------------

TREE = (
    "def make(n):\n    if n == 1:\n        return {'leaf': float(n)}\n"
    "    left, right = make(n // 2), make(n - n // 2)\n"
    "    return {'feature': n % 40, 'threshold': n / 100, 'left': left, 'right': right}\n\n"
)


@family(V, sizes=(64, 128, 256))
def trees_walked_by_a_loop(n):
    return (
        f"{TREE}T = make({n})\n\ndef f(x):\n    node = T\n    while 'leaf' not in node:\n"
        "        node = node['left'] if x[node['feature']] < node['threshold'] else node['right']\n"
        "    return node['leaf']\n"
    )


@family(V, sizes=(64, 128, 256))
def trees_walked_by_recursion(n):
    return (
        f"{TREE}T = make({n})\n\ndef walk(node, x):\n    if 'leaf' in node:\n        return node['leaf']\n"
        "    if x[node['feature']] < node['threshold']:\n        return walk(node['left'], x)\n"
        "    return walk(node['right'], x)\n\ndef f(x):\n    return walk(T, x)\n"
    )


@family(3.0, sizes=(64, 128, 256))
def linked_lists(n):
    return (
        f"L = None\nfor k in range({n}):\n    L = {{'value': float(k), 'next': L}}\n\ndef f(x):\n    node = L\n"
        "    while node is not None and node['value'] != x:\n        node = node['next']\n    return node['value']\n"
    )


# ---- failures ----------------------------------------------------------------------------------------------------


@family(3.0)
def try_statements_in_a_row(n):
    row = (
        "    try:\n        l[0] = l[0] + 1.0\n        if x > {k}.0:\n            raise ValueError('a')\n"
        "        l[0] = l[0] + x\n    except ValueError:\n        l[0] = l[0] - {k}.0\n"
    )
    return "def f(x):\n    l = [0.0]\n" + rows(n, row) + "    return l\n"


@family(3.0, sizes=(4, 8, 16))
def try_statements_in_try_statements(n):
    lines = "def f(x):\n    s = 0.0\n"
    for k in range(n):
        lines += pad(k + 1, "try:") + pad(k + 2, f"if x > {k}.0:") + pad(k + 3, "raise ValueError('a')")
    lines += pad(n + 1, "s = s + x")
    for k in reversed(range(n)):
        lines += pad(k + 1, "except ValueError:") + pad(k + 2, f"s = s - {k}.0")
    return lines + "    return s\n"


@family(V, 2)
def checked_indices_in_a_row(n):
    row = "    assert x[i] > -{k} - 2\n    s = s + x[i + {k} % 3]\n"
    return "def f(x, i):\n    s = 0.0\n" + rows(n, row) + "    return s\n"


# ------------------------------------------------------------------------------------------------------------------


def work(made: Family, n: int, folder: Any) -> dict[str, int]:
    """Return the costs of a first call on a program of this size, by the name of the count."""
    path = folder / f"{made.source.__name__}_{n}.py"
    path.write_text("import numpy as np\n\n\n" + made.source(n))
    scope: dict[str, Any] = {"__name__": path.stem}
    exec(compile(path.read_text(), str(path), "exec"), scope)
    profile = cProfile.Profile()
    profile.enable()
    try:
        traced = jit(scope["f"], **made.settings(n)).trace(*made.args).program
        program = optimise(traced)
        text = module(program).text
    finally:
        profile.disable()
    return {
        "calls": sum(entry.callcount for entry in profile.getstats()),
        "equations": sum(1 for _ in every_equation(traced)) + sum(1 for _ in every_equation(program)),
        "text": sum(len(line.strip()) for line in text.splitlines()),
    }


@pytest.mark.parametrize("name", FAMILIES)
def test_twice_the_program_is_at_most_three_times_the_work(name, tmp_path):
    made = FAMILIES[name]
    work(made, made.sizes[0], tmp_path)  # modules that are imported when they are first needed
    counts = [work(made, n, tmp_path) for n in made.sizes]
    for less, more in itertools.pairwise(counts):
        for what, count in more.items():
            assert count <= 3 * less[what], (what, counts)
    # And it is the program that grows; a list or a dict may be one array, whatever its length.
    assert any(counts[-1][what] > 1.2 * count for what, count in counts[0].items()), counts


def test_what_doubles_with_each_level_is_noticed(tmp_path):
    def doubled(n):
        helpers = "".join(f"def g{k + 1}(x):\n    return g{k}(x) + g{k}(x * 2.0)\n" for k in range(n))
        return f"def g0(x):\n    return x\n{helpers}def f(x):\n    return g{n}(x)\n"

    made = Family(doubled, (3.0,), (5, 9, 9), lambda n: {})
    small, large = (work(made, n, tmp_path) for n in made.sizes[:2])
    assert all(large[what] > 3 * small[what] for what in ("calls", "equations")), (small, large)


def test_a_text_that_doubles_at_each_step_costs_what_its_steps_cost(tmp_path):
    def nested(change):
        return (
            "def f(v, u):\n    s, t = 'ab', 0.0\n    for i in range(4):\n        for j in range(4):\n"
            f"            s = {change}\n            t = t + len(s) * v[i] if u > t else t\n    return t, len(s)\n"
        )

    same, doubled = (Family(lambda n, c=c: nested(c), (V, 1.0), (1, 1, 1), lambda n: {}) for c in ("s[::-1]", "s * 2"))
    work(same, 1, tmp_path)
    assert work(doubled, 1, tmp_path)["calls"] < 20 * work(same, 1, tmp_path)["calls"]
