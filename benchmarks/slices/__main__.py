"""``python -m benchmarks.slices``: kernels of run-time sizes, under each compiler, at several sizes in one process.

The calls of the compilers alternate, so that what else the machine does meets all of them. Below the times stands how
many equations each kernel's Program has at each size: compiling takes the same time whatever the size.
"""

from __future__ import annotations

import argparse
import copy
import importlib
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from anabranch import configure, jit
from benchmarks.compare import largest_error, leaves
from benchmarks.harness import Results
from benchmarks.kernels import Kernel
from benchmarks.outcome import Measured, NotMeasured, Outcome
from benchmarks.peers import PEERS
from benchmarks.slices import NAMES, load
from benchmarks.slices.equations import equations
from benchmarks.table import aligned, render

MOST_ROUNDS = 200


@dataclass(slots=True)
class Runner:
    """One compiler's way to run a kernel, with the times of its calls so far."""

    function: Callable[..., Any]
    import_seconds: float
    first_call_seconds: float
    relative_error: float
    milliseconds: list[float]

    def call(self, arguments: tuple[Any, ...]) -> None:
        """Time one call on a copy of the arguments."""
        own = copy.deepcopy(arguments)
        started = perf_counter()
        self.function(*own)
        self.milliseconds.append(1e3 * (perf_counter() - started))

    def outcome(self) -> Measured:
        """Return the time that the table shows: the best call, since other work of the machine makes calls longer."""
        best = min(self.milliseconds)
        return Measured(self.import_seconds, self.first_call_seconds, self.milliseconds, best, self.relative_error)


def measure(kernel: Kernel[int], n: int, peers: list[str], budget: float) -> dict[str, Outcome]:
    """The times of a kernel at size n under each of the peers, in turns until `budget` seconds are spent."""
    arguments = kernel.arguments(n)
    own = copy.deepcopy(arguments)
    expected = list(leaves(PEERS["numpy"].visible(kernel.function(*own), own)))
    runners: dict[str, Runner] = {}
    outcomes: dict[str, Outcome] = {}
    for peer in peers:
        try:
            runners[peer] = _first_call(kernel, peer, arguments, expected)
        except Exception as error:
            outcomes[peer] = NotMeasured("failed", f"{type(error).__name__}: {next(iter(str(error).splitlines()), '')}")
    end = perf_counter() + budget
    for _ in range(MOST_ROUNDS):
        for runner in runners.values():
            runner.call(arguments)
        if perf_counter() > end:
            break
    return {peer: runners[peer].outcome() if peer in runners else outcomes[peer] for peer in peers}


def _first_call(kernel: Kernel[int], peer: str, arguments: tuple[Any, ...], expected: list[Any]) -> Runner:
    """Compile a kernel for one peer and hold its first result to NumPy's."""
    started = perf_counter()
    importlib.import_module(PEERS[peer].module)
    imported = perf_counter()
    own = copy.deepcopy(arguments)
    function = PEERS[peer].prepare(kernel)
    result = function(*own)
    done = perf_counter()
    # A peer that leaves its arguments alone shows only the results, which come first.
    found = list(leaves(PEERS[peer].visible(result, own)))
    return Runner(function, imported - started, done - imported, largest_error(found, expected[: len(found)]), [])


def main() -> int:
    """Print both tables. The exit status is 1 where something failed."""
    options = _parser().parse_args()
    peers = [name for name in dict.fromkeys(["numpy", *options.peers]) if PEERS[name].installed()]
    results: Results = {}
    counts = [["equations", *map(str, options.sizes)]]
    warnings.simplefilter("ignore")
    with configure(cache_dir=None):
        for name in options.only:
            kernel, row = load(name), [name]
            for n in options.sizes:
                print(f"{name} {n}", file=sys.stderr)
                results[f"{name} {n}"] = found = measure(kernel, n, peers, options.budget)
                failed = isinstance(found.get("anabranch"), NotMeasured)
                row.append("-" if failed else str(equations(jit(kernel.function).trace(*kernel.arguments(n)).program)))
            counts.append(row)
    print(render(results, "best"), end="\n\n")
    print("\n".join(aligned(counts)))
    return int(any(isinstance(outcome, NotMeasured) for row in results.values() for outcome in row.values()))


def _parser() -> argparse.ArgumentParser:
    """The options."""
    parser = argparse.ArgumentParser("python -m benchmarks.slices", description="Kernels of run-time sizes.")
    parser.add_argument("--only", nargs="+", choices=NAMES, default=NAMES, metavar="NAME", help=", ".join(NAMES))
    parser.add_argument("--sizes", nargs="+", type=int, default=[200, 600], metavar="N")
    parser.add_argument("--peers", nargs="+", choices=list(PEERS), default=list(PEERS), help="NumPy always runs")
    parser.add_argument("--budget", type=float, default=2.0, metavar="SECONDS", help="for each kernel and size")
    return parser


if __name__ == "__main__":
    sys.exit(main())
