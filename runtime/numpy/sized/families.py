"""Imported so that the rules are registered."""

from __future__ import annotations

from anabranch.runtime.numpy.sized import (
    binning as binning,
    calculus as calculus,
    counting as counting,
    editing as editing,
    grids as grids,
    joining as joining,
    matrices as matrices,
    picking as picking,
    products as products,
    reductions as reductions,
    reshaping as reshaping,
    searching as searching,
    sets as sets,
    shapes as shapes,
    sorting as sorting,
    splitting as splitting,
)
