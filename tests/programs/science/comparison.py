"""A program run plainly and compiled, and the table of those that are refused."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from anabranch import AnabranchError, jit
from anabranch.runtime.testing.compare_outcomes import Tolerance
from tests.equivalence import Outcome, alike
from tests.programs.science.table import ScienceProgram

REFUSED = Path(__file__).with_name("refused.txt")
SLOW = Path(__file__).with_name("slow.txt")
HEADS = {
    REFUSED: "# Programs that are refused today: the name, and the first line of the refusal.",
    SLOW: "# Programs that the tests leave out, since their first calls take long today: the name, and how long.",
}


def read_names(path: Path) -> dict[str, str]:
    """The programs of one of the two lists, each with what is said of it."""
    lines = path.read_text().splitlines()
    return dict(line.split(": ", 1) for line in lines if line and not line.startswith("#"))


def write_names(path: Path, found: Mapping[str, str]) -> None:
    """Write one of the two lists anew, sorted by name."""
    path.write_text("\n".join([HEADS[path], *(f"{name}: {text}" for name, text in sorted(found.items()))]) + "\n")


def compare(program: ScienceProgram) -> None:
    """Run each set of arguments plainly and twice compiled; raise the refusal, or assert that all did the same."""
    tolerance = Tolerance(program.ulps)
    wrapped = jit(program.function)
    for arguments in program.makers:
        want = Outcome(program.function, arguments(), {})
        for where in ("", "called again: "):
            got = Outcome(wrapped, arguments(), {})
            if got.error is not None and (want.error is None or _is_refusal(got.error, want.error)):
                raise got.error
            alike(want, got, tolerance, where)


def _is_refusal(error: BaseException, want: BaseException) -> bool:
    return isinstance(error, AnabranchError) and not isinstance(error, type(want))
