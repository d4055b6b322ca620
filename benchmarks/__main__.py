"""``python -m benchmarks``: run the kernels, print the table, write the JSON and the plot."""

from __future__ import annotations

import argparse
import importlib.util
import sys
from pathlib import Path

from benchmarks.harness import Plan, Results, run, write_json
from benchmarks.kernels import NAMES
from benchmarks.outcome import NotMeasured
from benchmarks.peers import PEERS
from benchmarks.plot import write_plot
from benchmarks.table import render

RESULTS = Path(__file__).resolve().parent / "results"


def main() -> int:
    """The exit status is 1 if a process failed or ran out of time; a peer that is not installed is no failure."""
    options = _parser().parse_args()
    plan = Plan(tuple(options.only), tuple(options.peers), options.size, options.repeats, options.timeout)
    for peer in plan.peers:
        if not PEERS[peer].installed():
            print(f"{peer} is not installed: going on without it", file=sys.stderr)
    results = _run_with_progress(plan)
    print(render(results))
    write_json(options.json, plan, results)
    print(f"\nwritten: {options.json}")
    _plot(options.plot, results)
    outcomes = [outcome for row in results.values() for outcome in row.values()]
    return int(any(isinstance(o, NotMeasured) and o.status != "not installed" for o in outcomes))


def _parser() -> argparse.ArgumentParser:
    """The options."""
    parser = argparse.ArgumentParser("python -m benchmarks", description="Kernels in NumPy, timed under each compiler.")
    parser.add_argument("--only", nargs="+", choices=NAMES, default=NAMES, metavar="NAME", help=", ".join(NAMES))
    parser.add_argument("--peers", nargs="+", choices=list(PEERS), default=list(PEERS), help="NumPy always runs")
    parser.add_argument("--size", choices=["small", "full"], default="full")
    parser.add_argument("--repeats", type=_at_least_one, help="calls timed (default: as many as fit in a time budget)")
    parser.add_argument(
        "--timeout", type=float, default=120.0, metavar="SECONDS", help="for each process (default: 120)"
    )
    parser.add_argument("--json", type=Path, default=RESULTS / "results.json", metavar="FILE")
    parser.add_argument("--plot", type=Path, default=RESULTS / "results.png", metavar="FILE")
    return parser


def _at_least_one(text: str) -> int:
    """A positive whole number."""
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return value


def _run_with_progress(plan: Plan) -> Results:
    """Run the plan under a progress bar, or without one where tqdm is not installed."""
    if importlib.util.find_spec("tqdm") is None:
        print("no progress bar: tqdm is not installed", file=sys.stderr)
        return run(plan, on_start=lambda kernel, peer: None, on_end=lambda: None)
    from tqdm import tqdm

    with tqdm(total=len(plan.processes()), unit="run") as bar:
        return run(
            plan,
            on_start=lambda kernel, peer: bar.set_description(f"{kernel} as {peer}"),
            on_end=lambda: bar.update(1),
        )


def _plot(path: Path, results: Results) -> None:
    """Write the plot, or say why there is none."""
    if importlib.util.find_spec("matplotlib") is None:
        print("no plot: matplotlib is not installed")
        return
    write_plot(path, results)
    print(f"written: {path}")


if __name__ == "__main__":
    sys.exit(main())
