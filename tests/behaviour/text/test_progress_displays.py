"""`rich.progress.Progress` in compiled functions: the last that is shown, at each call, however the block is left."""

from __future__ import annotations

import io

import numpy as np
import pytest

from anabranch import AnabranchError, jit
from tests.behaviour.text.shown_bars import check, shown
from tests.program_table import Table

pytest.importorskip("rich")
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn

case = Table()
X = np.arange(10.0)
CONSOLE = Console(stderr=True, width=70)
OUTSIDE = Progress(console=CONSOLE)


@case((X, 10), (X, 0), (X, 3))
def by_hand(x, n):
    s = 0.0
    with Progress(console=CONSOLE) as progress:
        one = progress.add_task("one", total=n)
        two = progress.add_task(f"two of {n}", total=2 * n, completed=1)
        for i in range(n):
            s += x[i]
            progress.update(one, advance=1)
            if x[i] > 3:
                progress.advance(two, 2)
    return s


@case((X, 4), (X, 9))
def tracked(x, n):
    s = 0.0
    with Progress(TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), console=CONSOLE) as progress:
        for v in progress.track(x, description="values"):
            if v > n:
                break
            s += v
        for i in progress.track(range(n), description=f"n={n}"):
            for _ in progress.track(range(i), description="inner"):
                s += x[i]
    return s


@case((X, 6))
def changed_on_the_way(x, n):
    s = 0.0
    with Progress(SpinnerColumn(), *Progress.get_default_columns(), console=CONSOLE) as progress:
        task = progress.add_task("first", total=n, start=False)
        other = progress.add_task("other", total=None, visible=False)
        gone = progress.add_task("gone")
        progress.start_task(task)
        for i in range(n):
            s += x[i]
            progress.update(task, completed=i)
            if i == 2:
                progress.update(task, total=2 * n, description=f"s={s}", refresh=True)
                progress.print("on the way", s)
        progress.update(other, visible=True, advance=n)
        progress.advance(gone)
        progress.remove_task(gone)
        again = progress.add_task("again", total=n)
        for i in range(n):
            progress.advance(again, i)
        progress.reset(again, total=4 * n, completed=2)
        progress.advance(again)
        progress.stop_task(again)
    return s


@case((X, 3))
def tasks_made_in_a_loop_and_in_containers(x, n):
    s = 0.0
    with Progress(console=CONSOLE) as progress:
        for k in range(n):
            task = progress.add_task(f"{k}", total=10)
            for v in x[: 3 + k]:
                s += v
                progress.advance(task)
        many = [progress.add_task(f"part {k}", total=n) for k in range(2)]
        named = {"a": progress.add_task("a", total=n)}
        for i in range(n):
            for task in many:
                progress.advance(task)
            progress.update(named["a"], advance=2)
            s += x[i]
    return s


@case((X, 4), (X, 30))
def raises_or_catches(x, n):
    s = 0.0
    try:
        with Progress(console=CONSOLE) as progress:
            task = progress.add_task("caught", total=n)
            for i in range(n):
                s += x[i]
                progress.advance(task)
    except IndexError:
        s = -1.0
    with Progress(console=CONSOLE) as progress:
        task = progress.add_task("failing", total=9)
        for i in range(9):
            if x[i] > n:
                raise ValueError(f"at {i}")
            progress.update(task, advance=True)
    return s


@case((X, 4))
def begun_and_ended_by_hand(x, n):
    x = x.copy()
    progress = Progress(console=CONSOLE, transient=False)
    progress.start()
    task = progress.add_task("by hand", total=n)
    for i in range(n):
        x[i] += 1
        progress.advance(task)
    progress.stop()
    return x.sum()


def helper(progress, x, n):
    task = progress.add_task("in a helper", total=n)
    s = 0.0
    for i in range(n):
        s += x[i]
        progress.advance(task)
    return s


@case((X, 4))
def passed_on(x, n):
    with Progress(console=CONSOLE) as progress:
        return helper(progress, x, n) + helper(progress, x, 2)


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.function.__name__)
def test_displays(program):
    check(program.function, *program.argsets)


@pytest.mark.parametrize("function", [by_hand, changed_on_the_way], ids=lambda f: f.__name__)
def test_without_machine_code(function):
    check(function, (X, 6), native_loops=False)


def test_the_loop_stays_machine_code():
    assert "loop: machine code" in str(jit(by_hand).explain(X, 10))


def test_a_run_that_begins_anew_with_larger_buffers():
    def grows(x, n):
        out = []
        with Progress(console=CONSOLE) as progress:
            task = progress.add_task("growing", total=n)
            for i in range(n):
                for k in range(i):
                    out.append(k * x[0])
                progress.advance(task)
        return len(out), sum(out)

    check(grows, (X, 3), (X, 60), (X, 4))


def cleared(progress):
    for task in progress.task_ids:
        progress.remove_task(task)
    return progress


def test_one_from_outside():
    def own_tasks(x, n):
        cleared_here = 0.0
        with OUTSIDE:
            task = OUTSIDE.add_task("global", total=n)
            for i in range(n):
                cleared_here += x[i]
                OUTSIDE.advance(task)
        return cleared_here

    def called(x, n):
        try:
            return own_tasks(x, n)
        finally:
            cleared(OUTSIDE)

    compiled = jit(own_tasks)

    def called_compiled(x, n):
        try:
            return compiled(x, n)
        finally:
            cleared(OUTSIDE)

    for n in (4, 7, 4):
        assert shown(called_compiled, (X, n)) == shown(called, (X, n))


def test_one_that_is_an_argument():
    def own_and_given(progress, given, x, n):
        task = progress.add_task("own", total=n)
        s = 0.0
        for i in range(n):
            s += x[i]
            progress.advance(task)
            progress.update(given, advance=x[i])
        return s

    def states(function, n):
        with Progress(console=Console(file=io.StringIO())) as progress:
            given = progress.add_task("given", total=100)
            results = [function(progress, given, X, n) for _ in range(3)]
        return results, [(t.description, t.completed, t.total, t.finished) for t in progress.tasks]

    compiled = jit(own_and_given)
    for n in (5, 8):
        assert states(compiled, n) == states(own_and_given, n)


def test_refusals():
    def by_floats(x):
        with Progress() as progress:
            progress.advance(progress.add_task("x"), x[0])

    def asks_whether_it_is_finished(x):
        with Progress() as progress:
            return progress.finished

    def tracks_another_task(x):
        with Progress() as progress:
            task = progress.add_task("x")
            return sum(progress.track(x, task_id=task))

    def returns_a_task(x):
        with Progress() as progress:
            return progress.add_task("x")

    def returns_the_display(x):
        return Progress()

    def prints_a_task(x):
        with Progress() as progress:
            print(progress.add_task("x"))

    def has_a_console_of_its_own(x):
        with Progress(console=Console()) as progress:
            progress.add_task("x")

    for function, message in (
        (by_floats, "takes an int"),
        (asks_whether_it_is_finished, "finished of a Progress is not supported"),
        (tracks_another_task, "leave task_id out"),
        (returns_a_task, "is a TaskID"),
        (returns_the_display, "is a Progress"),
        (prints_a_task, "a number only when the function runs"),
        (has_a_console_of_its_own, "make it outside"),
    ):
        with pytest.raises(AnabranchError, match=message):
            jit(function)(X)
