"""Donated arguments: Arrays whose memory a call may use for its results."""

from __future__ import annotations

import dataclasses
import sys
import warnings
from collections.abc import Iterator
from typing import Any

from anabranch.base.frozen import frozen
from anabranch.runtime._jaxlib import Buffer, duplicate
from anabranch.runtime.call.call_spec import Call, CallSpec
from anabranch.runtime.call.execution import Execution
from anabranch.runtime.call.plan import Plan
from anabranch.runtime.device.array import Array
from anabranch.runtime.errors import DonationError
from anabranch.runtime.signature.argument_layouts import Arguments
from anabranch.runtime.signature.flatten_to_key import Leaves, on_device
from anabranch.runtime.signature.static_args import ParameterForm
from anabranch.runtime.tracing.source_frames import stacklevel
from anabranch.runtime.values.pytrees import layout as layouts
from anabranch.runtime.values.pytrees.host_values import CallersObject
from anabranch.runtime.xla.executable import Executable


def donated_leaves(
    form: ParameterForm, donated: frozenset[str | int], call: Call, arguments: Arguments
) -> frozenset[int]:
    """The leaves of a call's arguments that belong to donated parameters."""
    found: list[int] = []
    leaf = 0
    names = [*form.positional, *[form.rest] * len(call[0])]
    places = [(names[i], i, layout) for i, layout in enumerate(arguments.args)]
    for name, place, layout in (*places, *((n, n, t) for n, t in arguments.kwargs.items())):
        count = len(layouts.leaf_types(layout))
        unnamed = place if isinstance(place, int) and place >= len(form.positional) else None
        backwards = None if unnamed is None else unnamed - len(call[0])
        if name in donated or unnamed in donated or backwards in donated or _in_rest(form, name, donated):
            found += range(leaf, leaf + count)
        leaf += count
    return frozenset(found)


def _in_rest(form: ParameterForm, name: str | None, donated: frozenset[str | int]) -> bool:
    return name not in form.names and form.rest_by_name in donated


@frozen
class Donation:
    """The outputs that get the memory of the donated Arrays among the arguments, by leaf."""

    # To the outputs of the Program that take over their memory.
    aliases: dict[int, int] = dataclasses.field(default_factory=dict)
    handed_on: tuple[int, ...] = ()  # those that are results themselves: the result is a new Array on their memory
    # Those that nothing can take over. They are kept.
    unusable: tuple[int, ...] = ()

    @property
    def given(self) -> tuple[int, ...]:
        """The leaves that are deleted by a call."""
        return (*self.aliases, *self.handed_on)

    @staticmethod
    def of(plan: Plan, calling: CallSpec) -> Donation:
        """Find results of the donated Arrays' types, each for one."""
        returned = {owner.leaf for owners in plan.returned_arguments.values() for owner in owners}
        free = dict(list(enumerate(plan.program.out_types))[plan.program.groups.results])
        aliases: dict[int, int] = {}
        handed_on, unusable = [], []
        staying = set(_given_back(plan, calling.arguments))
        for leaf in sorted(calling.donated & calling.arguments.device.keys()):
            place = next((k for k, other in free.items() if other == plan.program.in_types[leaf]), None)
            if leaf in staying or plan.capacities:
                unusable.append(leaf)
            elif leaf in returned:
                handed_on.append(leaf)
            elif place is None:
                unusable.append(leaf)
            else:
                aliases[leaf] = place
                del free[place]
        return Donation(aliases, tuple(handed_on), tuple(unusable))

    def warn(self, calling: CallSpec, plan: Plan) -> None:
        """Say which donations could not be used."""
        if not self.unusable:
            return
        names = calling.leaf_names()
        which = ", ".join(f"{names[leaf]} ({plan.program.in_types[leaf]})" for leaf in self.unusable)
        why = "a result of the same shape and dtype can"
        if plan.capacities:
            why = f"a call may have to run again, with more room for {plan.capacities[0].place}"
        text = f"{calling.fun_name}: no result can take over the memory of what is donated: {which}; {why}"
        warnings.warn(f"{text}. These arguments are kept", stacklevel=stacklevel())


def _given_back(plan: Plan, arguments: Arguments) -> Iterator[int]:
    """The leaves that stand in a container of the caller's that the result leads to, and that keeps them."""
    own = set(_own_objects(plan.result)) if plan.result is not None else set()
    homes = _Homes()
    for layout in (*arguments.args, *arguments.kwargs.values()):
        homes.visit(layout, ())
    for leaf, around in enumerate(homes.found):
        if around and around[-1] not in plan.written and not own.isdisjoint(around):
            yield leaf


def _own_objects(layout: layouts.Layout) -> Iterator[int]:
    if isinstance(layout, layouts.Constant) and isinstance(layout.value, CallersObject):
        yield layout.value.index
    for part in layouts.parts(layout):
        yield from _own_objects(part)


class _Homes:
    """For each leaf of the arguments the mutable containers around it, the innermost last."""

    def __init__(self) -> None:
        self.found: list[tuple[int, ...]] = []
        self._count = 0

    def visit(self, layout: layouts.Layout, around: tuple[int, ...]) -> None:
        """Go through a layout, in the order in which arguments are taken apart."""
        if isinstance(layout, layouts.Leaf):
            self.found.append(around)
        elif isinstance(layout, layouts.Node):
            if layout.structure.mutable:
                around = (*around, self._count)
                self._count += 1
            for child in layout.children:
                self.visit(child, around)


class DonatingExecution(Execution):
    """An execution that deletes the Arrays whose memory it gives to its results.

    They are gone as soon as the computation has begun, also where it then raises. What is refused before that leaves
    them as they were.
    """

    __slots__ = ("calling", "donation")

    def __init__(self, plan: Plan, executable: Executable, calling: CallSpec, donation: Donation) -> None:
        super().__init__(plan, executable)
        self.calling, self.donation = calling, donation
        # What runs such executions by a shorter way would not donate.
        self.returns_one_array = False
        self.fast_path_attempts = sys.maxsize

    def _start(self, leaves: Leaves) -> list[Buffer]:
        values, given = list(leaves.values), self.donation.given
        self._refuse_repetition(values)
        arrays = [values[leaf] for leaf in given]
        taken = [array.hand_over(self.calling.fun_name) for array in arrays]
        try:
            for leaf, buffer in zip(given, taken, strict=True):
                copied = values[leaf].is_shared and leaf in self.donation.aliases
                values[leaf] = Array(*(duplicate(buffer) if copied else buffer))
            buffers = on_device(values)
        except BaseException:
            for array, buffer in zip(arrays, taken, strict=True):
                array.take_back(buffer)
            raise
        outputs = self.executable.execute_buffers(buffers)
        leaves.values[:] = values
        return outputs

    def _refuse_repetition(self, values: list[Any]) -> None:
        names = self.calling.leaf_names()
        for leaf in self.donation.given:
            twice = next((i for i, v in enumerate(values) if v is values[leaf] and i != leaf), None)
            if twice is not None:
                other = names.get(twice, "an array that the function reads from outside")
                raise DonationError(
                    f"{self.calling.fun_name}: {names[leaf]} is donated, and the same Array is {other}; pass a copy of "
                    "it, or do not donate it"
                )
