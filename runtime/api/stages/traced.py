"""The first stage: a function traced on a signature."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence
from typing import Any

from anabranch.runtime import lower as lowering
from anabranch.runtime._jaxlib import platform
from anabranch.runtime.api.notebook_html import of_traced
from anabranch.runtime.api.stages.lowered import Lowered
from anabranch.runtime.api.stages.stage import Stage
from anabranch.runtime.call.donation import Donation
from anabranch.runtime.config import settings
from anabranch.runtime.errors import UnsupportedValueError
from anabranch.runtime.host.compile_options import Flag
from anabranch.runtime.host.machine_code import NativeOptions
from anabranch.runtime.ir.program import Program
from anabranch.runtime.passes import optimise


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class Traced(Stage):
    """A function traced on a signature.

    Attributes
    ----------
    flags : tuple
        XLA's flags that the function was jitted with.
    disabled_passes : tuple of str
        The passes that were disabled when it was traced.
    native : NativeOptions or None
        How loops become machine code; None where they may not.

    Examples
    --------
    >>> from anabranch import jit
    >>> jit(lambda x: x + 1.0).trace(2.0).program
    { lambda a:f64[] ; let
        b:f64[] = add a 1.0:f64[]
      in (b,) }
    """

    flags: tuple[Flag, ...] = ()
    disabled_passes: tuple[str, ...] = dataclasses.field(default_factory=lambda: settings().disable_passes)
    native: NativeOptions | None = dataclasses.field(default_factory=NativeOptions.in_force)

    @property
    def program(self) -> Program:
        """The Program, as it was traced; where `jax.stages.Traced` has `jaxpr`."""
        return self.plan.program

    def lower(self, *, lowering_platforms: Sequence[str] | None = None) -> Lowered:
        """The StableHLO of the optimised Program.

        Parameters
        ----------
        lowering_platforms : sequence of str, optional
            The platforms it is for; there is one, "cpu".

        Raises
        ------
        UnsupportedValueError
            For another platform.
        """
        if lowering_platforms is not None and tuple(lowering_platforms) != (platform(),):
            raise UnsupportedValueError(f"there is the platform {platform()!r}, not {tuple(lowering_platforms)}")
        donation = Donation.of(self.plan, self.calling)
        donation.warn(self.calling, self.plan)
        program = optimise(self.plan.program, self.disabled_passes, self.native is not None)
        form = functools.partial(lowering.module, is_asynchronous=self.plan.on_device, native=self.native)
        module = lowering.LazyModule(functools.partial(form, program, donation.aliases))
        return Lowered(self.plan, self.calling, program, module, donation, self.flags, self.native)

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """Compile, and run on arguments of this signature, static ones left out: each time anew."""
        return self.lower().compile()(*args, **kwargs)

    def as_text(self) -> str:
        """The Program as text."""
        return str(self.program)

    def _repr_html_(self) -> str:
        return of_traced(self)
