"""The `with` statement: managers enter and leave while tracing, but for `contextlib.suppress`, which is a `try`."""

from __future__ import annotations

import contextlib
import dis
import itertools
import types
from collections.abc import Callable
from typing import Any

from anabranch.base.grammar import a
from anabranch.base.value import Value
from anabranch.runtime.control.branches.own_errors import is_own
from anabranch.runtime.control.calls import special_methods
from anabranch.runtime.control.calls.user_functions import is_user_function
from anabranch.runtime.control.iteration.generators import GeneratorCall, giving
from anabranch.runtime.control.iteration.progress_bars import TqdmBar
from anabranch.runtime.control.iteration.progress_displays import Display
from anabranch.runtime.control.iteration.push_iterator import Consumer, no_items
from anabranch.runtime.control.staging import restaging
from anabranch.runtime.control.stdlib import progress
from anabranch.runtime.control.try_ import may_raise
from anabranch.runtime.errors import AnabranchError, UnsupportedOperationError
from anabranch.runtime.tracing.builder import current, tracing
from anabranch.runtime.tracing.failures import UnreachableError
from anabranch.runtime.values.heap.snapshot import Heap
from anabranch.runtime.values.heap.try_regions import TryRegion


def suppressed(manager: object) -> Callable[[], Any]:
    """The classes that a `contextlib.suppress` stands for, as a handler of a try statement has them.

    Raises `UnsupportedOperationError` for a manager of that name that is another one.
    """
    if not isinstance(manager, contextlib.suppress):
        raise UnsupportedOperationError(
            "the 'suppress' of this with statement is not contextlib.suppress, but returns "
            f"{a(type(manager).__name__)}; give it another name"
        )
    classes = manager._exceptions  # type: ignore[attr-defined]
    return lambda: classes


def managed(manager: object) -> Value:
    """The manager of a with statement; where the block may raise at run time, one refuses what it would do then."""
    display = progress.display(manager)
    if display is not None:
        return display
    if isinstance(manager, (_Leaving, TqdmBar, Display)):
        return manager
    generated = isinstance(getattr(manager, "gen", None), types.GeneratorType)
    in_python = isinstance(getattr(type(manager), "__exit__", None), types.FunctionType)
    return _Managed(manager) if tracing() and (generated or in_python) else manager


class _Managed:
    """Enters and leaves another manager, and sees whether something in the block may have failed."""

    def __init__(self, manager: Any) -> None:
        self.manager = manager

    def __enter__(self) -> Value:
        entered = _staged_where_refused(self.manager, "__enter__")
        self.region = TryRegion(())
        return entered

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: types.TracebackType | None
    ) -> Value:
        unreachable = isinstance(error, UnreachableError)
        if error is not None and is_own(error) and not unreachable:
            # Tracing ends here, or begins anew: what the manager has done to the world, such as redirecting the output,
            # must not stay. What it does to this trace counts for nothing.
            with contextlib.suppress(Exception):
                type(self.manager).__exit__(self.manager, kind, error, trace)
            return False
        may_fail = unreachable or (self.region.failed(current()) and may_raise(self.region))
        if may_fail and _may_end_exceptions(self.manager):
            if _is_staged(self.manager) or _is_of_generator(self.manager):
                restaging.stage_with_statements()
            raise UnsupportedOperationError(
                "the block of a with statement may raise at run time, and its manager, "
                f"{a(type(self.manager).__name__)}, may suppress exceptions, which it could do only while tracing; "
                "write try and except instead"
            )
        before = _State(self.manager) if may_fail else None
        ended = _staged_where_refused(self.manager, "__exit__", kind, error, trace)
        if before is not None and before.is_lost():
            if _is_staged(self.manager) or _is_of_generator(self.manager):
                restaging.stage_with_statements()
            name = type(self.manager).__name__
            raise UnsupportedOperationError(
                f"the block of a with statement may raise at run time, and what its manager, {a(name)}, does on "
                "leaving would not be done then; write try and finally instead"
            )
        return ended


def _staged_where_refused(manager: object, name: str, *args: Value) -> Value:
    """Enter or leave a manager; have a generator that cannot be while tracing run around its block."""
    try:
        return getattr(type(manager), name)(manager, *args)
    except AnabranchError:
        if _is_of_generator(manager):
            restaging.stage_with_statements()
        raise


def entered(manager: Any) -> Any:
    """The iterable of one item that stands for a with statement: a generator that is its manager, around the block."""
    if tracing() and _is_of_generator(manager):
        made = current().trace.outside.called(manager.func)(*manager.args, **manager.kwds)
        if type(made) is GeneratorCall:
            return _Around(made)
    return (manager,)


def _is_of_generator(manager: object) -> bool:
    return isinstance(manager, contextlib._GeneratorContextManager)


class _Around(GeneratorCall, sample=no_items):
    """A generator that yields once, to the block of a with statement, which its `try` statements are around."""

    def __init__(self, made: GeneratorCall) -> None:
        function, args, kwargs = made.call
        super().__init__(function, args, kwargs, made.original)

    def run(self, consume: Consumer) -> None:
        """Run the function's body, whose end is not left out where the block is left."""
        function, args, kwargs = self.call
        times = 0

        def block(item: Value) -> bool:
            nonlocal times
            times += 1
            consume(item)
            return False

        function(giving(block), *args, **kwargs)
        if times != 1:
            raise UnsupportedOperationError(
                "a generator that is a context manager yields in several places, or under a run-time condition, and "
                "its block may raise at run time; write try and finally instead"
            )


def leaving(manager: Any, entered: Any = None) -> Any:
    """The manager of a with statement whose leaving is staged: entered here, and left by `left`."""
    if tracing() and entered is not None and entered is not manager:
        return _Leaving(contextlib.nullcontext(entered))
    return _Leaving(manager) if _is_left_apart(manager) else manager


def left(manager: Any, error: BaseException | None) -> Value:
    """Return whether the manager ends what the block has raised; False where it sees for itself how it is left."""
    if not _is_left_apart(manager):
        return False
    if isinstance(manager, contextlib.suppress):
        return isinstance(error, manager._exceptions)  # type: ignore[attr-defined]
    return type(manager).__exit__(manager, None if error is None else type(error), error, None)


def _is_left_apart(manager: object) -> bool:
    return tracing() and _is_staged(manager)


def _is_staged(manager: object) -> bool:
    """Return whether a manager may be left in each of several branches: its class is the user's, or suppress."""
    if type(manager) is contextlib.suppress:
        return True
    leave = getattr(type(manager), "__exit__", None)
    return isinstance(leave, types.FunctionType) and is_user_function(special_methods.original(leave))


class _Leaving:
    """Enters another manager, and leaves it to `left` to leave it."""

    def __init__(self, manager: Any) -> None:
        self.manager = manager

    def __enter__(self) -> Value:
        return type(self.manager).__enter__(self.manager)

    def __exit__(self, *_: object) -> None:
        return None


class _State:
    """The state of arrays, objects and output before a manager is left after something may have failed."""

    def __init__(self, manager: Any) -> None:
        self.builder = current()
        trace = self.builder.trace
        frame = getattr(getattr(manager, "gen", None), "gi_frame", None)
        inside = frame.f_locals.values() if isinstance(frame, types.FrameType) else ()
        self.env = dict(self.builder.env)
        self.heap = Heap((manager, *inside, *trace.heap.roots))

    def is_lost(self) -> bool:
        """Return whether a change is seen after the failure: output, or what a handler around it looks at."""
        trace = self.builder.trace
        changed = [s for s in self.builder.written if self.builder.env[s] is not self.env.get(s)]
        if trace.output.counter in changed:
            return True
        kept = any(s in self.env or self.builder.outer_has(s) for s in changed)
        return bool(trace.failures.regions) and (kept or self.heap.changed())


def _may_end_exceptions(manager: object) -> bool:
    if isinstance(manager, contextlib.suppress):
        return True
    generator = getattr(manager, "gen", None)
    if isinstance(generator, types.GeneratorType):
        return _catches(generator.gi_code)
    leave = getattr(type(manager), "__exit__", None)
    if not isinstance(leave, types.FunctionType):
        return False
    steps = list(dis.get_instructions(special_methods.original(leave)))
    given = [s if s.opname == "RETURN_CONST" else b for b, s in itertools.pairwise(steps) if _returns(s)]
    return any("CONST" not in s.opname or bool(s.argval) for s in given)


def _returns(step: dis.Instruction) -> bool:
    return step.opname.startswith("RETURN_") and step.opname != "RETURN_GENERATOR"


def _catches(code: types.CodeType) -> bool:
    """Return whether a generator goes on after an exception in it: some handler does not end by raising again."""
    steps = list(dis.get_instructions(code))
    ends = (after for step, after in itertools.pairwise(steps) if step.opname == "POP_EXCEPT")
    return any(s.opname == "WITH_EXCEPT_START" for s in steps) or any(s.opname != "RERAISE" for s in ends)
