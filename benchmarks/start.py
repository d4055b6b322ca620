"""How long a process takes to its first result: `python -m benchmarks.start [--rounds 5] [--per-op] [--programs]`.

Each figure is the median of several fresh processes, which take turns. *cold* has an empty cache on disk, *warm* finds
there what a process before it has made; both are from the start of the program, imports (of NumPy, too) included, to
the first result. JAX has its persistent cache, without a lower limit to what it keeps; Numba has `cache=True`.

With `--per-op`, tracing and lowering of a chain of 2,000 additions, and of a function of 200 lines, for each operation
that the text holds: processor time, the best of some rounds in some processes.

With `--programs`, median and maximum of the first calls of all programs in `examples`, `benchmarks` and
`tests/behaviour/programs`, as `benchmarks.first_calls` says; `--clock processor` for a machine that does other things,
too.
"""
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks import first_calls
from benchmarks.table import aligned

ROOT = Path(__file__).resolve().parent.parent
PEERS = ("anabranch", "jax", "numba")
# A loop on numbers, loops over particles, matrices and vectors until they agree, and array expressions.
KERNELS = ("physics.mandelbrot", "physics.n_body", "dense.conjugate_gradient", "learning.softmax_mlp")


def run(folder: str, *task: str) -> dict[str, float]:
    """A task in a fresh process, with its caches in the folder."""
    places = {"START_CACHE": folder, "NUMBA_CACHE_DIR": folder, "ANABRANCH_CACHE": "1", "ANABRANCH_CACHE_DIR": folder}
    command = [sys.executable, "-m", "benchmarks.start_worker", *task]
    environment = {**os.environ, **places, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}
    # Modules that were never imported before would be compiled from source by each process.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    done = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=ROOT)
    if done.returncode:
        raise RuntimeError(f"{' '.join(task)}: {done.stderr.strip().splitlines()[-1]}")
    found: dict[str, float] = json.loads(done.stdout)
    return found


def measured(kernel: str, peers: list[str], rounds: int) -> dict[str, dict[str, float]]:
    """The medians of each peer: import, trace, lower, cold and warm, and of the warm call alone."""
    found: dict[str, list[dict[str, float]]] = {peer: [] for peer in peers}
    for _ in range(rounds):
        for peer in peers:
            with tempfile.TemporaryDirectory() as folder:
                cold, warm = (run(folder, "first_call", peer, kernel) for _ in range(2))
                row = {"import": warm["import"], "cold": cold["all"], "warm": warm["all"], "warm call": warm["call"]}
                found[peer].append(row | (run(folder, "stages", peer, kernel) if peer != "numba" else {}))
    return {peer: {k: statistics.median(r[k] for r in rows) for k in rows[0]} for peer, rows in found.items()}


COLUMNS = ("import", "trace", "lower", "warm call", "cold", "warm")


def table(results: dict[str, dict[str, dict[str, float]]]) -> str:
    """Milliseconds of each, and how many times those of another peer anabranch takes for the warm first result."""
    lines = [["kernel", "peer", *COLUMNS, "warm/jax", "warm/numba"]]
    for kernel, row in results.items():
        for peer, times in row.items():
            cells = [f"{times[c]:.0f}" if c in times else "-" for c in COLUMNS]
            ratios = [f"{times['warm'] / row[o]['warm']:.2f}" if o in row else "-" for o in ("jax", "numba")]
            lines.append([kernel, peer, *cells, *(ratios if peer == "anabranch" else ["", ""])])
    return "\n".join(aligned(lines))


def per_op_table(rounds: int) -> str:
    """Microseconds for each operation, and the ratio of the sums."""
    lines = [["program", "trace", "lower", "jax trace", "jax lower", "ratio"]]
    for program in ("chain", "column"):
        found: dict[str, list[dict[str, float]]] = {"anabranch": [], "jax": []}
        for _ in range(rounds):
            for peer, rows in found.items():
                with tempfile.TemporaryDirectory() as folder:
                    rows.append(run(folder, "per_op", peer, program))
        ours, jax = ({k: min(r[k] for r in rows) for k in ("trace", "lower")} for rows in found.values())
        cells = [f"{t:.1f}" for t in (*ours.values(), *jax.values())]
        lines.append([program, *cells, f"{sum(ours.values()) / sum(jax.values()):.2f}"])
    return "\n".join(aligned(lines))


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--kernels", nargs="+", default=list(KERNELS))
    parser.add_argument("--peers", nargs="+", choices=PEERS, default=list(PEERS))
    parser.add_argument("--per-op", action="store_true", help="tracing and lowering per operation, beside JAX's")
    parser.add_argument("--programs", action="store_true", help="first calls of all programs there are")
    parser.add_argument("--clock", choices=("wall", "processor"), default="wall", help="for --programs")
    options = parser.parse_args()
    if options.programs:
        print(f"milliseconds\n\n{first_calls.report(options.peers, options.clock)}")
    elif options.per_op:
        print(f"µs for each operation\n\n{per_op_table(options.rounds)}")
    else:
        results = {kernel: measured(kernel, options.peers, options.rounds) for kernel in options.kernels}
        print(f"milliseconds\n\n{table(results)}")


if __name__ == "__main__":
    main()
