"""A function with the executables compiled of it, one for each signature of its arguments."""

from __future__ import annotations

import contextlib
import functools
import inspect
import time
from collections.abc import Callable, Collection, Sequence
from typing import Any, Generic, ParamSpec, TypeVar

from anabranch import transpile
from anabranch.base.bounded_dict import BoundedDict
from anabranch.base.deep_stack import deep
from anabranch.base.garbage import of_new_objects_alone
from anabranch.base.signals import Watched
from anabranch.runtime.api.compile_driver import compile_function, tracing_alone
from anabranch.runtime.api.many_values import ManySequences, ManyValues
from anabranch.runtime.api.memory_cache import CacheInfo, Entry, ExecutableCache
from anabranch.runtime.api.options import JitOptions
from anabranch.runtime.api.stages import Compiled, Traced
from anabranch.runtime.call import cache_miss
from anabranch.runtime.call.auto_static import Known, known_key
from anabranch.runtime.call.call_spec import Call, CallSpec, Passed
from anabranch.runtime.call.donation import donated_leaves
from anabranch.runtime.call.plan import Plan
from anabranch.runtime.config import configure, settings
from anabranch.runtime.control.calls.counterparts import counterpart
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.frontend.function_info import name_of, parameter_names, plain_function, refuse_early
from anabranch.runtime.frontend.surroundings import with_call_values
from anabranch.runtime.frontend.trace_function import trace_call
from anabranch.runtime.signature.argument_layouts import argument_names, arguments_of
from anabranch.runtime.signature.flatten_to_key import Leaves, SignatureKey
from anabranch.runtime.signature.static_args import StaticArguments
from anabranch.runtime.tracing.capacity import Learned, with_learned_sizes
from anabranch.runtime.tracing.restarts import OutOfTime, tracing_for
from anabranch.transpile.carried_source import Carried, carried_sources, restore_sources

# So long it may take to trace for all values what can be compiled for each.
_MOST_SECONDS = 3.0

P = ParamSpec("P")
R = TypeVar("R")


class CompiledSignatures(Generic[P, R]):
    """A function with its options, and what is compiled of it, by the signatures of its arguments."""

    __slots__ = ("__dict__", "__weakref__", "_executables")  # machine code finds what is in a slot

    _taking: type[Leaves] = Leaves  # what takes arguments apart

    def __init__(self, function: Callable[P, R], options: JitOptions) -> None:
        self.__anabranch_function__ = function
        self.__anabranch_options__ = options
        self._names = parameter_names(function)
        self._statics = StaticArguments(function, options.static)
        self._executables: ExecutableCache[SignatureKey, Compiled] = ExecutableCache()
        self._known = Known()
        self._many_values = ManyValues()
        self._many_sequences = ManySequences()
        self._learned = Learned()
        self._refusals: BoundedDict[SignatureKey, str] = BoundedDict()  # why calls could not be compiled

    def __getstate__(self) -> tuple[Callable[P, R], JitOptions, Carried]:
        function = self.__anabranch_function__
        return function, self.__anabranch_options__, carried_sources(function)

    def __setstate__(self, state: tuple[Callable[P, R], JitOptions, Carried]) -> None:
        function, options, carried = state
        restore_sources(function, carried)
        type(self).__init__(self, function, options)

    def source(self, /, *args: object, **kwargs: object) -> str:
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

    def clear_cache(self) -> None:
        """Forget all executables."""
        self._executables.clear()
        self._known.clear()
        self._many_values.clear()
        self._many_sequences.clear()
        self._learned.clear()
        self._refusals.clear()

    def cache_clear(self) -> None:
        """Forget all executables, as the functions of `functools.lru_cache` do."""
        self.clear_cache()

    def cache_info(self) -> CacheInfo:
        """How many calls found an executable, how many did not, how many there may be, and how many there are."""
        return self._executables.info(self.__anabranch_options__.in_force().cache_size)

    def _signature(
        self, args: tuple[object, ...], kwargs: dict[str, Any], run_time_sequences: Collection[int] = ()
    ) -> tuple[SignatureKey, Leaves, Call]:
        if self._statics:
            args, kwargs = self._statics.arrange(args, kwargs)
        leaves = self._taking(run_time_sequences)
        names = self._names if len(self._names) >= len(args) else argument_names(self._names, len(args))
        positional = tuple([leaves.key(a, n) for a, n in zip(args, names, strict=False)])
        named = tuple([(k, leaves.key(v, k)) for k, v in sorted(kwargs.items())]) if kwargs else ()
        traced_under = self.__anabranch_options__.in_force().traced
        return (positional, named, leaves.aliases(), traced_under), leaves, (args, kwargs)

    def _of_any_sequences(
        self, args: tuple[object, ...], kwargs: dict[str, Any], sequences: Sequence[str | bytes | int]
    ) -> tuple[SignatureKey, Leaves, Call] | None:
        """The signature of a call for all texts and lengths of lists, where there have been many and that can be."""
        if not sequences:
            return None
        every, places = range(len(sequences)), self._many_sequences.places
        wanted = frozenset[int]()
        if not places.issuperset(every):
            wanted = self._many_sequences.wanted(self._signature(args, kwargs, every)[0], sequences)
        for tried in dict.fromkeys((places | wanted, places)):
            found = key, leaves, _ = self._signature(args, kwargs, tried)
            if not leaves.run_time_sequences or self._many_sequences.are_refused(key):
                continue
            compiled = self._executables.get(self._exact(key, leaves))
            is_ready = compiled is not None and compiled.execution.plan.guards.hold()
            if is_ready or self._compiles_for_all(*found):
                self._many_sequences.places = tried
                return found
            self._many_sequences.refuse(key)
        return None

    def _give_up(self, args: tuple[object, ...], kwargs: dict[str, Any]) -> bool:
        """Have a call compiled with its values known, where one executable for all has refused it; whether one has."""
        refused = False
        for places in ((), self._many_sequences.places) if self._many_values.serving else ():
            key, leaves, _ = self._signature(args, kwargs, places)
            if self._many_values.is_general(key):
                self._many_values.refuse(key)
                refused = True
            if leaves.run_time_sequences and not self._many_sequences.are_refused(key):
                self._many_sequences.refuse(key)
                refused = True
        for execution in self._executables.with_fast_path:
            if execution in self._many_values.serving:
                self._executables.drop_fast_path(execution)
        return refused

    def _compiles_for_all(self, key: SignatureKey, leaves: Leaves, call: Call) -> bool:
        """Compile for all contents, of any length where that can be; return whether it has worked out."""
        self._many_values.serve_all(key)
        try:
            with tracing_for(_MOST_SECONDS):
                self._compile(key, leaves, call)
        except (Exception, OutOfTime):  # what is the user's is raised again with the contents known
            self._executables.misses -= 1  # the call is counted again
            return False
        self._executables.hits -= 1  # and so it is here
        return True

    def _compile(self, key: SignatureKey, leaves: Leaves, call: Call) -> Compiled:
        """The executable of a signature that has none; others that want it wait here."""
        cache = self._executables
        with Watched(), cache.locks.of(key), configure(**self.__anabranch_options__.settings):
            exact = self._exact(key, leaves)
            if exact != key and self._many_values.are_due(key):
                self._many_values.serve_all(key)
                exact = key
            if self._is_general(key, exact):
                try:
                    with tracing_for(_MOST_SECONDS):
                        return self._compile_as(key, key, leaves, call)
                except BaseException as error:
                    self._many_values.refuse(key)
                    if not isinstance(error, (Exception, OutOfTime)):
                        raise
                # What was the user's is raised again with the values known.
                cache.misses -= 1  # the call is counted again
                exact = self._exact(key, leaves)
            return self._compile_as(exact, key, leaves, call)

    def _compile_as(self, exact: SignatureKey, key: SignatureKey, leaves: Leaves, call: Call) -> Compiled:
        """The same for the values in `exact`, or for all where that is the key without any."""
        cache, name = self._executables, name_of(self.__anabranch_function__)
        start, generally = time.perf_counter(), self._is_general(key, exact)
        with self._knowing_values(key, exact):
            with tracing_alone:  # else what a trace changes for a moment might be seen
                found = cache.get(exact)
                suffices = found is None or self._learned.suffice(exact, found.plan.capacities)
                holds = found is not None and found.plan.guards.hold()
                if found is not None and suffices and holds:
                    return found
            cache.misses += 1
            cache.compiles += 1
            guards = found.execution.plan.guards if found is not None and suffices else None
            miss = cache_miss.Miss(
                name, exact, self._names, cache.compiles, guards, cache.was_dropped(exact), not suffices
            )
            cache_miss.report(miss, cache.keys)
            again = found.plan if found is not None and holds else None
            trace = functools.partial(self._trace_shown, key, leaves, call, again)
            with deep(), of_new_objects_alone():
                made = compile_function(self.__anabranch_function__, name, trace, self.source)
            self._known.add(key, made.plan, name)
            if leaves.run_time_sequences:
                self._many_values.serving.add(made.execution)
            if generally or made.plan.known:
                took = time.perf_counter() - start
                self._many_values.compiled(key, made.execution, took, generally=generally)
            # Why a new signature was compiled is found out when somebody asks: it lies in the signatures before.
            why = "" if guards is None and suffices and not miss.was_dropped else cache_miss.explanation(miss, [])
            cache.put(known_key(key, leaves.values, made.plan.known), made, why)
            return made

    def _entries(self, this: Compiled | None) -> list[Entry]:
        """All executables in memory, the first one first, `this` one marked."""
        name, earlier, entries = name_of(self.__anabranch_function__), list[SignatureKey](), list[Entry]()
        for key, compiled, origin in self._executables.origins():
            miss = cache_miss.Miss(name, key, self._names, origin.number)
            why = origin.why or cache_miss.explanation(miss, earlier)
            shown = cache_miss.signature(key, self._names)
            entries.append(Entry(shown, why, compiled.execution.compiler, compiled is this))
            earlier.append(key)
        return entries

    def _exact(self, key: SignatureKey, leaves: Leaves) -> SignatureKey:
        """The signature with the values of the leaves that calls of it had to know, if not one serves all values."""
        if not self._known or not self.__anabranch_options__.in_force().auto_static:
            return key
        exact = known_key(key, leaves.values, self._known.leaves(key))
        return key if self._many_values.are_served(key, exact, self._executables) else exact

    def _is_general(self, key: SignatureKey, exact: SignatureKey) -> bool:
        """Return whether a signature is that of an executable for all values of what calls of it had to know."""
        return exact == key and self._many_values.is_general(key)

    def _knowing_values(self, key: SignatureKey, exact: SignatureKey) -> contextlib.AbstractContextManager[object]:
        """Settings by which what the executable for all values is made of is traced without any, others with theirs."""
        return configure(auto_static=False) if self._is_general(key, exact) else contextlib.nullcontext()

    def _trace_shown(self, key: SignatureKey, leaves: Leaves, call: Call, again: Plan | None) -> Traced:
        traced = self._trace(key, leaves, call, None, again)
        serves_all = leaves.run_time_sequences or (self._many_values.is_general(key) and not settings().auto_static)
        if serves_all and traced.plan.may_copy_views:
            raise UnsupportedOperationError("views that the function returns for known values would be copies")
        self.__anabranch_options__.show(traced.program)
        return traced

    def _trace(
        self,
        key: SignatureKey,
        leaves: Leaves,
        call: Call,
        passed: Passed | None = None,
        again: Plan | None = None,
    ) -> Traced:
        known = self._known.leaves(key) if settings().auto_static else frozenset()
        arguments = arguments_of(key, leaves, self._names, known)
        function: Callable[..., Any] = self.__anabranch_function__
        refuse_early(function)
        with with_learned_sizes(self._learned.of(self._exact(key, leaves))), with_call_values(leaves.values):
            plan = trace_call(function, arguments, again)
        form, options = self._statics.form, self.__anabranch_options__
        passed = passed or Passed.of(form, *call, call)
        donated = donated_leaves(form, options.donated, call, arguments)
        exact = known_key(key[:3], leaves.values, plan.known)
        calling = CallSpec(name_of(function), exact, arguments, passed, plan.known, donated, self._taking)
        return Traced(plan, calling, options.compiler_flags)
