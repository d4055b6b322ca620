"""Draws: calls of a generator's methods as equations from one state to the next."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.numpy import core
from anabranch.runtime.ops.host_call import exception_of
from anabranch.runtime.ops.random_draws import DrawCall, Operand, random_draw
from anabranch.runtime.tracing.builder import current
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.abstract import Abstract, Kind, abstract_of
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.heap import try_regions
from anabranch.runtime.values.random_generators import TracedGenerator
from anabranch.runtime.values.static_requests import request_static
from anabranch.runtime.values.tracer import Tracer

_LARGE = 2**12  # elements of a result that are not drawn for a trial


class Operands:
    """The arguments of calls that are inputs of equations."""

    def __init__(self) -> None:
        self.atoms: list[Atom] = []

    def argument(self, value: Value) -> Any:
        """The stand-in for an argument in a call: an input for what is known only at run time, and for arrays."""
        if isinstance(value, (list, tuple)):
            value = wrap.numpy_operand(value) if core.traced_inside(value) else np.asarray(value)
        if wrap.is_dynamic_array(value):
            raise UnsupportedOperationError(
                "an array whose size is known only at run time is no argument of a generator's method in compiled "
                "code; draw positions with integers(n), or make the array outside"
            )
        if not (isinstance(value, np.ndarray) or core.traced_inside(value)):
            return value
        value = core.operand(core.resolved(value))
        self.atoms.append(wrap.as_atom(value))
        is_python = isinstance(value, Tracer) and value.abstract.kind is Kind.PYTHON
        return Operand(len(self.atoms) - 1, is_python)


def draw(
    generator: TracedGenerator,
    call: DrawCall,
    operands: Sequence[Atom],
    out: Abstract | None,
    may_fail: bool,
    wrong: Atom | None = None,
) -> Value:
    """Make a call on a generator's state, unless its arguments are `wrong`; returns its result, of this type."""
    words = generator.state_words
    off = is_off(generator)
    off = off if wrong is None else atoms.logical_or(off, wrong)
    type = None if out is None else ArrayType(out.shape, np.dtype(out.dtype))
    after, ticket, *made = current().bind(
        random_draw,
        words.atom,
        off,
        *operands,
        kind=generator.generator_kind,
        call=call,
        out=type,
        is_checked=not may_fail,
    )
    words.overwrite(after)
    if may_fail:
        fail_by_ticket(ticket)
    return wrap.from_abstract(out, made[0]) if out is not None else None


def fail_by_ticket(ticket: Atom) -> None:
    """Fail with what a draw has raised, where its ticket is not 0."""
    run_time_checks.fail_if(atoms.ufunc(np.not_equal, ticket, atoms.literal(0, np.int64)), _error_of, ticket)


def _error_of(ticket: int) -> BaseException:
    """The exception of a ticket; before a draw has raised it, a `ValueError` of no words."""
    return exception_of(ticket) or ValueError()


def is_off(generator: TracedGenerator) -> Atom:
    """Return whether nothing is to be drawn, since something has failed: then the state stays as it is."""
    builder = current()
    if generator.state_words.storage in builder.trace.identity.callers_memory:
        code = builder.read(builder.trace.failures.error_code)
        return atoms.ufunc(np.not_equal, code, atoms.literal(0, np.int32))
    fine = try_regions.nothing_failed()
    return atoms.literal(False) if fine is None else atoms.logical_not(fine)


def trial(generator: TracedGenerator, call: DrawCall, arrays: Sequence[np.ndarray]) -> Any:
    """The result of a call on another generator of the same kind."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return call.on(generator.generator_kind.scratch(), arrays)


def type_of(method: str, result: Any) -> Abstract | None:
    """The type of a result, by that of a trial."""
    found = abstract_of(result)
    if result is None or (found is not None and found.dtype.kind in "biufc"):
        return found
    return refuse(method, f"its result is no number and no array of numbers ({type(result).__name__})")


def refuse(method: str, why: str) -> NoReturn:
    """Refuse a method of a generator."""
    raise UnsupportedOperationError(
        f"{method}() of a generator of random numbers is not supported in compiled code: {why}; call it outside, and "
        "pass what it returns as an argument"
    )


def known(value: Value, what: str) -> Value:
    """An argument that must be known while tracing."""
    for part in value if isinstance(value, (list, tuple)) else (value,):
        if isinstance(part, Tracer):
            request_static(atoms.held_by(part), what)
    return value


def is_large(size: Any) -> bool:
    """Return whether a result of this size is too large for a trial."""
    return size is not None and math.prod(np.atleast_1d(size).tolist()) > _LARGE


def keywords(parameters: Sequence[str], args: Sequence[Value], kwargs: Mapping[str, Value]) -> dict[str, Value] | None:
    """The arguments by name; None where they do not fit the parameters."""
    if len(args) > len(parameters) or not kwargs.keys() <= set(parameters[len(args) :]):
        return None
    return {**dict(zip(parameters, args, strict=False)), **kwargs}


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
