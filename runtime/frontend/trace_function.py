"""One trace of a function on the layouts of its arguments: the Program, and what surrounds it on the host."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import sys
import types
from collections.abc import Callable, Iterator

from anabranch.base.deep_stack import deep
from anabranch.base.signals import Interrupt
from anabranch.runtime.call.plan import Plan
from anabranch.runtime.config import settings
from anabranch.runtime.control.aliasing import split_containers
from anabranch.runtime.control.branches.own_errors import is_own
from anabranch.runtime.control.call import call, resolve
from anabranch.runtime.control.calls import special_methods, uncompiled
from anabranch.runtime.control.calls.recursion import infinite_recursion
from anabranch.runtime.control.calls.user_functions import is_user_function
from anabranch.runtime.control.columnar import copied_items, nested_lists
from anabranch.runtime.control.hash_tables.table_arena import make_arenas
from anabranch.runtime.control.iteration import generator_steps
from anabranch.runtime.control.loops.unroll_budget import TooCostlyError
from anabranch.runtime.errors import AnabranchError, EscapedTracerError, ShapeMismatchError, forget_attempts
from anabranch.runtime.frontend.bind_arguments import BoundArguments, bind_arguments
from anabranch.runtime.frontend.build_plan import build_plan
from anabranch.runtime.frontend.effects import ObjectChanges, put_back, refuse_changes
from anabranch.runtime.frontend.function_info import may_grow_lists
from anabranch.runtime.frontend.surroundings import Surroundings
from anabranch.runtime.frontend.trace_strategy import Strategy
from anabranch.runtime.guards.guards import Guards
from anabranch.runtime.ir.verify import is_closed
from anabranch.runtime.signature.argument_layouts import Arguments
from anabranch.runtime.signature.static_keys import may_change
from anabranch.runtime.tracing.builder import Trace, building
from anabranch.runtime.tracing.failures import UnreachableError
from anabranch.runtime.tracing.restarts import Restart
from anabranch.runtime.values import atoms, containers
from anabranch.runtime.values.dynamic_lists.list_arguments import are_among
from anabranch.runtime.values.dynamic_lists.list_results import with_prefixes
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.failures.refusals import outside_array_refusal
from anabranch.runtime.values.failures.user_traceback import add_function, add_location
from anabranch.runtime.values.heap.snapshot import Heap
from anabranch.runtime.values.pytrees import exceptions
from anabranch.runtime.values.static_requests import Specialise, argument_names, requests_of

_AGAIN = object()


def trace_call(function: Callable[..., object], arguments: Arguments, again: Plan | None = None) -> Plan:
    """Trace `function(*arguments)`; `again` is what an earlier trace of just this has made, with other capacities."""
    known = None if again is None else again.approach
    try:
        with deep():
            if not isinstance(known, Strategy):
                # Lists that grow in loops mostly get a length of run time: a trace would be dropped for finding that.
                may_grow = may_grow_lists(function) or are_among((*arguments.args, *arguments.kwargs.values()))
                known = Strategy.at_first(lists=may_grow)
            return _trace(function, arguments, known)
    except BaseException as error:
        forget_attempts(error)
        raise


def _trace(function: Callable[..., object], arguments: Arguments, way: Strategy) -> Plan:
    """The same in one way, and in others where that does not work out."""
    # Not an `Attempt`: what was outside is known when the trace has met it, and each way has a trace of its own.
    around = sys.exc_info()[1]
    guards = Guards(getattr(function, "__anabranch_receiver__", None))
    staging = special_methods.Staging(call, is_user_function)
    outside = Surroundings(guards, staging.add)
    trace = Trace(outside, way)
    root = trace.root
    with building(root), contextlib.closing(staging), _undone(guards):
        make_arenas(trace)
        given = bind_arguments(arguments, trace)
        outside.bind(given)
        before = Heap((given.args, given.kwargs, *given.shared_memory))
        guards.heap.exclude(given.containers)
        guards.heap.extend(t.target for t in before.slots if isinstance(t.target, type))
        outside.begin()
        for value in filter(may_change, given.statics):
            outside.enter(value)
        if not isinstance(function, types.FunctionType):
            outside.enter(function)  # a partial or an object that is called holds more than code
        copies = Heap(given.copies)
        try:
            is_hosts = uncompiled.is_called(function, given.args, given.kwargs)
            value = (functools.partial(call, function) if is_hosts else resolve(function))(*given.args, **given.kwargs)
            nested_lists.end(root, lambda: (value, given.args, given.kwargs, *trace.heap.roots))
            reached = True
            results = (value, given.args, given.kwargs, *trace.heap.roots)
            raised = copied_items.result_refusal(root, results)
            raised = raised or split_containers.results_refusal(root, results) or generator_steps.result_refusal(value)
            if raised is None and not is_closed(root.equations, root.formals):
                raised = _escaped()
            if raised is not None:
                raise _of_the_whole(raised, function) if isinstance(raised, AnabranchError) else raised
        except UnreachableError:
            value, reached = None, False
        except Restart as restart:
            guards.heap.restore()
            lists = way.lists or restart.lists
            value, reached = _AGAIN, False
        except Specialise as wanted:
            wanted.__context__ = around  # the user's exceptions that were handled hold values of this trace
            guards.heap.restore()
            more = arguments.with_static_leaves([wanted.need])
            assert more is not None
            return _trace(function, more, way.after(trace))
        except AnabranchError as error:
            error.__context__ = around
            guards.heap.restore()
            constants = way.tracing_constants(trace)
            if constants is not None:
                with contextlib.suppress(AnabranchError):  # the first error says more
                    return _trace(function, arguments, constants)
            other = way.instead(trace, error)
            if other is not None and other.table_sites is None and way.table_sites is not None:
                with contextlib.suppress(AnabranchError):  # of such a program the first error says more
                    return _trace(function, arguments, other)
            elif other is not None:
                return _trace(function, arguments, other)
            if trace.text.has_codes and way.unroll_reason is None:
                with contextlib.suppress(TooCostlyError):  # the first error says more of the program
                    return _trace(function, arguments, way.unrolling(trace, error))
            if trace.unrolling.too_costly:
                error.args = (f"{error.args[0]}; {trace.unrolling.too_costly}", *error.args[1:])
            more = arguments.with_static_leaves(requests_of(error)) if settings().auto_static else None
            if more is not None:
                return _trace(function, more, way.with_arrays_again(trace))
            for last in filter(None, (way.knowing_items(trace), way.inlining(trace))):
                with contextlib.suppress(AnabranchError):  # what stood in the way first says more
                    return _trace(function, arguments, last)
            if not (isinstance(error, ShapeMismatchError) and _has_been_seen(trace, given, outside)):
                _name_arguments(error, arguments)
                add_location(error)
                raise
            exceptions.record(atoms.literal(True), error, run_time_checks.frames_of(error))
            value, reached = None, False
        except Exception as error:
            if isinstance(error, RecursionError) and (endlessly := infinite_recursion(error)) is not None:
                guards.heap.restore()
                if (other := way.instead(trace, endlessly)) is not None:
                    return _trace(function, arguments, other)
                add_location(endlessly)
                raise endlessly from None
            cause = error.__cause__
            if isinstance(cause, (Restart, AnabranchError)) and str(error).startswith("setting an array element"):
                # NumPy asks the value for a number, and says no more of any failure.
                guards.heap.restore()
                if isinstance(cause, Restart):
                    lists = way.lists or cause.lists
                    return _trace(
                        function, arguments, dataclasses.replace(way.after(trace), lists=lists, unroll_reason=None)
                    )
                refused = outside_array_refusal("with a value")
                constants = way.tracing_constants(trace)
                if constants is not None:
                    with contextlib.suppress(AnabranchError):
                        return _trace(function, arguments, constants)
                refused.__traceback__ = error.__traceback__
                add_location(refused)
                raise refused from None
            # Its arguments may be known only at run time.
            if is_own(error) or not (_has_been_seen(trace, given, outside) or containers.has_traced(error)):
                put_back(guards)
                raise
            exceptions.record(atoms.literal(True), error, run_time_checks.frames_of(error))
            value, reached = None, False
        if value is _AGAIN:  # past the handler: an exception of the next trace did not come of this one
            orders = way.keeps_orders or trace.tables.wants_orders
            again = dataclasses.replace(way.after(trace), lists=lists, keeps_orders=orders)
            return _trace(function, arguments, again)
        try:
            refuse_changes(copies)
            guards.add_imports()
            if trace.lists.has_heads:
                with_prefixes(s.target for heap in (Heap((value,)), before, guards.heap) for s in heap.slots)
            effects = ObjectChanges.found(before, guards, given)
            plan = build_plan(
                trace, guards, outside.captured, value if reached else None, reached, given, arguments, effects
            )
            return dataclasses.replace(plan, approach=way.after(trace))
        except AnabranchError as error:
            guards.heap.restore()
            _of_the_whole(error, function)
            raise


def _has_been_seen(trace: Trace, given: BoundArguments, outside: Surroundings) -> bool:
    """Return whether something fails, prints or draws before, which an exception that is raised now would hide."""
    seen = {trace.output.counter, *given.states, *outside.captured.states}
    return bool(trace.failures.numbered) or not seen.isdisjoint(trace.root.written)


def _of_the_whole(error: AnabranchError, function: Callable[..., object]) -> AnabranchError:
    """The error with the function as its place: it is found when the function has been left."""
    code = getattr(function, "__code__", None)
    if code is not None:
        add_function(error, code)
    return error


def _name_arguments(error: AnabranchError, arguments: Arguments) -> None:
    """Where knowing arguments would spare an error, and that is switched off, say which."""
    found = arguments.words(requests_of(error)) if not settings().auto_static else ()
    if found and isinstance(error.args[0], str):
        names = list(dict.fromkeys(name for need in found for name in need.names))
        which = f"the argument {names[0]}" if len(names) == 1 else f"the arguments {', '.join(names)}"
        text = f"{error.args[0]}; it comes from {which}: static_argnames={argument_names(names)} makes it static"
        error.args = (text, *error.args[1:])


@contextlib.contextmanager
def _undone(guards: Guards) -> Iterator[None]:
    """Put back what is outside where a signal ends the block."""
    try:
        yield
    except Interrupt:
        guards.heap.restore()
        guards.heap.written_arrays()
        raise


def _escaped() -> EscapedTracerError:
    """The error for an item of a dict or list that is read after the branch in which its copy was changed."""
    return EscapedTracerError(
        "a dict or list that is an item of one of run-time keys or length is changed where a condition known only at "
        "run time chooses it, and is read elsewhere; keep such items in dicts or lists of the same keys or lengths"
    )
