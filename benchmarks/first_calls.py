"""First calls of all programs in `examples`, `benchmarks` and the tests' catalogue: `benchmarks.start --programs`.

A first call is timed in a process that has imported the compiler and compiled one other function. *cold* has an empty
cache on disk, *disk* finds there what a process before it has made. Numba takes the same source where it can; JAX has
the kernels that were written for it by hand.
"""
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

import contextlib
import importlib
import inspect
import io
import json
import os
import statistics
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

from benchmarks.kernels import all_kernels, load
from benchmarks.table import aligned

ROOT = Path(__file__).resolve().parent.parent
GROUPS = ("examples", "kernels", "programs")
PEERS = ("anabranch", "jax", "numba")
Times = dict[str, list[float]]  # seconds on the clock and on the processors, by the program's name


@dataclass(frozen=True, slots=True)
class Entry:
    """A program, its arguments, which of these are static, and where there is one, JAX's form of it."""

    name: str
    function: Callable[..., Any]
    arguments: Callable[[], tuple[Any, ...]]
    static: tuple[str, ...] = ()
    jax_form: Callable[[], Callable[..., Any] | None] = lambda: None


def programs(group: str) -> Iterator[Entry]:
    """The programs of a group."""
    if group == "kernels":
        for name, kernel in all_kernels().items():
            if name != "thomas":
                yield Entry(name, kernel.function, partial(kernel.arguments, "tiny"), (), kernel.jax_form)
    elif group == "examples":
        yield from _examples()
    else:
        catalogue = importlib.import_module("tests.behaviour.programs.catalogue")
        for _, name, function, (specs, *_) in catalogue.CASES:
            names = list(inspect.signature(function).parameters)
            static = tuple(names[i] for i, spec in enumerate(specs) if spec[0] == "s")
            yield Entry(name, function, partial(_concrete, catalogue, specs), static)


def _concrete(catalogue: Any, specs: Any) -> tuple[Any, ...]:
    return tuple(map(catalogue.concrete, specs))


def _examples() -> Iterator[Entry]:
    import numpy as np

    made = {
        "bisection.bisect": lambda: (0.0, 3.0, 1e-14),
        "gauss_seidel.solve": lambda: (np.eye(40) * 5 + 0.1, np.ones(40), np.zeros(40), 1e-9),
        "static_arguments.window": lambda: (16, "gauss", 2.0),
        "training.fit": lambda: ({"slope": np.zeros(3), "offset": 0.0}, np.eye(9, 3), np.ones(9), 0.1, 1e-9),
    }
    for name, arguments in made.items():
        module, function = name.split(".")
        found = getattr(importlib.import_module(f"examples.{module}"), function)
        static = ("size", "kind") if function == "window" else ()
        yield Entry(function, inspect.unwrap(found), arguments, static)


def run(peer: str, group: str) -> None:
    """Print a line of JSON for each program of a group that the peer has: its name, and its times."""
    from benchmarks import start_worker

    warnings.simplefilter("ignore")
    decorate = {"anabranch": start_worker._anabranch, "jax": start_worker._jax, "numba": start_worker._numba}[peer]()
    thomas = load("factorisations.thomas")
    start_worker._wait(decorate(thomas.jax_form() if peer == "jax" else thomas.function)(*thomas.arguments("tiny")))
    for entry in programs(group):
        if peer == "jax" and entry.jax_form() is None:
            continue
        with contextlib.suppress(Exception), contextlib.redirect_stdout(io.StringIO()):  # what it cannot compile
            times = _timed(peer, decorate, entry, start_worker._wait)
            print(json.dumps([entry.name, *times]), file=sys.__stdout__, flush=True)


def _timed(peer: str, decorate: Any, entry: Entry, wait: Callable[[Any], None]) -> tuple[float, float]:
    arguments = entry.arguments()
    if peer == "jax":
        function = decorate(entry.jax_form())
    else:
        options = {"static_argnames": entry.static} if peer == "anabranch" and entry.static else {}
        function = decorate(entry.function, **options)
    wall, processor = perf_counter(), process_time()
    try:
        wait(function(*arguments))
    except Exception as error:
        if type(error).__module__.split(".")[0] in PEERS:  # those of the programs are part of their results
            raise
    return perf_counter() - wall, process_time() - processor


def measured(peer: str, group: str) -> dict[str, Times]:
    """The times of a peer's cold first calls of a group, and of those from disk."""
    with tempfile.TemporaryDirectory() as folder:
        return {kind: _process(peer, group, folder) for kind in ("cold", "disk")}


def _process(peer: str, group: str, folder: str) -> Times:
    places = {"START_CACHE": folder, "NUMBA_CACHE_DIR": folder, "ANABRANCH_CACHE": "1", "ANABRANCH_CACHE_DIR": folder}
    environment = {**os.environ, **places, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}
    command = [sys.executable, "-m", "benchmarks.first_calls", peer, group]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=ROOT)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    if done.returncode:
        raise RuntimeError(f"{peer}, {group}, after {len(lines)} programs: {done.stderr.strip().splitlines()[-1]}")
    return {name: times for name, *times in lines}


def table(results: dict[str, dict[str, dict[str, Times]]], clock: int) -> str:
    """Median and maximum of each group and peer, in milliseconds; of the peers over the programs that they have.

    The last two columns are anabranch's medians over just those programs.
    """
    lines = [["programs", "peer", "number", "cold", "cold max", "disk", "disk max", "ours cold", "ours disk"]]
    for group, peers in results.items():
        for peer, kinds in peers.items():
            if not kinds["cold"]:
                continue
            cells = [f"{1e3 * f(t[clock] for t in kinds[k].values()):.0f}" for k in kinds for f in (_median, max)]
            ours = peers.get("anabranch", {}) if peer != "anabranch" else {}
            for kind in ("cold", "disk"):
                common = [ours[kind][name][clock] for name in kinds["cold"] if name in ours.get(kind, {})]
                cells.append(f"{1e3 * _median(common):.0f}" if common else "")
            lines.append([group, peer, str(len(kinds["cold"])), *cells])
    return "\n".join(aligned(lines))


def _median(values: Iterable[float]) -> float:
    return statistics.median(values)


def slowest(results: dict[str, dict[str, dict[str, Times]]], clock: int, count: int = 5) -> str:
    """The programs whose cold first calls take anabranch longest."""
    all_of = {n: t[clock] for peers in results.values() for n, t in peers.get("anabranch", {}).get("cold", {}).items()}
    names = sorted(all_of, key=all_of.__getitem__, reverse=True)[:count]
    return ", ".join(f"{name} {1e3 * all_of[name]:.0f}" for name in names)


def report(peers: list[str], clock: str) -> str:
    """Everything measured, as text."""
    results: dict[str, dict[str, dict[str, Times]]] = {}
    for group in GROUPS:
        results[group] = {peer: measured(peer, group) for peer in peers}
    whole: dict[str, dict[str, Times]] = {}
    for peer in peers:
        whole[peer] = {
            k: {f"{g}.{n}": t for g in GROUPS for n, t in results[g][peer][k].items()} for k in ("cold", "disk")
        }
    results["all"] = whole
    which = ("wall", "processor").index(clock)
    return f"{table(results, which)}\n\nslowest: {slowest({'all': whole}, which)}"


if __name__ == "__main__":
    run(*sys.argv[1:])
