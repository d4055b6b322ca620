"""The kernels: one module each, holding a NumPy function of the module's name, its inputs and its JAX peer.

The NumPy function is ordinary source with native control flow; the same function runs as NumPy, under `anabranch.jit`
and under `numba.njit`. `jax_kernel` imports JAX and gives the function, not yet under `jax.jit`, that a JAX user would
write by hand: loops whose iterations depend on one another are `jax.lax` loops, other element loops are array
expressions.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from benchmarks.arrays import Size

NAMES = (
    "jacobi_2d_slices",
    "jacobi_2d_loops",
    "heat_3d",
    "floyd_warshall",
    "n_body",
    "mandelbrot",
    "cholesky",
    "lu",
    "gauss_seidel",
    "conjugate_gradient",
    "crc16",
    "durbin",
    "levenshtein",
    "smith_waterman",
    "thomas",
    "softmax_mlp",
)


@dataclass(frozen=True, slots=True)
class Kernel:
    """One benchmark: `function` and the function that `jax_kernel` makes both take `arguments(size)`."""

    name: str
    function: Callable[..., Any]
    arguments: Callable[[Size], tuple[Any, ...]]
    jax_kernel: Callable[[], Callable[..., Any]]


def load(name: str) -> Kernel:
    """Import the kernel called `name`.

    Raises
    ------
    ValueError
        If `name` is not in `NAMES`.
    """
    if name not in NAMES:
        raise ValueError(f"no kernel {name!r}; there are {', '.join(NAMES)}")
    module = importlib.import_module(f"benchmarks.kernels.{name}")
    return Kernel(name, getattr(module, name), module.arguments, module.jax_kernel)
