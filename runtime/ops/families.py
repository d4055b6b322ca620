"""Imports every family, which fills `Op.table`."""

from __future__ import annotations

from anabranch.runtime.ops import (  # noqa: F401 - they register themselves
    control,
    cumulative,
    dot_general,
    elementwise,
    factoring,
    fourier,
    host_callback,
    indexing,
    materialize,
    reduction,
    shape,
    sorting,
    spectral,
    undef,
    windowed_reduce,
    windowed_update,
)
