"""``python -m benchmarks.science``: the programs of `tests/programs/science` beside plain Python and Numba.

Each program has a process of its own, which calls the plain function, what `jit` makes of it and, where Numba takes the
same source, what `njit` makes of it, in turns and on fresh arguments. The first call is that of a new function, with no
cache on disk, in a process whose compilers have compiled one other function; it is in seconds of the processor. What
gives no answer in time is given up. A run that is stopped goes on from its JSON.
"""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from anabranch import configure, jit
from anabranch.runtime.testing.compare_outcomes import Tolerance
from benchmarks.compare import ResultMismatch
from benchmarks.harness import forking, in_process, read_json, write_json
from benchmarks.outcome import Measured, NotMeasured, Outcome, Results, Row
from benchmarks.peers import PEERS
from benchmarks.science_table import PLAIN, SIZE, render
from benchmarks.worker import Runner, refusal, take_turns, warm_up
from tests.equivalence import Outcome as Run, alike
from tests.programs.science.catalogue import PROGRAMS
from tests.programs.science.table import ScienceProgram

_NUMBERS: Any = (int, float, complex, np.generic, np.ndarray)


@dataclass(frozen=True, slots=True)
class Task:
    """A program by its name, and how many seconds of calls each peer has, five calls at least."""

    program: str
    budget: float


@dataclass(slots=True)
class Timed:
    """A function that keeps how many seconds of the processor its last call took."""

    function: Callable[..., Any]
    seconds: float = 0.0

    def __call__(self, *arguments: Any) -> Any:
        start = process_time()
        try:
            return self.function(*arguments)
        finally:
            self.seconds = process_time() - start


def measure(task: Task) -> Iterator[tuple[str, Outcome]]:
    """The outcome of each peer, and those of all, better ones, once Numba has come to an end."""
    program = next(p for p in PROGRAMS if p.name == task.program)
    want = Run(program.function, program.makers[0](), {})
    runners = {PLAIN: Runner(program.function, fresh=True, first_ms=None, error=0.0)}
    for peer, compiler in (("anabranch", jit), ("numba", _njit())):
        started = _first_call(program, want, peer, compiler) if compiler else NotMeasured("not installed", peer)
        if isinstance(started, NotMeasured):
            yield peer, started
        else:
            runners[peer] = started
        # Before Numba's compilation, which may crash or not end.
        yield from _turns(runners, program, task.budget)


def _njit() -> Any:
    if not PEERS["numba"].installed():
        return None
    from numba import njit

    return njit


def _first_call(program: ScienceProgram, want: Run, peer: str, compiler: Any) -> Runner | NotMeasured:
    """The runner of a peer, or why there is none: it refuses the program, or does something else than Python."""
    try:
        function = compiler(program.function)
        timed = Timed(function)
        got = Run(timed, program.makers[0](), {})
        if got.error is not None and type(got.error) is not type(want.error):
            return refusal(got.error)
        if peer == "anabranch":
            alike(want, got, Tolerance(program.ulps))
        else:
            same_values((want.value, _arrays(want)), (got.value, _arrays(got)))
    except (AssertionError, ResultMismatch) as error:
        return NotMeasured("wrong", str(error).strip())
    except Exception as error:
        return refusal(error)
    return Runner(function, fresh=True, first_ms=1e3 * timed.seconds, error=0.0)


def _arrays(run: Run) -> list[Any]:
    """The arrays among the arguments, as they were left."""
    return [argument for argument in run.args if isinstance(argument, np.ndarray)]


def _turns(runners: dict[str, Runner], program: ScienceProgram, budget: float) -> Iterator[tuple[str, Outcome]]:
    fresh = {peer: replace(runner, spent=0.0, milliseconds=[]) for peer, runner in runners.items()}
    try:
        take_turns(list(fresh.values()), program.makers[0], budget, 5)
    except Exception as error:  # a program that raises has no times
        yield from ((peer, NotMeasured("failed", f"{type(error).__name__}: {error}")) for peer in fresh)
    else:
        yield from ((peer, runner.outcome()) for peer, runner in fresh.items())


def same_values(want: Any, got: Any) -> None:
    """Raise where two results have other values; Numba may give another type of numbers.

    Raises
    ------
    ResultMismatch
    """
    if isinstance(want, tuple | list):
        if len(want) != len(got):
            raise ResultMismatch(f"{len(got)} items, plain Python gives {len(want)}")
        for w, g in zip(want, got, strict=True):
            same_values(w, g)
    elif isinstance(want, dict):
        same_values(list(want.items()), list(got.items()))
    elif isinstance(want, _NUMBERS):
        np.testing.assert_allclose(got, want, rtol=1e-9)
    elif want != got:
        raise ResultMismatch(f"{got!r}, plain Python gives {want!r}")


def work(task: Task, connection: Connection) -> None:
    """Send the outcomes of each peer as they are there."""
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what machine code prints
    configure(cache_dir=None)
    warm_up(PEERS["anabranch"])
    for found in measure(task):
        connection.send(found)


def run(names: Iterable[str], budget: float, timeout: float) -> Iterator[tuple[str, Row]]:
    """The row of each program."""
    context = forking("benchmarks.preloaded", "tests.programs.science.catalogue")
    for name in names:
        found, missing = in_process(context, work, Task(name, budget), timeout)
        yield name, {peer: found.get(peer, missing) for peer in (PLAIN, "anabranch", "numba")}


def main() -> None:
    """Run the programs, write the JSON and the table, print the summary."""
    parser = argparse.ArgumentParser("python -m benchmarks.science", description=__doc__)
    parser.add_argument("--filter", default="", metavar="TEXT", help="programs whose names, as graphs-bfs, have it")
    parser.add_argument("--budget", type=float, default=0.05, metavar="SECONDS", help="of calls, for each peer (0.05)")
    parser.add_argument("--timeout", type=float, default=30.0, metavar="SECONDS", help="for each peer (30)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write what was measured, or go on from there")
    parser.add_argument("--table", type=Path, metavar="FILE", help="write the table of all programs, in Markdown")
    options = parser.parse_args()
    results: Results = read_json(options.json) if options.json and options.json.exists() else {}
    left = [p.name for p in PROGRAMS if options.filter in p.name and p.name not in results]
    for name, row in run(left, options.budget, options.timeout):
        results[name] = {SIZE: row}
        print(name, *(_brief(outcome) for outcome in row.values()), file=sys.stderr, flush=True)
        if options.json:
            write_json(options.json, results)
    summary, table = render(results)
    if options.table:
        options.table.write_text(f"{summary}\n\n{table}\n", encoding="utf-8")
    print(summary)


def _brief(outcome: Outcome) -> str:
    return f"{1e3 * outcome.best_ms:.4g}" if isinstance(outcome, Measured) else outcome.status


if __name__ == "__main__":
    main()
