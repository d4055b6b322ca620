"""The kernels, in modules by group: plain functions of NumPy, and `KERNELS`, the records of them.

A function is ordinary source with native control flow; it runs as NumPy, under `anabranch.jit` and under `numba.njit`.
"""

from __future__ import annotations

import importlib

from benchmarks.kernel import Kernel

GROUPS = (
    "factorisations",
    "dense",
    "sparse",
    "stencils",
    "pdes",
    "signal",
    "images",
    "statistics",
    "learning",
    "finance",
    "physics",
    "geometry",
    "graphs",
    "strings",
    "tables",
    "numbers",
)


def of_group(group: str) -> tuple[Kernel, ...]:
    """The kernels of a group."""
    kernels: tuple[Kernel, ...] = importlib.import_module(f"{__name__}.{group}").KERNELS
    return kernels


def all_kernels() -> dict[str, Kernel]:
    """All kernels by their names, in the order of the groups."""
    return {kernel.name: kernel for group in GROUPS for kernel in of_group(group)}


def load(place: str) -> Kernel:
    """The kernel of a group and a name, ``"physics.n_body"``; no other group is imported."""
    group, _, name = place.partition(".")
    return next(kernel for kernel in of_group(group) if kernel.name == name)
