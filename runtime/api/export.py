"""`export`: a function on one signature as StableHLO that other processes load, without its source."""

from __future__ import annotations

import dataclasses
import functools
import pickle
from collections.abc import Callable, Sequence
from typing import Any

from anabranch.base.frozen import frozen
from anabranch.runtime import lower as lowering
from anabranch.runtime._jaxlib import platform
from anabranch.runtime.api.options import JitOptions
from anabranch.runtime.api.stages import Compiled, Lowered, Stage
from anabranch.runtime.call.container_format import FORM, Buffer, pack, unpack
from anabranch.runtime.call.donation import Donation
from anabranch.runtime.call.portable_plan import check_fits, loaded, saved, unpickled
from anabranch.runtime.errors import SerializationError, UnsupportedOperationError
from anabranch.runtime.host.callbacks import HostFunction
from anabranch.runtime.host.compile_options import Flag
from anabranch.runtime.lower import module
from anabranch.runtime.tracing.builder import tracing
from anabranch.runtime.xla import mlir_module


def export(fun: Callable[..., object], *, platforms: Sequence[str] | None = None) -> Callable[..., Exported]:
    """Export a function, as `jax.export.export`: `export(f)(*args)` is an `Exported`.

    Parameters
    ----------
    fun : callable
        Jitted or not.
    platforms : sequence of str, optional
        What it is to run on; there is "cpu".

    Returns
    -------
    callable
        Takes arguments, or `ShapeDtypeStruct`s for them.

    Raises
    ------
    SerializationError
        When the arguments are given, for a function whose calls reach into its process: it changes globals, prints, or
        raises what cannot be pickled; and for another platform.

    Examples
    --------
    >>> import numpy as np
    >>> from anabranch.export import deserialize, export
    >>> data = export(lambda x: x.cumsum())(np.ones(3)).serialize()
    >>> deserialize(data).call(np.array([1.0, 2.0, 3.0]))
    array([1., 3., 6.])
    """
    chosen = (platform(),) if platforms is None else tuple(platforms)
    if chosen != (platform(),):
        raise SerializationError(f"functions can be exported for {platform()}, not for {', '.join(chosen)}")
    from anabranch.runtime.api.jitted import Wrapped  # noqa: PLC0415 - what is loaded needs nothing that traces

    wrapped = fun if isinstance(fun, Wrapped) else Wrapped(fun, JitOptions())

    @functools.wraps(wrapped, updated=())
    def exporting(*args: object, **kwargs: object) -> Exported:
        return _exported(wrapped.lower(*args, **kwargs), chosen)

    return exporting


def _exported(lowered: Lowered, platforms: tuple[str, ...]) -> Exported:
    # Host functions are those of one version of anabranch and NumPy; what is exported is StableHLO alone.
    text, callbacks, _ = module(lowered.program, lowered.donation.aliases, calls_host=False)
    if any(isinstance(callback, HostFunction) for callback in callbacks):
        raise SerializationError(
            f"{lowered.fun_name} draws random numbers, or calls SciPy's ufuncs, which its own process does; draw or "
            "compute them outside and pass them as an argument, or draw them from a key with anabranch.random"
        )
    if callbacks:
        raise SerializationError(
            f"{lowered.fun_name} prints, logs or warns in a branch or a loop, or calls a host function, and so "
            "calls back into its own process; let it return what is to be shown, or call the function outside"
        )
    plan, calling = loaded(saved(lowered.plan, lowered.calling))
    return Exported(plan, calling, platforms, mlir_module.portable(text), lowered.donation, lowered.flags)


_KIND = "exported function"


@frozen
class Exported(Stage):
    """A function on one signature, as `jax.export.Exported`: StableHLO, and how it is called.

    Attributes
    ----------
    platforms : tuple of str
        The platforms that it can run on.
    mlir_module_serialized : bytes
        The module, as releases of StableHLO exchange it.

    Examples
    --------
    >>> from anabranch.export import export
    >>> exported = export(lambda x: 2 * x)(1.0)
    >>> exported.platforms, exported.call(4.0)
    (('cpu',), 8.0)
    """

    platforms: tuple[str, ...]
    mlir_module_serialized: bytes
    donation: Donation
    flags: tuple[Flag, ...]
    _executables: list[Compiled] = dataclasses.field(default_factory=list, compare=False, repr=False)

    @property
    def nr_devices(self) -> int:
        """How many devices a call uses."""
        return 1

    def mlir_module(self, serialized: bool = False) -> str | bytes:
        """The StableHLO module as text, or as releases of StableHLO exchange it."""
        return self.mlir_module_serialized if serialized else self._text()

    def _text(self) -> str:
        text: str = mlir_module.from_portable(self.mlir_module_serialized)
        return text

    def compile(self) -> Compiled:
        """The executable for this machine, compiled when it is first asked for."""
        if not self._executables:
            program = self.plan.program
            module = lowering.LazyModule(lambda: lowering.Module(self._text(), ()))
            lowered = Lowered(self.plan, self.calling, program, module, self.donation, self.flags)
            made = lowered.compile()
            check_fits(self.plan, made.execution.executable)
            self._executables.append(made)
        return self._executables[0]

    def call(self, /, *args: object, **kwargs: object) -> Any:
        """Call the function; its static arguments are left out.

        Raises
        ------
        UnsupportedValueError
            When the arguments are of another signature.
        UnsupportedOperationError
            In a function that is being compiled.
        """
        if tracing():
            raise UnsupportedOperationError(
                f"the exported {self.fun_name} is called in a compiled function, which cannot take it in; call it "
                "outside, or the jitted function itself"
            )
        return self.compile()(*args, **kwargs)

    def serialize(self, vjp_order: int = 0) -> bytes:
        """Bytes for `deserialize`, in any process with this form of anabranch's plans.

        Parameters
        ----------
        vjp_order : int, optional
            How many derivatives go along. There are none.

        Raises
        ------
        SerializationError
            For more than that.
        """
        if vjp_order:
            raise SerializationError(f"there are no derivatives to save with {self.fun_name}")
        rest = pickle.dumps((self.platforms, self.donation, self.flags), protocol=5)
        parts = [self.mlir_module_serialized, saved(self.plan, self.calling), rest]
        return pack(_KIND, {"form": FORM}, parts)


def deserialize(blob: Buffer) -> Exported:
    """An exported function from its bytes.

    They hold code, and pickled objects: load only what you trust.

    Parameters
    ----------
    blob : bytes
        What `Exported.serialize` gave.

    Raises
    ------
    SerializationError
        For bytes that are damaged, something else, of another form or for another platform, and where a class that the
        function takes or gives is not there.

    Examples
    --------
    >>> from anabranch.export import deserialize, export
    >>> deserialize(export(lambda x: 2 * x)(1.0).serialize()).call(4.0)
    8.0
    """
    module, surroundings, rest = unpack(blob, _KIND, {"form": FORM}, 3)
    plan, calling = loaded(surroundings)
    platforms, donation, flags = unpickled(rest, tuple, Donation, tuple)
    if platform() not in platforms:
        raise SerializationError(
            f"{calling.fun_name} was exported for {', '.join(platforms)}, and this is {platform()}"
        )
    return Exported(plan, calling, platforms, module, donation, flags)
