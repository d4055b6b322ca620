"""Ops that LLVM has a shorter form for than StableHLO's ops make."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import numpy as np

from anabranch.runtime.ir.interval import Interval
from anabranch.runtime.ir.op import Op
from anabranch.runtime.ir.program import Equation
from anabranch.runtime.native import powers
from anabranch.runtime.native.instructions import UNLIKELY, Instructions
from anabranch.runtime.native.llvm_types import constant, is_lazy, value_type
from anabranch.runtime.native.value_emitter import ValueEmitter
from anabranch.runtime.ops.elementwise.casts import convert_op
from anabranch.runtime.ops.elementwise.power import whole_power
from anabranch.runtime.ops.table import OPS
from anabranch.runtime.passes.found_intervals import Known
from anabranch.runtime.passes.interval_rules import within
from anabranch.runtime.passes.sealed_loops import MOST_ELEMENTS

_INT32, _INT64 = np.dtype(np.int32), np.dtype(np.int64)
# Each int in it is a float64, too.
_FLOATS = Interval(-(2**53), 2**53)
# How many operations an element takes at least.
_COST = 12
# Writes the result for an element; an equation has such a form if the test says so.
_Form: TypeAlias = Callable[[Instructions, Equation, Sequence[str]], str]
_Test: TypeAlias = Callable[[Equation], bool]
# The same by what is known of the operands; None where there is no such form.
_FormOfKnown: TypeAlias = Callable[[Equation, Known], _Form | None]


def short_form(emitter: ValueEmitter, equation: Equation, names: Sequence[str]) -> str | None:
    """The result of an equation; None where it has no form of its own here."""
    form = _form_of(emitter, equation)
    if form is None:
        return None
    types, out = [atom.type for atom in equation.inputs], equation.outputs[0].type
    made = emitter.each(names, types, out, lambda row: form(emitter.code, equation, row))
    return emitter.arrays.costing(made, _COST) if is_lazy(made) else made


def _form_of(emitter: ValueEmitter, equation: Equation) -> _Form | None:
    of_known = _FORMS_OF_KNOWN.get(equation.op)
    if of_known is not None:
        return of_known(equation, emitter.memory.ranges.operands(equation.outputs[0]))
    has_form, form = _FORMS.get(equation.op, (None, None))
    return form if has_form is not None and has_form(equation) else None


def _is_truncation(equation: Equation) -> bool:
    source, target = equation.inputs[0].type.dtype, equation.outputs[0].type.dtype
    return source.kind == "f" and source.itemsize >= 4 and target.kind in "iu" and target != np.uint64


def _truncated(code: Instructions, equation: Equation, operands: Sequence[str]) -> str:
    """A float as int32 or int64, as x86-64 truncates it: what has no such value becomes the least one.

    Narrower ints, and uint32, are the low bits of these.
    """
    source, wanted = equation.inputs[0].type.dtype, equation.outputs[0].type.dtype
    target: np.dtype = _INT32 if wanted.itemsize < 4 or wanted == np.int32 else _INT64
    least, kind = int(np.iinfo(target).min), value_type(source)
    # Below the least int by less than one, float64 still truncates to the least int32.
    exact = source.itemsize > target.itemsize
    low = constant(np.array(float(least) - (1.0 if exact else 0.0), source))
    above = code.add(f"fcmp {'ogt' if exact else 'oge'}", kind, operands[0], low)
    below = code.add("fcmp olt", kind, operands[0], constant(np.array(-float(least), source)))
    inside = code.add("and", "i1", above, below)
    value = code.emit(f"fptosi {kind} {operands[0]} to {value_type(target)}")
    found = code.emit(f"select i1 {inside}, {value_type(target)} {value}, {value_type(target)} {least}")
    if wanted.itemsize == target.itemsize:
        return found
    return code.emit(f"trunc {value_type(target)} {found} to {value_type(wanted)}")


def _power_of_float(code: Instructions, equation: Equation, operands: Sequence[str]) -> str:
    return powers.whole_power(code, operands[0], equation.params["exponent"], equation.outputs[0].type.dtype)


def _overflow(name: str) -> _Form:
    def rule(code: Instructions, equation: Equation, operands: Sequence[str]) -> str:
        pair, callee = "{ i64, i1 }", f"llvm.{name}.with.overflow.i64"
        x, y = operands
        both = code.emit(f"call {pair} @{callee}(i64 {x}, i64 {y})", callee, pair, "i64, i64")
        return code.emit(f"extractvalue {pair} {both}, 1")

    return rule


def _multiply_high(code: Instructions, equation: Equation, operands: Sequence[str]) -> str:
    """The high half of a product of 128 bits."""
    x, y = (code.emit(f"zext i64 {name} to i128") for name in operands)
    return code.emit(f"trunc i128 {code.add('lshr', 'i128', code.add('mul', 'i128', x, y), '64')} to i64")


def _division(code: Instructions, dtype: np.dtype, x: str, y: str, is_unsigned: bool) -> tuple[str, str, str]:
    """The quotient and the remainder that C has, and where the divisor is 0 or -1, by which there is no division.

    The remainder is right there, too. That a divisor is one of these is foretold rather than waited for.
    """
    kind = value_type(dtype)
    if dtype.kind == "u" or is_unsigned:
        odd, sign = code.add("icmp eq", kind, y, "0"), "u"
    else:
        odd, sign = code.add("icmp ult", kind, code.add("add", kind, y, "1"), "2"), "s"
    divisor = code.emit(f"select i1 {odd}, {kind} 1, {kind} {y}, !prof {UNLIKELY}")
    return code.add(f"{sign}div", kind, x, divisor), code.add(f"{sign}rem", kind, x, divisor), odd


def _divides_ints(equation: Equation) -> bool:
    return equation.outputs[0].type.dtype.kind in "iu"


def _is_long_to_divide(divisor: str) -> bool:
    """Return whether a divisor is a positive constant, and no power of two."""
    return divisor.isdigit() and int(divisor) & (int(divisor) - 1) != 0


def _floor_of_quotient(code: Instructions, x: str, divisor: int) -> str:
    """The floor of an int64 divided by a constant: a product, of which LLVM makes vectors, with a shift.

    A negative int is turned into the one that has all other bits, and so is its quotient.
    """
    shift = divisor.bit_length()
    factor = -(-(2 ** (63 + shift)) // divisor)
    sign = code.add("ashr", "i64", x, "63")
    low, high = _halves(code, code.add("xor", "i64", x, sign))
    factors = str(factor % 2**32), str(factor >> 32)
    least, across, other, most = (code.add("mul", "i64", a, b) for a in (low, high) for b in factors)
    (across_low, across_high), (other_low, other_high) = _halves(code, across), _halves(code, other)
    middle = code.add("add", "i64", code.add("lshr", "i64", least, "32"), across_low)
    middle = code.add("lshr", "i64", code.add("add", "i64", middle, other_low), "32")
    top = code.add("add", "i64", code.add("add", "i64", most, across_high), code.add("add", "i64", other_high, middle))
    return code.add("xor", "i64", code.add("lshr", "i64", top, str(shift - 1)), sign)


def _halves(code: Instructions, x: str) -> tuple[str, str]:
    """The lower and the upper 32 bits of an int64."""
    return code.add("and", "i64", x, str(2**32 - 1)), code.add("lshr", "i64", x, "32")


def _shifted(name: str) -> _FormOfKnown:
    """The form of a shift by no more bits than there are, where that is known; the code for others is longer."""

    def form(equation: Equation, known: Known) -> _Form | None:
        dtype, count = equation.outputs[0].type.dtype, known[1] if known else None
        if count is None or count.low < 0 or count.high >= 8 * dtype.itemsize:
            return None
        op = "lshr" if name == "ashr" and dtype.kind == "u" else name
        return lambda code, _, operands: code.add(op, value_type(dtype), *operands)

    return form


def _divided(name: str) -> _FormOfKnown:
    """The form of a division of ints: `floor_divide`, `remainder`, or `fmod`, which truncates."""

    def form(equation: Equation, known: Known) -> _Form | None:
        if not _divides_ints(equation):
            return None
        is_signed = equation.outputs[0].type.dtype.kind == "i"
        x, y = (is_signed and i is not None and i.low >= 0 for i in known or (None, None))
        return _division_of(name, is_positive=y, is_unsigned=x and y)

    return form


def _division_of(name: str, *, is_positive: bool, is_unsigned: bool) -> _Form:
    """The form of a division by what is not negative (`is_positive`), of what is not (`is_unsigned`)."""

    def rule(code: Instructions, equation: Equation, operands: Sequence[str]) -> str:
        dtype, (x, y) = equation.outputs[0].type.dtype, operands
        if (
            name != "fmod"
            and dtype == np.int64
            and equation.outputs[0].type.size > MOST_ELEMENTS
            and _is_long_to_divide(y)
        ):
            quotient = _floor_of_quotient(code, x, int(y))
            rest = quotient if name == "floor_divide" else code.add("mul", "i64", quotient, y)
            return quotient if name == "floor_divide" else code.add("sub", "i64", x, rest)
        kind = value_type(dtype)
        quotient, remainder, odd = _division(code, dtype, x, y, is_unsigned)
        if dtype.kind == "i" and name != "fmod" and not is_unsigned:
            if is_positive:
                opposed = code.add("icmp slt", kind, remainder, "0")
            else:
                signs = code.add("icmp slt", kind, code.add("xor", kind, remainder, y), "0")
                opposed = code.add("and", "i1", code.add("icmp ne", kind, remainder, "0"), signs)
            more = code.add("add", kind, remainder, y)
            remainder = code.emit(f"select i1 {opposed}, {kind} {more}, {kind} {remainder}")
            quotient = code.add("add", kind, quotient, code.emit(f"sext i1 {opposed} to {kind}"))
        if name != "floor_divide":
            return remainder
        # By 0 it is 0, and by -1 the negative.
        product = code.add("mul", kind, x, y)
        return code.emit(f"select i1 {odd}, {kind} {product}, {kind} {quotient}, !prof {UNLIKELY}")

    return rule


def _divided_exactly(equation: Equation, known: Known) -> _Form | None:
    """The form of a true division of ints that are known to be floats: the code for others goes bit by bit."""
    if not known or not all(i is not None and within(i, _FLOATS) for i in known):
        return None

    def rule(code: Instructions, equation: Equation, operands: Sequence[str]) -> str:
        x, y = (code.emit(f"sitofp i64 {name} to double") for name in operands)
        return code.emit(f"fdiv double {x}, {y}")

    return rule


def _library(name: str) -> _Form:
    return lambda code, equation, operands: code.call(name, "double", "double", *operands)


def _is_single(equation: Equation) -> bool:
    return equation.outputs[0].type.size == 1


_FORMS: Mapping[Op, tuple[_Test, _Form]] = {
    convert_op: (_is_truncation, _truncated),
    whole_power: (lambda equation: equation.outputs[0].type.dtype == np.float64, _power_of_float),
    **{OPS[f"libm_{name}"]: (_is_single, _library(name)) for name in ("log", "sin", "cos", "erf", "erfc")},
    OPS["multiply_high"]: (lambda _: True, _multiply_high),
    OPS["add_overflows"]: (_is_single, _overflow("sadd")),
    OPS["subtract_overflows"]: (_is_single, _overflow("ssub")),
    OPS["multiply_overflows"]: (_is_single, _overflow("smul")),
}
_FORMS_OF_KNOWN: Mapping[Op, _FormOfKnown] = {
    **{OPS[name]: _divided(name) for name in ("floor_divide", "remainder", "fmod")},
    OPS["int_true_divide"]: _divided_exactly,
    OPS["left_shift"]: _shifted("shl"),
    OPS["right_shift"]: _shifted("ashr"),
}
