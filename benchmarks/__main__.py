"""``python -m benchmarks``: run the kernels, print the tables, write the JSON and the plot.

The exit status is 1 where a kernel is refused, wrong or, at more than 20 µs, slower than NumPy.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
from pathlib import Path

from benchmarks.changes import render_changes
from benchmarks.harness import Plan, read_json, run, write_json
from benchmarks.kernels import GROUPS, all_kernels
from benchmarks.outcome import NotMeasured, Results
from benchmarks.peers import PEERS
from benchmarks.plot import write_plot
from benchmarks.table import SUBJECT, flat, render, slower_than_numpy


def main() -> int:
    """The exit status; a peer that is not installed, or refuses a kernel, is no failure."""
    options = _parser().parse_args()
    for peer in options.peers:
        if not PEERS[peer].installed():
            print(f"{peer} is not installed: going on without it", file=sys.stderr)
    earlier = read_json(options.compare) if options.compare else None
    results = _run_with_progress(_plan(options), options.json)
    print(render(results))
    if earlier is not None:
        print(f"\nBeside {options.compare}:\n\n{render_changes(earlier, results)}")
    if options.plot:
        write_plot(options.plot, results)
    return int(bool(slower_than_numpy(results)) or _has_failed(results))


def _parser() -> argparse.ArgumentParser:
    """The options."""
    parser = argparse.ArgumentParser("python -m benchmarks", description="Kernels in NumPy, timed under each compiler.")
    names = list(all_kernels())
    parser.add_argument("--only", nargs="+", choices=names, default=names, metavar="NAME", help=", ".join(names))
    parser.add_argument("--group", nargs="+", choices=GROUPS, default=GROUPS, metavar="GROUP", help=", ".join(GROUPS))
    parser.add_argument("--size", nargs="+", choices=["tiny", "small", "large"], help="default: small large")
    parser.add_argument("--peers", nargs="+", choices=list(PEERS), default=list(PEERS), help="NumPy always runs")
    parser.add_argument("--quick", action="store_true", help="small sizes alone, and less time for each")
    parser.add_argument("--budget", type=float, metavar="SECONDS", help="for each kernel, size and peer")
    parser.add_argument("--timeout", type=float, default=180.0, metavar="SECONDS", help="for each kernel, size (180)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write what was measured")
    parser.add_argument("--compare", type=Path, metavar="FILE", help="show what changed since that was written")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw a picture, .png or .svg")
    return parser


def _plan(options: argparse.Namespace) -> Plan:
    """The kernels that were asked for, and how long each may take."""
    chosen = [k for name, k in all_kernels().items() if name in options.only and k.group in options.group]
    sizes = options.size or (["small"] if options.quick else ["small", "large"])
    budget = options.budget or (0.05 if options.quick else 0.3)
    return Plan(tuple(chosen), tuple(options.peers), tuple(sizes), budget, 2 if options.quick else 3, options.timeout)


def _run_with_progress(plan: Plan, json: Path | None) -> Results:
    """Run the plan under a progress bar, or without one where tqdm is not installed; write what is there so far."""

    def save(results: Results) -> None:
        if json:
            write_json(json, results)

    if importlib.util.find_spec("tqdm") is None:
        print("no progress bar: tqdm is not installed", file=sys.stderr)
        return run(plan, on_start=lambda kernel: None, on_end=save)
    from tqdm import tqdm

    with tqdm(total=len(plan.kernels), unit="kernel") as bar:

        def end(results: Results) -> None:
            save(results)
            bar.update(1)

        return run(plan, on_start=bar.set_description, on_end=end)


def _has_failed(results: Results) -> bool:
    """Something is refused or wrong under anabranch."""
    outcomes = [row.get(SUBJECT) for _, _, row in flat(results)]
    return any(isinstance(outcome, NotMeasured) and not outcome.is_absence for outcome in outcomes)


if __name__ == "__main__":
    sys.exit(main())
