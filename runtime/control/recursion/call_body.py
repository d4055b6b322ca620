"""The body of a recursive function, as one trace has it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from anabranch.base.deep_stack import users_limit
from anabranch.base.value import Value
from anabranch.runtime.control.branches import stage_branches
from anabranch.runtime.control.loops import loop_objects
from anabranch.runtime.control.loops.loop_state import INT64
from anabranch.runtime.control.try_ import try_
from anabranch.runtime.ir.program import Atom, Program, Var
from anabranch.runtime.tracing.builder import Builder, building, current
from anabranch.runtime.tracing.failures import Failure, UnreachableError
from anabranch.runtime.tracing.storage import Storage
from anabranch.runtime.values import atoms
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.heap.try_regions import TryRegion
from anabranch.runtime.values.pytrees import layout as layouts, pack_unpack

if TYPE_CHECKING:
    from anabranch.runtime.control.recursion.recursive_function import RecursiveFunction


class CallBody:
    """One trace of a function's body.

    Raises `Widened` where it shows that the types must be wider.
    """

    def __init__(self, function: RecursiveFunction) -> None:
        outer = current()
        self.builder = inner = Builder(outer.trace, outer)
        function.begin(self)
        types = function.types
        varying = len(types.loop.init)
        self._formals: list[Var] = []
        given: list[Value] = []
        self.given: set[Storage] = set()
        containers: list[object] = []
        with building(inner):
            for i, layout in enumerate(types.layouts[2:]):
                formals = [inner.formal(t) for t in layouts.leaf_types(layout)]
                made: list[TracedArray | None] = []
                unpacking = pack_unpack.Unpacking(made)
                given.append(unpacking.unpack(layout, iter(formals)))
                self._formals += formals
                containers += unpacking.places if i < varying else []
                for array in made:
                    if array is not None:
                        inner.freeze(array.storage)
                        self.given.add(array.storage)
            self.depth = inner.formal(INT64)
        for slot, contents in zip(types.slots, given[varying:], strict=True):
            slot.restore(contents)

        entries = loop_objects.Entries(containers)

        def run() -> Value:
            error = inner.trace.failures.error_code
            run_time_checks.fail_if(
                atoms.ufunc(np.greater, self.depth, atoms.literal(users_limit(), np.int64)),
                lambda _: RecursionError("maximum recursion depth exceeded"),
            )
            fine = atoms.ufunc(np.equal, inner.read(error), atoms.literal(0, np.int32))
            arguments = function.arguments(given[:varying])

            # By the defaults a branch finds the lists and objects that the function changes.
            def call(arguments: list[Value] = arguments, roots: tuple[object, ...] = types.loop.roots) -> Value:
                return function.call(arguments)

            def body(call: Callable[[], Value] = call) -> Value:
                return _until_it_fails(call) if function.failures.are_caught else call()

            return stage_branches.stage(fine, (_leave, body), function.what)

        outcome = stage_branches.trace_branch(inner, types.heap, run)
        outcome.copies.check_alone()
        function.found(outcome.value, outcome.changes, given, inner, entries)
        contents = [outcome.changes.get(s.target, v) for s, v in zip(types.slots, given[varying:], strict=True)]
        with building(inner):
            function.failures.renumber()
            packed = function.results(outcome.value)
            for value, layout in zip(contents, types.layouts[2 + varying :], strict=True):
                packed += pack_unpack.pack(value, layout)
            self._outputs = [inner.resolve(p.atom) for p in packed]

    def program(self, written: Mapping[Storage, None]) -> tuple[Program, list[Atom]]:
        """The body from constants, arguments and memory to results and memory; and the constants."""
        inner = self.builder
        outer = inner.parent
        assert outer is not None
        memory = [inner.storage_inputs.get(s) or Var(s.type) for s in written]
        outputs = [*self._outputs, *map(inner.read, written)]
        memory = [inner.storage_inputs.get(s, v) for s, v in zip(written, memory, strict=True)]
        read = [s for s in inner.storage_inputs if s not in written]
        inputs = [*inner.captures.values(), *(inner.storage_inputs[s] for s in read)]
        constants = [*map(outer.resolve, inner.captures), *map(outer.read, read)]
        whole = (*inputs, *self._formals, self.depth, *memory)
        return Program(whole, tuple(inner.equations), tuple(outputs), "call"), constants


def _until_it_fails(call: Callable[[], Value]) -> Value:
    """The result of a body whose failures are caught: it leaves behind what there was when it failed."""
    around = TryRegion((call,))
    regions = current().trace.failures.regions
    regions.append(around)
    try:
        return try_(call, final=_nothing)
    finally:
        regions.pop()
        around.take_points()


def _nothing() -> None:
    """Leave things as they are."""


def _leave() -> Value:
    """A call does nothing where something has failed."""
    raise UnreachableError


class OwnFailures:
    """The failures of the body of a recursive function, as its handlers know them."""

    def __init__(self, numbered: list[Failure]) -> None:
        self._numbered = numbered
        self._known: Sequence[Failure] = ()
        self._before = self._first = 0  # how many were numbered before the known ones, and before those of the body
        self.are_caught = False  # whether a try statement of the function is around a call of itself

    def begin(self) -> None:
        """Number what is known, before the body is traced."""
        self._before = len(self._numbered)
        self._numbered += self._known
        self._first = len(self._numbered)

    def note_call(self, builder: Builder) -> None:
        """Tell the try statements around a call of the function what it may raise."""
        numbers = range(self._before + 1, self._first + 1)
        for region in builder.trace.failures.regions:
            region.again.update(numbers)
            self.are_caught |= region.first >= self._first

    def are_complete(self) -> bool:
        """Return whether the failures of the body, as just traced, are those that are known; else they are now."""
        found = self._numbered[self._first :]
        if not self.are_caught or [f.frames for f in found] == [f.frames for f in self._known]:
            return True
        self._known = found
        return False

    def renumber(self) -> None:
        """Turn the failures of the body, at its end, into those that the handlers know."""
        if not self.are_caught:
            return
        self._numbered[self._before : self._first] = self._numbered[self._first :]
        builder = current()
        error = builder.trace.failures.error_code
        code = builder.read(error)
        is_own = atoms.ufunc(np.greater, code, atoms.literal(self._first, np.int32))
        known = atoms.ufunc(np.subtract, code, atoms.literal(self._first - self._before, np.int32))
        builder.write(error, atoms.select(is_own, known, code))
