"""The ways to run a kernel: as NumPy, and under each compiler it is compared with."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.kernel import Kernel

Function = Callable[..., Any]


def _as_numpy(kernel: Kernel) -> Function:
    """The kernel as it stands."""
    return kernel.function


def _as_anabranch(kernel: Kernel) -> Function:
    """The same source under `anabranch.jit`."""
    from anabranch import jit

    compiled: Function = jit(kernel.function)
    return compiled


def _as_numba(kernel: Kernel) -> Function:
    """The same source under `numba.njit`."""
    from numba import njit

    compiled: Function = njit(kernel.function)
    return compiled


def _as_jax(kernel: Kernel) -> Function | None:
    """JAX's form, with 64-bit types; NumPy in, NumPy out, as for the others."""
    import jax

    compiled = kernel.jax_form()
    if compiled is None:
        return None

    def call(*arguments: Any) -> Any:
        # The conversion waits for the result, so it also ends the time measured.
        return jax.tree.map(np.asarray, compiled(*arguments))

    return call


@dataclass(frozen=True, slots=True)
class Peer:
    """One way to run a kernel: the module it needs, and how to prepare a kernel for it, None where it has no form.

    Functions written for JAX leave their arguments alone: only what they return must equal NumPy's.
    """

    name: str
    module: str
    prepare: Callable[[Kernel], Function | None]
    changes_arguments: bool = True

    def installed(self) -> bool:
        """Return whether the module can be found; it is not imported."""
        return importlib.util.find_spec(self.module) is not None

    def visible(self, result: Any, arguments: tuple[Any, ...]) -> Any:
        """The parts of a call's result and its arguments that must equal NumPy's, the result first."""
        return (result, arguments) if self.changes_arguments else (result,)


PEERS = {
    peer.name: peer
    for peer in (
        Peer("numpy", "numpy", _as_numpy),
        Peer("anabranch", "anabranch", _as_anabranch),
        Peer("numba", "numba", _as_numba),
        Peer("jax", "jax", _as_jax, changes_arguments=False),
    )
}
