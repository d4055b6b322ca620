"""Running what was compiled: the executable, and what its Plan does around it on the host."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from anabranch.runtime._jaxlib import Buffer, to_numpy
from anabranch.runtime.call.plan import Plan
from anabranch.runtime.device.array import Array
from anabranch.runtime.host.callbacks import CallbackError, HostCallback
from anabranch.runtime.host.compile_options import CompileOptions, Flag
from anabranch.runtime.host.progress_bars import ending_bars
from anabranch.runtime.ops.host_call import keeping_results
from anabranch.runtime.ops.host_callback import done_before, moves_bars
from anabranch.runtime.signature.flatten_to_key import (
    Leaves,
    buffers,
    check_objects,
    check_outside,
    check_sharing,
    on_device,
)
from anabranch.runtime.tracing.capacity import OverflowedError
from anabranch.runtime.values.effects import called_here
from anabranch.runtime.xla import disk_cache
from anabranch.runtime.xla.executable import Executable

FastPath = Callable[[tuple[Any, ...], dict[str, Any]], Any]

# The result of a fast path for a call that it is not made for.
MISS: Final = object()


def never(args: tuple[object, ...], kwargs: dict[str, Any]) -> Any:
    """The fast path of an execution that has none."""
    return MISS


class Execution:
    """An executable with its Plan.

    Attributes
    ----------
    fast_path : callable
        Takes the positional arguments and those by name; `call.fastpath` makes it.
    fast_path_attempts : int
        How often it was asked for one.
    moves_bars : bool
        Whether the program moves progress bars.
    compiler : str
        What made the executable.
    """

    __slots__ = (
        "__weakref__", "executable", "fast_path", "fast_path_attempts", "moves_bars", "plan", "returns_one_array",
    )  # fmt: skip
    compiler = "XLA"

    def __init__(self, plan: Plan, executable: Executable) -> None:
        self.fast_path: FastPath = never
        self.fast_path_attempts = 0
        self.plan = plan
        self.executable = executable
        self.returns_one_array = plan.returns_one_array
        self.moves_bars = plan.looks_at_callers and moves_bars(plan.program)

    @property
    def was_loaded(self) -> bool:
        """Return whether the executable was made from bytes, not compiled here."""
        return self.executable.was_loaded

    def check(self, leaves: Leaves) -> None:
        """Take in the arrays from outside; refuse arguments that share memory or objects with what is written.

        Raises `AliasError`.
        """
        for array in self.plan.captured:
            leaves.append_captured(array)
        if self.plan.mutated:
            check_sharing(leaves, self.plan.mutated)
            check_outside(leaves, self.plan.mutated, self.plan.guards.heap.arrays)
        if self.plan.written or self.plan.slots:
            check_objects(leaves, self.plan.guards.heap)

    def run(self, leaves: Leaves) -> Any:
        """Run on leaves of the right signature, which were checked."""
        finish = self._finish_on_device if self.plan.on_device else self._finish_on_host
        if not self.plan.looks_at_callers:
            return finish(leaves)
        try:
            with called_here(moves_bars=self.moves_bars):
                return finish(leaves)
        except CallbackError as error:
            raised = error.__cause__
        assert raised is not None
        raise raised  # what the user's own code raised: a logging handler, a warning that is an error

    def _finish_on_host(self, leaves: Leaves) -> Any:
        return self.plan.finish(self.executable(buffers(self.plan.inputs(leaves.values))), leaves)

    def _finish_on_device(self, leaves: Leaves) -> Any:
        """Start the run; what the host needs of it, but for the arrays that it gives, is waited for."""
        if self.returns_one_array:
            return self.run_for_array(leaves.values)
        outputs, groups = self._start(leaves), self.plan.program.groups
        there: list[Any] = [Array(*b) for b in outputs[groups.results]]
        return self.plan.finish(there + [to_numpy(b) for b in outputs[groups.others]], leaves)

    def _start(self, leaves: Leaves) -> list[Buffer]:
        return self.executable.execute_buffers(on_device(self.plan.inputs(leaves.values)))

    def run_for_array(self, values: Sequence[object]) -> Array:
        """Run, where `returns_one_array`, on leaves."""
        return Array(*self.executable.execute_buffers(on_device(self.plan.inputs(values)))[0])


class HostExecution(Execution):
    """An execution of a Program that computes nothing: the Plan alone."""

    __slots__ = ()

    def __init__(self, plan: Plan) -> None:
        self.plan, self.returns_one_array, self.moves_bars = plan, False, False

    def run(self, leaves: Leaves) -> Any:
        """Build the result."""
        return self.plan.finish([], leaves)


# Learns from a run with too small a buffer, and returns what runs next, with its leaves, checked; or raises.
Recompile = Callable[[OverflowedError], tuple[Execution, Leaves]]


def run_until_it_fits(execution: Execution, leaves: Leaves, recompile: Recompile) -> Any:
    """Return the result of the first run whose buffers all suffice; effects that were done are not done again."""
    if not execution.plan.looks_at_callers:
        try:
            return execution.run(leaves)
        except OverflowedError as error:
            execution, leaves = recompile(error)
    effects = 0
    with keeping_results({}), ending_bars():
        while True:
            try:
                with done_before(effects):
                    return execution.run(leaves)
            except OverflowedError as error:
                effects = error.ended.effects if error.ended is not None else 0
                execution, leaves = recompile(error)


def executable_of(plan: Plan, text: str, flags: tuple[Flag, ...], callbacks: Sequence[HostCallback] = ()) -> Executable:
    """Return the executable of a plan's module: from disk, or compiled."""
    return disk_cache.executable(text, CompileOptions(flags, asynchronous=plan.on_device), callbacks)
