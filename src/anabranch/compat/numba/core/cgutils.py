"""Numba's helpers for functions that write LLVM: none, such functions are not called."""
