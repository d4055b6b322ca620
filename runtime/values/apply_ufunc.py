"""ufuncs on traced values: NEP 50 promotion by NumPy's own rules, casting, broadcasting."""

from __future__ import annotations

import collections
import functools
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from anabranch.base.grammar import a
from anabranch.base.value import Value
from anabranch.runtime.device import array as device
from anabranch.runtime.errors import ShapeMismatchError, UnsupportedOperationError, UnsupportedValueError
from anabranch.runtime.ir.program import Atom, Literal
from anabranch.runtime.ops.elementwise.power import WHOLE_POWERS
from anabranch.runtime.values import atoms, registry, wrap
from anabranch.runtime.values.abstract import PYTHON_DTYPES, Kind, PythonType
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.memory import memory_layout
from anabranch.runtime.values.number_sequence import NUMBERS
from anabranch.runtime.values.run_time_container import RunTimeContainer
from anabranch.runtime.values.tracer import COMPARISONS, Tracer
from anabranch.runtime.values.union import UnionValue

# An operand as promotion takes it: its dtype, or the Python type of a number that is weak.
Spec: TypeAlias = np.dtype | PythonType
# The exponents for which products of ints take less time than a loop over the exponent's bits.
_FEW_FACTORS = range(2, 33)
_POWERS = (np.power, np.float_power)


def operator(function: np.ufunc, left: object, right: object) -> Value:
    """A Python operator between NumPy-like values; unknown operands are left to their own reflected method."""
    if function is not np.multiply or any(map(_is_array, (left, right))):  # a number repeats a sequence
        left, right = map(_elements, (left, right))
    left, right = (wrap.numpy_operand(x) if isinstance(x, NUMBERS) else x for x in (left, right))
    for operand in (left, right):
        if not isinstance(operand, (Tracer, np.ndarray, np.generic, bool, int, float, complex, list, tuple)):
            _refuse_library_number(function, operand)
            return NotImplemented
        if isinstance(operand, (np.ndarray, np.generic)) and operand.dtype.kind in "mM":
            return NotImplemented  # NumPy asks `__array_ufunc__` then
    return apply(function, (left, right), _power_of(left))


def _is_array(operand: object) -> bool:
    if isinstance(operand, Tracer) and not wrap.is_dynamic_array(operand):
        return operand.abstract.kind is Kind.ARRAY
    return isinstance(operand, (Tracer, np.ndarray))


def _elements(operand: object) -> Value:
    """The array of the elements of a sequence that is no list or tuple of Python's; anything else is left as it is."""
    is_sequence = isinstance(operand, RunTimeContainer) and operand.native in (list, tuple)
    return registry.FUNCTIONS[np.array](operand) if is_sequence or isinstance(operand, collections.deque) else operand


def _refuse_library_number(function: np.ufunc, operand: object) -> None:
    """Refuse numbers of the standard library that Python computes with: their methods know no run-time values."""
    for kind in type(operand).__mro__:
        scaled = kind.__module__ == "datetime" and kind.__name__ == "timedelta" and function in _SCALING
        if scaled or kind.__module__ in ("decimal", "_pydecimal", "fractions"):
            raise UnsupportedOperationError(
                f"{a(type(operand).__name__)} and a number known only at run time cannot be computed with or compared "
                f"in compiled code; take {'its total_seconds()' if scaled else 'float() of it, or int(),'} before"
            )


_SCALING = (np.multiply, np.true_divide, np.floor_divide)


def apply(
    function: np.ufunc, operands: Sequence[object], power: Callable[[Any, Any], object] | None = np.power
) -> Value:
    """`function(*operands)` as NumPy computes it: an array handle, or a NumPy scalar where the shape is ().

    Raises `TypeError` where NumPy has no loop for the dtypes (`numpy._core._exceptions._UFuncNoLoopError`). Raises
    `ValueError` where the shapes do not broadcast.
    """
    if any(isinstance(x, list) for x in operands):  # one may have a length known only at run time
        operands = [wrap.numpy_operand(x) if isinstance(x, list) else x for x in operands]
        choice = next((x for x in operands if isinstance(x, UnionValue)), None)
        if choice is not None:  # an array of the dtype that the numbers in the list give it
            return choice.through(lambda one: apply(function, [one if x is choice else x for x in operands], power))
    if any(map(wrap.is_dynamic_array, operands)):
        fill = 1 if function is np.power else None
        return registry.DYNAMIC_SHAPE_OPERATIONS[np.ufunc](lambda *xs: apply(function, xs, power), operands, fill)
    results = _of_one_type(function, operands) or apply_atoms(function, operands, power=power)
    wrapped = tuple(memory_layout.keep_order(wrap.numpy_result(r), operands) for r in results)
    return wrapped[0] if len(wrapped) == 1 else wrapped


def _of_one_type(function: np.ufunc, operands: Sequence[Value]) -> tuple[Atom, ...] | None:
    """The result atoms where the operands are run-time arrays or NumPy scalars of one type, which the ufunc takes.

    Nothing is promoted, cast or stretched then, as most often; None otherwise.
    """
    if function is np.power:
        return None
    types = [x.abstract for x in operands if isinstance(x, Tracer)]
    if len(types) < len(operands):
        return None
    shape, dtype = types[0].shape, types[0].dtype
    if any(t.kind not in (Kind.ARRAY, Kind.SCALAR) or t.shape != shape or t.dtype != dtype for t in types):
        return None
    loop = _resolve(function, (dtype,) * len(types), None, "same_kind")
    if any(d != dtype for d in loop[: len(types)]):
        return None
    return atoms.ufunc_all(function, *[x.atom for x in operands])


def apply_atoms(
    function: np.ufunc,
    operands: Sequence[Value],
    dtype: object = None,
    casting: object = "same_kind",
    power: Callable[[Any, Any], object] | None = np.power,
    output: np.dtype | None = None,
) -> tuple[Atom, ...]:
    """The result atoms of a ufunc; `dtype` and `casting` as the ufunc's own arguments.

    `power` is the form in which the program asks for a power, where that matters. `output` is the dtype of the array
    that the result is meant for; where it cannot be cast to that, it is not computed.
    """
    operands = [wrap.numpy_operand(x) for x in operands]
    specs = [_spec(x) for x in operands]
    if function in COMPARISONS:
        operands = [_saturated(x, specs) for x in operands]
        specs = [_spec(x) for x in operands]
        specs = [_fit(x, s, specs) for x, s in zip(operands, specs, strict=True)]
    loop = _loop(function, specs, dtype, casting, output)
    shapes = [wrap.shape_of(x) for x in operands]
    shape = shapes[0] if all(s == shapes[0] for s in shapes) else broadcast_shapes(*shapes)
    inputs = [
        atoms.broadcast_to(wrap.as_atom(x, d), shape) for x, d in zip(operands, loop[: function.nin], strict=True)
    ]
    if function is np.power and power is pow and loop[0].kind == "i" and _is_square_of_truth(specs[0], operands[1]):
        truth = wrap.as_atom(operands[0], (np.ones(1, np.bool_) ** 2).dtype)
        return atoms.ufunc_all(np.multiply, truth, truth)
    if function is np.power and power is not None and _is_single(operands[1], 0.5) and _is_root(power, loop[0]):
        return atoms.ufunc_all(np.sqrt, inputs[0])
    if function is np.power and loop[0].char in "fdFD" and _is_single(operands[1], 2.0):
        # NumPy, too, multiplies, and XLA would not in all places see what the exponent is.
        return atoms.ufunc_all(np.square, inputs[0])
    if function in _POWERS and loop[0].char in "fd" and shape and (exponent := _single(operands[1])) in WHOLE_POWERS:
        return (atoms.op("whole_power", inputs[0], exponent=int(exponent)),)
    if function is np.power and loop[0].kind in "iu" and (exponent := _single(operands[1])) in _FEW_FACTORS:
        return (_power_of_int(inputs[0], int(exponent)),)
    if function is np.divmod and loop[0].kind in "iu" and _single(operands[1]) is not None:
        # Each has a form without divisions.
        return tuple(atoms.ufunc(one, *inputs) for one in (np.floor_divide, np.remainder))
    if function is np.power and loop[1].kind == "i" and 0 not in shape and _may_be_negative(operands[1]):
        refuse_negative_exponents(wrap.as_atom(operands[1], loop[1]))
    return atoms.ufunc_all(function, *inputs)


def _loop(
    function: np.ufunc, specs: Sequence[Spec], dtype: Value, casting: Value, output: np.dtype | None
) -> tuple[np.dtype, ...]:
    """The dtypes of the operands and results, which an output can take."""
    loop = _resolve(function, tuple(specs), None if dtype is None else np.dtype(dtype), casting)
    if output is not None and not np.can_cast(loop[-1], output, casting):
        raise output_casting_error(function, loop[-1], output, casting, function.nin)
    return loop


def check_output(function: np.ufunc, operands: Sequence[Value], output: np.dtype) -> None:
    """Raise where an array cannot take a result, as NumPy does before it looks at shapes."""
    whole = [x.memory if wrap.is_dynamic_array(x) else wrap.numpy_operand(x) for x in operands]
    _loop(function, [_spec(x) for x in whole], None, "same_kind", output)


def output_casting_error(
    ufunc: np.ufunc, source: np.dtype, target: np.dtype, casting: object, place: int = 0
) -> Exception:
    """The exception NumPy raises for an output that cannot take the result."""
    error: Exception = np._core._exceptions._UFuncOutputCastingError(  # type: ignore[attr-defined]
        ufunc, casting, source, target, place
    )
    return error


def _saturated(x: object, specs: Sequence[Spec]) -> Value:
    """A Python int beyond the integers that it is compared with, as what compares with all of them in the same way."""
    dtypes = [s for s in specs if isinstance(s, np.dtype)]
    if type(x) is not int or not dtypes or any(d.kind not in "iu" for d in dtypes):
        return x
    highest = 2**64 if np.dtype(np.uint64) in dtypes else 2**63
    return x if -(2**63) <= x < highest else np.float64(np.inf if x > 0 else -np.inf)


def _is_square_of_truth(base: object, exponent: object) -> bool:
    """Return whether the operator's form of a power is NumPy's `square`, which makes a small integer of a bool."""
    return base == np.bool_ and type(exponent) is int and exponent == 2


def _power_of(base: object) -> Callable[[Any, Any], Any] | None:
    """The form of a power by the operator: that of NumPy's scalars is the C library's."""
    if isinstance(base, Tracer) and not wrap.is_dynamic_array(base):
        return pow if base.abstract.kind is Kind.ARRAY else None
    return None if isinstance(base, np.generic) or np.isscalar(base) else pow


def _power_of_int(x: Atom, exponent: int) -> Atom:
    """The product of so many equal ints, which wraps in any order."""
    half = x if exponent < 4 else _power_of_int(x, exponent // 2)
    square = atoms.ufunc(np.multiply, half, half)
    return atoms.ufunc(np.multiply, square, x) if exponent % 2 else square


def _is_single(exponent: Value, value: float) -> bool:
    """Return whether an exponent is known to be a single number, and this one."""
    return bool(_single(exponent) == value)


def _single(exponent: Value) -> Any:
    """An exponent that is known to be a single number; None for any other."""
    if isinstance(exponent, Tracer):
        atom = atoms.held_by(exponent)
        exponent = atom.value if isinstance(atom, Literal) else ()
    return np.asarray(exponent).reshape(-1)[0] if np.size(exponent) == 1 else None


@functools.cache
def _is_root(power: Callable[[Any, Any], Any], dtype: np.dtype) -> bool:
    """Return whether this version of NumPy takes the square root instead, which differs for -0.0 and -inf."""
    if dtype.kind not in "fc":
        return False
    with np.errstate(all="ignore"):
        if dtype.kind == "f":
            return bool(np.signbit(power(np.full(2, -0.0, dtype), 0.5)).all())
        return bool((power(np.full(2, -1, dtype), 0.5).real == 0).all())


def _may_be_negative(exponent: Value) -> bool:
    interval = getattr(exponent, "interval", None)
    return interval is None or interval.low < 0


def refuse_negative_exponents(exponent: Atom) -> None:
    """Raise, as NumPy does, where an exponent of integers is negative."""
    if isinstance(exponent, Literal) and (exponent.value >= 0).all():
        return
    least = atoms.broadcast_to(atoms.literal(0, exponent.type.dtype), exponent.type.shape)
    negative = atoms.any_of(atoms.ufunc(np.less, exponent, least))
    run_time_checks.fail_if(negative, lambda _: ValueError("Integers to negative integer powers are not allowed."))


def broadcast_shapes(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """As `numpy.broadcast_shapes`, which knows no more than 32 axes, with the message of operators."""
    axes = max(map(len, shapes), default=0)
    aligned = zip(*((1,) * (axes - len(s)) + tuple(s) for s in shapes), strict=True)
    sizes = [set(each) - {1} for each in aligned]
    if any(len(several) > 1 for several in sizes):
        text = " ".join(map(atoms.shape_text, shapes))
        raise ShapeMismatchError(f"operands could not be broadcast together with shapes {text} ")
    return tuple(several.pop() if several else 1 for several in sizes)


def _spec(x: Value) -> Spec:
    """The operand as NumPy's promotion takes it: a dtype, or a Python type where the value is weak."""
    if isinstance(x, Tracer):
        abstract = x.abstract
        if abstract.kind is Kind.PYTHON:
            return np.dtype(np.bool_) if abstract.python is bool else abstract.python
        return abstract.dtype
    if type(x) in PYTHON_DTYPES:
        return np.dtype(np.bool_) if type(x) is bool else type(x)
    dtype: np.dtype = x.dtype
    return dtype


def _fit(x: Value, spec: Spec, specs: Sequence[Spec]) -> Spec:
    """For comparisons: NumPy compares with any Python int, also one that the array's dtype cannot hold."""
    narrow = [s for s in specs if isinstance(s, np.dtype) and s.kind in "iu"]
    if spec is not int or not narrow:
        return spec
    info = np.iinfo(narrow[0])
    fits = not isinstance(x, Tracer) and info.min <= x <= info.max
    return spec if fits else PYTHON_DTYPES[int]


def resolve(function: np.ufunc, specs: tuple[Spec, ...]) -> tuple[np.dtype, ...]:
    """The dtypes of operands and results with which NumPy computes; `specs` are dtypes, and types of Python numbers."""
    return _resolve(function, specs, None, "same_kind")


@functools.lru_cache(maxsize=4096)
def _resolve(function: np.ufunc, specs: tuple[Spec, ...], dtype: object, casting: object) -> tuple[np.dtype, ...]:
    # With only Python scalars there is nothing to be weak against: NumPy uses their default dtypes.
    weak = [s for s in specs if isinstance(s, type)]
    if len(weak) == len(specs):
        specs = tuple(PYTHON_DTYPES[s] for s in weak)
    options: dict[str, Any] = {"casting": casting}
    if dtype is not None:
        options["signature"] = (None,) * function.nin + (dtype,) * function.nout
    loop: tuple[np.dtype, ...] = function.resolve_dtypes((*specs, *(None,) * function.nout), **options)
    for d in loop:
        if not device.holds(d):
            raise UnsupportedValueError(
                f"numpy.{function.__name__} with dtype {d} cannot be compiled; convert its arguments to another dtype"
            )
    return loop


NO_TRUTH_OF_NONE = (
    "The truth value of an empty array is ambiguous. Use `array.size > 0` to check that an array is not empty."
)
NO_TRUTH_OF_MANY = "The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()"


def truth(value: object) -> Atom:
    """The truth value of a traced scalar or one-element array, as a bool scalar atom.

    Raises `ValueError` for an array with more than one element, as NumPy does.
    """
    if wrap.is_dynamic_array(value):
        return registry.DYNAMIC_SHAPE_OPERATIONS[bool](value)  # type: ignore[no-any-return]
    atom = atoms.held_by(value) or wrap.as_atom(value)
    if atom.type.size != 1:
        if atom.type.size == 0:
            raise ValueError(NO_TRUTH_OF_NONE)
        raise ValueError(NO_TRUTH_OF_MANY)
    atom = atoms.reshape(atom, ())
    return atom if atom.type.dtype == np.bool_ else atoms.convert(atom, np.bool_)
