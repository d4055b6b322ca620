"""Kernels in slices, masks and lists whose sizes are known only at run time; one module each, as in `kernels`.

`arguments(n)` gives inputs of size n. The peers in JAX, which has no such sizes, are masked by hand: `jax.lax` loops
over arrays of full size.
"""

from __future__ import annotations

from benchmarks.kernels import Kernel, kernel_of

NAMES = (
    "cholesky",
    "lu",
    "ludcmp",
    "triangular_solve",
    "durbin",
    "syrk",
    "trmm",
    "gram_schmidt",
    "sparse_product",
    "azimuthal_integration",
    "connected_components",
    "suppression",
)


def load(name: str) -> Kernel[int]:
    """Import the kernel called `name`.

    Raises
    ------
    ValueError
        If `name` is not in `NAMES`.
    """
    return kernel_of(__name__, NAMES, name)
