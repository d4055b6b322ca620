"""One kernel under all peers, in a process of its own: calls in turns, the best of them counts."""

from __future__ import annotations

import gc
import importlib
import statistics
import traceback
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import partial
from multiprocessing.connection import Connection
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.compare import ResultMismatch, largest_error, leaves
from benchmarks.equations import equations
from benchmarks.kernel import Kernel, Size
from benchmarks.kernels import load
from benchmarks.outcome import Measured, NotMeasured, Outcome, Row
from benchmarks.peers import PEERS, Function, Peer

TURN_SECONDS = 0.005
"""How long a peer's turn takes, if its calls are not longer than that."""
MOST_CALLS = 200
"""In one turn."""


@dataclass(frozen=True, slots=True)
class Task:
    """A kernel, ``"physics.n_body"``, and how to measure it: `budget` seconds and `fewest` calls for each peer."""

    kernel: str
    peers: tuple[str, ...]
    sizes: tuple[Size, ...]
    budget: float
    fewest: int


@dataclass(slots=True)
class Runner:
    """One peer's way to run a kernel, with what was measured of it so far."""

    function: Any
    fresh: bool
    """Each call changes its arguments, so that it needs its own."""
    first_ms: float | None
    error: float
    spent: float = 0.0
    milliseconds: list[float] = field(default_factory=list)

    def turn(self, arguments: tuple[Any, ...], make: Callable[[], tuple[Any, ...]]) -> None:
        """Some calls in a row; what they return is dropped."""
        started = perf_counter()
        best = min(self.milliseconds, default=np.inf)
        for _ in range(int(np.clip(1e3 * TURN_SECONDS / best, 1, MOST_CALLS))):
            self._call(make() if self.fresh else arguments)
        self.spent += perf_counter() - started

    def _call(self, arguments: tuple[Any, ...]) -> None:
        started = perf_counter()
        result = self.function(*arguments)
        ended = perf_counter()
        del result
        self.milliseconds.append(1e3 * (ended - started))

    def outcome(self) -> Measured:
        """The contents of the table."""
        times = self.milliseconds
        return Measured(min(times), statistics.median(times), len(times), self.first_ms, self.error)


def copied(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments with arrays of their own."""
    return tuple(a.copy() if isinstance(a, np.ndarray) else a for a in arguments)


@dataclass(frozen=True, slots=True)
class Reference:
    """Arguments, and what NumPy makes of them: the result, then the arguments as they are after the call."""

    arguments: tuple[Any, ...]
    expected: list[np.ndarray[Any, Any]]
    changes: bool

    @classmethod
    def of(cls, kernel: Kernel, size: Size) -> Reference:
        """NumPy's results."""
        arguments = kernel.arguments(size)
        own = copied(arguments)
        result = kernel.function(*own)
        changes = [a.tobytes() for a in leaves(own)] != [a.tobytes() for a in leaves(arguments)]
        # A result may be a view of an argument; the copies stay as they are.
        return cls(arguments, [a.copy() for a in leaves((result, own))], changes)

    def runner(self, peer: Peer, function: Function, first: bool) -> Runner:
        """Call the function for the first time, and hold its result to NumPy's."""
        own = copied(self.arguments)
        started = perf_counter()
        result = function(*own)
        first_ms = 1e3 * (perf_counter() - started)
        found = list(leaves(peer.visible(result, own)))
        error = largest_error(found, self.expected[: len(found)] if not peer.changes_arguments else self.expected)
        return Runner(function, self.changes, first_ms if first else None, error)


def measure(task: Task) -> Iterable[tuple[Size, Row]]:
    """The outcomes of a kernel at each size."""
    kernel = load(task.kernel)
    functions: dict[str, Outcome | Function] = {peer: _prepared(PEERS[peer], kernel) for peer in task.peers}
    for size in task.sizes:
        reference = Reference.of(kernel, size)
        runners: dict[str, Runner] = {}
        row: Row = {}
        for peer, function in functions.items():
            # Numba has compiled for all sizes when it has for one.
            first = peer != "numba" or size == task.sizes[0]
            started = function if isinstance(function, NotMeasured) else _started(reference, peer, function, first)
            if isinstance(started, Runner):
                runners[peer] = started
            else:
                row[peer] = started
        take_turns(list(runners.values()), partial(copied, reference.arguments), task.budget, task.fewest)
        measured = {peer: runner.outcome() for peer, runner in runners.items()}
        if "anabranch" in measured:
            traced = runners["anabranch"].function.trace(*copied(reference.arguments))
            measured["anabranch"] = replace(measured["anabranch"], equations=equations(traced.program))
        yield size, {**row, **measured}


def _prepared(peer: Peer, kernel: Kernel) -> Outcome | Function:
    if not peer.installed():
        return NotMeasured("not installed", f"no module named {peer.module!r}")
    warm_up(peer)
    return peer.prepare(kernel) or NotMeasured("no form", "written for other peers only")


def _started(reference: Reference, peer: str, function: Any, first: bool) -> Runner | NotMeasured:
    """The runner of a peer, or why it has none."""
    try:
        return reference.runner(PEERS[peer], function, first)
    except ResultMismatch as error:
        return NotMeasured("wrong", str(error))
    except Exception as error:
        return refusal(error)


def refusal(error: Exception) -> NotMeasured:
    """The outcome of a peer that raises."""
    line = next((line.strip() for line in str(error).splitlines() if line.strip()), "")
    return NotMeasured("refused", f"{type(error).__name__}: {line}", "".join(traceback.format_exception(error)))


def take_turns(runners: list[Runner], make: Callable[[], tuple[Any, ...]], budget: float, fewest: int) -> None:
    """Calls of all runners in turns, so that what else the machine does meets all of them.

    `make` gives fresh arguments; each runner has so many seconds and calls at least.
    """
    gc.collect()
    gc.freeze()  # what is there now need not be looked through between the turns
    gc.disable()
    while waiting := [r for r in runners if r.spent < budget or len(r.milliseconds) < fewest]:
        own = make()
        for runner in waiting:
            runner.turn(own, make)
        gc.collect()
    gc.enable()


def plus_one(x: Any) -> Any:
    """The first function that each compiler sees: what it sets up once is not the kernel's time."""
    return x + 1.0


def preload() -> None:
    """Import all peers, and have Numba set up; the others' threads would not survive a fork."""
    for peer in PEERS.values():
        if peer.installed():
            importlib.import_module(peer.module)
    if PEERS["anabranch"].installed():
        importlib.import_module("anabranch").jit(plus_one).source()
    if PEERS["numba"].installed():
        warm_up(PEERS["numba"])


def warm_up(peer: Peer) -> None:
    """Have a compiler compile its first function."""
    decorator = "njit" if peer.name == "numba" else "jit"
    getattr(importlib.import_module(peer.module), decorator, lambda function: function)(plus_one)(np.ones(3))


def run(task: Task, connection: Connection) -> None:
    """Send the outcomes of each size as they are there."""
    warnings.simplefilter("ignore")
    importlib.import_module("anabranch").configure(cache_dir=None)
    for found in measure(task):
        connection.send(found)
