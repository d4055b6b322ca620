"""`anabranch.profile()`: all calls of compiled functions within a block, and all compilations."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from anabranch.base.fork_locks import lock
from anabranch.base.html_text import element, table, text
from anabranch.base.shown_numbers import shown_seconds
from anabranch.runtime.api.compile_driver import compilations
from anabranch.runtime.api.inspection.flame_graph import Event, Frame, TimeReport
from anabranch.runtime.api.jitted import Wrapped
from anabranch.runtime.frontend.function_info import name_of
from anabranch.runtime.tracing.builder import tracing

_STAGES = ("trace", "lower", "compile")


class ProfileSession(TimeReport):
    """The work of compiled functions within a block; `str` of it is a table.

    Examples
    --------
    >>> import numpy as np
    >>> import anabranch
    >>> @anabranch.jit
    ... def total(x):
    ...     return x.sum()
    >>> with anabranch.profile() as found:
    ...     for _ in range(3):
    ...         total(np.ones(4)) and None
    >>> [(name, calls) for name, calls, *_ in found.rows()]
    [('total', 3)]
    """

    def __init__(self) -> None:
        self._lock = lock()
        self._start = time.perf_counter()
        self._calls: list[Event] = []
        self._compilations: list[Event] = []

    def note_call(self, name: str, begin: float, end: float) -> None:
        """Note a call."""
        self._note(self._calls, name, begin, end)

    def note_compilation(self, name: str, times: Sequence[float], compiler: str) -> None:
        """Note a compilation, which has had these moments before and after its stages."""
        for stage, begin, end in zip(_STAGES, times, times[1:], strict=False):
            self._note(self._compilations, f"{stage} {name}", begin, end, (("function", name), ("by", compiler)))

    def _note(
        self, events: list[Event], name: str, begin: float, end: float, details: tuple[tuple[str, Any], ...] = ()
    ) -> None:
        with self._lock:
            events.append(Event(name, begin - self._start, end - begin, threading.get_ident(), details))

    def rows(self) -> list[tuple[str, int, float, float]]:
        """For each function, those that took longest first: its name, its calls, their seconds, those of compiling."""
        counts: dict[str, tuple[int, float, float]] = {}
        for event in self._calls:
            calls, seconds, compiling = counts.get(event.name, (0, 0.0, 0.0))
            counts[event.name] = (calls + 1, seconds + event.seconds, compiling)
        for event in self._compilations:
            name = dict(event.details)["function"]
            calls, seconds, compiling = counts.get(name, (0, 0.0, 0.0))
            counts[name] = (calls, seconds, compiling + event.seconds)
        return sorted(((name, *found) for name, found in counts.items()), key=lambda row: -row[2])

    def __str__(self) -> str:
        rows = [f"{'calls':>8} {'time':>10} {'compiling':>10} {'a call':>10} │ function"]
        rows += [
            f"{calls:>8} {whole:>10} {compiling:>10} {each:>10} │ {name}"
            for name, calls, whole, compiling, each in self._shown()
        ]
        return "\n".join(rows)

    def _repr_html_(self) -> str:
        head = ("function", "calls", "time", "compiling", "a call without")
        return element("div", table(self._shown(), head), element("p", text("compiled functions")))

    def _shown(self) -> Iterator[tuple[str, int, str, str, str]]:
        for name, calls, seconds, compiling in self.rows():
            each = shown_seconds(max(seconds - compiling, 0.0) / calls) if calls else ""
            yield name, calls, shown_seconds(seconds), shown_seconds(compiling), each

    def frames(self) -> Frame:
        """The bars: each function, and what of it was compiling."""
        functions = []
        for name, _, seconds, compiling in self.rows():
            stages = [
                Frame(stage, sum(e.seconds for e in self._compilations if e.name == f"{stage} {name}"))
                for stage in _STAGES
            ]
            runs = Frame("run", max(seconds - compiling, 0.0))
            functions.append(Frame(name, max(seconds, compiling), (runs, *(s for s in stages if s.seconds))))
        return Frame("compiled functions", sum(f.seconds for f in functions), tuple(functions))

    def events(self) -> Sequence[Event]:
        """Each call and each stage of a compilation, when it was and in which thread."""
        return sorted([*self._calls, *self._compilations], key=lambda event: event.begin)


_sessions: list[ProfileSession] = []
_lock = lock()


@contextlib.contextmanager
def profile() -> Iterator[ProfileSession]:
    """Profile all calls of compiled functions within a block, in all threads, and all compilations.

    Outside of such blocks it costs nothing.

    Returns
    -------
    context manager of ProfileSession
        `print` shows a table; `flame_graph` and `chrome_trace` write files.

    Examples
    --------
    >>> import numpy as np
    >>> import anabranch
    >>> doubled = anabranch.jit(lambda x: 2 * x)
    >>> with anabranch.profile() as session:
    ...     result = doubled(np.ones(3))
    >>> result
    array([2., 2., 2.])
    """
    session = ProfileSession()
    with _lock:
        if not _sessions:
            _begin()
        _sessions.append(session)
    try:
        yield session
    finally:
        with _lock:
            _sessions.remove(session)
            if not _sessions:
                _end()


# The calls of the classes of compiled functions, as they are without a session.
_plain_calls: dict[type, Callable[..., Any]] = {}


def _begin() -> None:
    for cls in _with_calls(Wrapped):
        _plain_calls[cls] = cls.__call__
        cls.__call__ = _noted(cls.__call__)
    compilations.append(_compiled)


def _end() -> None:
    while _plain_calls:
        cls, call = _plain_calls.popitem()
        cls.__call__ = call  # type: ignore[method-assign]
    compilations.remove(_compiled)


def _with_calls(cls: Any) -> Iterator[Any]:
    """A class and those made of it, as far as they have a call of their own."""
    if "__call__" in vars(cls):
        yield cls
    for made in cls.__subclasses__():
        yield from _with_calls(made)


class _Here(threading.local):
    called: object = None


_here = _Here()


def _noted(call: Callable[..., Any]) -> Callable[..., Any]:
    """A call while somebody profiles; one from a function that is traced is part of that."""

    def noted(self: Wrapped[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        if tracing() or _here.called is self:  # a class calls what it is made of
            return call(self, *args, **kwargs)
        before, _here.called = _here.called, self
        begin = time.perf_counter()
        try:
            return call(self, *args, **kwargs)
        finally:
            end = time.perf_counter()
            _here.called = before
            for session in list(_sessions):
                session.note_call(name_of(self.__anabranch_function__), begin, end)

    return noted


def _compiled(name: str, times: Sequence[float], compiler: str) -> None:
    for session in list(_sessions):
        session.note_compilation(name, times, compiler)
