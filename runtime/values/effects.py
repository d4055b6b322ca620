"""Effects of a function besides its result: they happen when the compiled function runs, in order, at each call."""

from __future__ import annotations

import contextlib
import contextvars
import dataclasses
import functools
import itertools
import sys
import types
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from anabranch.base.by_identity import IdentityDict
from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.host.progress_bars import running_bars
from anabranch.runtime.ops.host_callback import host_callback
from anabranch.runtime.tracing.builder import current
from anabranch.runtime.tracing.source_frames import internal
from anabranch.runtime.values import arena_contents, atoms, lazy_text
from anabranch.runtime.values.failures.run_time_checks import user_function_name
from anabranch.runtime.values.pytrees import host_values, layout as layouts, pack_unpack

# The frame that called the compiled function which is running.
_caller: contextvars.ContextVar[types.FrameType | None] = contextvars.ContextVar("caller", default=None)


@frozen(eq=False)
class Action:
    """Something to do on the host with values that the computation returns."""

    name: str
    layout: layouts.Layout
    perform: Callable[[Any], None]
    options: lazy_text.PrintOptions = ()
    at_once: bool = False  # whether it is seen during the run, so that it cannot wait for the end
    is_repeated: bool = False  # whether it is done again where a run begins anew

    def __call__(self, *arrays: np.ndarray) -> None:
        with lazy_text.with_options(self.options):
            self.perform(host_values.build(self.layout, iter(arrays)))

    def __str__(self) -> str:
        return self.name


def emit(
    name: str,
    perform: Callable[[Any], None],
    value: object,
    *,
    at_once: bool = False,
    even_after_failures: bool = False,
    is_repeated: bool = False,
) -> None:
    """Do `perform(value)` when the computation gets here, unless it has failed before.

    Where that is at the top level it may be done at the end, unless it is to be seen `at_once`.
    """
    perform = _redirected(name, perform)
    value = lazy_text.snapshot(value)
    arenas = arena_contents.arenas_in(layouts.describe(value))
    beside = tuple([arena_contents.ArenaContents(arena, callers=()) for arena in arenas])
    value = host_values.ResultWithRecords(beside, value) if beside else value
    layout = layouts.with_leaves(layouts.describe(value), lambda _: False)
    members = {arena: place for place, arena in enumerate(arenas)}
    on_host = host_values.hosted(layout, IdentityDict(), IdentityDict(), members=members)
    builder = current()
    trace = builder.trace
    inputs = [p.atom for p in pack_unpack.pack(value, layout)]
    code = atoms.literal(0, np.int32) if even_after_failures else builder.read(trace.failures.error_code)
    before = (builder.read(trace.output.counter), code)
    action = Action(name, on_host, perform, lazy_text.changed_options(), at_once, is_repeated)
    (after,) = builder.bind(host_callback, *before, *inputs, action=action)
    builder.write(trace.output.counter, after)


def redirections() -> dict[str, Value]:
    """The standard files that the function has put others in the place of, by name: what it prints goes there."""
    return {
        name: getattr(sys, name)
        for name, file in current().trace.output.streams.items()
        if getattr(sys, name) is not file
    }


def _redirected(name: str, perform: Callable[[Any], None]) -> Callable[[Any], None]:
    """`perform` with the standard files that hold where it stands."""
    files = redirections()
    if not files:
        return perform
    if not all(file is None or current().trace.outside.is_outside(file) for file in files.values()):
        raise UnsupportedOperationError(
            f"{name} of run-time values, or under a run-time condition, is redirected to a file that the function "
            "made, and would write only while the function is traced; build the text with f-strings and join, or "
            "redirect to a file from outside of the function"
        )

    def act(value: object) -> None:
        with contextlib.ExitStack() as before:
            for stream, file in files.items():
                before.callback(setattr, sys, stream, getattr(sys, stream))
                setattr(sys, stream, file)
            perform(value)

    return act


@contextlib.contextmanager
def called_here(*, moves_bars: bool) -> Iterator[None]:
    """Around a run: what looks at its callers finds those of the compiled function."""
    token = _caller.set(sys._getframe(2))
    try:
        with running_bars(may_stop=moves_bars):
            yield
    finally:
        _caller.reset(token)


@frozen
class Site:
    """A line of the user's, as far as code that looks at its callers can see."""

    filename: str
    line: int
    function: str
    scope: Mapping[str, Any] = dataclasses.field(compare=False)


def sites() -> tuple[Site, ...]:
    """The lines that are being traced, innermost first."""
    found: list[Site] = []
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_name != "trace_call":
        found += _site(frame)
        frame = frame.f_back
    # The generated parts of one function are one frame of it, which stands where the innermost does.
    parts = itertools.groupby(found, lambda s: (s.filename, s.function))
    return tuple(next(group) for _, group in parts)


def _site(frame: types.FrameType) -> list[Site]:
    code = frame.f_code
    if internal(code.co_filename):
        return []
    return [Site(code.co_filename, frame.f_lineno, user_function_name(frame), frame.f_globals)]


def with_caller_frames(places: tuple[Site, ...], action: functools.partial[None], depth: int) -> None:
    """Run `action` as if it were called from these lines, and these called by those that called the function."""
    frame = _caller.get()
    callers: list[Site] = []
    while frame is not None and len(places) + len(callers) < depth:
        callers += _site(frame)
        frame = frame.f_back
    chain = action
    for place in (*places, *callers):
        chain = functools.partial(_frame_at(place), chain)
    chain()


@functools.lru_cache(maxsize=256)
def _frame_at(place: Site) -> types.FunctionType:
    """A function whose frame stands at a line."""
    module = compile("\n" * (place.line - 1) + "def at(run): run()", place.filename, "exec")
    (code,) = (c for c in module.co_consts if isinstance(c, types.CodeType))
    return types.FunctionType(code.replace(co_name=place.function), place.scope)  # type: ignore[arg-type]
