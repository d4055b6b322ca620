"""One kernel under one peer in a process of its own: ``python -m benchmarks.worker TASK``, both ways in JSON."""

from __future__ import annotations

import copy
import importlib
import json
import os
import statistics
import sys
import traceback
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.arrays import Size
from benchmarks.compare import largest_error, leaves
from benchmarks.kernels import load
from benchmarks.outcome import Measured, NotMeasured, Outcome, to_json
from benchmarks.peers import PEERS

FEWEST_REPEATS = 3
MOST_REPEATS = 1000


@dataclass(frozen=True, slots=True)
class Task:
    """One run. `repeats` of None means as many as fit in `budget` seconds.

    `reference` is a file of NumPy's results: the NumPy process writes it, the others compare with it.
    """

    kernel: str
    peer: str
    size: Size
    repeats: int | None
    budget: float
    reference: str

    def as_json(self) -> str:
        """The argument of a worker process."""
        return json.dumps(asdict(self))


def measure(task: Task) -> Measured:
    """Run the task in this process."""
    kernel, peer = load(task.kernel), PEERS[task.peer]
    started = perf_counter()
    importlib.import_module(peer.module)
    import_seconds = perf_counter() - started

    arguments = kernel.arguments(task.size)
    own = copy.deepcopy(arguments)
    started = perf_counter()
    function = peer.prepare(kernel)
    result = function(*own)
    first_call_seconds = perf_counter() - started

    error = _error_against_reference(list(leaves(peer.visible(result, own))), Path(task.reference), peer.name)
    milliseconds = _repeat(function, arguments, task)
    return Measured(import_seconds, first_call_seconds, milliseconds, statistics.median(milliseconds), error)


def _error_against_reference(found: list[np.ndarray[Any, Any]], path: Path, peer: str) -> float:
    """The error against the saved results; NumPy's own are saved and have none."""
    if peer == "numpy":
        np.savez(path, *found)
        return 0.0
    with np.load(path) as saved:
        # A peer that leaves its arguments alone shows only the results, which were saved first.
        expected = [saved[name] for name in saved.files][: len(found)]
    return largest_error(found, expected)


def _repeat(function: Callable[..., Any], arguments: tuple[Any, ...], task: Task) -> list[float]:
    """Milliseconds of each call; every call has its own copy of the arguments, made outside the time measured."""
    milliseconds: list[float] = []
    while not _enough(milliseconds, task):
        own = copy.deepcopy(arguments)
        started = perf_counter()
        function(*own)
        milliseconds.append(1e3 * (perf_counter() - started))
    return milliseconds


def _enough(milliseconds: list[float], task: Task) -> bool:
    """Return whether the asked-for repeats are done or, where none are asked for, the time budget is spent."""
    count = len(milliseconds)
    if task.repeats is not None:
        return count >= task.repeats
    return count >= MOST_REPEATS or (count >= FEWEST_REPEATS and sum(milliseconds) >= 1e3 * task.budget)


def attempt(task: Task) -> Outcome:
    """Run the task; an exception becomes the outcome, so that the table shows a peer that fails beside the others."""
    try:
        return measure(task)
    except Exception as error:
        first_line = next((line.strip() for line in str(error).splitlines() if line.strip()), "")
        return NotMeasured("failed", f"{type(error).__name__}: {first_line}", traceback.format_exc())


def main() -> None:
    """Read the task, run it, write the outcome."""
    # Compilers print what they like; the answer goes through a copy of standard output that they cannot reach.
    with os.fdopen(os.dup(1), "w") as answer:
        os.dup2(2, 1)
        json.dump(to_json(attempt(Task(**json.loads(sys.argv[1])))), answer)


if __name__ == "__main__":
    main()
