"""`Wrapped`: a function that is compiled for each new signature of its arguments."""

from __future__ import annotations

import copy
import functools
import inspect
import sys
import types
from collections.abc import Callable
from typing import Any, Concatenate, Generic, ParamSpec, TypeAlias, TypeVar, cast, overload

import numpy as np

from anabranch import transpile
from anabranch.base.deep_stack import deep
from anabranch.base.instance_cache import PerInstance
from anabranch.base.signals import Watched
from anabranch.runtime.api.compile_driver import compile_function, tracing_alone
from anabranch.runtime.api.explain import Explanation, explanation
from anabranch.runtime.api.memory_cache import CacheInfo, ExecutableCache
from anabranch.runtime.api.options import Options
from anabranch.runtime.api.stages import Compiled, Lowered, Traced
from anabranch.runtime.call import cache_miss
from anabranch.runtime.call.auto_static import Known, known_key
from anabranch.runtime.call.call_spec import Calling, Passed
from anabranch.runtime.call.donation import donated_leaves
from anabranch.runtime.call.execution import MISS, Execution, never
from anabranch.runtime.call.fastpath import MOST_ATTEMPTS, Form, quicken
from anabranch.runtime.config import configure, settings
from anabranch.runtime.control.call import counterpart, resolve
from anabranch.runtime.errors import AnabranchError, SourceError, UnsupportedValueError
from anabranch.runtime.frontend.function_info import method_of, name_of, parameter_names, plain_function, refuse_early
from anabranch.runtime.frontend.trace_function import trace_call
from anabranch.runtime.ops.host_callback import done_before
from anabranch.runtime.signature.arguments import arguments_of
from anabranch.runtime.signature.flatten import Leaves
from anabranch.runtime.signature.static_args import Statics
from anabranch.runtime.tracing.capacity import Learned, OverflowedError, knowing
from anabranch.runtime.tracing.decision_log import noting
from anabranch.runtime.tracing.source_frames import internal
from anabranch.runtime.tracing.trace import tracing
from anabranch.runtime.values.containers import is_deep
from anabranch.runtime.values.failures.user_traceback import add_call_site, hide_internal_frames
from anabranch.runtime.values.static_requests import may_be_known

P = ParamSpec("P")
Q = ParamSpec("Q")
R = TypeVar("R")
S = TypeVar("S")
Stage = TypeVar("Stage", bound=Callable[..., Any])
Call: TypeAlias = tuple[tuple[Any, ...], dict[str, Any]]  # what is left of the arguments when static ones are marked


def _shortened(method: Stage) -> Stage:
    """Return a method whose errors name the place of the call, and show the user's frames alone."""

    @functools.wraps(method)
    def call(self: Wrapped[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        try:
            return method(self, *args, **kwargs)
        except (Exception, KeyboardInterrupt) as error:
            self._shorten(error, sys._getframe(1))
            raise

    return cast(Stage, call)


class Wrapped(Generic[P, R]):
    """A function that is compiled for each new signature of its arguments, as `jax.stages.Wrapped`.

    Raises
    ------
    UnsupportedConstructError
        When first called, where the source holds what cannot be rewritten; all of it is listed.
    UnsupportedValueError
        For an argument that is no array, scalar or pytree of these.
    StaticArgumentError
        For a static argument that is not hashable.
    """

    __anabranch_static__ = True  # as an argument of another one
    __name__: str
    __qualname__: str
    __wrapped__: Callable[P, R]

    _taking: type[Leaves] = Leaves  # what takes arguments apart
    _alone = False  # whether this is compiled for one instance, whose attributes are constants

    def __init__(self, function: Callable[P, R], options: Options) -> None:
        self.__anabranch_function__ = function
        self.__anabranch_options__ = options
        self._names = parameter_names(function)
        self._statics = Statics(function, options.static)
        self._executables: ExecutableCache[Compiled] = ExecutableCache()
        self._known = Known()
        self._learned = Learned()
        self._bound: PerInstance[Wrapped[Any, Any]] = PerInstance()
        functools.update_wrapper(self, function, updated=())
        if getattr(function, "__isabstractmethod__", False):
            self.__isabstractmethod__ = True

    def __call__(self, /, *args: P.args, **kwargs: P.kwargs) -> R:
        """What the plain function gives, compiled."""
        try:
            for entry in self._executables.quick:
                found: R = entry.quick(args, kwargs)
                if found is not MISS:
                    self._executables.hits += 1
                    return found
            answer: R = self._call(args, kwargs)
            return answer
        except (Exception, KeyboardInterrupt) as error:
            self._shorten(error, sys._getframe(1))
            raise

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

    def _call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The call by its signature."""
        if tracing():
            with configure(**self.__anabranch_options__.settings):
                return resolve(self.__anabranch_function__)(*args, **kwargs)
        if self.__anabranch_options__.in_force().disable_jit:
            return self.__anabranch_function__(*args, **kwargs)
        return self._run(*self._ready(args, kwargs), args, kwargs)

    def _ready(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Execution, Leaves]:
        """Return the execution and the leaves of a call; compile now where no executable is for the call."""
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

    def _found(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Execution, Leaves]:
        key, leaves, call = self._signature(args, kwargs)
        exact = self._exact(key, leaves)
        compiled = self._executables.get(exact)
        if compiled is None or not compiled.execution.plan.guards.hold():
            compiled = self._compile(key, leaves, call)
            compiled.execution.check(leaves)
        else:
            self._executables.hits += 1
            compiled.execution.check(leaves)
            self._quicken(exact, compiled.execution, (args, kwargs), call)
        return compiled.execution, leaves

    def _run(self, execution: Execution, leaves: Leaves, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        try:
            return execution.run(leaves)
        except OverflowedError as overflow:
            found = overflow
        return self._run_again(args, kwargs, found)

    def _run_again(self, args: tuple[Any, ...], kwargs: dict[str, Any], overflow: OverflowedError) -> Any:
        """The call once more, with more room, as often as it takes; effects that were done are not done again."""
        name = name_of(self.__anabranch_function__)
        while True:
            key, leaves, call = self._signature(args, kwargs)
            with configure(**self.__anabranch_options__.settings):
                self._learned.grow(self._exact(key, leaves), overflow, name)
            compiled = self._compile(key, leaves, call)
            compiled.execution.check(leaves)
            try:
                with done_before(overflow.effects):
                    return compiled.execution.run(leaves)
            except OverflowedError as again:
                overflow = again

    def _quicken(self, key: Any, execution: Execution, written: Call, arranged: Call) -> None:
        """Let the next such call take the quick way; a signature that is met once only pays nothing for it."""
        known = execution in self._executables.quick
        if (known or execution.quick is never) and execution.quick_attempts < MOST_ATTEMPTS:
            execution.quick_attempts += 1
            name = getattr(self.__anabranch_function__, "__qualname__", "function")
            quicken(name, execution, Form.of(written, arranged, self._names))
        if execution.quick is not never and not known:
            self._executables.put_quick(key, execution)

    @overload
    def __get__(self, instance: None, owner: type[Any] | None = None) -> Wrapped[P, R]: ...
    @overload
    def __get__(self: Wrapped[Concatenate[S, Q], R], instance: S, owner: type[Any] | None = None) -> Wrapped[Q, R]: ...
    def __get__(self, instance: Any, owner: type[Any] | None = None) -> Any:
        """A method of an instance, which is its first argument.

        Where the instance is a static argument, by its contents, equal instances share what is compiled.
        """
        if instance is None:
            return self
        if self._names[:1] and self._names[0] in self.__anabranch_options__.static:
            return types.MethodType(self, instance)
        kept = self._bound.get(instance)
        if kept is None:
            options = self.__anabranch_options__.without(self._names[:1])
            kept = self._bound.put(instance, type(self)(method_of(self.__anabranch_function__, instance), options))
        # What is kept with the instance must not keep the instance; what is handed out must.
        kind: Any = type(self)
        bound: Any = object.__new__(_bound_kind(kind))
        bound.__dict__.update(kept.__dict__, __self__=instance, __func__=self, _kept=kept)
        return bound

    def plain(self) -> Callable[P, R]:
        """The function as it was written."""
        return self.__anabranch_function__

    def again(self, options: Options) -> Wrapped[P, R]:
        """The same function, compiled in the same way with these options."""
        return type(self)(self.plain(), options)

    def __copy__(self) -> Wrapped[P, R]:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Wrapped[P, R]:
        return self

    def __reduce__(self) -> Any:
        """Pickled as functions are, by name; by value where a pickler that can do so would take a function so."""
        module, name = self.__module__, vars(self).get("__qualname__", "")
        found: Any = sys.modules.get(module)
        for part in name.split("."):
            found = getattr(found, part, None)
        # Workers have another `__main__`, so cloudpickle, which joblib and dask use, takes its functions by value.
        pickler = str(sys._getframe(1).f_globals.get("__name__"))
        if found is self and not (module == "__main__" and "cloudpickle" in pickler):
            return name
        return object.__new__, (type(self),), (self.__anabranch_function__, self.__anabranch_options__)

    def __setstate__(self, state: tuple[Callable[P, R], Options]) -> None:
        type(self).__init__(self, *state)

    def __repr__(self) -> str:
        return f"<anabranch.jit of {self.__anabranch_function__!r}>"

    # ---- stages ----------------------------------------------------------------------------------------------------

    @_shortened
    def trace(self, /, *args: Any, **kwargs: Any) -> Traced:
        """Trace the function on these arguments (or `ShapeDtypeStruct`s)."""
        with deep():
            key, leaves, call = self._signature(args, kwargs)
        with Watched(), tracing_alone, configure(**self.__anabranch_options__.settings):
            return self._trace(key, leaves, call, Passed.of(self._statics.form, args, kwargs, call))

    @_shortened
    def lower(self, /, *args: Any, **kwargs: Any) -> Lowered:
        """Trace and lower to StableHLO."""
        return self.trace(*args, **kwargs).lower()

    @_shortened
    def eval_shape(self, /, *args: Any, **kwargs: Any) -> Any:
        """What is known of the result without computing it: `ShapeDtypeStruct`s in its structure."""
        return self.trace(*args, **kwargs).out_info

    def source(self, /, *args: Any, **kwargs: Any) -> str:
        """The rewritten source; the function's own where there is nothing to rewrite.

        With arguments, as in a call, the source for them: static ones are folded in, what they decide is decided, short
        loops over them are written out. Arguments that are not static may be left out; an int or bool counts as static
        here once a call had to know it. This is shown, and not what runs: a call traces the general source, in which
        Python decides on static values.

        Raises
        ------
        TypeError
            For an argument that the function does not take.
        """
        function = plain_function(self.__anabranch_function__)
        known = self._statics.values(args, kwargs, self._known.names)
        if known:
            return transpile.rewrite_for(function, counterpart, known).source
        if not transpile.needs_rewriting(function):
            return inspect.getsource(function)
        return transpile.rewrite(function, counterpart, self.__anabranch_options__.in_force().cache_dir).source

    @_shortened
    def explain(self, /, *args: Any, **kwargs: Any) -> Explanation:
        """What becomes of the function on these arguments, and why: traced anew, and not run.

        `str(f.explain(x))` is a report, `f.explain(x).as_dict()` the same as plain values; notebooks show a table.
        """
        key, leaves, call = self._signature(args, kwargs)
        with Watched(), configure(**self.__anabranch_options__.settings), noting() as decisions:
            traced = self._trace(key, leaves, call)
        exact = known_key(key, leaves.values, traced.plan.known)
        found = self._executables.get(exact)
        kept = "in memory" if found is not None and found.execution.plan.guards.hold() else ""
        static = frozenset(s for s in self.__anabranch_options__.static if isinstance(s, str))
        return explanation(traced, exact, self._names, decisions.listed(), kept, static)

    def clear_cache(self) -> None:
        """Forget all executables."""
        self._executables.clear()
        self._known.clear()
        self._learned.clear()

    def cache_clear(self) -> None:
        """Forget all executables, as the functions of `functools.lru_cache` do."""
        self.clear_cache()

    def cache_info(self) -> CacheInfo:
        """How many calls found an executable, how many did not, how many there may be, and how many there are."""
        return self._executables.info(self.__anabranch_options__.in_force().cache_size)

    # ---- inside ----------------------------------------------------------------------------------------------------

    def _signature(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Leaves, Call]:
        if self._statics:
            args, kwargs = self._statics.arrange(args, kwargs)
        leaves = self._taking()
        names = self._names if len(self._names) >= len(args) else (*self._names, *["*args"] * len(args))
        positional = tuple([leaves.key(a, n) for a, n in zip(args, names, strict=False)])
        named = tuple([(k, leaves.key(v, k)) for k, v in sorted(kwargs.items())]) if kwargs else ()
        traced_under = self.__anabranch_options__.in_force().traced
        return (positional, named, leaves.aliases(), traced_under), leaves, (args, kwargs)

    def _compile(self, key: Any, leaves: Leaves, call: Call) -> Compiled:
        """The executable of a signature that has none; others that want it wait here."""
        cache, name = self._executables, name_of(self.__anabranch_function__)
        with Watched(), cache.turns.turn(key), configure(**self.__anabranch_options__.settings):
            exact = self._exact(key, leaves)
            with tracing_alone:  # else what a trace changes for a moment might be seen
                found = cache.get(exact)
                suffices = found is None or self._learned.suffice(exact, found.plan.capacities)
                if found is not None and suffices and found.execution.plan.guards.hold():
                    return found
            cache.misses += 1
            cache.compiles += 1
            guards = found.execution.plan.guards if found is not None and suffices else None
            miss = cache_miss.Miss(
                name, exact, self._names, cache.compiles, guards, cache.was_dropped(exact), not suffices
            )
            cache_miss.report(miss, cache.keys)
            trace = functools.partial(self._trace_shown, key, leaves, call)
            with deep():
                made = compile_function(self.__anabranch_function__, name, trace, self.source)
            self._known.add(key, made.plan, name)
            cache.put(known_key(key, leaves.values, made.plan.known), made)
            return made

    def _exact(self, key: Any, leaves: Leaves) -> Any:
        """The signature with the values of the leaves that calls of it had to know."""
        if not self._known or not self.__anabranch_options__.in_force().auto_static:
            return key
        return known_key(key, leaves.values, self._known.leaves(key))

    def _trace_shown(self, key: Any, leaves: Leaves, call: Call) -> Traced:
        traced = self._trace(key, leaves, call)
        self.__anabranch_options__.show(traced.program)
        return traced

    def _trace(self, key: Any, leaves: Leaves, call: Call, passed: Passed | None = None) -> Traced:
        aliases = _by_leaf(leaves)
        arrays = [(i, v) for i, v in enumerate(leaves.values) if type(v) is np.ndarray and v.ndim]
        readonly = frozenset(i for i, v in arrays if not v.flags.writeable)
        strides = {i: v.strides for i, v in arrays if not v.flags.c_contiguous}
        numbers = {i: v for i, v in enumerate(leaves.values) if may_be_known(v)}
        arguments = arguments_of(
            *call,
            leaves.held,
            aliases=aliases,
            readonly=readonly,
            strides=strides,
            device=leaves.device,
            names=self._names,
            numbers=numbers,
            known=self._known.leaves(key) if settings().auto_static else frozenset(),
        )
        function: Callable[..., Any] = self.__anabranch_function__
        refuse_early(function)
        with knowing(self._learned.of(self._exact(key, leaves))):
            plan = trace_call(function, arguments)
        form, options = self._statics.form, self.__anabranch_options__
        passed = passed or Passed.of(form, *call, call)
        donated = donated_leaves(form, options.donated, call, arguments)
        exact = known_key(key[:3], leaves.values, plan.known)
        calling = Calling(name_of(function), exact, arguments, passed, plan.known, donated, self._taking)
        return Traced(plan, calling, options.compiler_flags)


class Bound(Wrapped[P, R]):
    """A method of an instance, equal to others as bound methods are.

    A call is one of the function, with the instance as its first argument: numbers, arrays and containers among its
    attributes are run-time values, and what the method changes is written back. Where that can't be compiled, the
    method is compiled for the one instance, with its attributes as constants that are guarded. So are the stages.
    """

    __self__: Any
    __func__: Wrapped[..., R]
    _kept: Wrapped[..., R]  # what is compiled for the one instance

    def __call__(self, /, *args: P.args, **kwargs: P.kwargs) -> R:
        """Return the result of the plain method, from compiled code."""
        function = self.__func__
        try:
            for entry in function._executables.quick:
                found: R = entry.quick((self.__self__, *args), kwargs)
                if found is not MISS:
                    function._executables.hits += 1
                    return found
            answer: R = self._call(args, kwargs)
            return answer
        except (Exception, KeyboardInterrupt) as error:
            self._shorten(error, sys._getframe(1))
            raise

    def _call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        function, given = self.__func__, (self.__self__, *args)
        if self._kept._alone or tracing() or self.__anabranch_options__.in_force().disable_jit:
            return super()._call(args, kwargs)
        try:
            execution, leaves = function._ready(given, kwargs)
        except SourceError:
            raise
        except AnabranchError as error:
            refused = error
        else:
            return function._run(execution, leaves, given, kwargs)
        try:
            execution, leaves = self._ready(args, kwargs)
        except Exception:
            raise refused from None
        self._kept._alone = True
        return self._run(execution, leaves, args, kwargs)

    def explain(self, /, *args: Any, **kwargs: Any) -> Explanation:
        """Return what becomes of the method on these arguments, and why: it is traced anew, and not run."""
        if self._kept._alone:
            return super().explain(*args, **kwargs)
        return self.__func__.explain(self.__self__, *args, **kwargs)

    def clear_cache(self) -> None:
        """Forget all executables."""
        self.__func__.clear_cache()
        super().clear_cache()
        self._kept._alone = False

    def cache_info(self) -> CacheInfo:
        """How many calls found an executable, how many did not, how many there may be, and how many there are."""
        return super().cache_info() if self._kept._alone else self.__func__.cache_info()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Bound) and self.__self__ is other.__self__ and self.__func__ is other.__func__

    def __hash__(self) -> int:
        return hash((id(self.__self__), self.__func__))

    def plain(self) -> Callable[P, R]:
        """The method as it was written."""
        return types.MethodType(self.__func__.plain(), self.__self__)

    def again(self, options: Options) -> Wrapped[P, R]:
        """The same method, compiled in the same way with these options."""
        kind: Any = type(self.__func__)
        made: Wrapped[P, R] = kind(self.plain(), options)
        return made

    def __deepcopy__(self, memo: dict[int, Any]) -> Wrapped[P, R]:
        bound: Wrapped[P, R] = self.__func__.__get__(copy.deepcopy(self.__self__, memo))
        return bound

    def __reduce__(self) -> Any:
        """Pickled as bound methods are: the instance, and the method's name."""
        return getattr, (self.__self__, self.__name__)

    def __repr__(self) -> str:
        return f"<anabranch.jit of {self.plain()!r}>"


@functools.cache
def _bound_kind(kind: type[Wrapped[Any, Any]]) -> type[Bound[Any, Any]]:
    """The class of bound methods that are compiled as a class of functions is."""
    return Bound if kind is Wrapped else type(f"Bound{kind.__name__}", (Bound, kind), {})


def _by_leaf(leaves: Leaves) -> tuple[int, ...]:
    first: dict[int, int] = {}
    arrays = {id(a) for a in leaves.arrays}
    same = tuple(first.setdefault(id(v), i) if id(v) in arrays else i for i, v in enumerate(leaves.values))
    return same if any(i != s for i, s in enumerate(same)) else ()
