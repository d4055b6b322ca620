"""`tqdm`, `trange`, `track` and `Progress` of `rich.progress`: they are shown when the compiled function runs."""

from __future__ import annotations

import functools
import inspect
import sys
import types
from collections.abc import Callable, Mapping
from typing import Any

from anabranch.base.value import Value
from anabranch.runtime.control.iteration.progress_bars import Count, CountedBar, PushedBar
from anabranch.runtime.control.iteration.progress_displays import Display
from anabranch.runtime.control.iteration.push_iterator import PushIterator
from anabranch.runtime.control.iteration.user_iterators import iterated
from anabranch.runtime.control.sequences.as_countable import countable
from anabranch.runtime.control.sequences.iterators import Once
from anabranch.runtime.control.stdlib.builtin_iterators import len_, range_
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.host.progress_bars import Shown
from anabranch.runtime.host.progress_libraries import RichTrack, RichTracked, TqdmBar, is_display
from anabranch.runtime.tracing.builder import current, tracing
from anabranch.runtime.values import effects

_RANGES = ("trange", "tnrange", "tgrange", "trrange")


def counterpart(function: Any) -> Callable[..., Any] | None:
    """The function to call instead of one that makes a bar, while tracing; for libraries that the user has imported."""
    module = getattr(function, "__module__", None)
    if not tracing() or not isinstance(module, str):
        return None
    tqdm, rich = sys.modules.get("tqdm.std"), sys.modules.get("rich.progress")
    if tqdm is not None:
        if isinstance(function, type) and issubclass(function, tqdm.tqdm):
            return functools.partial(_tqdm, function)
        if module.startswith("tqdm.") and getattr(function, "__name__", "") in _RANGES:
            return functools.partial(_ranged, sys.modules[module])
        owner = getattr(function, "__self__", None)
        if isinstance(owner, type) and issubclass(owner, tqdm.tqdm) and function.__name__ == "write":
            return functools.partial(_write, function)
    return None if rich is None else _of_rich(rich, function)


def _of_rich(rich: Any, function: Any) -> Callable[..., Any] | None:
    if function is rich.track:
        return _track
    if isinstance(function, type):
        return functools.partial(_progress, function) if issubclass(function, rich.Progress) else None
    owner = getattr(function, "__self__", None)
    shown = owner if isinstance(owner, Display) else display(owner)
    if shown is None or not isinstance(function, types.MethodType):
        return None
    if function.__name__ == "track":
        return functools.partial(_tracked, shown)
    return functools.partial(getattr(shown, function.__name__))


def display(progress: Any) -> Display | None:
    """The methods of a `rich.progress.Progress` from outside of the function; None for anything else."""
    if not (tracing() and is_display(progress)):
        return None
    return Display(lambda: progress)


def _tqdm(cls: Any, *args: Value, **options: Value) -> Value:
    names = [name for name in inspect.signature(sys.modules["tqdm.std"].tqdm.__init__).parameters if name != "self"]
    if len(args) > len(names):
        raise TypeError(f"{cls.__name__}() takes at most {len(names)} arguments")
    given = dict(zip(names, args, strict=False)) | options
    items = given.pop("iterable", None)
    first = given.get("initial", 0)

    def make(found: Mapping[str, Any]) -> Shown:
        return TqdmBar(cls, found)

    return _bar("tqdm", make, items, given, first)


def _ranged(module: types.ModuleType, *args: Value, **options: Value) -> Value:
    """`trange(…)`: the bar of the same module over a range."""
    cls = getattr(module, "tqdm_notebook", None) or getattr(module, "tqdm_rich", None) or module.__dict__["tqdm"]
    return _tqdm(cls, range_(*args), **options)


def _progress(kind: Any, *columns: Value, **options: Value) -> Display:
    _check_outside("Progress", "console", options.get("console"))
    return Display.made(kind, {"columns": columns, **options})


def _tracked(
    shown: Display,
    sequence: Value,
    total: Value = None,
    completed: Value = 0,
    task_id: Value = None,
    description: Value = "Working...",
    update_period: Value = 0.1,
) -> Value:
    """`progress.track(…)`; how often it is shown is up to the display."""
    if task_id is not None:
        raise UnsupportedOperationError(
            "track(..., task_id=...) of a Progress is not supported in compiled code; leave task_id out, or call "
            "advance(task) in the loop"
        )
    options = {"description": description, "total": total, "completed": completed}
    return _bar("track", shown.making(RichTracked), sequence, options, 0)


def _track(sequence: Value, *args: Value, **options: Value) -> Value:
    names = [name for name in inspect.signature(sys.modules["rich.progress"].track).parameters if name != "sequence"]
    if len(args) > len(names):
        raise TypeError(f"track() takes at most {1 + len(names)} arguments")
    return _bar("track", RichTrack, sequence, dict(zip(names, args, strict=False)) | options, 0)


def _bar(
    name: str,
    make: Callable[[Mapping[str, Any]], Shown],
    items: Value,
    options: dict[str, Value],
    first: Value,
) -> Value:
    """The bar over an iterable, or over None."""
    for key in ("file", "console"):
        _check_outside(name, key, options.get(key))
    size = None if items is None else _size(items)
    if options.get("total") is None and size is not None:
        options["total"] = size
    total = options.get("total")
    staged = None if items is None else countable(items)
    if staged is not None:
        return CountedBar(Count(name, _of_the_run(make, options), options), staged, size is not None, first, total)
    source = items if items is None else iterated(items)
    if not (source is None or isinstance(source, PushIterator)):
        iter(source)  # which says that it is no iterable
    return PushedBar(Count(name, _of_the_run(make, options), options), source, first, total)


def _size(items: Value) -> Value:
    """The length of an iterable; None where it has none."""
    if isinstance(items, Once) and not items.is_sized:
        return None
    try:
        return len_(items)
    except (TypeError, AttributeError):
        return None


def _check_outside(name: str, key: str, file: Value) -> None:
    if file is None or any(file is known for known in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__)):
        return
    if not current().trace.outside.is_outside(file):
        raise UnsupportedOperationError(
            f"{name}({key}=...) with one that the function has made is not supported in compiled code; make it outside "
            "of the function"
        )


def _of_the_run(
    make: Callable[[Mapping[str, Any]], Shown], options: dict[str, Value]
) -> Callable[[Mapping[str, Any]], Shown]:
    """`make` with the standard files as they are when the function runs."""
    name = next((n for n in ("stdout", "stderr") if options.get("file") is getattr(sys, n)), None)
    if name is None:
        return make
    del options["file"]
    return lambda found: make({**found, "file": getattr(sys, name)})


def _write(
    function: Callable[..., None], s: Value, file: Value = None, end: Value = "\n", nolock: Value = False
) -> None:
    """`tqdm.write`: a line above the bars."""
    _check_outside("tqdm.write", "file", file)
    name = next((n for n in ("stdout", "stderr") if file is not None and file is getattr(sys, n)), None)

    def perform(found: Any) -> None:
        text, end, nolock = found
        function(text, file=getattr(sys, name) if name else file, end=end, nolock=nolock)

    effects.emit("tqdm.write", perform, (s, end, nolock))
