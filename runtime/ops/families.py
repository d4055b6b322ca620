"""Imports every family, which fills `Op.table`."""

from __future__ import annotations

from anabranch.runtime.ops import (
    apart as apart,
    control as control,
    cumulative as cumulative,
    effect as effect,
    elementwise as elementwise,
    factoring as factoring,
    fold as fold,
    fourier as fourier,
    indexing as indexing,
    linear as linear,
    patch as patch,
    reduction as reduction,
    shape as shape,
    sorting as sorting,
    spectral as spectral,
    unspecified as unspecified,
)
