"""The arguments that each command of `python -m anabranch` takes, with examples."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from anabranch import __version__

STATUS = """exit status:
  0  done
  1  results differ, or the function can't be compiled
  2  the command, its target or an argument is wrong"""
_TARGET = "a function, or Class.method"


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """The command with its options; an argument of the function may begin with a minus, options may stand after it."""
    found = _parser().parse_args(argv)
    tail = {"bench": _bench_options, "inspect": _inspect_options, "profile": _profile_options}.get(found.command)
    if tail is not None:
        options = tail()
        options.prog = f"python -m anabranch {found.command}"
        found, found.arguments = options.parse_known_args(found.arguments, found)
    return found


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m anabranch",
        description="NumPy functions with Python control flow, compiled with XLA.",
        epilog=f"{STATUS}\n\n`python -m anabranch COMMAND --help` has an example of each.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"anabranch {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def command(name: str, about: str, description: str, example: str, **more: Any) -> argparse.ArgumentParser:
        return commands.add_parser(
            name,
            help=about,
            description=description,
            epilog=f"example:\n  python -m anabranch {example}\n\n{STATUS}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
            **more,
        )

    command(
        "demo",
        "run a few kernels, compiled and plain",
        "Run a few kernels. For each: its source beside the rewritten source, whether the\n"
        "compiled function does what NumPy does, and its time beside NumPy's.",
        "demo",
    )
    command(
        "doctor",
        "say what is installed, what is kept, and what is slow about this set-up",
        "Print versions, the processor, caches and their sizes, threads, settings, how long a\n"
        "small function takes, and what slows this set-up down with what to do about it.\n"
        "The exit status is 1 where a compiled function doesn't work.",
        "doctor",
    )
    command(
        "docs",
        "open the documentation in a browser",
        "Open the site in a browser, and print where it is. It is read from the disk: from the\n"
        "package if it was installed with it, or from a checkout where it was built.",
        "docs",
    )
    kept = command(
        "cache",
        "say what is kept on disk, or remove it",
        "Rewritten functions and executables are kept on disk for other processes.",
        "cache info",
    )
    kept.add_argument(
        "action",
        choices=("info", "explain", "clear"),
        help="print how much there is, or what each entry is and whether it is usable here, or remove all",
    )
    shown = command(
        "show",
        "print a function as it is rewritten",
        "Print a function as it is rewritten. The file is run, as an import would run it.",
        "show model.py:step --program 2.0 'np.ones(3)'",
    )
    shown.add_argument("target", metavar="FILE.py:FUNCTION", help=_TARGET)
    shown.add_argument(
        "--program",
        # Takes all that follows: an expression may begin with a minus.
        nargs=argparse.REMAINDER,
        help="print the program on the arguments that follow, Python expressions with the file's names and np",
    )
    _with_arguments(
        command(
            "inspect",
            "show what becomes of each line of a function: rewritten, traced, lowered, compiled",
            "Show what becomes of a function on some arguments, line by line: its source, the\n"
            "rewritten source, the Program, StableHLO, and XLA's HLO or LLVM's code; the decisions\n"
            "that were made, times, sizes and what is compiled. The function is not run.",
            "inspect model.py:step 2.0 'np.ones(3)' --html step.html",
            parents=[_inspect_options()],
        )
    )
    _with_arguments(
        command(
            "bench",
            "time a function, plain beside compiled",
            "Time a function as Python runs it, and compiled: the first call and later ones.\n"
            "Results are compared, too.",
            "bench model.py:step 2.0 'np.ones(1000)'",
            parents=[_bench_options()],
        )
    )
    _with_arguments(
        command(
            "profile",
            "say how long each line of a function takes, compiled",
            "Call a function on copies of the arguments, compiled, and say how long each line takes.",
            "profile model.py:step 2.0 'np.ones(100_000)' --flame step.html --trace step.json",
            parents=[_profile_options()],
        )
    )
    checked = command(
        "check",
        "compare a function with what is compiled of it, on arguments that are made up",
        "Look for arguments on which the compiled function differs from the plain one: in\n"
        "values, dtypes, shapes, changed arguments, exceptions or printed text. What it takes\n"
        "is read off its annotations, or off --example. Prints the smallest arguments found.\n"
        "Needs Hypothesis (pip install anabranch[testing]).",
        "check model.py:step --example 2.0 'np.ones(3)'",
    )
    checked.add_argument("target", metavar="FILE.py:FUNCTION", help=_TARGET)
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


def _with_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("target", metavar="FILE.py:FUNCTION", help=_TARGET)
    parser.add_argument(
        "arguments",
        metavar="ARGUMENT",
        nargs=argparse.REMAINDER,
        help="Python expressions with the file's names and np; made up by the annotations where there are none",
    )


def _options_anywhere() -> argparse.ArgumentParser:
    """The options of commands whose arguments are those of a function."""
    options = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    options.add_argument("--size", type=_count, default=1000, metavar="N", help="elements of a made-up array (1000)")
    return options


def _inspect_options() -> argparse.ArgumentParser:
    options = _options_anywhere()
    options.add_argument("--html", metavar="OUT", help="write a page for a browser into this file")
    return options


def _bench_options() -> argparse.ArgumentParser:
    options = _options_anywhere()
    options.add_argument("--seconds", type=_seconds, default=1.0, metavar="S", help="how long to call it (1)")
    return options


def _profile_options() -> argparse.ArgumentParser:
    options = _bench_options()
    options.add_argument("--flame", metavar="OUT", help="write a flame graph, a page for a browser, into this file")
    options.add_argument("--trace", metavar="OUT", help="write a trace for chrome://tracing or Perfetto into this file")
    return options


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
        raise argparse.ArgumentTypeError(f"{text} is too few: give 1 or more")
    return count


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds") from None
    if not 0 < seconds <= 86400:
        raise argparse.ArgumentTypeError(f"{text} seconds are no time to wait: give more than 0, and a day at most")
    return seconds
