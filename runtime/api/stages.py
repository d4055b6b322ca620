"""The stages of a compiled function: `Traced`, `Lowered`, `Compiled`, named as in `jax.stages`."""

from __future__ import annotations

import dataclasses
import functools
import os
import pickle
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from anabranch.runtime import lower as lowering
from anabranch.runtime._jaxlib import platform
from anabranch.runtime.api.notebook_html import of_traced
from anabranch.runtime.api.options import flags_of
from anabranch.runtime.call.call_spec import Call, CallSpec, out_info
from anabranch.runtime.call.container_format import Buffer, made_here, pack, unpack, write
from anabranch.runtime.call.donation import DonatingExecution, Donation
from anabranch.runtime.call.execution import MISS, Execution, executable_of, run_until_it_fits
from anabranch.runtime.call.fastpath import CallForm, make_fast_path
from anabranch.runtime.call.native_execution import NativeCode, NativeExecution
from anabranch.runtime.call.plan import Plan
from anabranch.runtime.call.portable_plan import check_fits, loaded, saved, unpickled
from anabranch.runtime.config import settings
from anabranch.runtime.errors import SerializationError, StaleExecutableError, UnsupportedValueError
from anabranch.runtime.host.callbacks import HostCallback, LoweringError
from anabranch.runtime.host.compile_options import CompileOptions, Flag, FlagValue
from anabranch.runtime.host.machine_code import NativeOptions
from anabranch.runtime.host.object_layout import is_as_expected
from anabranch.runtime.ir.program import Program
from anabranch.runtime.native.whole_program import NativeProgram, native_program
from anabranch.runtime.passes import optimise
from anabranch.runtime.signature.pytree import PyTreeDef
from anabranch.runtime.tracing.capacity import OverflowedError
from anabranch.runtime.xla import mlir_module
from anabranch.runtime.xla.compiler import deserialize
from anabranch.runtime.xla.executable import Executable

_KIND = "compiled function"


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class Stage:
    """A stage of compiling a function: the base that describes the arguments and the result.

    Attributes
    ----------
    plan : Plan
        What a call does around the Program.
    calling : Calling
        How the function is called.
    """

    plan: Plan
    calling: CallSpec

    def __repr__(self) -> str:
        return f"<anabranch.{type(self).__name__} {self.fun_name}({self.calling.described()})>"

    @property
    def fun_name(self) -> str:
        """The function's name."""
        return self.calling.fun_name

    @property
    def in_tree(self) -> PyTreeDef:
        """The structure of `(args, kwargs)`, the static arguments left out."""
        return self.calling.args_info().definition

    @property
    def out_tree(self) -> PyTreeDef:
        """The structure of the result."""
        return out_info(self.calling, self.plan).definition

    @property
    def args_info(self) -> Any:
        """The tree `(args, kwargs)` of an `ArgInfo` for each leaf."""
        return self.calling.args_info().built()

    @property
    def out_info(self) -> Any:
        """The tree of the result, of a `ShapeDtypeStruct` for each leaf; `OneOf` where it is one of a few things."""
        return out_info(self.calling, self.plan).built()

    @property
    def in_avals(self) -> Any:
        """The tree `(args, kwargs)` of a `ShapeDtypeStruct` for each leaf: what the function can be traced with."""
        return self.calling.structs().built()

    @property
    def out_avals(self) -> Any:
        """The same as `out_info`."""
        return self.out_info

    @property
    def donate_argnums(self) -> tuple[int, ...]:
        """The donated leaves, by their places among those of `args_info`."""
        infos = self.calling.args_info().leaves
        return tuple(i for i, info in enumerate(infos) if info.donated)


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
        native = None if chosen else self.native_program()
        if native is not None:
            made = NativeExecution(self.plan, NativeCode.of(native), functools.partial(self._executable, chosen))
            return Compiled(self.plan, self.calling, made, chosen, self.module)
        return bound(self.plan, self.calling, self._executable(chosen), self.donation, chosen, self.module)

    def native_program(self) -> NativeProgram | None:
        """The machine code, as LLVM's text, of a Program that needs no XLA; None for any other one."""
        others = not is_as_expected() or self.plan.on_device or self.donation.given or self.flags
        return None if self.native is None or others else native_program(self.program, self.native)

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


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class Compiled(Stage):
    """An executable for one signature.

    Examples
    --------
    >>> from anabranch import jit
    >>> compiled = jit(lambda x: x + 1.0).lower(2.0).compile()
    >>> compiled(5.0)
    6.0
    """

    execution: Execution
    flags: tuple[Flag, ...] = ()
    module: lowering.LazyModule | None = dataclasses.field(default=None, repr=False)  # where it was compiled here

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """Run on arguments of this signature, static ones left out.

        Raises
        ------
        UnsupportedValueError
            When the arguments are of another signature.
        StaleExecutableError
            When a global, a closure or an object that the function reads has changed since it was traced.
        CapacityError
            When the buffer of something of a size known only at run time is too small.
        """
        found = self.execution.fast_path(args, kwargs)
        if found is not MISS:
            return found
        leaves = self.calling.leaves(args, kwargs)
        if not self.plan.guards.hold():
            raise StaleExecutableError(
                f"something that {self.fun_name} reads from outside (a global, a closure, an object) has changed since "
                "it was compiled; lower and compile it again, or call the jitted function, which does so by itself"
            )
        if not self.calling.passed.statics and not self.calling.taking.static_types:
            make_fast_path(self.fun_name, self.execution, functools.partial(self._form, (args, kwargs)))
        self.execution.check(leaves)
        return run_until_it_fits(self.execution, leaves, OverflowedError.refuse)

    def _form(self, written: Call) -> CallForm:
        passed = self.calling.passed
        return CallForm.of(written, passed.arranged(*written), [name for name, _ in passed.places])

    def serialize(self) -> bytes:
        """Bytes for `deserialize`, in a process with the same anabranch, Python, jaxlib and processor.

        Raises
        ------
        SerializationError
            For a function whose calls reach into this process: it changes globals, prints, or raises what cannot be
            pickled.
        """
        execution = self.execution
        donation = execution.donation if isinstance(execution, DonatingExecution) else Donation()
        executable = execution.executable
        if executable.has_effects:
            raise SerializationError(
                f"{self.fun_name} prints, logs or warns in a branch or a loop, or calls a host function, and such "
                "host callbacks live in their own process only; let it return what is to be shown"
            )
        rest = pickle.dumps((donation, self.flags, executable.callbacks), protocol=5)
        plan = saved(self.plan, self.calling)
        return pack(_KIND, made_here(), [self._code(executable), plan, rest])

    def _code(self, executable: Executable) -> bytes:
        """The executable's bytes; XLA may have none of one that has run."""
        try:
            return executable.serialize()
        except SerializationError:
            if self.module is None:
                raise
        return executable_of(self.plan, self.module.made.text, self.flags, executable.callbacks).serialize()

    @staticmethod
    def deserialize(data: Buffer) -> Compiled:
        """Return what was compiled in another process, from its bytes; neither the function nor its source is needed.

        They hold code, and pickled objects: load only what you trust.

        Raises
        ------
        SerializationError
            For bytes that are damaged, something else, or made for another version or processor, and where a class that
            the function takes or gives is not there.
        """
        code, surroundings, rest = unpack(data, _KIND, made_here(), 3)
        plan, calling = loaded(surroundings)
        donation, flags, callbacks = unpickled(rest, Donation, tuple, tuple)
        executable = deserialize(code, CompileOptions(flags, asynchronous=plan.on_device), callbacks)
        check_fits(plan, executable)
        return bound(plan, calling, executable, donation, flags)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write `serialize()` into a file, as a whole or not at all.

        Raises
        ------
        SerializationError
        """
        write(path, self.serialize())

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Compiled:
        """Read what `save` wrote.

        Raises
        ------
        SerializationError
            As `deserialize`.
        """
        return Compiled.deserialize(Path(path).read_bytes())

    def as_text(self) -> str:
        """XLA's optimised HLO."""
        return self.execution.executable.hlo_text()

    def cost_analysis(self) -> dict[str, float]:
        """XLA's estimates, by its own names ("flops", "bytes accessed")."""
        return self.execution.executable.cost_analysis()

    def memory_analysis(self) -> dict[str, int]:
        """XLA's memory use, in bytes: of arguments, outputs, what both share ("alias"), and temporary."""
        return self.execution.executable.memory_stats()

    def runtime_executable(self) -> Any:
        """The executable as an object of jaxlib's, which changes from release to release."""
        return self.execution.executable.loaded


def bound(
    plan: Plan,
    calling: CallSpec,
    executable: Executable,
    donation: Donation,
    flags: tuple[Flag, ...],
    module: lowering.LazyModule | None = None,
) -> Compiled:
    """Return the `Compiled` that calls an executable of this module."""
    if donation.given:
        return Compiled(plan, calling, DonatingExecution(plan, executable, calling, donation), flags, module)
    return Compiled(plan, calling, Execution(plan, executable), flags, module)
