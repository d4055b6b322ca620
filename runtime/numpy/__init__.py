"""The NumPy surface: NumPy's functions on traced values, each family in its own module.

Importing the package fills the registry in `runtime.values.dispatch`, from which operators, methods and the array
protocols of traced values are served.
"""

from __future__ import annotations

from anabranch.runtime.numpy import (
    bits as bits,
    calculus as calculus,
    covariance as covariance,
    creation as creation,
    describing as describing,
    einsum as einsum,
    factorings as factorings,
    fitting as fitting,
    fourier as fourier,
    histograms as histograms,
    joining as joining,
    linear as linear,
    logic as logic,
    matrices as matrices,
    methods as methods,
    nans as nans,
    norms as norms,
    padding as padding,
    polynomials as polynomials,
    positions as positions,
    quantiles as quantiles,
    ranges as ranges,
    reductions as reductions,
    selection as selection,
    shaping as shaping,
    solving as solving,
    sorting as sorting,
    statistics as statistics,
    ufuncs as ufuncs,
    unstaged as unstaged,
)
from anabranch.runtime.numpy.namespace import namespace, staged
from anabranch.runtime.numpy.sized import families as families

__all__ = ["namespace", "staged"]
