"""Judge the programs of a range of seeds: `python -m property_tests.deep FIRST LAST`; with one seed, show that one.

Each process takes so many programs and ends, so that executables do not pile up; a crash or a program that never ends
costs that program alone, and is told like a difference. What was found is appended to a file; counts come at the end.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any

from property_tests.statistics import Statistics

_BLOCK = 250
_TOLD_AFTER = 50  # programs; what a crash may leave uncounted
_PATIENCE = 180.0  # seconds that one program may take


def main(argv: Sequence[str] | None = None) -> int:
    """Run; the status is 1 where something was found."""
    parser = argparse.ArgumentParser(prog="python -m property_tests.deep", description=__doc__)
    parser.add_argument("first", type=int)
    parser.add_argument("last", type=int, nargs="?", help="the first seed that is not taken any more; none: show FIRST")
    parser.add_argument("--family", default="general", help="which programs")
    parser.add_argument("--jobs", type=int, default=1, help="how many processes at a time")
    parser.add_argument("--found", type=Path, default=Path("found.txt"), help="the file that failures are appended to")
    parser.add_argument("--block", type=int, default=_BLOCK, help="how many programs a process takes")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(argv)
    if options.last is None:
        print(_shown(options.family, options.first))
        return 0
    if options.child:
        _judge_block(options.family, options.first, options.last)
        return 0
    return 1 if _Run(options).failures() else 0


def _shown(family: str, seed: int) -> str:
    """Return the judgement on one program, made as small as it goes where the oracles find a fault."""
    os.environ["ANABRANCH_CACHE"] = "0"
    from property_tests.failures import failure_of  # noqa: PLC0415 - else only the children compile
    from property_tests.families import FAMILIES  # noqa: PLC0415

    return failure_of(seed, FAMILIES[family])


# ---- the process that judges -----------------------------------------------------------------------------------------


def _judge_block(family: str, first: int, last: int) -> None:
    """Print lines of JSON: the seeds as they begin, what is found, the counts now and then."""
    os.environ["ANABRANCH_CACHE"] = "0"
    from property_tests.families import FAMILIES, FAULTS  # noqa: PLC0415
    from property_tests.observing import judged  # noqa: PLC0415

    programs = FAMILIES[family]
    statistics = Statistics()
    for seed in range(first, last):
        if statistics.programs == _TOLD_AFTER:
            _tell(statistics=statistics.as_dict())
            statistics = Statistics()
        _tell(begins=seed)
        try:
            judgement = judged(programs.program_of(seed), statistics, programs.judge, **programs.options_of(seed))
        except Exception as error:  # the generator's fault, or the comparison's
            statistics.count_verdict("broken")
            _tell(seed=seed, stage="generator or comparison", text=repr(error))
            continue
        if judgement.verdict in FAULTS:
            what = judgement.difference or f"ill-typed: {judgement.key}"
            _tell(seed=seed, stage=judgement.stage or "eager", text=f"f{judgement.call}: {what}")
    _tell(statistics=statistics.as_dict())
    _tell(done=last)


def _tell(**what: Any) -> None:
    print(json.dumps(what), flush=True)


# ---- the process that has them judged --------------------------------------------------------------------------------


class _Run:
    """A run over a range of seeds."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        self._blocks: queue.SimpleQueue[tuple[int, int]] = queue.SimpleQueue()
        for first in range(options.first, options.last, options.block):
            self._blocks.put((first, min(first + options.block, options.last)))
        self._statistics = Statistics()
        self._failures = 0
        self._lock = threading.Lock()
        self._started = time.monotonic()

    def failures(self) -> int:
        """Run to the end, print the summary, and say how many failures there were."""
        workers = [threading.Thread(target=self._work) for _ in range(self._options.jobs)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        for line in self._statistics.report():
            print(line)
        print(f"{self._failures} failures, {time.monotonic() - self._started:.0f} s")
        return self._failures

    def _work(self) -> None:
        with contextlib.suppress(queue.Empty):
            while True:
                first, last = self._blocks.get_nowait()
                while first < last:
                    first = self._judge(first, last)

    def _judge(self, first: int, last: int) -> int:
        """Have seeds judged by one process; the seed to go on with."""
        command = [sys.executable, "-m", "property_tests.deep", "--child"]
        command += ["--family", self._options.family, str(first), str(last)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            at = first
            for line in _patiently(process, process.stdout):
                told = json.loads(line)
                if "done" in told:
                    return last
                if "statistics" in told:
                    self._counted(told["statistics"])
                elif "begins" in told:
                    at = told["begins"]
                else:
                    self._failed(**told)
            status = process.wait()
        self._failed(at, "the process", f"ended with {status}, or took longer than {_PATIENCE:.0f} s")
        return at + 1

    def _counted(self, statistics: dict[str, Any]) -> None:
        with self._lock:
            self._statistics.merge(statistics)
            done = self._statistics.programs
            rate = done / (time.monotonic() - self._started)
            print(f"{done} programs, {self._failures} failures, {rate:.1f} a second", file=sys.stderr, flush=True)

    def _failed(self, seed: int, stage: str, text: str) -> None:
        with self._lock, self._options.found.open("a") as file:
            self._failures += 1
            print(f"seed {seed} | {stage} | {text}".replace("\n", " "), file=file, flush=True)


def _patiently(process: subprocess.Popen[str], lines: IO[str]) -> Iterator[str]:
    """Return the output of the process; it is ended where it prints nothing for long."""
    timer = threading.Timer(_PATIENCE, process.kill)
    timer.start()
    for line in lines:
        timer.cancel()
        yield line
        timer = threading.Timer(_PATIENCE, process.kill)
        timer.start()
    timer.cancel()


if __name__ == "__main__":
    sys.exit(main())
