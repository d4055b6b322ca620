"""The parameters of the methods of NumPy's generators, and arguments that they take for a trial."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

_SCALE = "loc scale size"
# By method; those that are not here are refused.
PARAMETERS: Mapping[str, tuple[str, ...]] = {
    name: tuple(parameters.split())
    for name, parameters in {
        **dict.fromkeys(["gumbel", "laplace", "logistic", "normal"], _SCALE),
        **dict.fromkeys(["exponential", "rayleigh"], "scale size"),
        **dict.fromkeys(["pareto", "power", "weibull", "zipf"], "a size"),
        **dict.fromkeys(["chisquare", "standard_t"], "df size"),
        **dict.fromkeys(["geometric", "logseries"], "p size"),
        **dict.fromkeys(["binomial", "negative_binomial"], "n p size"),
        **dict.fromkeys(["random_sample", "standard_cauchy", "tomaxint"], "size"),
        "beta": "a b size",
        "choice": "a size replace p axis shuffle",
        "dirichlet": "alpha size",
        "f": "dfnum dfden size",
        "gamma": "shape scale size",
        "hypergeometric": "ngood nbad nsample size",
        "integers": "low high size dtype endpoint",
        "lognormal": "mean sigma size",
        "multinomial": "n pvals size",
        "multivariate_hypergeometric": "colors nsample size method",
        "multivariate_normal": "mean cov size check_valid tol method",
        "noncentral_chisquare": "df nonc size",
        "noncentral_f": "dfnum dfden nonc size",
        "permutation": "x axis",
        "permuted": "x axis out",
        "poisson": "lam size",
        "randint": "low high size dtype",
        "random": "size dtype out",
        "random_integers": "low high size",
        "seed": "seed",
        "shuffle": "x axis",
        "standard_exponential": "size dtype method out",
        "standard_gamma": "shape size dtype out",
        "standard_normal": "size dtype out",
        "triangular": "left mode right size",
        "uniform": "low high size",
        "vonmises": "mu kappa size",
        "wald": "mean scale size",
    }.items()
}  # fmt: skip
# What must be known while tracing: the shape and the dtype of the result depend on it.
STATIC = frozenset(["size", "dtype", "endpoint", "replace", "axis", "shuffle", "method", "check_valid", "tol"])
# Arguments that a method takes, where 1 is none.
_EXAMPLES: Mapping[str, float] = {"left": 0, "mode": 0.5, "right": 1, "low": 0}
_OF_METHODS: Mapping[tuple[str, str], float] = {("logseries", "p"): 0.5, ("zipf", "a"): 2}


def example(method: str, parameter: str, value: Any, given: Mapping[str, Any]) -> Any:
    """A number or an array as `value` in type and shape, such that the method takes it with the others' examples."""
    shape = np.shape(value)
    if parameter == "cov" and len(shape) == 2:
        return np.eye(*shape, dtype=value.dtype)
    number: Any = _OF_METHODS.get((method, parameter), _EXAMPLES.get(parameter, 1))
    if parameter == "low" and given.get("high") is None:
        number = 1
    if parameter in ("p", "pvals") and len(shape) > 0 and method in ("choice", "multinomial"):
        return np.full(shape, 1 / shape[-1], value.dtype)
    if method == "choice" and not shape:
        number = np.prod(given.get("size") or 1) if given.get("p") is None else len(given["p"])
    if isinstance(value, (int, float)) and not isinstance(value, np.generic):
        return type(value)(number)
    return np.full(shape, number).astype(value.dtype)[()]
