"""`python -m anabranch doctor`: versions, processor, caches, a trial, and what slows this set-up down."""

from __future__ import annotations

import dataclasses
import importlib.metadata
import os
import platform
import sys
import sysconfig
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from anabranch._version import __version__
from anabranch.base.shown_numbers import shown_seconds
from anabranch.cli import cache
from anabranch.runtime.api.jit import jit
from anabranch.runtime.config import Settings, configure, settings
from anabranch.runtime.errors import AnabranchError
from anabranch.runtime.host import machine_code
from anabranch.runtime.host.object_layout import is_as_expected

_PACKAGES = ("numpy", "jaxlib", "libcst", "llvmlite", "hypothesis")
_FEATURES = ("sse4_2", "avx", "avx2", "fma", "avx512f", "avx512vl", "avx512_bf16", "amx_tile", "asimd", "sve", "sve2")
# What other programs read, too: how many threads a library starts, which flags XLA has.
_VARIABLES = ("XLA_FLAGS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NPROC")
_CALLS = 2000
_SLOW_CALL = 1e-4
_NEARLY_FULL = 0.9


@dataclasses.dataclass(frozen=True, slots=True)
class Trial:
    """A small function compiled and called: the seconds of its calls, and what went wrong, if anything did."""

    first_call: float
    later_call: float
    error: str

    def __str__(self) -> str:
        if self.error:
            return f"FAILED: {self.error}"
        later = shown_seconds(self.later_call)
        return f"a small function: first call {shown_seconds(self.first_call)} (with imports), then {later} a call"


def examine() -> Trial:
    """Compile and call a function that has one loop, keeping nothing on disk."""

    def trial(x: np.ndarray) -> float:
        total = 0.0
        for value in x:
            if value > 0.5:
                total += value
        return total

    x = np.linspace(0.0, 1.0, 8)
    try:
        with configure(cache_dir=None, disable_jit=False):
            compiled = jit(trial)
            start = time.perf_counter()
            got = compiled(x)
            first = time.perf_counter() - start
            compiled(x)
            start = time.perf_counter()
            for _ in range(_CALLS):
                compiled(x)
            later = (time.perf_counter() - start) / _CALLS
    except (AnabranchError, ImportError, OSError) as error:
        return Trial(0.0, 0.0, f"{type(error).__name__}: {error}")
    want = trial(x)
    return Trial(first, later, "" if got == want else f"it returned {got}, and Python {want}")


def report(trial: Trial) -> Iterator[str]:
    """The lines to print."""
    system = f"{platform.system()} {platform.release()}, {platform.machine()}"
    kind = "" if sysconfig.get_config_var("Py_GIL_DISABLED") != 1 else ", free-threaded"
    yield f"anabranch {__version__}, Python {platform.python_version()}{kind}, {system}"
    yield "packages:   " + ", ".join(f"{name} {_version(name) or 'not installed'}" for name in _PACKAGES)
    yield f"processor:  {_processor()}"
    yield f"threads:    {_threads()}"
    chosen = settings()
    if chosen.cache_dir is None:
        yield "caches:     none on disk"
    else:
        for line in cache.info(chosen.cache_dir):
            yield f"cache:      {line}"
    for name, value in _changed(chosen):
        yield f"setting:    {name} = {value!r}"
    for name in _VARIABLES:
        if name in os.environ:
            yield f"variable:   {name}={os.environ[name]}"
    yield f"trial:      {trial}"
    found = list(advice(trial))
    yield ""
    yield f"{len(found)} to look at:" if found else "nothing to look at"
    yield from (f"- {text}" for text in found)


def advice(trial: Trial) -> Iterator[str]:
    """The slow and odd points of the set-up, each with what to do about it."""
    chosen = settings()
    if not machine_code.is_available():
        yield (
            "llvmlite is not installed: loops over single elements are compiled by XLA, and run several times as long; "
            'pip install "llvmlite>=0.45,<0.48"'
        )
    elif not chosen.native_loops:
        yield "native_loops is off: loops over single elements run several times as long; unset ANABRANCH_NATIVE_LOOPS"
    if not is_as_expected():
        yield (
            "this Python lays its objects out in another way than is known: each call takes several microseconds more; "
            "use a release build of CPython"
        )
    if chosen.disable_jit:
        yield "disable_jit is on: nothing is compiled; unset ANABRANCH_DISABLE_JIT"
    if chosen.disable_passes:
        left_out = ", ".join(chosen.disable_passes)
        yield f"passes are left out ({left_out}): programs run slower; unset ANABRANCH_DISABLE_PASSES"
    if chosen.dump_dir is not None:
        yield f"each compilation writes its texts into {chosen.dump_dir}: unset ANABRANCH_DUMP_DIR"
    yield from _of_caches(chosen.cache_dir)
    yield from _of_python()
    yield from _of_machine()
    if not trial.error and trial.later_call > _SLOW_CALL:
        yield (
            f"a call of a small function takes {shown_seconds(trial.later_call)}, where a few microseconds are usual: "
            "the machine is busy, or something watches each call"
        )


def _of_caches(folder: Path | None) -> Iterator[str]:
    if folder is None:
        yield (
            "nothing is kept on disk: each process rewrites and compiles every function anew; unset ANABRANCH_CACHE, "
            "or name a folder in ANABRANCH_CACHE_DIR"
        )
        return
    there = next((part for part in (folder, *folder.parents) if part.exists()), folder)
    if not os.access(there, os.W_OK | os.X_OK):
        yield f"{there} can't be written: each process compiles anew; name another folder in ANABRANCH_CACHE_DIR"
    for store in cache.stores(folder):
        if store.usage().size > _NEARLY_FULL * store.limit:
            yield f"{store.folder} is nearly full, so entries are dropped: `python -m anabranch cache clear` empties it"


def _of_python() -> Iterator[str]:
    if sys.gettrace() is not None or sys.getprofile() is not None:
        yield "a debugger, a profiler or coverage watches each line of Python: tracing takes several times as long"
    if hasattr(sys, "gettotalrefcount"):
        yield "this is a debug build of Python: tracing takes several times as long; use a release build"
    if os.environ.get("PYTHONMALLOC", "").startswith(("debug", "malloc")) or sys.flags.dev_mode:
        yield "Python's development mode or PYTHONMALLOC is on: tracing takes longer; run without it"


def _of_machine() -> Iterator[str]:
    here, there = len(os.sched_getaffinity(0)), os.cpu_count() or 1
    quota = _quota()
    if quota is not None and quota < here:
        yield (
            f"this process may use {quota:g} processors, and XLA starts threads for {here}: they wait for one another; "
            f"taskset -c 0-{max(int(quota), 1) - 1} leaves it as many as it has"
        )
    busy = os.getloadavg()[0]
    if busy > 1.5 * there:
        yield f"other processes are at work (load {busy:.1f} on {there} processors): times measured now are too long"
    if platform.machine() in ("x86_64", "AMD64") and "avx2" not in _flags():
        yield "this processor has no AVX2, or a virtual machine hides it: arithmetic on arrays takes twice as long"


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return ""


def _processor() -> str:
    found = _cpu_info("model name") or platform.processor() or platform.machine()
    return f"{found}, {os.cpu_count()} processors, {' '.join(f for f in _FEATURES if f in _flags()) or 'no extensions'}"


def _flags() -> list[str]:
    return (_cpu_info("flags") or _cpu_info("Features")).split()


def _cpu_info(name: str) -> str:
    """The first value of a name in what Linux says of its processors."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    found = (line.partition(":") for line in lines)
    return next((value.strip() for key, _, value in found if key.strip() == name), "")


def _threads() -> str:
    quota = _quota()
    may = f"{quota:g} of " if quota is not None else ""
    return f"XLA computes with {len(os.sched_getaffinity(0))}; this process may use {may}{os.cpu_count()} processors"


def _quota() -> float | None:
    """The number of processors that the container may use; None where nothing limits it."""
    try:
        limit, period = Path("/sys/fs/cgroup/cpu.max").read_text(encoding="ascii").split()
        return None if limit == "max" else int(limit) / int(period)
    except (OSError, ValueError, ZeroDivisionError):
        return None


def _changed(chosen: Settings) -> Iterator[tuple[str, object]]:
    """The settings that are not at their defaults, but for the caches', which are told of before."""
    for field in dataclasses.fields(Settings):
        value = getattr(chosen, field.name)
        if field.name != "cache_dir" and value != field.default:
            yield field.name, value
