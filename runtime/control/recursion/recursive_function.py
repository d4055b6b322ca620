"""Functions that call themselves under run-time conditions: the body is traced by itself, with calls as equations.

What a call changes (arrays written in place, lists, names, attributes) goes in with the arguments and comes out with
the result, as a loop carries it from step to step. The types are found as those of a loop: the body is traced until
those of the arguments, of the result, and of what changes stay. As long as no result is known a call of the function
itself has none either: what follows it is left out, as after a `raise`, so the first result is that of the calls that
end the recursion.
"""

from __future__ import annotations

import inspect
import types as python_types
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from anabranch.base.by_identity import IdentityDict, IdentitySet
from anabranch.base.deep_stack import users_limit
from anabranch.base.value import Value
from anabranch.runtime.control.branches.join import MISSING
from anabranch.runtime.control.columnar import copied_items
from anabranch.runtime.control.if_ import where
from anabranch.runtime.control.loops import growth, loop_objects
from anabranch.runtime.control.loops.loop_state import Deepening, LoopStatement, LoopTypes, check_growth
from anabranch.runtime.control.recursion import handed_on
from anabranch.runtime.control.recursion.call_body import CallBody, OwnFailures
from anabranch.runtime.control.recursion.handed_on import HandedOn
from anabranch.runtime.control.recursion.program_points import RECUR, ProgramPoints
from anabranch.runtime.control.recursion.stack_machine import StackMachine
from anabranch.runtime.errors import StructureMismatchError, UnsupportedOperationError
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.tracing.builder import Builder, building, current
from anabranch.runtime.tracing.failures import UnreachableError
from anabranch.runtime.tracing.restarts import Restart
from anabranch.runtime.tracing.storage import Storage
from anabranch.runtime.values import atoms, visibility
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.decisions import note
from anabranch.runtime.values.dynamic_lists import item_kinds, packed_lists
from anabranch.runtime.values.heap import try_regions
from anabranch.runtime.values.heap.slots import Slot
from anabranch.runtime.values.heap.snapshot import reachable
from anabranch.runtime.values.pytrees import layout as layouts, layout_join, pack_unpack

_MOST_ATTEMPTS = 40
# Frames of more bytes in all are not kept on the stack.
_LARGEST_STACK = 2**28


class Widened(Restart):
    """The types with which the body of a function is being traced have become wider."""

    def __init__(self, function: RecursiveFunction) -> None:
        super().__init__()
        self.function = function


class RecursiveFunction:
    """A function, from the first call of it on.

    Parameters
    ----------
    builder : Builder
        Where it is called first.
    function : callable
        The rewritten function, or a method of it.
    args, kwargs
        Of the first call.
    """

    def __init__(
        self,
        builder: Builder,
        function: Callable[..., Value],
        args: tuple[Value, ...],
        kwargs: Mapping[str, Value],
    ) -> None:
        self._outer, self._function = builder, function
        plain = getattr(function, "__func__", function)
        self.code: python_types.CodeType = plain.__code__
        self.what = f"the recursion of {self.code.co_name} at {where(plain)}"
        self._signature = inspect.signature(plain)
        self._first = self._bound(function, args, kwargs)
        self._varying: list[int] = []
        self._written: dict[Storage, None] = {}
        self._result: layouts.Layout | None = None
        self.makes: set[type] = set()  # the classes of lists, dicts and objects among the results
        self._deepening = Deepening()  # of the result
        self._handed_on = HandedOn(self.what)
        self.failures = OwnFailures(builder.trace.failures.numbered)
        self._types = self._new_types()

    # The calls.

    def run(self) -> Value:
        """The first call."""
        for _ in range(_MOST_ATTEMPTS):
            try:
                traced = CallBody(self)
            except Widened as widened:
                self._types.heap.restore()
                if widened.function is not self:
                    raise
                continue
            note("staged", self.what, lambda: "traced once: calls of itself are steps of one loop, with a stack")
            return self._emit(traced)
        raise StructureMismatchError(
            f"the arguments or results of {self.what} have other types at each level; give each of them one type"
        )

    def again(self, function: Callable[..., Value], args: tuple[Value, ...], kwargs: Mapping[str, Value]) -> Value:
        """A call that the function makes of itself."""
        builder, types = current(), self._types
        given = self._bound(function, args, kwargs)
        other = [i for i, (a, b) in enumerate(zip(given, self._first, strict=True)) if not layouts.same(a, b)]
        written, changed = _outer_writes(builder, self._body.builder), [s.target for s in types.heap.changes()]
        self._note(other, written, changed)
        values = [*(given[i] for i in self._varying), *(s.contents() for s in types.slots)]
        self._widen(values)
        if self._result is None:
            self.failures.note_call(builder)
            if self.failures.are_caught:  # the first result may be that of a handler
                error = builder.trace.failures.error_code
                builder.write(error, atoms.unspecified(error.type))
                try_regions.note(builder)
            raise UnreachableError
        packed = self._give(builder, values)
        depth = atoms.ufunc(np.add, self._body.depth, atoms.literal(1, np.int64))
        operands = [*(p.atom for p in packed), depth, *map(builder.read, self._written)]
        return self._after(builder, builder.bind(RECUR, *operands, results=self._result_types, function=self))

    def _after(self, builder: Builder, results: Sequence[Atom]) -> Value:
        """The result of a call; the objects that it changes are changed."""
        assert self._result is not None
        count = len(results) - len(self._written)
        for storage, atom in zip(self._written, results[count:], strict=True):
            builder.write(storage, atom)
        leaves = iter(results[:count])
        made: list[TracedArray | None] = []
        unpacking = pack_unpack.Unpacking(made)
        value = unpacking.unpack(self._result, leaves)
        self._handed_on.get(builder, made, unpacking.places)
        first = 2 + len(self._varying)
        for slot, layout in zip(self._types.slots, self._types.layouts[first:], strict=True):
            slot.restore(pack_unpack.unpack(layout, leaves, []))
        self.failures.note_call(builder)
        try_regions.note(builder)
        return value

    def _bound(
        self, function: Callable[..., Value], args: tuple[Value, ...], kwargs: Mapping[str, Value]
    ) -> tuple[Value, ...]:
        """The arguments in the order of the parameters."""
        receiver = (function.__self__,) if isinstance(function, python_types.MethodType) else ()
        bound = self._signature.bind(*receiver, *args, **kwargs)
        bound.apply_defaults()
        return tuple(bound.arguments.values())

    def call(self, values: Sequence[Value]) -> Value:
        """Run the rewritten function on arguments in the order of the parameters."""
        bound = inspect.BoundArguments(
            self._signature,
            dict(zip(self._signature.parameters, values, strict=True)),
        )
        return getattr(self._function, "__func__", self._function)(*bound.args, **bound.kwargs)

    # What is known of it so far.

    @property
    def name(self) -> str:
        return self.code.co_name

    @property
    def _result_types(self) -> tuple[Any, ...]:
        assert self._result is not None
        first = 2 + len(self._varying)
        contents = [t for layout in self._types.layouts[first:] for t in layouts.leaf_types(layout)]
        return (*layouts.leaf_types(self._result), *contents, *(s.type for s in self._written))

    def _new_types(self) -> LoopTypes:
        """The types of the arguments that are other ones in each call, as far as those of the first call say."""
        trace, names = self._outer.trace, list(self._signature.parameters)
        loop = LoopStatement(
            body=self.call,
            test=None,
            trip=None,
            most=2**63 - 1,
            init=tuple([self._first[i] for i in self._varying]),
            names=tuple([names[i] for i in self._varying]),
            roots=(self._function, *self._first),
            site=self.code,
            what=self.what,
        )
        return LoopTypes(loop, reachable(trace.heap, loop.roots, watch_arrays=True))

    def _note(self, places: Sequence[int], storages: Sequence[Storage], targets: Sequence[object]) -> None:
        """Note parameters that get other arguments than those of the first call, and what a call writes to or changes.

        Raises `Widened` where one of them is new: all at once, as each takes another trace of the body.
        """
        others = [i for i in places if i not in self._varying]
        written = [s for s in storages if s not in self._written]
        known = IdentitySet(s.target for s in self._types.slots)
        changed = [t for t in targets if t not in known]
        if not (others or written or changed):
            return
        self._written.update(dict.fromkeys(written))
        if others or changed:
            self._types.heap.restore()
        slots = [self._types.heap[t] for t in changed]
        if others:
            self._varying = sorted([*self._varying, *others])
            slots = [*self._types.slots, *slots]
            self._types = self._new_types()
            targets = [s.target for s in slots]
            slots = [s for s in self._types.heap.slots if any(s.target is t for t in targets)]
        if slots:
            self._carry(slots)
        raise Widened(self)

    def _carry(self, slots: Sequence[Slot]) -> None:
        """Let the contents of these objects go in and out; arrays among them stay the ones that they are, at first."""
        self._types.add_slots(slots)
        count = len(self._types.slots)
        for i, slot in enumerate(self._types.slots, 2 + len(self._varying)):
            if i >= 2 + len(self._varying) + count - len(slots):
                self._types.layouts[i] = handed_on.contents(layouts.outline(slot.before))

    def _widen(self, values: Sequence[object]) -> None:
        """Let the arguments and what changes be of the types of some values, too."""
        types, wider = self._types, False
        stays = visibility.belongs_outside(self._outer)
        for i, value in enumerate(values, 2):
            before = types.layouts[i]
            given = layouts.describe(value, types.heap.__contains__)
            is_argument = i < 2 + len(self._varying)
            after = layout_join.join(before, given, unboxing=is_argument)
            after = layouts.widened(layouts.with_leaves(after, stays))
            after = packed_lists.packed(growth.with_capacity(before, after, i, types.loop, types))
            if after != before:
                check_growth(types, i, after, types.loop, False)
                if not is_argument and handed_on.holds_new_objects(after):
                    raise UnsupportedOperationError(
                        f"{types.described(i)} comes to hold other arrays, lists, dicts or objects in {self.what}; "
                        "keep numbers in it, or write into the array that it holds"
                    )
                if types.multiplies(i, after) or types.deepens(i, after):
                    raise StructureMismatchError(f"{types.described(i)} holds more at each level of {self.what}")
                types.layouts[i] = after
                wider = True
        if wider:
            raise Widened(self)

    def _give(self, builder: Builder, values: Sequence[object]) -> list[pack_unpack.Packed]:
        """The run-time parts of arguments and of what changes, which a call gets."""
        packed = [p for v, t in zip(values, self._types.layouts[2:], strict=True) for p in pack_unpack.pack(v, t)]
        self._handed_on.give(builder, packed)
        self._handed_on.give_containers(builder, values[: len(self._varying)], (s.target for s in self._types.slots))
        return packed

    # The equation.

    def _emit(self, body: CallBody) -> Value:
        """Add the equation of the first call."""
        outer = self._outer
        values = [*(self._first[i] for i in self._varying), *(s.before for s in self._types.slots)]
        with building(outer):
            arguments = [p.atom for p in self._give(outer, values)]
            arguments += [atoms.literal(1, np.int64), *map(outer.read, self._written)]
            self._handed_on.check_memory(self._written, self._writes_arrays)
            inner = body.builder
            if any(map(inner.is_frozen, self._written)):
                raise copied_items.refusal()
            copied_items.freeze_outside(outer, inner)
            program, constants = body.program(self._written)
            points = ProgramPoints(program, len(constants), self)
            machine = StackMachine(points, program.out_types, users_limit())
            if machine.frame_bytes * users_limit() > _LARGEST_STACK:
                raise UnsupportedOperationError(
                    f"each call of {self.what} keeps {machine.frame_bytes} bytes, which for {users_limit()} calls in "
                    "one another are too many; keep large arrays outside of the function"
                )
            return self._after(outer, machine.emit(outer, constants, arguments))

    @property
    def _writes_arrays(self) -> bool:
        failures = self._outer.trace.failures
        return bool(self._written.keys() - {failures.error_code, *failures.details.values()})

    def found(
        self,
        value: object,
        changes: IdentityDict[Any, Value],
        given: Sequence[Value],
        inner: Builder,
        entries: loop_objects.Entries,
    ) -> None:
        """Note what a trace of the body has left."""
        types = self._types
        if entries.changed:
            raise UnsupportedOperationError(
                f"{self.what} changes a list, dict or object in place that is another one in each call; make a copy of "
                "it first, or hand on the same one"
            )
        self._note((), inner.outer_writes(), list(changes))
        first = len(self._varying)
        contents = [changes.get(s.target, v) for s, v in zip(types.slots, given[first:], strict=True)]
        self._widen([*given[:first], *contents])
        if value is MISSING:
            self._settle_failures()
            if self._result is None:
                raise UnsupportedOperationError(f"{self.what} has no call that ends without another one")
            return
        for container in handed_on.containers_in(value):  # what a call returns knows no more where it was made
            self.makes.add(type(container))
            self._outer.trace.lists.copied_sites |= item_kinds.origins_of(container)
        stays = visibility.belongs_outside(self._outer)
        found = handed_on.abstract(layouts.describe(value, types.heap.__contains__))
        after = found if self._result is None else layout_join.join(self._result, found)
        after = layouts.widened(layouts.with_leaves(after, stays))
        after = packed_lists.packed(growth.with_capacity(self._result or after, after, 1, types.loop, types))
        if after != self._result:
            check_growth(types, 1, after, types.loop, False)
            if self._result is not None and self._deepening.goes_on(self._result, after):
                raise StructureMismatchError(f"the result of {self.what} holds more at each level")
        owns = not entries.are_in(value)
        with building(inner):
            handles = [p.handle for p in pack_unpack.pack(value, after) if p.handle is not None]
        fresh = all(self._is_own(h.storage, inner) for h in handles)
        if loop_objects.shared([value]):
            raise loop_objects.refusal(self.what)
        known = self._handed_on
        if after != self._result or fresh < known.is_fresh or owns < known.owns_containers:
            self._result, known.is_fresh = after, fresh and known.is_fresh
            known.owns_containers = owns and known.owns_containers
            raise Widened(self)
        self._settle_failures()

    def _settle_failures(self) -> None:
        if not self.failures.are_complete():
            raise Widened(self)

    def _is_own(self, storage: Storage, inner: Builder) -> bool:
        """Return whether memory of a result was surely made in the call."""
        if storage.alias_edges or storage.dependents or storage in self._body.given:
            return False
        return not inner.outer_has(storage)

    def results(self, value: object) -> list[pack_unpack.Packed]:
        """The run-time parts of a result."""
        assert self._result is not None
        return pack_unpack.unspecified(self._result) if value is MISSING else pack_unpack.pack(value, self._result)

    @property
    def types(self) -> LoopTypes:
        """Those of the arguments that vary, and of what changes."""
        return self._types

    def arguments(self, varying: Sequence[Value]) -> list[Value]:
        """All arguments of a call."""
        given = list(self._first)
        for i, value in zip(self._varying, varying, strict=True):
            given[i] = value
        return given

    def begin(self, body: CallBody) -> None:
        """Let this be the body that is being traced."""
        self._body = body
        self._handed_on.begin()
        self.failures.begin()


def _outer_writes(builder: Builder, body: Builder) -> list[Storage]:
    """The memory from outside of a body that has been written to up to now."""
    found: dict[Storage, None] = {}
    for here in builder.outwards():
        found.update((s, None) for s in here.written if body.outer_has(s))
        if here is body:
            break
    return list(found)
