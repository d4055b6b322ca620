"""The functions that the examples compute, and how they tell where a worker had its machine code from.

All workers share a folder for executables: here a new one for each run, so that the first worker has to compile.
Without the line that sets it they share the one of the user, `~/.cache/anabranch`.
"""

import os
import tempfile
import time
from typing import NamedTuple

os.environ.setdefault("ANABRANCH_CACHE_DIR", tempfile.mkdtemp(prefix="anabranch-cluster-"))

import numpy as np

import anabranch
from anabranch import jit


@jit
def relax(u, steps):
    """The mean of an array after so many sweeps over it."""
    for _ in range(steps):
        for i in range(1, len(u) - 1):
            u[i] = 0.25 * u[i - 1] + 0.5 * u[i] + 0.25 * u[i + 1]
    return u.mean()


class Told(NamedTuple):
    """One task."""

    worker: str
    code: str
    first: float
    later: float
    mean: float


def task(seed):
    """Call the function twice, and tell how long each call took, and what the first one had to do."""
    u = np.random.default_rng(seed).random(4000)
    with anabranch.profile() as found:
        begin = time.perf_counter()
        relax(u.copy(), 100)
        first = time.perf_counter() - begin
    begin = time.perf_counter()
    mean = relax(u.copy(), 100)
    later = time.perf_counter() - begin
    sources = {dict(event.details)["by"] for event in found.events() if event.details}
    code = "in memory" if not sources else "from disk" if "disk" in sources else "compiled"
    return Told(f"process {os.getpid()}", code, first, later, float(mean))


def report(title, told):
    """Print the first task of each worker; nobody but the first one has compiled."""
    print(title)
    seen = set()
    for found in told:
        if found.worker not in seen:
            seen.add(found.worker)
            print(
                f"  {found.worker:<16} {found.code:<10} first call {1e3 * found.first:7.1f} ms, "
                f"later {1e3 * found.later:6.2f} ms"
            )
    compiled = sum(found.code == "compiled" for found in told)
    print(f"  {len(told)} tasks on {len(seen)} workers, {compiled} compiled")
    return compiled
