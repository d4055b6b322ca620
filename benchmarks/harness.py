"""Runs every kernel in a process of its own, and keeps what was measured."""

from __future__ import annotations

import importlib.metadata
import json
import multiprocessing
import os
import platform
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import worker
from benchmarks.kernel import Kernel, Size
from benchmarks.outcome import NotMeasured, Results, from_json, to_json


@dataclass(frozen=True, slots=True)
class Plan:
    """The kernels, sizes and peers to run, and how.

    `budget` is in seconds for each peer and size, `fewest` the calls it has at least; `timeout` is in seconds for each
    kernel and size.
    """

    kernels: tuple[Kernel, ...]
    peers: tuple[str, ...]
    sizes: tuple[Size, ...]
    budget: float
    fewest: int
    timeout: float

    def task(self, kernel: Kernel) -> worker.Task:
        """The task of the process of a kernel. The others are held to NumPy's results."""
        peers = tuple(dict.fromkeys(("numpy", *self.peers)))
        return worker.Task(f"{kernel.group}.{kernel.name}", peers, self.sizes, self.budget, self.fewest)


def run(plan: Plan, on_start: Callable[[str], None], on_end: Callable[[Results], None]) -> Results:
    """Run the plan; the two callbacks are told of each kernel as it starts and ends."""
    context = forking("benchmarks.preloaded")
    results: Results = {}
    for kernel in plan.kernels:
        on_start(kernel.name)
        task = plan.task(kernel)
        rows, missing = in_process(context, worker.run, task, plan.timeout)
        results[kernel.name] = {size: rows.get(size, dict.fromkeys(task.peers, missing)) for size in task.sizes}
        on_end(results)
    return results


def forking(*modules: str) -> Any:
    """The context of processes that are forks of one that has imported these modules and computed nothing."""
    # A GPU that only one of the peers can use would make the times incomparable.
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(list(modules))
    return context


def in_process(
    context: Any, target: Callable[..., None], task: Any, timeout: float
) -> tuple[dict[str, Any], NotMeasured]:
    """The answers of a process, each under a name and within so many seconds; and why it sent no more."""
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=target, args=(task, sender))
    process.start()
    sender.close()
    found: dict[str, Any] = {}
    missing = NotMeasured("timed out", f"no answer within {timeout:g} s")
    try:
        while receiver.poll(timeout):
            name, value = receiver.recv()
            found[name] = value
    except EOFError:
        process.join()
        missing = NotMeasured("failed", f"exit status {process.exitcode}")
    process.kill()
    process.join()
    return found, missing


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


def write_json(path: Path, results: Results) -> None:
    """Write everything measured."""
    rows = {
        kernel: {size: {peer: to_json(o) for peer, o in row.items()} for size, row in sizes.items()}
        for kernel, sizes in results.items()
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"environment": environment(), "results": rows}, indent=1) + "\n", encoding="utf-8")


def read_json(path: Path) -> Results:
    """The rows that `write_json` has written."""
    rows = json.loads(path.read_text(encoding="utf-8"))["results"]
    return {
        kernel: {size: {peer: from_json(o) for peer, o in row.items()} for size, row in sizes.items()}
        for kernel, sizes in rows.items()
    }
