"""One trace of a function on the layouts of its arguments: the Program, and what surrounds it on the host."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import os
import types
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from anabranch.base.deep_stack import deep
from anabranch.base.frozen import frozen
from anabranch.base.signals import Interrupt, whole
from anabranch.runtime.call.plan import Plan
from anabranch.runtime.config import settings
from anabranch.runtime.control import vocabulary as _vocabulary
from anabranch.runtime.control.call import call, endless, is_hoistable, is_rewritten, is_users, resolve
from anabranch.runtime.control.calls import restaging, special_methods
from anabranch.runtime.control.containers import copied_items, nested_lists
from anabranch.runtime.control.loops.unroll_budget import TooCostlyError
from anabranch.runtime.device import array as device
from anabranch.runtime.errors import AnabranchError, UnsupportedOperationError, forget_attempts
from anabranch.runtime.frontend.bind_arguments import Given, bind_arguments
from anabranch.runtime.frontend.captured_arrays import Hoisted
from anabranch.runtime.frontend.results import hosted_result, identities, result_layout, with_nodes
from anabranch.runtime.guards.guards import Guards
from anabranch.runtime.ir.program import Atom, Program
from anabranch.runtime.ops import host_callback as effect_op
from anabranch.runtime.signature.arguments import Arguments
from anabranch.runtime.signature.static_keys import may_change
from anabranch.runtime.tracing.trace import Builder, Part, Restart, Trace, UnreachableError, building
from anabranch.runtime.values import atoms
from anabranch.runtime.values.arrays.traced_array import Array
from anabranch.runtime.values.dynamic_lists import rows
from anabranch.runtime.values.dynamic_lists.items import with_heads
from anabranch.runtime.values.effects import Action
from anabranch.runtime.values.failures import exceptions, run_time_checks
from anabranch.runtime.values.failures.user_traceback import add_line, add_location
from anabranch.runtime.values.heap.slots import GlobalVariable, Slot, closed_over
from anabranch.runtime.values.heap.snapshot import Heap
from anabranch.runtime.values.pytrees import containers, layout as layouts
from anabranch.runtime.values.static_requests import Specialise, argument_names, needs_of

NDArray = np.ndarray[Any, Any]
del _vocabulary  # imported so that rewritten code finds it


_AGAIN = object()
# Where lists have up to so many elements side by side, and something cannot be done with such, they are kept apart.
_RETRIED = 256


def trace_call(
    function: Callable[..., Any], arguments: Arguments, lists: bool = False, arrays: Iterable[Any] | None = ()
) -> Plan:
    """Trace `function(*arguments)`; with `lists`, such as it makes may grow to a length known only at run time.

    `arrays` are the places in the user's code that make lists whose elements are to be side by side; None for no lists
    of that kind at all.
    """
    try:
        with deep():
            return _trace(function, arguments, Approach(lists, None if arrays is None else set(arrays)))
    except BaseException as error:
        forget_attempts(error)
        raise


@frozen
class Approach:
    """How a function is traced; where that does not work out, it is traced again with one thing changed.

    Attributes
    ----------
    lists : bool
        Lists that the function makes may grow to a length known only at run time.
    sites : set, optional
        The places that make lists whose elements are side by side, as they are found; None for no such lists.
    unroll_reason : str, optional
        The reason why loops in which lists grow are unrolled: staging them did not work out.
    looped : frozenset, optional
        The functions that end with a call of themselves and are loops, as they are found; None for no such loops.
    first : Approach, optional
        The approach with lists as arrays, of one that tries without.
    """

    lists: bool
    sites: set[Any] | None
    unroll_reason: str | None = None
    looped: frozenset[Any] | None = frozenset()
    first: Approach | None = None

    def after(self, trace: Trace) -> Approach:
        """Return the same with what a trace has found out of functions that call themselves."""
        return dataclasses.replace(self, looped=None if trace.looped is None else frozenset(trace.looped))

    def without_arrays(self, trace: Trace) -> Approach:
        """Return the approach without lists as arrays."""
        return Approach(False, None, looped=self.after(trace).looped, first=self)

    def with_arrays_again(self, trace: Trace) -> Approach:
        """Return the approach for arguments of which more is known: lists as arrays were not what it failed of."""
        first = self.first or self
        return Approach(first.lists, first.sites, looped=self.after(trace).looped)


def _trace(
    function: Callable[..., Any],
    arguments: Arguments,
    way: Approach,
) -> Plan:
    """The same in one way, and in others where that does not work out."""
    trace = Trace(way.lists, way.sites, way.unroll_reason, None if way.looped is None else set(way.looped))
    guards = Guards(getattr(function, "__anabranch_receiver__", None))
    trace.is_outside = guards.knows
    root = trace.root
    with building(root), special_methods.staged(trace, call, is_users), _undone(guards):
        given = bind_arguments(arguments, trace)
        before = Heap((given.args, given.kwargs))
        guards.heap.pass_over(given.containers)
        guards.heap.extend(t.target for t in before.slots.values() if isinstance(t.target, type))
        guards.start()
        _meet(trace, guards, 0)
        trace.enter = functools.partial(_enter, trace, guards)
        trace.needs_plain = restaging.stage_where_it_stands
        trace.refusal = copied_items.refusal
        hoisted = Hoisted(trace, guards)
        trace.hoist = hoisted.handle
        for value in filter(may_change, given.statics):
            trace.enter(value)
        if not isinstance(function, types.FunctionType):
            trace.enter(function)  # a partial or an object that is called holds more than code
        copies = Heap(given.copies)
        try:
            value = resolve(function)(*given.args, **given.kwargs)
            nested_lists.end(root, lambda: (value, given.args, given.kwargs, *trace.roots))
            reached = True
            if copied_items.is_changed(root):
                raise copied_items.container_refusal()
        except UnreachableError:
            value, reached = None, False
        except Restart as restart:
            guards.heap.restore()
            lists = way.lists or restart.lists
            value, reached = _AGAIN, False
        except Specialise as wanted:
            guards.heap.restore()
            more = arguments.knowing([wanted.need])
            assert more is not None
            return _trace(function, more, way.after(trace))
        except AnabranchError as error:
            guards.heap.restore()
            if way.looped:
                return _trace(function, arguments, dataclasses.replace(way, looped=None))
            if way.sites and trace.in_arrays <= _RETRIED:
                return _trace(function, arguments, way.without_arrays(trace))
            reason = str(error.args[0]).splitlines()[0]
            if trace.staged_growing and way.unroll_reason is None:
                return _trace(function, arguments, dataclasses.replace(way.after(trace), unroll_reason=reason))
            if trace.has_codes and way.unroll_reason is None:
                with contextlib.suppress(TooCostlyError):  # the first error says more of the program
                    return _trace(function, arguments, dataclasses.replace(way.after(trace), unroll_reason=reason))
            if trace.too_costly:
                error.args = (f"{error.args[0]}; {trace.too_costly}", *error.args[1:])
            more = arguments.knowing(needs_of(error)) if settings().auto_static else None
            if more is not None:
                return _trace(function, more, way.with_arrays_again(trace))
            _name_arguments(error, arguments)
            add_location(error)
            raise
        except Exception as error:
            if isinstance(error, RecursionError) and (endlessly := endless(error)) is not None:
                guards.heap.restore()
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
                refused = UnsupportedOperationError(
                    "a value known only at run time is written into an array that is no run-time value: an object from "
                    "outside of the function holds it; pass the array, or the object, as an argument"
                )
                refused.__traceback__ = error.__traceback__
                add_location(refused)
                raise refused from None
            # Raised now it would hide what fails or prints before it, and its arguments may be known only at run time.
            if not (trace.failures or trace.effects in root.written or containers.has_traced(error)):
                _put_back(guards)
                raise
            exceptions.record(atoms.literal(True), error, run_time_checks.frames_of(error))
            value, reached = None, False
        if value is _AGAIN:  # past the handler: an exception of the next trace did not come of this one
            return _trace(function, arguments, dataclasses.replace(way.after(trace), lists=lists))
        _refuse_changes(copies)
        guards.add_imports()
        if trace.has_heads:
            with_heads(s.target for heap in (Heap((value,)), before, guards.heap) for s in heap.slots.values())
        effects = Effects.found(before, guards, given)
        try:
            return _plan(trace, guards, hoisted, value if reached else None, reached, given, arguments, effects)
        except AnabranchError as error:
            # The function has been left: the place is that of the whole.
            code = getattr(function, "__code__", None)
            if code is not None:
                add_line(error, code.co_filename, code.co_firstlineno)
            raise


def _name_arguments(error: AnabranchError, arguments: Arguments) -> None:
    """Where knowing arguments would spare an error, and that is switched off, say which."""
    found = arguments.words(needs_of(error)) if not settings().auto_static else ()
    if found and isinstance(error.args[0], str):
        names = list(dict.fromkeys(name for need in found for name in need.names))
        which = f"the argument {names[0]}" if len(names) == 1 else f"the arguments {', '.join(names)}"
        text = f"{error.args[0]}; it comes from {which}: static_argnames={argument_names(names)} makes it static"
        error.args = (text, *error.args[1:])


def _refuse_changes(statics: Heap) -> None:
    for slot in statics.changes():
        raise UnsupportedOperationError(
            f"the function changes a {type(slot.target).__name__} that is (part of) a static argument, of which only "
            "the contents at the call are known; pass it as an ordinary argument, or return a new one"
        )


def _put_back(guards: Guards) -> None:
    """What is outside and holds run-time values that will never be known gets back what it held."""
    for slot in guards.heap.changes():
        if containers.has_traced(slot.contents()):
            slot.restore(slot.before)


@contextlib.contextmanager
def _undone(guards: Guards) -> Iterator[None]:
    """Put back what is outside where a signal ends the block."""
    try:
        yield
    except Interrupt:
        guards.heap.restore()
        guards.heap.written_arrays()
        raise


@whole
def _enter(trace: Trace, guards: Guards, value: Any) -> None:
    """Guard what a function or an object that is about to be used leads to, unless it was made in this call."""
    if _is_made_here(value) or trace.is_born(value) or (containers.has_traced(value) and not guards.knows(value)):
        return
    known = len(guards.heap.classes)
    new = guards.add(value)
    _meet(trace, guards, known)
    for variable in new:
        if isinstance(variable, GlobalVariable):
            # Until the call ends the global is what stands for its array, so that writes into it are staged.
            array = variable.scope.get(variable.name)
            if is_hoistable(array):
                variable.scope[variable.name] = trace.hoist(array)
    trace.roots += new
    for snapshot in trace.snapshots:
        snapshot.extend(new)


def _is_made_here(value: Any) -> bool:
    """Whether this is a function of a rewritten text, or one that a decorator has made of such."""
    pending, seen = [value], set()
    while pending:
        function = pending.pop()
        if isinstance(function, types.FunctionType) and id(function) not in seen:
            if is_rewritten(function.__code__):
                return True
            seen.add(id(function))
            pending += closed_over(function)
    return False


def _meet(trace: Trace, guards: Guards, known: int) -> None:
    for cls in guards.heap.classes[known:]:
        trace.meet(cls)


@frozen
class Effects:
    """Objects that the function changed: among the arguments (by their places), and outside; and what they hold."""

    written: tuple[int, ...]
    slots: tuple[Slot, ...]
    contents: tuple[Any, ...]

    @staticmethod
    def found(arguments: Heap, guards: Guards, given: Given) -> Effects:
        """Look for changes, and put the outside back."""
        places = {id(c): i for i, c in enumerate(given.containers)}
        changes = [s for s in arguments.changes() if s.target not in guards.heap]
        for slot in changes:
            if id(slot.target) not in places:
                raise UnsupportedOperationError(
                    f"the function changes a {type(slot.target).__name__} that is (part of) an argument and can not be "
                    "written back; return a new one instead"
                )
        slots = guards.heap.changes()
        contents = tuple(s.contents() for s in (*changes, *slots))
        guards.heap.restore()
        if any(s.target is vars(os.environ)["_data"] for s in slots):
            os.environ.update(os.environ.copy())  # the process's own environment, too
            raise UnsupportedOperationError(
                "os.environ is changed, which would be done only while the function is traced; change it outside"
            )
        return Effects(tuple(places[id(s.target)] for s in changes), tuple(slots), contents)


def _plan(
    trace: Trace,
    guards: Guards,
    hoisted: Hoisted,
    value: Any,
    reached: bool,
    given: Given,
    arguments: Arguments,
    effects: Effects,
) -> Plan:
    root = trace.root
    if guards.written_arrays():
        raise UnsupportedOperationError(
            "the function writes into an array from outside while it is traced; pass it as an argument"
        )
    value = with_nodes(value, effects.contents, guards.heap, given)
    layout = result_layout(value, effects.contents, guards.heap, given)
    packed = layouts.pack((value, *effects.contents), layout) if reached else []
    handles = [*given.handles, *hoisted.handles]
    _check_shapes(handles)
    returned, shared = identities(packed, handles, layout)
    mutated = tuple(
        leaf
        for leaf, h in enumerate(handles)
        if h is not None and h.storage in root.written and arguments.first(leaf) == leaf
    )
    certain = {k for k, owners in returned.items() if owners[0].pred is None}
    outputs: list[Atom] = [p.atom for k, p in enumerate(packed) if k not in certain and k not in shared]
    outputs += [h.atom for leaf in mutated if (h := handles[leaf]) is not None]
    outputs += [atom for owners in returned.values() for owner in owners for atom in owner.atoms]
    waiting, shown = _taken_out(root)
    outputs += shown
    can_fail = trace.error_code in root.written
    # What was caught may have left details though nothing can fail any more.
    details = tuple(s for s in trace.details.values() if s in root.written) if can_fail else ()
    if can_fail:
        outputs += [root.read(trace.error_code), *map(root.read, details)]
    stays = bool(arguments.device) or any(isinstance(a, device.Array) for a in hoisted.arrays)
    count = len(packed) - len(certain) - len(shared)
    stacks: tuple[tuple[int, tuple[int, ...]], ...] = ()
    if not stays:
        computed, stacks = _stacked(outputs[:count])
        outputs[:count] = computed
    resolved = tuple(map(root.resolve, outputs))  # which may take an equation
    program = Program(tuple(root.formals), tuple(root.equations), resolved, "main")
    return Plan(
        program=program,
        result=hosted_result(layout, given, guards.heap.arrays) if reached else None,
        leaf_count=len(packed),
        returned_arguments=returned,
        shared_results=shared,
        readonly_results=frozenset(k for k, p in enumerate(packed) if p.handle is not None and p.handle.is_readonly),
        mutated=mutated,
        written=effects.written,
        slots=effects.slots,
        failures=tuple(trace.failures),
        can_fail=can_fail,
        details=details,
        guards=guards,
        effects=waiting,
        looks_at_callers=trace.effects in root.written,
        hoisted=tuple(hoisted.arrays),
        known=arguments.known,
        needs=arguments.words(arguments.needs),
        capacities=tuple(trace.capacities.values()),
        packs=tuple(given.packs),
        stacks=stacks,
        on_device=stays,
    )  # fmt: skip


_STACKED = 9  # so many leaves at least of the result are one output


def _stacked(leaves: Sequence[Atom]) -> tuple[list[Atom], tuple[tuple[int, tuple[int, ...]], ...]]:
    """Outputs for these leaves, many parts of one array as one; and the places of the leaves in those."""
    groups: dict[int, list[int]] = {}
    for place, leaf in enumerate(leaves):
        if isinstance(leaf, Part):
            groups.setdefault(id(leaf.whole), []).append(place)
    outputs: list[Atom] = []
    stacks: list[tuple[int, tuple[int, ...]]] = []
    for place, leaf in enumerate(leaves):
        group = groups.get(id(leaf.whole), []) if isinstance(leaf, Part) else []
        if len(group) < _STACKED:
            outputs.append(leaf)
        elif group[0] == place:
            stacks.append((len(outputs), tuple(group)))
            outputs.append(rows.side_by_side([leaves[k] for k in group], leaf.type))
    return outputs, tuple(stacks)


def _check_shapes(handles: Sequence[Array | None]) -> None:
    """What comes from the caller keeps its shape."""
    for handle in handles:
        if handle is not None and handle.path:
            raise UnsupportedOperationError(
                f"the function sets the shape of an array from outside, from {handle.storage.type.shape} to "
                f"{handle.shape}; bind a view: b = a.reshape(...)"
            )


def _taken_out(root: Builder) -> tuple[tuple[tuple[Action, int], ...], list[Atom]]:
    """The effects that can wait for the end of the run, taken out of the equations, and the atoms that they need.

    All can when none stands in a branch or loop; otherwise the count of effects keeps them all where they are.
    """
    trace = root.trace
    found = list(effect_op.effects(root.equations))
    if trace.effects not in root.written:
        return (), []
    if not all(outside for _, outside in found):
        return (), [root.read(trace.effects)]
    taken = [equation for equation, _ in found]
    root.equations = [e for e in root.equations if e.op is not effect_op.host_callback]
    waiting = tuple((e.params["action"], len(e.inputs) - 2) for e in taken)
    return waiting, [atom for e in taken for atom in e.inputs[1:]]
