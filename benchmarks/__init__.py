"""Kernels in plain NumPy, timed as they stand, under `anabranch.jit` and `numba.njit`, and beside hand-written JAX."""
