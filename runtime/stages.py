"""The stages of a compiled function: `Traced`, `Lowered`, `Compiled`, named as in `jax.stages`."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from anabranch.runtime import executables, lower as lowering
from anabranch.runtime._host import CallbackError, CompileOptions, HostCallback
from anabranch.runtime._jaxlib import Executable, to_numpy
from anabranch.runtime.array import Array
from anabranch.runtime.errors import UnsupportedValueError
from anabranch.runtime.ir import Program
from anabranch.runtime.optimise import optimise
from anabranch.runtime.signature import Leaves, check_objects, check_sharing, on_device
from anabranch.runtime.tracing import Plan
from anabranch.runtime.values.effects import called_here


@dataclasses.dataclass(frozen=True, slots=True)
class Traced:
    """A function traced on a signature.

    Attributes
    ----------
    plan : Plan
        The Program and what surrounds it on the host.
    key : object
        The signature.
    fun_name : str
    """

    plan: Plan
    key: Any
    fun_name: str

    @property
    def program(self) -> Program:
        """The Program, as it was traced."""
        return self.plan.program

    def lower(self) -> Lowered:
        """The StableHLO of the optimised Program."""
        program = optimise(self.plan.program)
        module = lowering.module(program)
        return Lowered(self, program, module.text, module.callbacks)

    def as_text(self) -> str:
        """The Program as text."""
        return str(self.program)


@dataclasses.dataclass(frozen=True, slots=True)
class Lowered:
    """A Program lowered to StableHLO.

    Attributes
    ----------
    program : Program
        The optimised Program.
    """

    traced: Traced
    program: Program
    text: str
    callbacks: tuple[HostCallback, ...] = ()

    def as_text(self) -> str:
        """The StableHLO module."""
        return self.text

    def compile(self, options: CompileOptions = CompileOptions()) -> Compiled:  # noqa: B008 - frozen
        """Compile with XLA, or take the executable that another process has left on disk."""
        if self.traced.plan.on_device:
            options = dataclasses.replace(options, asynchronous=True)
        return Compiled(self, executables.executable(self.text, options, self.callbacks))


class Compiled:
    """An executable for one signature."""

    __slots__ = ("executable", "gives_one_array", "lowered", "plan")

    def __init__(self, lowered: Lowered, executable: Executable) -> None:
        self.lowered = lowered
        self.executable = executable
        self.plan = lowered.traced.plan
        self.gives_one_array = self.plan.gives_one_array

    @property
    def program(self) -> Program:
        """The optimised Program."""
        return self.lowered.program

    def run(self, leaves: Leaves) -> Any:
        """Run on leaves of the right signature."""
        for array in self.plan.hoisted:
            leaves.hoist(array)
        if self.plan.mutated:
            check_sharing(leaves, self.plan.mutated)
        if self.plan.written or self.plan.slots:
            check_objects(leaves, self.plan.guards.heap)
        if self.plan.looks_at_callers:
            with called_here():
                return self._with_callbacks(leaves)
        if self.plan.on_device:
            return self._finish_on_device(leaves)
        return self.plan.finish(self.executable(leaves.buffers()), leaves)

    def _finish_on_device(self, leaves: Leaves) -> Any:
        """Start the run; what the host needs of it, but for the arrays that it gives, is waited for."""
        if self.gives_one_array:
            return self.run_for_array(leaves.values)
        outputs = self.executable.execute_buffers(on_device(leaves.values))
        staying = self.plan.result_count
        there: list[Any] = [Array(b) for b in outputs[:staying]]
        return self.plan.finish(there + [to_numpy(b) for b in outputs[staying:]], leaves)

    def run_for_array(self, values: Sequence[Any]) -> Array:
        """Run, where `gives_one_array`, on leaves."""
        return Array(self.executable.execute_buffers(on_device(values))[0])

    def _with_callbacks(self, leaves: Leaves) -> Any:
        try:
            if self.plan.on_device:
                return self._finish_on_device(leaves)
            return self.plan.finish(self.executable(leaves.buffers()), leaves)
        except CallbackError as error:
            raised = error.__cause__
        assert raised is not None
        raise raised  # what the user's own code raised: a logging handler, a warning that is an error

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run on arguments of this signature, static ones left out.

        Raises
        ------
        UnsupportedValueError
            When the arguments are of another signature.
        """
        leaves = Leaves()
        key = (
            tuple(leaves.key(a, str(i)) for i, a in enumerate(args)),
            tuple((k, leaves.key(v, k)) for k, v in sorted(kwargs.items())),
        )
        if key != self.lowered.traced.key[:2]:
            raise UnsupportedValueError(
                f"{self.lowered.traced.fun_name} was compiled for {self.lowered.traced.key[:2]}, called with {key}"
            )
        return self.run(leaves)

    def as_text(self) -> str:
        """XLA's optimised HLO."""
        return self.executable.hlo_text()

    def cost_analysis(self) -> dict[str, float]:
        """XLA's estimates, by its own names ("flops", "bytes accessed")."""
        return self.executable.cost_analysis()

    def memory_analysis(self) -> dict[str, int]:
        """XLA's memory use, in bytes."""
        return self.executable.memory_stats()
