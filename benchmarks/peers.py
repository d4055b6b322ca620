"""The ways to run a kernel: as NumPy, and under each compiler it is compared with."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.kernels import Kernel

Function = Callable[..., Any]


def _as_numpy(kernel: Kernel[Any]) -> Function:
    """The kernel as it stands."""
    return kernel.function


def _as_anabranch(kernel: Kernel[Any]) -> Function:
    """The same source under `anabranch.jit`."""
    from anabranch import jit

    compiled: Function = jit(kernel.function)
    return compiled


def _as_numba(kernel: Kernel[Any]) -> Function:
    """The same source under `numba.njit`."""
    from numba import njit

    compiled: Function = njit(kernel.function)
    return compiled


def _as_jax(kernel: Kernel[Any]) -> Function:
    """The hand-written peer under `jax.jit`, with 64-bit types; NumPy in, NumPy out, as for the others."""
    import jax

    jax.config.update("jax_enable_x64", True)
    compiled = jax.jit(kernel.jax_kernel())

    def call(*arguments: Any) -> Any:
        # The conversion waits for the result, so it also ends the time measured.
        return kernel.from_jax(jax.tree.map(np.asarray, compiled(*arguments)))

    return call


@dataclass(frozen=True, slots=True)
class Peer:
    """One way to run a kernel: the module it needs, how to prepare a kernel for it, what of a call to compare.

    `visible` picks from a call's result and its arguments what must equal NumPy's: functions written for JAX leave
    their arguments alone.
    """

    name: str
    module: str
    prepare: Callable[[Kernel[Any]], Function]
    visible: Callable[[Any, tuple[Any, ...]], Any]

    def installed(self) -> bool:
        """Return whether the module can be found; it is not imported."""
        return importlib.util.find_spec(self.module) is not None


def _result_and_arguments(result: Any, arguments: tuple[Any, ...]) -> Any:
    return result, arguments


def _result_alone(result: Any, arguments: tuple[Any, ...]) -> Any:
    return (result,)


PEERS = {
    peer.name: peer
    for peer in (
        Peer("numpy", "numpy", _as_numpy, _result_and_arguments),
        Peer("anabranch", "anabranch", _as_anabranch, _result_and_arguments),
        Peer("numba", "numba", _as_numba, _result_and_arguments),
        Peer("jax", "jax", _as_jax, _result_alone),
    )
}
