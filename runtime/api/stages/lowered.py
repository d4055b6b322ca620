"""The second stage: a Program lowered to StableHLO."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping
from typing import Any, NamedTuple

from anabranch.runtime import lower as lowering
from anabranch.runtime.api.options import flags_of
from anabranch.runtime.api.stages.compiled import Compiled, bound
from anabranch.runtime.api.stages.stage import Stage
from anabranch.runtime.call.donation import Donation
from anabranch.runtime.call.execution import executable_of
from anabranch.runtime.call.native_execution import NativeCode, NativeExecution, written_in_place
from anabranch.runtime.call.plan import Plan, with_whole_writes
from anabranch.runtime.errors import UnsupportedValueError
from anabranch.runtime.host.callbacks import HostCallback, LoweringError
from anabranch.runtime.host.compile_options import Flag, FlagValue
from anabranch.runtime.host.machine_code import NativeOptions
from anabranch.runtime.host.object_layout import is_as_expected
from anabranch.runtime.ir.program import Program
from anabranch.runtime.native.whole_program import NativeProgram, native_program
from anabranch.runtime.xla import mlir_module
from anabranch.runtime.xla.executable import Executable


class NativeForm(NamedTuple):
    """A Program in machine code, with the Plan of its calls."""

    plan: Plan
    program: Program
    code: NativeProgram


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class Lowered(Stage):
    """A Program lowered to StableHLO.

    Attributes
    ----------
    program : Program
        The optimised Program.

    Examples
    --------
    >>> from anabranch import jit
    >>> "stablehlo.add" in jit(lambda x: x + 1.0).lower(2.0).as_text()
    True
    """

    program: Program
    module: lowering.LazyModule
    donation: Donation
    flags: tuple[Flag, ...]
    native: NativeOptions | None = None

    @property
    def text(self) -> str:
        """The module's text."""
        return self.module.made.text

    @property
    def callbacks(self) -> tuple[HostCallback, ...]:
        """The functions of this process that the module calls."""
        return self.module.made.callbacks

    def as_text(self, dialect: str | None = None, *, debug_info: bool = False) -> str:
        """The module as text.

        Parameters
        ----------
        dialect : str, optional
            "stablehlo", or "hlo", XLA's own form.
        debug_info : bool, optional
            Whether it says of each op which line and column of the user's it came from, and names the arguments.

        Raises
        ------
        UnsupportedValueError
            For another dialect.
        """
        text = self._located() if debug_info else self.text
        if mlir_module.dialect_of(dialect) == "stablehlo":
            return text
        printed: str = mlir_module.hlo_text(text, metadata=debug_info)
        return printed

    def compiler_ir(self, dialect: str | None = None) -> Any:
        """The module as an object of the compiler's: of MLIR for "stablehlo", of XLA for "hlo".

        Raises
        ------
        UnsupportedValueError
            For another dialect.
        """
        return (
            mlir_module.module(self.text)
            if mlir_module.dialect_of(dialect) == "stablehlo"
            else mlir_module.hlo(self.text)
        )

    def cost_analysis(self) -> dict[str, float]:
        """XLA's estimates before it optimises, by its own names ("flops", "bytes accessed")."""
        return mlir_module.estimate(self.text)

    def compile(self, compiler_options: Mapping[str, FlagValue] | None = None) -> Compiled:
        """Compile with XLA, or take the executable that another process has left on disk.

        Parameters
        ----------
        compiler_options : mapping, optional
            XLA's flags for this executable alone, by name; they win over those that the function was jitted with.

        Raises
        ------
        UnsupportedValueError
            For an option that XLA does not have, or that it cannot have this value.
        """
        chosen = tuple({**dict(self.flags), **dict(flags_of(compiler_options))}.items())
        form = None if chosen else self.native_form()
        if form is not None:
            compile = functools.partial(self._executable, chosen)
            made = NativeExecution(form.plan, NativeCode.of(form.code), compile)
            return Compiled(self.plan, self.calling, made, chosen, self.module)
        return bound(self.plan, self.calling, self._executable(chosen), self.donation, chosen, self.module)

    def native_program(self) -> NativeProgram | None:
        """The machine code, as LLVM's text, of a Program that needs no XLA; None for any other one."""
        form = self.native_form()
        return None if form is None else form.code

    def native_form(self) -> NativeForm | None:
        """The form of a Program that needs no XLA, as machine code; None for any other one."""
        others = not is_as_expected() or self.plan.on_device or self.donation.given or self.flags
        if self.native is None or others:
            return None
        plan, program = with_whole_writes(self.plan, self.program)
        # What is written to may share memory with what is read.
        strides = {} if plan.writes else plan.strides
        code = native_program(program, self.native, plan.whole_writes(), strides)
        if code is not None and plan is not self.plan and len(written_in_place(plan, code)) < len(plan.writes):
            # All of an array would be copied, and copied back.
            plan, program = self.plan, self.program
            code = native_program(program, self.native, plan.whole_writes())
        return None if code is None else NativeForm(plan, program, code)

    def _executable(self, chosen: tuple[Flag, ...]) -> Executable:
        try:
            return executable_of(self.plan, self.text, chosen, self.callbacks)
        except LoweringError as error:
            if chosen and any(name in str(error) for name, _ in chosen):
                raise UnsupportedValueError(f"compiler_options of {self.fun_name}: {error}") from error
            raise

    def bound(self, executable: Executable) -> Compiled:
        """The `Compiled` that calls an executable as a plan says."""
        return bound(self.plan, self.calling, executable, self.donation, self.flags, self.module)

    def _located(self) -> str:
        return lowering.located(self.program, self.donation.aliases, self.calling.leaf_names())
