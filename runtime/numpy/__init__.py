"""The NumPy surface: NumPy's functions on traced values, each family in its own module.

Importing the package fills the registry in `runtime.values.registry`, from which operators, methods and the array
protocols of traced values are served.
"""

from __future__ import annotations

from anabranch.runtime.numpy import (  # noqa: F401 - they register themselves
    bits,
    calculus,
    covariance,
    creation,
    describing,
    einsum,
    factorings,
    fitting,
    fourier,
    histograms,
    index_grids,
    joining,
    linear,
    logic,
    matrices,
    methods,
    nans,
    norms,
    padding,
    polynomials,
    quantiles,
    ranges,
    reductions,
    selection,
    shaping,
    solving,
    sorting,
    statistics,
    ufuncs,
    unstaged,
)
from anabranch.runtime.numpy.namespace import namespace, staged
from anabranch.runtime.numpy.sized import families as families

__all__ = ["namespace", "staged"]
