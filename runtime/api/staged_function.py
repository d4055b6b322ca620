"""The stages of a jitted function that a user can ask for: traced, lowered, explained, inspected."""

from __future__ import annotations

import contextlib
import copy
import functools
import sys
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast

from anabranch.base.deep_stack import deep
from anabranch.base.signals import Watched
from anabranch.runtime.api import eager_fallback
from anabranch.runtime.api.compile_driver import tracing_alone
from anabranch.runtime.api.compiled_signatures import CompiledSignatures
from anabranch.runtime.api.explain import Explanation, explanation
from anabranch.runtime.api.stages import Compiled, Lowered, Traced
from anabranch.runtime.call.auto_static import known_key
from anabranch.runtime.call.call_spec import Passed
from anabranch.runtime.call.execution import MISS, Execution, never, run_until_it_fits
from anabranch.runtime.call.fastpath import CallForm, make_fast_path
from anabranch.runtime.config import configure
from anabranch.runtime.errors import AnabranchError, SourceError
from anabranch.runtime.frontend.function_info import plain_function
from anabranch.runtime.ir.line_times import LineTimes
from anabranch.runtime.signature.argument_layouts import argument_names
from anabranch.runtime.tracing.builder import tracing
from anabranch.runtime.tracing.capacity import OverflowedError
from anabranch.runtime.tracing.decision_log import noting
from anabranch.runtime.tracing.source_frames import internal
from anabranch.runtime.values.failures.user_traceback import add_call_site, hide_internal_frames

if TYPE_CHECKING:
    from anabranch.runtime.api.inspection.inspection import Inspection
    from anabranch.runtime.api.inspection.profile import Profile

P = ParamSpec("P")
R = TypeVar("R")
Stage = TypeVar("Stage", bound=Callable[..., Any])


def _shortened(method: Stage) -> Stage:
    """Return a method whose errors name the place of the call, and show the user's frames alone."""

    @functools.wraps(method)
    def call(self: StagedFunction[..., Any], /, *args: object, **kwargs: object) -> Any:
        try:
            return method(self, *args, **kwargs)
        except (Exception, KeyboardInterrupt) as error:
            self._shorten(error, sys._getframe(1))
            raise

    return cast(Stage, call)


class StagedFunction(CompiledSignatures[P, R]):
    """A function whose stages can be asked for; errors in them name the place of the call."""

    def _shorten(self, error: BaseException, caller: types.FrameType) -> None:
        """Have an error name the place of the call, and leave this package's frames out of its traceback."""
        if tracing():
            return
        if isinstance(error, AnabranchError) and not isinstance(error, SourceError):
            while internal(caller.f_code.co_filename) and caller.f_back is not None:
                caller = caller.f_back
            add_call_site(error, caller)
        if not self.__anabranch_options__.in_force().full_tracebacks:
            hide_internal_frames(error)

    @_shortened
    def trace(self, /, *args: object, **kwargs: object) -> Traced:
        """Trace the function on these arguments (or `ShapeDtypeStruct`s)."""
        with deep():
            key, leaves, call = self._signature(args, kwargs)
        with Watched(), tracing_alone, configure(**self.__anabranch_options__.settings):
            traced = self._trace(key, leaves, call, Passed.of(self._statics.form, args, kwargs, call))
        traced.plan.guards.keep_receiver()
        return traced

    @_shortened
    def lower(self, /, *args: object, **kwargs: object) -> Lowered:
        """Trace and lower to StableHLO."""
        return self.trace(*args, **kwargs).lower()

    @_shortened
    def eval_shape(self, /, *args: object, **kwargs: object) -> Any:
        """Return what is known of the result without computing it: `ShapeDtypeStruct`s in its structure."""
        return self.trace(*args, **kwargs).out_info

    @_shortened
    def explain(self, /, *args: object, **kwargs: object) -> Explanation:
        """Return what becomes of the function on these arguments, and why: traced anew, and not run.

        `str(f.explain(x))` is a report, `f.explain(x).as_dict()` the same as plain values; notebooks show a table.
        """
        return eager_fallback.explained(self, self._explained(args, kwargs)[1])

    @_shortened
    def inspect(self, /, *args: object, **kwargs: object) -> Inspection:
        """Return what becomes of each line of the function on these arguments; it is compiled, and not run.

        Parameters
        ----------
        *args, **kwargs
            As in a call.

        Returns
        -------
        Inspection
            The source, rewritten, traced, lowered and compiled, with what became of each loop, what is copied, the
            times of each stage and line, suggestions, `explain`'s decisions, and what is compiled in memory: `.html`,
            `.save(path)` for a browser, `str()` for a terminal, a frame in a notebook.

        Examples
        --------
        >>> import numpy as np
        >>> from anabranch import jit
        >>> @jit
        ... def halve(x):
        ...     while x.sum() > 1.0:
        ...         x = x / 2
        ...     return x
        >>> halve.inspect(np.ones(3)).save("halve.html")  # doctest: +SKIP
        """
        from anabranch.runtime.api.inspection.inspect_call import callers_of, inspection, timed  # noqa: PLC0415 - few need it

        _, rewriting = timed(self.source)
        tracing = LineTimes()
        traced, explained, found = self._explained(args, kwargs, tracing)
        code = plain_function(self.__anabranch_function__).__code__
        with Watched(), deep(), configure(**self.__anabranch_options__.settings):
            entries, callers = self._entries(found), frozenset(callers_of(sys._getframe()))
            return inspection(code, traced, explained, found, entries, rewriting, tracing, callers)

    @_shortened
    def profile(self, /, *args: object, seconds: float = 1.0, **kwargs: object) -> Profile:
        """Return how long each line takes, from calls on copies of these arguments for about so many seconds.

        Of machine code a thousand samples a second are taken; of programs of XLA's the times of ops are XLA's own.

        Parameters
        ----------
        *args, **kwargs
            As in a call.
        seconds : float, optional
            How long the function is called; once at least.

        Returns
        -------
        Profile

        Raises
        ------
        UnsupportedValueError
            For machine code, where no samples can be taken: on another system than Linux.

        Examples
        --------
        >>> import numpy as np
        >>> from anabranch import jit
        >>> @jit
        ... def total(x):
        ...     s = 0.0
        ...     for v in x:
        ...         s += v * v
        ...     return s
        >>> total.profile(np.ones(10_000), seconds=0.1).function
        'total'
        """
        from anabranch.runtime.api.inspection.memory_use import memory_use  # noqa: PLC0415 - few need it
        from anabranch.runtime.api.inspection.profile_call import Repeated, profile  # noqa: PLC0415

        # A call finds out which values have to be known, and how large buffers are.
        call: Any = self
        call(*copy.deepcopy(args), **copy.deepcopy(kwargs))
        traced, explained, found = self._explained(args, kwargs)
        with deep(), configure(**self.__anabranch_options__.settings):
            lowered = traced.lower()
            compiled = found or lowered.compile()

            def run_by(execution: Execution) -> Callable[[tuple[Any, ...], dict[str, Any]], object]:
                def run(args: tuple[Any, ...], kwargs: dict[str, Any]) -> object:
                    result = execution.fast_path(args, kwargs)
                    if result is not MISS:
                        return result
                    _, leaves, arranged = self._signature(args, kwargs)
                    if execution.fast_path is never:
                        name = traced.fun_name
                        make_fast_path(name, execution, lambda: CallForm.of((args, kwargs), arranged, self._names))
                    execution.check(leaves)
                    return run_until_it_fits(execution, leaves, OverflowedError.refuse)

                return run

            plan = lowered.plan
            are_changed = bool(plan.writes or plan.written or plan.slots)
            calls = Repeated(args, kwargs, seconds, are_changed=are_changed)
            names = self._names if len(self._names) >= len(args) else argument_names(self._names, len(args))
            memory = memory_use(compiled, {**dict(zip(names, args, strict=False)), **kwargs})
            return profile(lowered, compiled, explained.signature, run_by(compiled.execution), run_by, calls, memory)

    def _explained(
        self, args: tuple[object, ...], kwargs: dict[str, Any], times: LineTimes | None = None
    ) -> tuple[Traced, Explanation, Compiled | None]:
        """A trace, the decisions made in it, and the executable of the call where it is in memory."""
        with deep():
            key, leaves, call = self._signature(args, kwargs, self._many_sequences.places)
            if self._many_sequences.are_refused(key):
                key, leaves, call = self._signature(args, kwargs)
        telling = contextlib.nullcontext() if times is None else times.of_traces()
        settings = configure(**self.__anabranch_options__.settings)
        knowing = self._knowing_values(key, self._exact(key, leaves))
        with Watched(), tracing_alone, settings, knowing, noting() as decisions, telling:
            traced = self._trace(key, leaves, call)
        exact = known_key(key, leaves.values, traced.plan.known)
        found = self._executables.get(exact)
        if found is not None and not found.execution.plan.guards.hold():
            found = None
        static = frozenset(s for s in self.__anabranch_options__.static if isinstance(s, str))
        kept = "" if found is None else "in memory"
        return traced, explanation(traced, exact, self._names, decisions.listed(), kept, static), found
