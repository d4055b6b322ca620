"""Numba's helpers to pickle functions: none, compiled functions pickle themselves."""
