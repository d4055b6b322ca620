"""The NumPy surface: NumPy's functions on traced values, each family in its own module.

A new family is one more module in `FAMILIES`. The package installs their rules in `runtime.values.registry`, from which
operators, methods and the array protocols of traced values are served.
"""

from __future__ import annotations

from anabranch.runtime.numpy import (
    bits,
    calculus,
    convolution,
    counting,
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
    library_ufuncs,
    linear_systems,
    logic,
    matrices,
    matrix_chains,
    memory_access,
    methods,
    nan_functions,
    norms,
    padding,
    polynomial_fits,
    polynomials,
    positions,
    products,
    quantiles,
    ranges,
    reductions,
    repeats,
    reshaping,
    searching,
    selection,
    sets,
    shaping,
    sorting,
    statistics,
    ufuncs,
    unstaged,
    writing,
)
from anabranch.runtime.numpy.namespace import namespace, staged
from anabranch.runtime.numpy.random import methods as random_methods

__all__ = ["FAMILIES", "namespace", "staged"]

FAMILIES = (
    bits,
    calculus,
    convolution,
    counting,
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
    library_ufuncs,
    linear_systems,
    logic,
    matrices,
    matrix_chains,
    memory_access,
    methods,
    nan_functions,
    norms,
    padding,
    polynomial_fits,
    polynomials,
    positions,
    products,
    quantiles,
    ranges,
    reductions,
    repeats,
    reshaping,
    searching,
    selection,
    sets,
    shaping,
    sorting,
    statistics,
    ufuncs,
    unstaged,
    writing,
)

for _family in FAMILIES:
    _family.rules.install()
random_methods.install()
