"""The command line: `python -m anabranch demo`, `show FILE.py:FUNCTION`, `cache info`, `explain` and `clear`."""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Sequence

from anabranch import AnabranchError, __version__, _kept, xpr
from anabranch._demo import demonstrate
from anabranch._kernels import KERNELS, arguments
from anabranch._show import TargetError, find, values
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
        return show(options.target, options.program)
    except TargetError as error:
        print(f"{parser.prog} show: {error}", file=sys.stderr)
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
    print(function.source().rstrip() if program is None else xpr(function, *values(program, module)))
    return 0


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
    return parser


if __name__ == "__main__":
    sys.exit(main())
