"""The kernels: one module each, holding a NumPy function of the module's name, its inputs and its JAX peer.

The NumPy function is ordinary source with native control flow; the same function runs as NumPy, under `anabranch.jit`
and under `numba.njit`. `jax_kernel` imports JAX and gives the function, not yet under `jax.jit`, that a JAX user would
write by hand: loops whose iterations depend on one another are `jax.lax` loops, other element loops are array
expressions.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from benchmarks.arrays import Size

SizeT = TypeVar("SizeT")

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
class Kernel(Generic[SizeT]):
    """One benchmark: `function` and the function that `jax_kernel` makes both take `arguments(size)`.

    `from_jax` makes NumPy's result of what JAX's function gives, where a size is known only when it has run.
    """

    name: str
    function: Callable[..., Any]
    arguments: Callable[[SizeT], tuple[Any, ...]]
    jax_kernel: Callable[[], Callable[..., Any]]
    from_jax: Callable[[Any], Any]


def load(name: str) -> Kernel[Size]:
    """Import the kernel called `name`.

    Raises
    ------
    ValueError
        If `name` is not in `NAMES`.
    """
    return kernel_of(__name__, NAMES, name)


def kernel_of(package: str, names: Sequence[str], name: str) -> Kernel[Any]:
    """Import a kernel of a package, for `load`."""
    if name not in names:
        raise ValueError(f"no kernel {name!r}; there are {', '.join(names)}")
    module = importlib.import_module(f"{package}.{name}")
    from_jax = getattr(module, "from_jax", _as_it_is)
    return Kernel(name, getattr(module, name), module.arguments, module.jax_kernel, from_jax)


def _as_it_is(result: Any) -> Any:
    return result
