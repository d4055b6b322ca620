"""The stages of a compiled function: `Traced`, `Lowered`, `Compiled`, named as in `jax.stages`."""

from __future__ import annotations

import dataclasses
from typing import Any

from anabranch.runtime import executables, lower as lowering
from anabranch.runtime._host import CompileOptions, HostCallback
from anabranch.runtime._jaxlib import Executable
from anabranch.runtime.errors import UnsupportedValueError
from anabranch.runtime.execution import Execution
from anabranch.runtime.ir import Program
from anabranch.runtime.optimise import optimise
from anabranch.runtime.signature import Leaves
from anabranch.runtime.tracing import Plan


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

    __slots__ = ("execution", "lowered")

    def __init__(self, lowered: Lowered, executable: Executable) -> None:
        self.lowered = lowered
        self.execution = Execution(lowered.traced.plan, executable)

    @property
    def program(self) -> Program:
        """The optimised Program."""
        return self.lowered.program

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
        return self.execution.run(leaves)

    def as_text(self) -> str:
        """XLA's optimised HLO."""
        return self.execution.executable.hlo_text()

    def cost_analysis(self) -> dict[str, float]:
        """XLA's estimates, by its own names ("flops", "bytes accessed")."""
        return self.execution.executable.cost_analysis()

    def memory_analysis(self) -> dict[str, int]:
        """XLA's memory use, in bytes."""
        return self.execution.executable.memory_stats()
