"""One compilation: traced, lowered, compiled, and what is told of it; its texts as files, where `dump_to` is set."""

from __future__ import annotations

import contextlib
import inspect
import itertools
import logging
import os
import re
import time
from collections.abc import Callable, Iterator, Sequence

from anabranch.base.fork_locks import lock
from anabranch.runtime.api.progress import ProgressDisplay
from anabranch.runtime.api.stages import Compiled, Lowered, Traced
from anabranch.runtime.call.execution import Execution
from anabranch.runtime.config import settings
from anabranch.runtime.xla import disk_cache

_log = logging.getLogger("anabranch.compiles")

# A trace changes what the function reads from outside, and puts it back; no other trace may see that. What XLA does
# runs beside other threads' traces and compilations.
tracing_alone = lock()


# Who is told of each compilation: its name, the moments between its stages, and where it came from.
compilations: list[Callable[[str, Sequence[float], str], None]] = []


def compile_function(
    function: Callable[..., object], name: str, trace: Callable[[], Traced], rewritten: Callable[[], str]
) -> Compiled:
    """Compile what `trace` gives.

    Parameters
    ----------
    function : object
        What was jitted.
    name : str
        How messages call it.
    trace : callable
        Called once, while nothing else is traced.
    rewritten : callable
        Gives the rewritten source.
    """
    dump, times = _Dump(name), [time.perf_counter()]
    dump.write("source.py", lambda: _source_of(function))
    dump.write("rewritten.py", rewritten)

    def traced() -> Traced:
        made = trace()
        times.append(time.perf_counter())
        dump.write("program.txt", made.as_text)
        return made

    with shown(function, name) as progress:
        lowered = lowered_of(traced, progress)
        times.append(time.perf_counter())
        dump.write("stablehlo.mlir", lowered.as_text)
        made = lowered.compile()
        times.append(time.perf_counter())
    dump.write("hlo.txt", made.as_text)
    _report(name, times, made.execution)
    for told in list(compilations):
        told(name, times, "disk" if made.execution.was_loaded else made.execution.compiler)
    return made


@contextlib.contextmanager
def shown(function: Callable[..., object], name: str) -> Iterator[ProgressDisplay]:
    """Display the progress of a compilation, and say of what is kept of it what it is for."""
    place = _place_of(function)
    with ProgressDisplay(name, place) as progress, disk_cache.asked_by(name, place):
        yield progress


def lowered_of(trace: Callable[[], Traced], progress: ProgressDisplay) -> Lowered:
    """The lowered form of what `trace` returns, which XLA is to compile next."""
    with tracing_alone:
        traced = trace()
    progress.stage, progress.program = "lowered", traced.program
    lowered = traced.lower()
    progress.stage = "compiled"
    return lowered


def _place_of(function: Callable[..., object]) -> str:
    """File and line of a function."""
    code = getattr(inspect.unwrap(getattr(function, "func", function)), "__code__", None)
    return "" if code is None else f"{code.co_filename}:{code.co_firstlineno}"


def _report(name: str, times: list[float], execution: Execution) -> None:
    traced, lowered, finished = (1e3 * (b - a) for a, b in itertools.pairwise(times))
    last = "found on disk" if execution.was_loaded else f"compiled by {execution.compiler}"
    text = f"{name} was traced in {traced:.0f} ms, lowered in {lowered:.0f} ms and {last} in {finished:.0f} ms"
    _log.log(logging.WARNING if settings().log_compiles else logging.DEBUG, text)


_dump_log = logging.getLogger("anabranch.dumps")
_numbers = itertools.count(1)


class _Dump:
    """The files of one compilation, if they are asked for; one that can't be written is told in the log alone."""

    def __init__(self, function: str) -> None:
        self._folder = settings().dump_dir
        name = re.sub(r"[^\w.-]+", "_", function)[:80]
        self._name = f"{name}.{next(_numbers)}.{os.getpid()}" if self._folder is not None else ""

    def write(self, ending: str, text: Callable[[], str]) -> None:
        """Write a text, which is only made here, into a file of its own."""
        if self._folder is None:
            return
        path = self._folder / f"{self._name}.{ending}"
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text(), encoding="utf-8", errors="backslashreplace")
        except Exception as error:
            _dump_log.info("%s was not written: %s", path, error)


def _source_of(function: Callable[..., object]) -> str:
    """The text of what was jitted."""
    return inspect.getsource(inspect.unwrap(getattr(function, "func", function)))
