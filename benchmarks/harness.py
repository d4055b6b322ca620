"""Runs every kernel under every peer, each in its own process, so that peers do not disturb one another."""

from __future__ import annotations

import importlib.metadata
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from benchmarks.arrays import Size
from benchmarks.outcome import NotMeasured, Outcome, from_json, to_json
from benchmarks.peers import PEERS
from benchmarks.worker import Task

ROOT = Path(__file__).resolve().parent.parent
BUDGET_SECONDS: dict[Size, float] = {"small": 0.1, "full": 1.5}

Results: TypeAlias = dict[str, dict[str, Outcome]]
"""Outcomes by kernel and then by peer."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The kernels and peers to run, and how; `timeout` is in seconds for each process."""

    kernels: tuple[str, ...]
    peers: tuple[str, ...]
    size: Size
    repeats: int | None
    timeout: float

    def processes(self) -> list[tuple[str, str]]:
        """Kernels and peers in the order they run: NumPy first, since its results are what the others are held to."""
        peers = ["numpy", *(name for name in self.peers if name != "numpy")]
        return [(kernel, peer) for kernel in self.kernels for peer in peers]


def run(plan: Plan, on_start: Callable[[str, str], None], on_end: Callable[[], None]) -> Results:
    """Run the plan; the two callbacks are told of each process as it starts and ends."""
    results: Results = {kernel: {} for kernel in plan.kernels}
    with tempfile.TemporaryDirectory(prefix="benchmarks-") as folder:
        for kernel, peer in plan.processes():
            on_start(kernel, peer)
            reference = Path(folder, f"{kernel}.npz")
            task = Task(kernel, peer, plan.size, plan.repeats, BUDGET_SECONDS[plan.size], str(reference))
            results[kernel][peer] = _outcome(task, plan.timeout)
            on_end()
    return results


def _outcome(task: Task, timeout: float) -> Outcome:
    """The outcome of a task, or why it was not started."""
    if not PEERS[task.peer].installed():
        return NotMeasured("not installed", f"no module named {PEERS[task.peer].module!r}")
    if task.peer != "numpy" and not Path(task.reference).exists():
        return NotMeasured("failed", "there is no NumPy result to compare with")
    return _run_process(task, timeout)


def _run_process(task: Task, timeout: float) -> Outcome:
    """Start a worker, wait for it and read its answer."""
    command = [sys.executable, "-m", "benchmarks.worker", task.as_json()]
    # A GPU that only one of the peers can use would make the times incomparable.
    environment = {"JAX_PLATFORMS": "cpu"} | os.environ
    try:
        process = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=timeout, check=False
        )
    except subprocess.TimeoutExpired:
        return NotMeasured("timed out", f"no answer within {timeout:g} s")
    if process.returncode != 0:
        last = process.stderr.strip().splitlines()[-1:] or ["no message"]
        return NotMeasured("failed", f"exit status {process.returncode}: {last[0]}", process.stderr)
    return from_json(json.loads(process.stdout))


def environment() -> dict[str, Any]:
    """Return the facts that times depend on beside the kernels: interpreter, machine, versions of the peers."""
    distributions = ("numpy", "anabranch", "jaxlib", "numba", "jax")
    return {
        "python": platform.python_version(),
        "machine": platform.machine(),
        "system": platform.system(),
        "cpus": os.cpu_count(),
        "versions": {name: _version(name) for name in distributions},
    }


def _version(distribution: str) -> str | None:
    """The installed version, None if there is none."""
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return None


def write_json(path: Path, plan: Plan, results: Results) -> None:
    """Write everything measured, every single time included."""
    document = {
        "environment": environment(),
        "size": plan.size,
        "results": {
            kernel: {peer: to_json(outcome) for peer, outcome in outcomes.items()}
            for kernel, outcomes in results.items()
        },
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
