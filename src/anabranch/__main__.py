"""The command line: `demo`, `doctor`, `cache`, `docs`, and those on `FILE.py:FUNCTION`: `show`, `check` and others."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from anabranch import AnabranchError, Wrapped, xpr
from anabranch.cli import bench as _bench, cache as _kept, check as _check, doctor as _doctor, documentation, made_up
from anabranch.cli.demo import demonstrate
from anabranch.cli.kernels import KERNELS, arguments
from anabranch.cli.parser import parse
from anabranch.cli.show import TargetError, find, one_line, values
from anabranch.runtime.config import settings


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; the status is 1 where a result differs or a function can't be compiled, 2 for a bad command."""
    options = parse(argv)
    if options.command == "demo":
        return demo(shutil.get_terminal_size().columns)
    if options.command == "doctor":
        return doctor()
    if options.command == "cache":
        return cache(options.action)
    try:
        if options.command == "docs":
            print(documentation.show())
            return 0
        if options.command == "check":
            return check(options.target, options.example, options.examples, options.deadline)
        if options.command == "bench":
            return bench(options.target, options.arguments, options.size, options.seconds)
        if options.command == "inspect":
            return inspect(options.target, options.arguments, options.size, options.html)
        if options.command == "profile":
            files = {"flame graph": options.flame, "trace": options.trace}
            return profile(options.target, options.arguments, options.size, options.seconds, files)
        return show(options.target, options.program)
    except TargetError as error:
        print(f"python -m anabranch {options.command}: {error}", file=sys.stderr)
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


def doctor() -> int:
    """Print what is installed and what is slow about it; 1 where a compiled function doesn't work."""
    trial = _doctor.examine()
    for line in _doctor.report(trial):
        print(line)
    return 1 if trial.error else 0


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
    with _told(target):
        print(xpr(function, *arguments))
    return 0


@contextlib.contextmanager
def _told(target: str) -> Iterator[None]:
    """An exception of the user's function, or of its call, is told in one line."""
    try:
        yield
    except AnabranchError:
        raise
    except Exception as error:
        raise TargetError(f"on these arguments {target} raises {one_line(error)}") from error


def profile(target: str, texts: list[str], size: int, seconds: float, files: Mapping[str, str | None]) -> int:
    """Print how long each line of a function takes; write a flame graph and a trace where files are named."""
    function, given = _called(target, texts, size)
    with _told(target):
        found = function.profile(*given, seconds=seconds)
    print(found)
    for what, path in files.items():
        if path is not None:
            try:
                (found.flame_graph if what == "flame graph" else found.chrome_trace)(path)
            except OSError as error:
                raise TargetError(f"{path} can't be written: {error.strerror}") from error
            print(f"{path} has the {what}")
    return 0


def inspect(target: str, texts: list[str], size: int, html: str | None) -> int:
    """Print what becomes of each line of a function, or write a page that shows it."""
    function, given = _called(target, texts, size)
    with _told(target):
        found = function.inspect(*given)
    if html is None:
        _show(found)
        return 0
    try:
        found.save(html)
    except OSError as error:
        raise TargetError(f"{html} can't be written: {error.strerror}") from error
    print(f"{html} shows what becomes of {found.explanation.function}({found.explanation.signature})")
    return 0


def _show(value: object) -> None:
    """Print something, in colours where a terminal shows them and rich is installed."""
    if sys.stdout.isatty() and importlib.util.find_spec("rich") is not None:
        importlib.import_module("rich.console").Console().print(value, soft_wrap=True)
    else:
        print(value)


def bench(target: str, texts: list[str], size: int, seconds: float) -> int:
    """Time a function plain and compiled; 1 where the two differ."""
    function, given = _called(target, texts, size)
    found = _bench.measure(function, given, seconds)
    for line in found.lines():
        print(line)
    if found.difference:
        print(found.difference)
    return 1 if found.difference else 0


def _called(target: str, texts: list[str], size: int) -> tuple[Wrapped[..., Any], tuple[Any, ...]]:
    """A function, and the arguments that are given for it, or made up."""
    function, module = find(target)
    return function, tuple(values(texts, module) if texts else made_up.arguments(function.__wrapped__, size))


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


if __name__ == "__main__":
    sys.exit(main())
