"""The last stage: an executable for one signature."""

from __future__ import annotations

import dataclasses
import functools
import os
import pickle
from pathlib import Path
from typing import Any

from anabranch.runtime import lower as lowering
from anabranch.runtime.api.stages.stage import Stage
from anabranch.runtime.call.call_spec import Call, CallSpec
from anabranch.runtime.call.container_format import Buffer, made_here, pack, unpack, write
from anabranch.runtime.call.donation import DonatingExecution, Donation
from anabranch.runtime.call.execution import MISS, Execution, executable_of, run_until_it_fits
from anabranch.runtime.call.fastpath import CallForm, make_fast_path
from anabranch.runtime.call.plan import Plan
from anabranch.runtime.call.portable_plan import check_fits, loaded, saved, unpickled
from anabranch.runtime.errors import AnabranchError, SerializationError, StaleExecutableError
from anabranch.runtime.host.compile_options import CompileOptions, Flag
from anabranch.runtime.tracing.capacity import OverflowedError
from anabranch.runtime.xla.compiler import deserialize
from anabranch.runtime.xla.executable import Executable

_KIND = "compiled function"


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
        try:
            return run_until_it_fits(self.execution, leaves, OverflowedError.refuse)
        except AnabranchError as error:
            if error.ended is not None:
                error.ended.finish()
            raise

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
