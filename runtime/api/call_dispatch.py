"""Which executable a call runs: the one of its signature, in memory or compiled now."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Collection
from typing import Any, ParamSpec, TypeVar, cast

from anabranch.base.deep_stack import deep
from anabranch.runtime.api import eager_fallback
from anabranch.runtime.api.many_values import ChargedExecution
from anabranch.runtime.api.staged_function import StagedFunction
from anabranch.runtime.call.auto_static import known_key
from anabranch.runtime.call.execution import Execution, Recompile, never
from anabranch.runtime.call.fastpath import CallForm, make_fast_path
from anabranch.runtime.config import configure
from anabranch.runtime.errors import AnabranchError, UnsupportedValueError
from anabranch.runtime.frontend.function_info import name_of
from anabranch.runtime.signature.flatten_to_key import Leaves, SignatureKey
from anabranch.runtime.tracing.builder import tracing
from anabranch.runtime.tracing.capacity import OverflowedError
from anabranch.runtime.values.containers import is_deep

P = ParamSpec("P")
R = TypeVar("R")


class Dispatched(StagedFunction[P, R]):
    """A function whose calls find their executables."""

    def _ready(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Execution, Leaves, Recompile]:
        """Return what runs a call, and its leaves; compile now where no executable is for the call.

        An `AnabranchError` is marked as one of this function, of which nothing has run.
        """
        try:
            return self._found_of_any_depth(args, kwargs)
        except AnabranchError as error:
            error.refused_by = self
            raise

    def _found_of_any_depth(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Execution, Leaves, Recompile]:
        try:
            return self._found(args, kwargs)
        except RecursionError:
            if not is_deep((args, kwargs)):
                raise
        try:
            with deep():
                return self._found(args, kwargs)
        except RecursionError as error:
            if getattr(error, "anabranch_own", False):
                raise
            raise UnsupportedValueError(
                "containers among the arguments lie in one another too deep; keep such a structure in arrays, one for "
                "each field and one with the number of the next node"
            ) from None

    def _found(self, args: tuple[object, ...], kwargs: dict[str, Any]) -> tuple[Execution, Leaves, Recompile]:
        key, leaves, call = self._signature(args, kwargs)
        if self._refusals and key in self._refusals and self._runs_refused(args, kwargs):
            raise eager_fallback.RefusedBeforeError(self._refusals[key])
        exact = self._exact(key, leaves)
        compiled = self._executables.get(exact)
        found = self._of_any_sequences(args, kwargs, leaves.sequences) if compiled is None else None
        if found is not None:
            key, leaves, call = found
            exact = self._exact(key, leaves)
            compiled = self._executables.get(exact)
        if compiled is None or not compiled.execution.plan.guards.hold():
            compiled = self._compile(key, leaves, call)
            compiled.execution.check(leaves)
        else:
            self._executables.hits += 1
            compiled.execution.check(leaves)
            form = functools.partial(CallForm.of, (args, kwargs), call, self._names, leaves.run_time_sequences)
            self._make_fast_path(exact, compiled.execution, form)
        execution: Execution = compiled.execution
        if self._is_general(key, exact) and self._known.leaves(key):
            values = known_key(key, leaves.values, self._known.leaves(key))
            execution = ChargedExecution(execution, functools.partial(self._many_values.charge, key, values))
        return execution, leaves, functools.partial(self._recompiled, args, kwargs, leaves.run_time_sequences)

    def _recompiled(
        self, args: tuple[object, ...], kwargs: dict[str, Any], sequences: Collection[int], overflow: OverflowedError
    ) -> tuple[Execution, Leaves]:
        """Compile for a call once more, with a larger buffer where a run of it had too small a one."""
        key, leaves, call = self._signature(args, kwargs, sequences)
        try:
            with configure(**self.__anabranch_options__.settings):
                self._learned.grow(self._exact(key, leaves), overflow, name_of(self.__anabranch_function__))
            execution = self._compile(key, leaves, call).execution
        except AnabranchError:
            if not self._give_up(args, kwargs):
                raise
            key, leaves, call = self._signature(args, kwargs)
            execution = self._compile(key, leaves, call).execution
        execution.check(leaves)
        return execution, leaves

    def _make_fast_path(self, key: SignatureKey, execution: Execution, form: Callable[[], CallForm]) -> None:
        """Let the next such call take the fast path; a signature that is met once only pays nothing for it."""
        known = execution in self._executables.with_fast_path
        if known or execution.fast_path is never:
            make_fast_path(getattr(self.__anabranch_function__, "__qualname__", "function"), execution, form)
        if execution.fast_path is not never and not known:
            self._executables.put_fast_path(key, execution)

    def _made_again(
        self, error: AnabranchError, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Callable[..., Any] | None:
        """The function to call in the place of a call that was refused; None where none is."""
        ended, options, itself = error.ended, self.__anabranch_options__, cast("Callable[..., Any]", self)
        if tracing():
            return None
        if ended is None:
            if error.refused_by is not self or not eager_fallback.is_refusal(error):
                return None
            return self._made_plainly(error, args, kwargs) if self._runs_refused(args, kwargs) else None
        if not ended.effects and not options.donated and self._give_up(args, kwargs):
            return itself
        if eager_fallback.may_run_again(options, ended, (args, kwargs)):
            return functools.partial(eager_fallback.run_again, self, error)
        ended.finish()
        return None

    def _made_plainly(self, error: AnabranchError, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Callable[..., Any]:
        """The same for a call that cannot be compiled; later ones of its signature are not tried again."""
        with contextlib.suppress(AnabranchError):  # of arguments that have no signature
            key = self._signature(args, kwargs)[0]
            self._refusals.put(key, str(error), self.__anabranch_options__.in_force().cache_size)
        return functools.partial(eager_fallback.run_refused, self, error)

    def _runs_refused(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """Return whether a call that cannot be compiled is to be run as plain Python."""
        options = self.__anabranch_options__
        return options.in_force().eager_refusals and eager_fallback.can_run_plainly(options, (args, kwargs))
