"""The loops of a ufunc: the dtypes that its function is called with, and which of them a call takes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.api.jit import jit
from anabranch.runtime.control.call import call
from anabranch.runtime.control.calls.broadcast_loops import dtype_of as dtype_of_result
from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.numpy import namespace
from anabranch.runtime.numpy.core import dtype_of, shape_of
from anabranch.runtime.tracing.builder import Builder, building, current, tracing
from anabranch.runtime.ufuncs.number_types import Signature
from anabranch.runtime.values import passed_functions, wrap
from anabranch.runtime.values.abstract import PYTHON_DTYPES, Kind
from anabranch.runtime.values.apply_ufunc import output_casting_error
from anabranch.runtime.values.tracer import Tracer
from anabranch.runtime.values.union import UnionValue


@frozen
class Loop:
    """The dtypes of a loop."""

    inputs: tuple[np.dtype | None, ...]  # None for one of Python's numbers, which the function sees as it is
    output: np.dtype | None  # None where the function decides

    @property
    def outputs(self) -> tuple[np.dtype | None, ...]:
        """The one output."""
        return (self.output,)


def of_signature(signature: Signature) -> Loop:
    """The loop of a signature of numbers.

    Raises `TypeError` for one of other types, or without a type to return.
    """
    types = (*signature.args, signature.return_type)
    dtypes = [getattr(t, "dtype", None) for t in types]
    if any(d is None for d in dtypes) or any(hasattr(t, "ndim") for t in types):
        raise TypeError(f"a ufunc's signature is of numbers, as 'float64(float64, int64)', not {signature}")
    return Loop(tuple(dtypes[:-1]), dtypes[-1])


def is_weak(value: Value) -> bool:
    """Return whether a value is one of Python's numbers, whose dtype that of the others decides."""
    if isinstance(value, Tracer):
        return not wrap.is_dynamic_array(value) and value.abstract.kind is Kind.PYTHON
    return type(value) in PYTHON_DTYPES


def chosen(ufunc: Any, loops: Sequence[Loop], args: Sequence[Value], dtype: np.dtype | None, casting: str) -> Loop:
    """The loop for operands, as NumPy chooses one.

    Raises `TypeError` where none fits, with NumPy's message.
    """
    weak = [is_weak(x) for x in args]
    dtypes = [x.dtype if wrap.is_dynamic_array(x) else dtype_of(x) for x in args]
    given = [(found, one and not all(weak)) for found, one in zip(dtypes, weak, strict=True)]
    if not loops:
        return _dynamic(ufunc, given, dtype, casting)
    rule = "safe" if dtype is None else casting
    for loop in loops:
        if dtype is not None and loop.output != dtype:
            continue
        if all(_fits(d, weak, want, rule) for (d, weak), want in zip(given, loop.inputs, strict=True)):
            return loop
    if dtype is not None:
        raise TypeError(f"No loop matching the specified signature and casting was found for ufunc {ufunc.__name__}")
    raise TypeError(
        f"ufunc '{ufunc.__name__}' not supported for the input types, and the inputs could not be safely coerced to "
        "any supported types according to the casting rule ''safe''"
    )


def _dynamic(ufunc: Any, given: Sequence[tuple[np.dtype, bool]], dtype: np.dtype | None, casting: str) -> Loop:
    if dtype is not None:
        for place, (found, weak) in enumerate(given):
            if not (_fits(found, weak, dtype, casting)):
                raise np._core._exceptions._UFuncInputCastingError(ufunc, casting, found, dtype, place)  # type: ignore[attr-defined]
        return Loop((dtype,) * len(given), dtype)
    return Loop(tuple(None if weak else found for found, weak in given), None)


def _fits(found: np.dtype, weak: bool, wanted: np.dtype | None, casting: Any) -> bool:
    if wanted is None:
        return True
    if not weak:
        return np.can_cast(found, wanted, casting)
    # A Python number takes any dtype of its kind or of a wider one.
    return casting == "unsafe" or _KINDS[found.kind] <= _KINDS[wanted.kind]


def elements(loop: Loop, args: Sequence[Value]) -> list[Value]:
    """One element of each operand, of the loop's dtype, whose value is known only at run time."""
    builder = current()
    made = []
    for dtype, value in zip(loop.inputs, args, strict=True):
        if dtype is None:
            made.append(value)
        else:
            made.append(wrap.numpy_result(builder.formal(ArrayType((), dtype))))
    return made


def output_dtype(function: Any, loop: Loop, args: Sequence[Value], name: str) -> np.dtype:
    """The dtype of the loop's results: what the function returns for its dtypes, whatever the elements are."""
    if loop.output is not None:
        return loop.output
    if not tracing():
        # Jitted functions run as they are now, and those of a ufunc have a dtype all the same.
        examples = [x if d is None else d.type(1) for d, x in zip(loop.inputs, args, strict=True)]
        found = jit(lambda *xs: namespace.zeros((), joined_dtype(call(function, *xs), name))).eval_shape(*examples)
        dtype: np.dtype = found.dtype
        return dtype
    outer = current()
    scratch = Builder(outer.trace, outer)
    with building(scratch):
        return joined_dtype(passed_functions.called(function)(*elements(loop, args)), name)


def joined_dtype(made: Value, name: str) -> np.dtype:
    """The dtype of an array that holds a result, whichever branch it comes from."""
    options = made.without_undefined().options if isinstance(made, UnionValue) else (made,)
    kinds: list[Any] = []
    for option in options:
        if isinstance(option, (tuple, list, dict, type(None))) or shape_of(option):
            raise TypeError(f"the function of ufunc '{name}' returns a number, not {type(option).__name__}")
        weak = is_weak(option)
        kinds.append(_EXAMPLES[dtype_of_result(option).kind] if weak else dtype_of_result(option))
    if all(type(k) in PYTHON_DTYPES for k in kinds):
        return np.result_type(*map(type, kinds))
    return np.result_type(*kinds)


_KINDS = {"b": 0, "i": 1, "u": 1, "f": 2, "c": 3}
_EXAMPLES = {"b": False, "i": 0, "f": 0.0, "c": 0j}


def check_output(ufunc: Any, source: np.dtype, target: np.dtype, casting: Any, place: int = 0) -> None:
    """Raise NumPy's error for an output that cannot take the results."""
    if not np.can_cast(source, target, casting):
        raise output_casting_error(ufunc, source, target, casting, place)
