"""The command line: `python -m anabranch demo`, `show` and `check FILE.py:FUNCTION`, `cache info|explain|clear`."""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Sequence
from typing import Any

from anabranch import AnabranchError, __version__, xpr
from anabranch.cli import cache as _kept, check as _check
from anabranch.cli.demo import demonstrate
from anabranch.cli.kernels import KERNELS, arguments
from anabranch.cli.show import TargetError, find, one_line, values
from anabranch.runtime.config import settings


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; the status is 1 where a result differs or a function can't be compiled, 2 for a bad command."""
    parser = _parser()
    options = parser.parse_args(argv)
    if options.command == "demo":
        return demo(shutil.get_terminal_size().columns)
    if options.command == "cache":
        return cache(options.action)
    try:
        if options.command == "check":
            return check(options.target, options.example, options.examples, options.deadline)
        return show(options.target, options.program)
    except TargetError as error:
        print(f"{parser.prog} {options.command}: {error}", file=sys.stderr)
        return 2
    except AnabranchError as error:
        print(error, file=sys.stderr)
        return 1


def demo(columns: int) -> int:
    """Run every demonstration; 1 where one differs from NumPy."""
    outcomes = []
    for page, outcome in demonstrate(KERNELS, arguments(), columns):
        print(page, flush=True)
        outcomes.append(outcome)
    different = [o.name for o in outcomes if o.difference is not None]
    print(f"differ from NumPy: {', '.join(different)}" if different else f"all {len(outcomes)} equal to NumPy")
    return 1 if different else 0


def cache(action: str) -> int:
    """Print what the caches on disk hold, or empty them."""
    folder = settings().cache_dir
    if folder is None:
        print("nothing is kept on disk (ANABRANCH_CACHE, ANABRANCH_CACHE_DIR)")
        return 0
    for line in {"info": _kept.info, "clear": _kept.clear, "explain": _kept.explain}[action](folder):
        print(line)
    return 0


def show(target: str, program: list[str] | None) -> int:
    """Print a function's rewritten source, or its Program on some arguments."""
    function, module = find(target)
    if program is None:
        print(function.source().rstrip())
        return 0
    arguments = values(program, module)
    try:
        print(xpr(function, *arguments))
    except AnabranchError:
        raise
    except Exception as error:  # of the user's function, or of its call
        raise TargetError(f"on these arguments {target} raises {one_line(error)}") from error
    return 0


def check(target: str, example: list[str] | None, examples: int, deadline: float) -> int:
    """Compare a function with what is compiled of it; 1 where they differ, or nothing could be compared."""
    found = _check.check(target, example, examples, deadline)
    if found.report is not None:
        print(found.report)
        return 1
    compared = max(examples - found.left_out, 0)
    without = f"; {found.left_out} left out, on which the plain function takes more than {deadline:g} s"
    print(f"{target}: the same on {compared} examples{without if found.left_out else ''}")
    return 0 if compared else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m anabranch", description="NumPy functions with Python control flow, compiled with XLA."
    )
    parser.add_argument("--version", action="version", version=f"anabranch {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    commands.add_parser(
        "demo",
        help="run a few kernels, compiled and plain",
        description="Run a few kernels. For each: its source beside the rewritten source, whether the compiled "
        "function does what NumPy does, and its time beside NumPy's. The exit status is 1 where a result differs.",
    )
    kept = commands.add_parser(
        "cache",
        help="say what is kept on disk, or remove it",
        description="Rewritten functions and executables are kept on disk for other processes.",
    )
    kept.add_argument(
        "action",
        choices=("info", "explain", "clear"),
        help="print how much there is, or what each entry is and whether it is usable here, or remove all",
    )
    shown = commands.add_parser(
        "show",
        help="print a function as it is rewritten",
        description="Print a function as it is rewritten. The file is run, as an import would run it. The exit status "
        "is 1 where the function can't be compiled, 2 where there is no such function.",
    )
    shown.add_argument("target", metavar="FILE.py:FUNCTION", help="a function, or Class.method")
    shown.add_argument(
        "--program",
        # Takes all that follows: an expression may begin with a minus.
        nargs=argparse.REMAINDER,
        help="print the program on the arguments that follow, Python expressions with the file's names and np",
    )
    checked = commands.add_parser(
        "check",
        help="compare a function with what is compiled of it, on arguments that are made up",
        description="Look for arguments on which the compiled function differs from the plain one: in values, dtypes, "
        "shapes, changed arguments, exceptions or printed text. What it takes is read off its annotations, or off "
        "--example. Prints the smallest arguments found. The exit status is 1 where there are some, 2 for a bad "
        "command. Needs Hypothesis (pip install anabranch[testing]).",
    )
    checked.add_argument("target", metavar="FILE.py:FUNCTION", help="a function, or Class.method")
    checked.add_argument("--examples", type=_count, default=100, metavar="N", help="how many to try (100)")
    checked.add_argument(
        "--deadline",
        type=_seconds,
        default=0.5,
        metavar="S",
        help="seconds for the plain function on each example, which is left out after that (0.5)",
    )
    checked.add_argument(
        "--example",
        nargs=argparse.REMAINDER,
        action=_Examples,
        help="arguments that follow are made like these: Python expressions with the file's names and np",
    )
    return parser


class _Examples(argparse.Action):
    """The arguments after `--example`, of which there must be some."""

    def __call__(self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, *_: Any) -> None:
        if not values:
            raise argparse.ArgumentError(self, "give an argument, such as 1.0 or 'np.ones(3)'")
        setattr(namespace, self.dest, values)


def _count(text: str) -> int:
    try:
        count = int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number") from None
    if count < 1:
        raise argparse.ArgumentTypeError(f"{text} examples show nothing: give 1 or more")
    return count


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds") from None
    if not 0 < seconds <= 86400:
        raise argparse.ArgumentTypeError(f"{text} seconds are no time to wait: give more than 0, and a day at most")
    return seconds


if __name__ == "__main__":
    sys.exit(main())
