"""NumPy's own functions in C that draw one number, or sort, by their addresses: machine code calls them."""

from __future__ import annotations

import ctypes
import enum
import functools
import importlib
import re
from collections.abc import Iterator, Mapping

import numpy as np

from anabranch.base.frozen import frozen

# What the names of NumPy's functions begin with in machine code.
PREFIX = "numpy_"


class Bound(enum.Enum):
    """The numbers that a parameter takes; what NumPy raises for others, it is asked for."""

    ANY = "any"
    NOT_NEGATIVE = "not negative"
    POSITIVE = "positive"
    POISSON = "from 0 to about the largest int64"
    PROBABILITY = "above 0, up to 1"
    FRACTION = "from 0 to 1"
    COUNT = "an int that is not negative"


@frozen
class Sampler:
    """A function that draws one number."""

    symbol: str
    # Numbers in order: their names in Python, defaults, and what they may be; an int64 for a count, else a float64.
    parameters: tuple[tuple[str, float | None, Bound], ...] = ()
    is_int: bool = False  # it returns an int64, else a float64
    # How many bytes of memory it takes as its last argument, which begin as zeros: what it computes of the numbers.
    scratch: int = 0


_LOC, _SCALE = ("loc", 0.0, Bound.ANY), ("scale", 1.0, Bound.NOT_NEGATIVE)
_A = ("a", None, Bound.POSITIVE)
# By the method of `numpy.random.Generator`.
SAMPLERS: Mapping[str, Sampler] = {
    "binomial": Sampler(
        "random_binomial", (("p", None, Bound.FRACTION), ("n", None, Bound.COUNT)), is_int=True, scratch=256
    ),
    "chisquare": Sampler("random_chisquare", (("df", None, Bound.POSITIVE),)),
    "exponential": Sampler("random_exponential", (_SCALE,)),
    "gamma": Sampler("random_gamma", (("shape", None, Bound.NOT_NEGATIVE), _SCALE)),
    "geometric": Sampler("random_geometric", (("p", None, Bound.PROBABILITY),), is_int=True),
    "gumbel": Sampler("random_gumbel", (_LOC, _SCALE)),
    "laplace": Sampler("random_laplace", (_LOC, _SCALE)),
    "logistic": Sampler("random_logistic", (_LOC, _SCALE)),
    "lognormal": Sampler("random_lognormal", (("mean", 0.0, Bound.ANY), ("sigma", 1.0, Bound.NOT_NEGATIVE))),
    "normal": Sampler("random_normal", (_LOC, _SCALE)),
    "pareto": Sampler("random_pareto", (_A,)),
    "poisson": Sampler("random_poisson", (("lam", 1.0, Bound.POISSON),), is_int=True),
    "random": Sampler("random_standard_uniform"),
    "rayleigh": Sampler("random_rayleigh", (_SCALE,)),
    "standard_cauchy": Sampler("random_standard_cauchy"),
    "standard_exponential": Sampler("random_standard_exponential"),
    "standard_gamma": Sampler("random_standard_gamma", (("shape", None, Bound.NOT_NEGATIVE),)),
    "standard_normal": Sampler("random_standard_normal"),
    "standard_t": Sampler("random_standard_t", (("df", None, Bound.POSITIVE),)),
    "wald": Sampler("random_wald", (("mean", None, Bound.POSITIVE), ("scale", None, Bound.POSITIVE))),
    "weibull": Sampler("random_weibull", (("a", None, Bound.NOT_NEGATIVE),)),
}

# Of arrays alone: single numbers of it are computed in the Program.
UNIFORM = Sampler("random_uniform", (("low", 0.0, Bound.ANY), ("high", 1.0, Bound.ANY)))


@functools.cache
def address_of(symbol: str) -> int | None:
    """The address of a function of NumPy's; None where its library does not show it."""
    library = ctypes.CDLL(str(importlib.import_module("numpy.random._generator").__file__))
    function = getattr(library, symbol, None)
    return None if function is None else ctypes.cast(function, ctypes.c_void_p).value


# The places of the function that gives the address of a dtype's functions in the interface, and of its sorts that keep
# no order of equal elements among these, as `numpy/__multiarray_api.h` and `numpy/ndarraytypes.h` have them.
_GIVES_FUNCTIONS, _SORT, _ARGSORT = 365, 33, 36
# An array's address, for an argsort that of the positions, how many elements there are, and what no sort of numbers
# looks at.
SORT, ARGSORT = "declare i32 @{}(ptr, i64, ptr)", "declare i32 @{}(ptr, ptr, i64, ptr)"
_SYMBOL = "npy_{}_{}"


def sort_symbol(dtype: np.dtype) -> str:
    """The name, in machine code, of the function that sorts."""
    return _SYMBOL.format("sort", dtype.name)


def argsort_symbol(dtype: np.dtype) -> str:
    """The name of the function that puts positions in the order of the elements there."""
    return _SYMBOL.format("argsort", dtype.name)


def symbols_in(llvm: str) -> Iterator[tuple[str, int]]:
    """Yield the names of such functions in a module, with their addresses."""
    for kind, name in sorted(set(re.findall(f"@{_SYMBOL.format('(sort|argsort)', '([a-z0-9]+)')}", llvm))):
        place = _SORT if kind == "sort" else _ARGSORT
        yield _SYMBOL.format(kind, name), _functions_of(np.dtype(name))[place]


@functools.cache
def _functions_of(dtype: np.dtype) -> list[int]:
    """The addresses of a dtype's functions, up to the last of its sorts."""
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_size_t, [ctypes.py_object, ctypes.c_char_p]
    table: int = get(importlib.import_module("numpy._core._multiarray_umath")._ARRAY_API, None)
    interface = (ctypes.c_size_t * (_GIVES_FUNCTIONS + 1)).from_address(table)
    functions = ctypes.PYFUNCTYPE(ctypes.c_size_t, ctypes.py_object)(interface[_GIVES_FUNCTIONS])(dtype)
    return list((ctypes.c_size_t * (_ARGSORT + 1)).from_address(functions))
