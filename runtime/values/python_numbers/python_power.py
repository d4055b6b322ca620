"""`pow(a, b, m)` of Python ints."""

from __future__ import annotations

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.ir.interval import Interval
from anabranch.runtime.values import atoms
from anabranch.runtime.values.abstract import PYTHON_DTYPES
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.python_numbers.python_operands import as_kind, interval_of, kind_of, made, raised
from anabranch.runtime.values.tracer import no_modular_power


def modular(base: Value, exponent: Value, modulus: Value) -> Value:
    """`pow(base, exponent, modulus)`: of ints, exact, with the sign of the modulus.

    Raises
    ------
    TypeError
        Where one of the three is no int.
    ValueError
        Where one is complex; at run time, for a modulus of zero, and where a negative exponent needs an inverse that
        is not there.
    """
    kinds = [kind_of(v) for v in (base, exponent, modulus)]
    if not all(kind in PYTHON_DTYPES for kind in kinds):
        raise no_modular_power(base, exponent, modulus)
    if complex in kinds:
        raise ValueError("complex modulo")
    if not all(kind in (int, bool) for kind in kinds):
        raise TypeError("pow() 3rd argument not allowed unless all arguments are integers")
    a, b, m = (as_kind(v, int) for v in (base, exponent, modulus))
    zero = atoms.literal(0, np.int64)
    if interval_of(modulus).low <= 0 <= interval_of(modulus).high:
        run_time_checks.fail_if(atoms.ufunc(np.equal, m, zero), raised(pow, 1, 1, 0))
    if interval_of(exponent).low < 0:
        stuck = atoms.ufunc(np.not_equal, atoms.ufunc(np.gcd, a, m), atoms.literal(1, np.int64))
        negative = atoms.ufunc(np.less, b, zero)
        run_time_checks.fail_if(atoms.logical_and(negative, stuck), raised(pow, 2, -1, 4))
    bound = max(abs(interval_of(modulus).low), abs(interval_of(modulus).high)) - 1
    return made(atoms.op("modular_power", a, b, m), Interval(-bound, bound).clipped())
