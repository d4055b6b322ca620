"""How often bodies are traced, and how long Programs get: neither may explode."""

from __future__ import annotations

import functools
import marshal
import pickle

import numpy as np
import pytest

from anabranch import jit
from anabranch.runtime.control.branches import stage_branches
from anabranch.runtime.tracing.approach import Approach
from anabranch.runtime.tracing.builder import Trace
from anabranch.runtime.tracing.container_state import Lists
from anabranch.runtime.tracing.restarts import Restart
from tests.equations import every_equation
from tests.equivalence import check

PRELUDE = {
    "promotion": ("    t = 0", "t = t + 0.5"),
    "undefined": ("    t = 0.0", "last = t + n"),
    "list": ("    t = [0, 0.0]", "t[0], t[1] = t[0] + 1.5, t[1] + n"),
    "keys": ("    t = {}", "t[n] = t.get(n, 0) + 1"),
    "two": ("    t, u = 0, 0", "t, u = u + 0.5, t"),
    "append": ("    t = []", "if n > 1: t.append(n)"),
}


def nest(depth: int, kind: str, tmp_path, head: str = "for i{k} in range(n):"):
    """A nest of loops with its interesting statement in the innermost body."""
    start, statement = PRELUDE[kind]
    lines = ["def f(n):", start]
    for k in range(depth):
        lines.append("    " * (k + 1) + head.format(k=k))
    lines += ["    " * (depth + 1) + statement, "    return t"]
    path = tmp_path / f"nest_{kind}_{depth}.py"
    path.write_text("\n".join(lines) + "\n")
    scope: dict[str, object] = {}
    exec(compile(path.read_text(), str(path), "exec"), scope)
    return scope["f"]


@pytest.fixture
def made(monkeypatch):
    """The traces that have been begun."""
    found = []
    plain = Trace.__init__

    def remember(self, *args):
        plain(self, *args)
        found.append(self)

    monkeypatch.setattr(Trace, "__init__", remember)
    return found


@pytest.fixture
def traces(made):
    """How many bodies tracing a function takes."""

    def count(function, *args):
        made.clear()
        jit(function).trace(*args)
        return sum(t.loops.traces for t in made)

    return count


@pytest.mark.parametrize("kind", sorted(PRELUDE.keys() - {"keys"}))
def test_nested_loops_are_traced_a_bounded_number_of_times(kind, traces, tmp_path):
    counts = {d: traces(nest(d, kind, tmp_path), 2) for d in (1, 2, 4, 8)}
    assert counts[1] >= 1
    assert all(counts[d] >= d for d in counts)
    # Linear or quadratic in the depth; a list's slots are found one loop at a time, which makes it cubic. That the int
    # of a name is another one's takes each loop one more trace to find.
    assert counts[8] <= {"list": 180, "append": 110, "two": 70}.get(kind, 60), counts


def test_types_of_memory_are_learned(traces, tmp_path):
    assert traces(nest(4, "keys", tmp_path), 2) <= 55


def set_in_unrolled_steps(n, xs):
    found = set()
    for a in range(n):
        for d in (-1, 0, 1, 2):
            for j in range(n):
                if xs[j] > d + a:
                    found.add(j)
    return len(found)


def test_loops_in_unrolled_steps_begin_with_types_of_the_step_before(traces):
    assert traces(set_in_unrolled_steps, 5, np.arange(9)) <= 28
    check(set_in_unrolled_steps, 5, np.arange(9))


def sums_in_unrolled_steps(n, xs):
    return [sum(xs[k] * a for k in range(n)) for a in range(4)]


def test_what_sums_over_generators_keep_is_known_again(traces):
    assert traces(sums_in_unrolled_steps, 5, np.arange(9.0)) <= 9
    check(sums_in_unrolled_steps, 5, np.arange(9.0))


def common_subsequences(a, b):
    table = [[""] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in range(len(a)):
        for j in range(len(b)):
            longer = max(table[i][j + 1], table[i + 1][j], key=len)
            table[i + 1][j + 1] = table[i][j] + a[i] if a[i] == b[j] else longer
    return table[-1][-1]


def test_loops_over_known_characters_are_unrolled_together(traces):
    assert traces(common_subsequences, "ABCB", "BDCA") <= 10
    assert not jit(common_subsequences).trace("ABCB", "BDCA").program.equations
    check(common_subsequences, "ABCB", "BDCA")


def test_cheap_steps_of_nested_loops_are_limited_together(traces, tmp_path):
    few, more = (traces(nest(depth, "append", tmp_path), 5) for depth in (3, 4))
    assert few <= 20
    assert more <= 60
    check(nest(4, "append", tmp_path), 5)


def test_nested_if_in_loops(traces, tmp_path):
    counts = {}
    for depth in (1, 2, 3):
        lines = ["def f(n):", "    t = 0"]
        pad = 1
        for k in range(depth):
            lines.append("    " * pad + f"for i{k} in range(n):")
            lines.append("    " * (pad + 1) + f"if i{k} > 1:")
            pad += 2
        lines += ["    " * pad + "t = t + 0.5", "    return t"]
        path = tmp_path / f"ifs_{depth}.py"
        path.write_text("\n".join(lines) + "\n")
        scope: dict[str, object] = {}
        exec(compile(path.read_text(), str(path), "exec"), scope)
        counts[depth] = traces(scope["f"], 2)
    assert counts[3] <= 30, counts


MIXED = {
    "for_if": ("for i{k} in range(n):", "if n > {k}:"),
    "while_if_for": ("while t < {k} + n:", "if n > {k}:", "for i{k} in range(n):"),
    "while": ("while t < {k} + n:",),
    "if": ("if n > {k}:",),
    "generator": ("for i{k} in (q for q in range(n) if q >= {k} - 20):",),
}


# Of loops and branches at ten levels, and how many times that of five levels. What a generator's loop carries is found
# level by level, as it is for a list.
MOST = {"generator": (300, 600, 6)}


@pytest.mark.parametrize("kind", MIXED)
def test_ten_levels_of_nesting(kind, traces, tmp_path, monkeypatch):
    kinds = MIXED[kind]
    most_loops, most_ifs, factor = MOST.get(kind, (70, 200, 5))
    branches_traced = []
    plain = stage_branches.trace_branch
    monkeypatch.setattr(stage_branches, "trace_branch", lambda *a: branches_traced.append(1) or plain(*a))
    found = {}
    for depth in (5, 10):
        lines = ["def f(n):", "    t = 0"]
        lines += ["    " * (k + 1) + kinds[k % len(kinds)].format(k=k) for k in range(depth)]
        lines += ["    " * (depth + 1) + "t = t + 0.5", "    return t"]
        path = tmp_path / f"mixed_{depth}.py"
        path.write_text("\n".join(lines) + "\n")
        scope: dict[str, object] = {}
        exec(compile(path.read_text(), str(path), "exec"), scope)
        branches_traced.clear()
        found[depth] = traces(scope["f"], 2), len(branches_traced)
    loops, ifs = found[10]
    assert loops <= most_loops, found
    assert ifs <= most_ifs, found
    assert sum(found[10]) <= factor * sum(found[5]), found


def test_the_number_of_steps_does_not_change_the_program():
    def total(x, n):
        t = x
        for i in range(n):
            t = t * 0.5 + i
        return t

    programs = [jit(total, static_argnames="n").trace(1.0, n).program for n in (3, 3000)]
    few, many = (sum(1 for _ in every_equation(p)) for p in programs)
    assert few == many
    assert few < 20


def test_the_number_of_steps_does_not_change_the_program_of_a_while():
    def total(x, n):
        t, i = x, 0
        while i < n and t < 1e300:
            t, i = t * 2, i + 1
        return t

    programs = [jit(total, static_argnames="n").trace(1.0, n).program for n in (3, 3000)]
    few, many = (sum(1 for _ in every_equation(p)) for p in programs)
    assert few == many


@pytest.mark.slow
def test_a_function_traced_again_is_the_same_program():
    def nested(n):
        m, i = n, 0
        while i < 4:
            i += 1
            k = 0
            while max(filter(lambda v: k * v % 7 < n or v < n, range(n % 4)), default=0) <= m and k < 3:
                k += 1
                m = m + k
        return m

    assert len({str(jit(nested).trace(6).program) for _ in range(60)}) == 1


def handing_on(function):
    @functools.wraps(function)
    def inner(*args):
        return function(*args)

    return inner


def of_generator(n, c):
    for _ in c:

        def steps():
            k = 0
            while n > 0 and k < 4:
                k += 1
                yield n

        n = n % 3 + sum(steps())
    return n


def of_decorated(n, c):
    for _ in c:

        @handing_on
        def step():
            return n + 1

        n = step()
    return n


@pytest.mark.parametrize("function", [of_generator, of_decorated])
def test_functions_made_in_a_loop_are_no_part_of_the_outside(function, traces):
    """The values that they close over are new at each step: they are neither state of the loop nor guarded."""
    assert traces(function, 2, np.ones(3)) <= 6
    compiled = jit(function)
    for _ in range(3):
        assert compiled(2, np.ones(3)) == function(2, np.ones(3))
    assert compiled.cache_info().misses == 1


def test_numbers_of_a_list_are_made_known_many_at_a_time(made) -> None:
    def above_one(numbers):
        kept, i = [], len(numbers)
        while i > 0:
            if numbers[i - 1] > 1:
                kept.append(i)
            i -= 1
        return kept

    counts = []
    for n in (20, 40):
        made.clear()
        assert jit(above_one)([1] * n) == []
        counts.append(len(made))
    assert counts[1] <= counts[0] + 2


def test_more_room_takes_one_trace(made) -> None:
    """A call that needs larger buffers than those it was compiled with is traced in the way that worked out before."""

    def digits(n):
        found = []
        while n > 0:
            for _ in range(100):
                found += [n % 10]
            n //= 10
        return found

    compiled, n = jit(digits), 12345
    compiled(n // 10000)
    first = len(made)
    assert first > 1
    assert compiled(n) == digits(n)
    assert compiled.cache_info().misses == 2
    assert len(made) == first + 1


def test_lists_that_the_source_lets_grow_take_one_trace(made) -> None:
    """That a list gets a length of run time in a loop shows in the source, and no trace is made for it."""

    def above(xs, least):
        kept = []
        for x in xs:
            if x > least:
                kept.append(x)
        return kept

    xs = np.arange(6.0)
    assert jit(above)(xs, 2.0) == above(xs, 2.0)
    assert len(made) == 1


def test_lists_that_are_written_out_are_exact_lists() -> None:
    """Functions that write objects out see Python's own class of a list, where no list gets a length of run time."""

    def written(x):
        names = []
        for name in ("a", "b"):
            names.append(name)
        return x + len(marshal.dumps(names)) + len(pickle.dumps(names))

    assert jit(written)(2.0) == written(2.0)


def test_lists_of_arguments_are_asked_for_at_once() -> None:
    """That copies of a caller's lists would have to be the same lists is found out once, and not for each of them."""
    lists = Lists.of(Approach(arena_sites=set()))
    with pytest.raises(Restart):
        lists.demand_arenas([("argument", 2)])
    lists.demand_arenas([("argument", 2), ("argument", 3)])
    with pytest.raises(Restart):
        lists.demand_arenas([("file.py", 3)])


def combined(lists, n):
    total = 0.0
    for i in range(n):
        for k in range(len(lists)):
            total += lists[k][(i + k) % len(lists[k])]
        lists[-1][i % 9] = total
    return total


def test_lists_among_the_arguments_are_asked_for_at_once(made):
    def counts(count):
        lists = tuple([float(i * k) for i in range(9 + k)] for k in range(count))
        check(combined, lists, 7)
        made.clear()
        jit(combined).trace(lists, 7)
        return len(made)

    assert counts(6) == counts(2)
