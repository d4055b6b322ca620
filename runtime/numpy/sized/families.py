"""Imported so that the rules are registered."""

from __future__ import annotations

from anabranch.runtime.numpy.sized import (  # noqa: F401 - they register themselves
    binning,
    calculus,
    counting,
    editing,
    grids,
    joining,
    lengths,
    matrices,
    picking,
    products,
    reductions,
    repeating,
    reshaping,
    searching,
    sets,
    shapes,
    sorting,
    splitting,
    ufunc_methods,
)
