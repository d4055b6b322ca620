"""Operations on `Array`s outside of compiled functions: each is traced once for its operands' types, compiled and kept.

The functions are those that compiled code uses, so that both give the same. What an operation's own arguments are (an
axis, a shape, the bounds of a clip) is compiled in; of a ufunc's operands and of indices only the types are.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from anabranch.base.signals import Watched
from anabranch.base.value import Value
from anabranch.runtime.api.stages import Traced
from anabranch.runtime.call.call_spec import CallSpec, Passed
from anabranch.runtime.call.execution import Execution, HostExecution, run_until_it_fits
from anabranch.runtime.config import configure, settings
from anabranch.runtime.device.array import Array, placed
from anabranch.runtime.eager.staged_calls import Operand, StagedFunctionCall, Template, described
from anabranch.runtime.frontend.trace_function import trace_call
from anabranch.runtime.signature.flatten_to_key import Leaves
from anabranch.runtime.tracing.builder import current, tracing
from anabranch.runtime.tracing.capacity import CapacitySite, Learned, OverflowedError, with_learned_sizes
from anabranch.runtime.values import apply_ufunc
from anabranch.runtime.values.abstract import PYTHON_DTYPES

# How many executables are kept, and how many small constants on the device.
_KEPT = 2048
_CONSTANTS = 1024
# Beyond it a Python int is no longer exact in every dtype that may hold it.
_EXACT = 2**24

Sizes: TypeAlias = frozenset[tuple[CapacitySite, int]]
_UNKNOWN: Sizes = frozenset()
Kind: TypeAlias = tuple[Callable[..., Any], tuple[Template, ...], tuple[tuple[str, Template], ...]]
_learned = Learned()


def call(function: Callable[..., object], args: Sequence[object], kwargs: dict[str, Value]) -> Value:
    """A staged function on Arrays and other values, compiled for this kind of call; its arrays are Arrays.

    Within a trace the function is traced along with it.
    """
    if tracing():
        return function(*map(captured, args), **{k: captured(v) for k, v in kwargs.items()})
    operands: list[Any] = []
    templates = tuple([described(a, operands) for a in args])
    named = tuple([(k, described(v, operands)) for k, v in kwargs.items()])
    return run((function, templates, named), operands)


def captured(value: Value) -> Value:
    """Return the traced counterpart of an Array, or of those in a list or tuple."""
    if isinstance(value, Array):
        return current().trace.outside.capture(value)
    if type(value) in (list, tuple):
        return type(value)(map(captured, value))
    return value


def run(kind: Kind, operands: list[Value]) -> Value:
    """Run a call that was taken apart, again with greater capacities where they were too small."""
    made = _execution(kind)
    if made.returns_one_array:
        return made.run_for_array(operands)

    def recompiled(overflow: OverflowedError) -> tuple[Execution, Leaves]:
        _learned.grow(kind, overflow, _name(kind[0]))
        return _checked(_execution(kind), operands)

    return run_until_it_fits(*_checked(made, operands), recompiled)


def _execution(kind: Kind) -> Execution:
    return _made(kind, settings().checks, frozenset(_learned.of(kind).items()) if _learned else _UNKNOWN)


def _checked(execution: Execution, operands: list[Value]) -> tuple[Execution, Leaves]:
    leaves = Leaves()
    leaves.values = list(operands)
    execution.check(leaves)
    return execution, leaves


@functools.lru_cache(maxsize=_KEPT)
def _made(kind: Kind, checks: bool, sizes: Sizes) -> Execution:
    """Return the execution of such calls."""
    call = StagedFunctionCall(*kind)
    arguments = call.arguments()
    with Watched():
        with configure(checks=checks), with_learned_sizes(dict(sizes)):
            plan = trace_call(call, arguments)
        if not plan.program.outputs:
            return HostExecution(plan)
        return Traced(plan, CallSpec(_name(call.function), (), arguments, Passed())).lower().compile().execution


def _name(function: Callable[..., object]) -> str:
    return getattr(function, "__name__", type(function).__name__)


def cache_info() -> Value:
    """How many kinds of calls were found, made and are kept, as `functools.lru_cache` gives it."""
    return _made.cache_info()


# ---- ufuncs ----------------------------------------------------------------------------------------------------------


def elementwise(function: Callable[..., Any], ufunc: np.ufunc, operands: Sequence[Value]) -> Value:
    """A call of a ufunc without keywords; Python numbers are run-time values, too, wherever that changes nothing."""
    if tracing():
        return call(function, operands, {})
    if all(type(x) is Array for x in operands):
        return run((function, tuple([Operand(x.shape, x.dtype) for x in operands]), ()), list(operands))
    # The result's dtype of a power may depend on its exponent's value.
    loop = None if ufunc is np.power else _loop(ufunc, operands)
    if loop is None:
        return call(function, operands, {})
    templates, values = [], []
    for x, dtype in zip(operands, loop, strict=False):
        value = number(x, dtype) if type(x) in PYTHON_DTYPES else x
        templates.append(Operand(value.shape, value.dtype, scalar=value is not x or isinstance(x, np.generic)))
        values.append(value)
    return run((function, tuple(templates), ()), values)


def _loop(ufunc: np.ufunc, operands: Sequence[Value]) -> tuple[np.dtype, ...] | None:
    """The dtypes with which NumPy computes; None where values matter, or operands are of other classes."""
    if len(operands) != ufunc.nin or ufunc.signature is not None:
        return None
    specs: list[Any] = []
    for x in operands:
        if isinstance(x, (Array, np.ndarray, np.generic)) and x.dtype.isnative:
            specs.append(x.dtype)
        elif type(x) in PYTHON_DTYPES and (type(x) is not int or -_EXACT <= x <= _EXACT):
            specs.append(np.dtype(np.bool_) if type(x) is bool else type(x))
        else:
            return None
    loop = apply_ufunc.resolve(ufunc, tuple(specs))
    fits = all(type(x) is not int or _holds(d, x) for x, d in zip(operands, loop, strict=False))
    return loop if fits else None


def _holds(dtype: np.dtype, value: int) -> bool:
    return dtype.kind not in "iu" or np.iinfo(dtype).min <= value <= np.iinfo(dtype).max


def number(value: object, dtype: np.dtype) -> Array:
    """A Python number on the device."""
    # Zeros of both signs are equal, so that one would be given for the other, also as a part of a complex number.
    exact = bool(value) and type(value) is not complex
    return _number(value, dtype) if exact else placed(np.asarray(value, dtype))


@functools.lru_cache(maxsize=_CONSTANTS, typed=True)
def _number(value: object, dtype: np.dtype) -> Array:
    with np.errstate(over="ignore"):
        return placed(np.asarray(value, dtype))


def power(x: object, y: object) -> Value:
    """`x ** y`, which NumPy computes in another way than `np.power(x, y)`."""
    return apply_ufunc.operator(np.power, x, y)
