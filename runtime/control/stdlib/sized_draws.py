"""Draws of NumPy's generators of so many numbers as are known only at run time: one after the other, as NumPy draws."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.control.stdlib import itertools_source as source
from anabranch.runtime.control.stdlib.going_on import one
from anabranch.runtime.numpy import core
from anabranch.runtime.numpy.random import draws, methods
from anabranch.runtime.numpy.random.draws import PARAMETERS
from anabranch.runtime.values import registry, wrap
from anabranch.runtime.values.arrays.numpy_scalar import NumPyScalar
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.dynamic_lists.growable_list import is_dynamic_list
from anabranch.runtime.values.dynamic_lists.list_as_array import as_array
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
        if given is not None and "size" in given:
            given = {**given, "size": core.resolved(given["size"])}
        count, *row = _sizes((given or {}).get("size"))
        if (
            given is not None
            and name == "choice"
            and _is_int(count)
            and not row
            and _is_permuted(self.generator, given)
        ):
            return _without_repetition(methods.method(self.generator, "permutation"), given["a"], count)
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
    others = [name for name in _OTHERS if given.get(name) is not None and (name, given[name]) != ("replace", True)]
    return bool(others) or not all(type(n) is int for n in row)


def _is_permuted(generator: TracedGenerator, given: Mapping[str, Value]) -> bool:
    """Return whether a choice is the beginning of a permutation: `RandomState`'s of things without repetition."""
    others = {name for name, value in given.items() if value is not None} - {"a", "size", "replace"}
    a = given.get("a")
    is_known = type(a) is int or isinstance(a, np.ndarray) or (isinstance(a, TracedArray) and a.ndim == 1)
    return generator.generator_kind.is_legacy and given.get("replace") is False and not others and is_known


def _without_repetition(permutation: Callable[..., Any], a: Value, count: Value) -> Value:
    most = a if type(a) is int else len(a)
    _fail(count < 0, "Negative dimensions are not allowed")
    _fail(count > most, "Cannot take a larger sample than population when 'replace=False'")
    places = permutation(most)[:count]
    return places if type(a) is int else registry.FUNCTIONS[np.take](a, places)


def _fail(is_wrong: Value, words: str) -> None:
    run_time_checks.fail_if(wrap.as_atom(is_wrong, np.bool_), lambda _: ValueError(words))


def _drawn(method: Callable[..., Any], given: Mapping[str, Value], count: Value) -> Value:
    _fail(count < 0, "negative dimensions are not allowed")
    # The method is told by a default, so that the loop finds the generator that it changes.
    found = one(source.repeatfunc, lambda method=method: method(**given), count)
    return as_array(found.items, of_nothing=None) if is_dynamic_list(found) else registry.FUNCTIONS[np.array](found)


def method(generator: TracedGenerator, name: str) -> methods.Method:
    """A method of a generator of NumPy's."""
    methods.method(generator, name)  # raises where there is none
    return SizedMethod(generator, name)
