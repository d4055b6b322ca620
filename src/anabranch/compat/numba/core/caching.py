"""Numba's executables on disk: none, anabranch keeps its own."""
