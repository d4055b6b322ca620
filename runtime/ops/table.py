"""The primitive ops, by name. A new family of ops is one more module in `FAMILIES`."""

from __future__ import annotations

from anabranch.runtime.ir.op import Op
from anabranch.runtime.ops import (
    check,
    control,
    correlation,
    cumulative,
    dot_general,
    eigen,
    factorization,
    fourier,
    host_call,
    host_callback,
    indexing,
    libm,
    library_ufuncs,
    materialize,
    positions,
    progress_tick,
    random_draws,
    reduction,
    set_order,
    shape,
    sorting,
    undef,
    window,
    windowed_reduce,
    windowed_update,
)
from anabranch.runtime.ops.elementwise import (
    arithmetic,
    bits,
    casts,
    comparison,
    division,
    exponential,
    float_bits,
    overflow,
    power,
    python_arithmetic,
    trigonometric,
)

# The ops of each are its `OPS`.
FAMILIES = (
    check,
    control,
    correlation,
    cumulative,
    dot_general,
    factorization,
    fourier,
    host_call,
    host_callback,
    indexing,
    libm,
    library_ufuncs,
    materialize,
    positions,
    progress_tick,
    random_draws,
    reduction,
    set_order,
    shape,
    sorting,
    eigen,
    undef,
    window,
    windowed_reduce,
    windowed_update,
    arithmetic,
    bits,
    casts,
    comparison,
    division,
    exponential,
    float_bits,
    overflow,
    power,
    python_arithmetic,
    trigonometric,
)


def _by_name() -> dict[str, Op]:
    ops: dict[str, Op] = {}
    for family in FAMILIES:
        for op in family.OPS:
            if op.name in ops:
                raise ValueError(f"two ops are named {op.name}")
            ops[op.name] = op
    return ops


# Every op under the name that it has in a Program; a ufunc's is its `__name__`.
OPS = _by_name()
