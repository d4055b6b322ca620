"""The NumPy surface: NumPy's functions on traced values, each family in its own module.

A new family is one more module in `FAMILIES`. The package installs their rules in `runtime.values.registry`, from which
operators, methods and the array protocols of traced values are served.
"""

from __future__ import annotations

from anabranch.runtime.numpy import (
    bits,
    calculus,
    convolution,
    covariance,
    creation,
    einsum,
    factorizations,
    fourier,
    histograms,
    index_grids,
    insertion,
    interpolation,
    introspection,
    joining,
    linear_systems,
    logic,
    matrices,
    matrix_chains,
    methods,
    nan_functions,
    norms,
    padding,
    polynomial_fits,
    polynomials,
    products,
    quantiles,
    ranges,
    reductions,
    repeats,
    selection,
    shaping,
    sorting,
    statistics,
    ufuncs,
    unstaged,
)
from anabranch.runtime.numpy.dynamic_shapes import (
    counting as dynamic_counting,
    reductions as dynamic_reductions,
    reshaping as dynamic_reshaping,
    searching as dynamic_searching,
    selection as dynamic_selection,
    sets as dynamic_sets,
)
from anabranch.runtime.numpy.namespace import namespace, staged

__all__ = ["FAMILIES", "namespace", "staged"]

FAMILIES = (
    bits,
    calculus,
    convolution,
    covariance,
    creation,
    einsum,
    factorizations,
    fourier,
    histograms,
    index_grids,
    insertion,
    interpolation,
    introspection,
    joining,
    linear_systems,
    logic,
    matrices,
    matrix_chains,
    methods,
    nan_functions,
    norms,
    padding,
    polynomial_fits,
    polynomials,
    products,
    quantiles,
    ranges,
    reductions,
    repeats,
    selection,
    shaping,
    sorting,
    statistics,
    ufuncs,
    unstaged,
    # Their rules for arrays whose size is known only at run time.
    dynamic_counting,
    dynamic_reductions,
    dynamic_reshaping,
    dynamic_searching,
    dynamic_selection,
    dynamic_sets,
)

for _family in FAMILIES:
    _family.rules.install()
