"""``python -m tests.programs.science [--filter TEXT] [--slow] [--write]``: what runs, and how long a first call takes.

The first call is of a newly compiled function, on the first arguments; `python -m benchmarks.science` times later ones.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import time
import warnings
from collections import Counter
from dataclasses import dataclass

os.environ.setdefault("ANABRANCH_CACHE", "0")

import numpy as np

from anabranch import AnabranchError, jit
from tests.programs.science.catalogue import PROGRAMS
from tests.programs.science.comparison import REFUSED, SLOW, compare, read_names, write_names
from tests.programs.science.table import ScienceProgram

# The tests leave out what takes longer, in seconds of the processor.
ROOM_FOR_ONE = 2.0
NO_END = "its first call does not end"


@dataclass(slots=True)
class Row:
    """The result of one program; a time that was not measured is None."""

    name: str
    status: str
    note: str = ""
    first: float | None = None
    processor: float = 0.0

    def __str__(self) -> str:
        first = "-" if self.first is None else f"{self.first:.2f}"
        return f"{self.name:52}{self.status:9}{first:>8}  {self.note[:100]}".rstrip()


def measure(program: ScienceProgram) -> Row:
    """Run one program."""
    wrapped = jit(program.function)
    arguments = program.makers[0]()
    start = time.perf_counter()
    with contextlib.suppress(Exception):
        wrapped(*arguments)
    row = Row(program.name, "ok", first=time.perf_counter() - start)
    start = time.process_time()
    try:
        compare(program)
    except AnabranchError as error:
        row.status, row.note = "refused", f"{type(error).__name__}: {first_line(error)}"
    except AssertionError as error:
        row.status, row.note = "wrong", first_line(error)
    except Exception as error:
        row.status, row.note = "failed", f"{type(error).__name__}: {first_line(error)}"
    row.processor = time.process_time() - start
    return row


def first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [""])[0].replace(f"{os.getcwd()}/", "")


def write_lists(rows: list[Row]) -> None:
    """Write both lists anew, as far as programs were measured."""
    measured = {row.name for row in rows if row.status != "slow"}
    refused = {row.name: row.note for row in rows if row.status == "refused"}
    slow = {row.name: f"its tests take {row.processor:.0f} s" for row in rows if row.processor > ROOM_FOR_ONE}
    for path, found in ((REFUSED, refused), (SLOW, slow)):
        kept = {name: text for name, text in read_names(path).items() if name not in measured}
        write_names(path, kept | found)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.programs.science", description=__doc__)
    parser.add_argument("--filter", default="", help="only programs whose name, as in graphs-dijkstra, has this in it")
    parser.add_argument("--slow", action="store_true", help="also those whose tests take long, as far as they end")
    parser.add_argument("--write", action="store_true", help="write refused.txt and slow.txt anew")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    jit(lambda x: x + 1)(np.zeros(1))
    slow = read_names(SLOW)
    if options.slow:
        slow = {name: text for name, text in slow.items() if text == NO_END}
    print(f"{'program':52}{'status':9}{'first s':>8}")
    rows = []
    for program in PROGRAMS:
        if options.filter in program.name:
            late = slow.get(program.name)
            rows.append(measure(program) if late is None else Row(program.name, "slow", late))
            print(rows[-1], flush=True)
    if options.write:
        write_lists(rows)
    counts = Counter(row.status for row in rows)
    print(", ".join(f"{n} {status}" for status, n in counts.most_common()))
    print(f"{counts['ok']} of {len(rows)} programs run, {counts['ok'] / max(1, len(rows)):.0%}")


if __name__ == "__main__":
    main()
