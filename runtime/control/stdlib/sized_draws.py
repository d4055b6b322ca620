"""Draws of NumPy's generators of so many numbers as are known only at run time: one after the other, as NumPy draws."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.control.stdlib import itertools_source as source
from anabranch.runtime.control.stdlib.going_on import one
from anabranch.runtime.numpy.random import draws, methods
from anabranch.runtime.numpy.random.parameters import PARAMETERS
from anabranch.runtime.values import registry, wrap
from anabranch.runtime.values.arrays.numpy_scalar import NumPyScalar
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.python_numbers.python_scalar import PythonScalar
from anabranch.runtime.values.random_generators import TracedGenerator
from anabranch.runtime.values.tracer import Tracer

# Methods that draw for each number what they draw for one.
_NUMBERS = frozenset(
    {
        "beta", "binomial", "chisquare", "choice", "exponential", "f", "gamma", "geometric", "gumbel", "hypergeometric",
        "integers", "laplace", "logistic", "lognormal", "logseries", "negative_binomial", "noncentral_chisquare",
        "normal", "pareto", "poisson", "power", "randint", "random", "random_sample", "rayleigh", "standard_cauchy",
        "standard_exponential", "standard_gamma", "standard_normal", "standard_t", "triangular", "uniform", "vonmises",
        "wald", "weibull", "zipf",
    }
)  # fmt: skip
_BY_SIZES = {"rand": "random_sample", "randn": "standard_normal"}
# With these a method draws in another way, or gives numbers of another type.
_OTHERS = ("dtype", "method", "out", "replace", "axis", "shuffle")


class SizedMethod(methods.Method):
    """A method of a traced generator of NumPy's, which may be asked for any number of numbers."""

    def __call__(self, *args: Value, **kwargs: Value) -> Value:
        name = _BY_SIZES.get(self.__name__, self.__name__) if args and not kwargs else self.__name__
        given = {"size": args} if name != self.__name__ else draws.keywords(PARAMETERS.get(name, ()), args, kwargs)
        count, *row = _sizes((given or {}).get("size"))
        if given is None or name not in _NUMBERS or not _is_int(count) or _is_unlike(given, row):
            return super().__call__(*args, **kwargs)
        return _drawn(methods.method(self.generator, name), {**given, "size": tuple(row) or None}, count)


def _sizes(size: Value) -> tuple[Value, ...]:
    return (size,) if isinstance(size, Tracer) else tuple(size) if isinstance(size, (tuple, list)) and size else (None,)


def _is_int(count: Value) -> bool:
    """Return whether it is an int known only at run time; an array says several sizes, and others are refused."""
    return isinstance(count, (PythonScalar, NumPyScalar)) and count.abstract.dtype.kind in "iu"


def _is_unlike(given: Mapping[str, Value], row: list[Value]) -> bool:
    """Return whether the numbers are drawn in another way than one after the other, or make up other rows."""
    return any(given.get(name) is not None for name in _OTHERS) or not all(type(n) is int for n in row)


def _drawn(method: Callable[..., Any], given: Mapping[str, Value], count: Value) -> Value:
    negative = wrap.as_atom(count < 0, np.bool_)
    run_time_checks.fail_if(negative, lambda _: ValueError("negative dimensions are not allowed"))
    # The method is told by a default, so that the loop finds the generator that it changes.
    found = one(source.repeatfunc, lambda method=method: method(**given), count)
    return registry.FUNCTIONS[np.array](found)


def method(generator: TracedGenerator, name: str) -> methods.Method:
    """A method of a generator of NumPy's."""
    methods.method(generator, name)  # raises where there is none
    return SizedMethod(generator, name)
