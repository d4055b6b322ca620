"""`export`: a function on one signature as StableHLO that other processes load, without its source."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

from anabranch.runtime._jaxlib import platform
from anabranch.runtime.api.exported import Exported
from anabranch.runtime.api.jitted import Wrapped
from anabranch.runtime.api.options import JitOptions
from anabranch.runtime.api.stages import Lowered
from anabranch.runtime.call.portable_plan import loaded, saved
from anabranch.runtime.errors import SerializationError
from anabranch.runtime.host.callbacks import HostFunction
from anabranch.runtime.lower import module
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
