"""StableHLO's elementwise ops on single values, as LLVM instructions.

Each has XLA's results, but for the functions of a mathematical library, which are those of the C library.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import numpy as np

from anabranch.runtime.native.float_functions import of_angle, remainder
from anabranch.runtime.native.instructions import UNLIKELY, Instructions
from anabranch.runtime.native.llvm_types import NotNativeError, constant, joined, part, parts, value_type
from anabranch.runtime.native.powers import any_power, known_power

# Instructions, operands, the dtype of the operands and that of the result, to the result.
Rule: TypeAlias = Callable[[Instructions, list[str], np.dtype, np.dtype], str]

COMPARISONS = {
    "f": {"EQ": "oeq", "NE": "une", "LT": "olt", "LE": "ole", "GT": "ogt", "GE": "oge"},
    "i": {"EQ": "eq", "NE": "ne", "LT": "slt", "LE": "sle", "GT": "sgt", "GE": "sge"},
    "u": {"EQ": "eq", "NE": "ne", "LT": "ult", "LE": "ule", "GT": "ugt", "GE": "uge"},
}


def compare(code: Instructions, x: str, y: str, direction: str, dtype: np.dtype) -> str:
    """The comparison of two values, a bool."""
    if dtype.kind == "c":
        (a, b), (c, d) = parts(x), parts(y)
        real, imag = (compare(code, p, q, direction, part(dtype)) for p, q in ((a, c), (b, d)))
        return code.add("and" if direction == "EQ" else "or", "i1", real, imag)
    kind = "u" if dtype.kind == "b" else dtype.kind
    name = COMPARISONS[kind][direction]
    return code.add(f"{'fcmp' if kind == 'f' else 'icmp'} {name}", value_type(dtype), x, y)


def select(code: Instructions, pred: str, x: str, y: str, dtype: np.dtype, *, unlikely: bool = False) -> str:
    """The first value where the predicate holds, which it hardly ever does where it is `unlikely`, else the second."""
    type, weights = value_type(dtype), f", !prof {UNLIKELY}" if unlikely else ""
    chosen = [
        p if p == q else code.emit(f"select i1 {pred}, {type} {p}, {type} {q}{weights}")
        for p, q in zip(parts(x), parts(y), strict=True)
    ]
    return chosen[0] if len(chosen) == 1 else joined(*chosen)


def multiply_add(code: Instructions, operands: Sequence[str], dtype: np.dtype) -> str:
    """The sum of a product and a value, fused on the machines that can."""
    type = value_type(dtype)
    return code.call(f"llvm.fmuladd.{_suffix(dtype)}", type, type, *operands)


def convert(code: Instructions, x: str, source: np.dtype, target: np.dtype) -> str:
    """XLA's conversion, of floats to integers with saturation."""
    before, after = value_type(source), value_type(target)
    if source.kind == target.kind == "c":
        return joined(*(convert(code, one, part(source), part(target)) for one in parts(x)))
    if source.kind == "c" or target.kind == "c":
        raise NotNativeError(f"a conversion of {source} to {target}")
    if target.kind == "b":
        return compare(code, x, constant(np.zeros((), source)), "NE", source)
    if target.kind == "f":
        if source.kind == "f":
            cast = "fpext" if target.itemsize > source.itemsize else "fptrunc"
        else:
            cast = "sitofp" if source.kind == "i" else "uitofp"
    elif source.kind == "f":
        return _saturated(code, x, source, target)
    else:
        wider = "sext" if source.kind == "i" else "zext"
        size = 0 if source.kind == "b" else source.itemsize
        cast = wider if target.itemsize > size else "trunc"
    return x if before == after else code.emit(f"{cast} {before} {x} to {after}")


def _saturated(code: Instructions, x: str, source: np.dtype, target: np.dtype) -> str:
    """A float as the nearest int on the way to zero, NaN as 0; LLVM makes no vectors of its own function for that."""
    before, after, info = value_type(source), value_type(target), np.iinfo(target)
    low, high = float(info.min), float(info.max // 2 + 1) * 2
    is_in = code.add("fcmp oge" if info.min else "fcmp ogt", before, x, constant(np.array(low or -1.0, source)))
    is_in = code.add("and", "i1", is_in, code.add("fcmp olt", before, x, constant(np.array(high, source))))
    value = code.emit(f"fpto{'s' if info.min else 'u'}i {before} {x} to {after}")
    is_high = code.add("fcmp ogt", before, x, constant(np.zeros((), source)))
    beyond = code.emit(f"select i1 {is_high}, {after} {info.max}, {after} {info.min}")
    beyond = code.emit(f"select i1 {code.add('fcmp uno', before, x, x)}, {after} 0, {after} {beyond}")
    return code.emit(f"select i1 {is_in}, {after} {value}, {after} {beyond}")


def _suffix(dtype: np.dtype) -> str:
    return f"{'f' if dtype.kind == 'f' else 'i'}{8 * dtype.itemsize}"


def _of_kind(**names: str) -> Rule:
    """The rule of an instruction of two operands, by the kind of the operands."""
    table = {kind: name for kinds, name in names.items() for kind in kinds}

    def rule(code: Instructions, operands: list[str], dtype: np.dtype, out: np.dtype) -> str:
        name = table.get(dtype.kind)
        if name is None:
            raise NotNativeError(f"an operation on {dtype}")
        made = [code.add(name, value_type(dtype), *pair) for pair in zip(*map(parts, operands), strict=True)]
        return made[0] if len(made) == 1 else joined(*made)

    return rule


def _complex_product(code: Instructions, operands: list[str], dtype: np.dtype, out: np.dtype) -> str:
    """The product by its definition, as XLA and BLAS have it."""
    kind, ((a, b), (c, d)) = value_type(dtype), map(parts, operands)
    products = [code.add("fmul", kind, *pair) for pair in ((a, c), (b, d), (a, d), (b, c))]
    return joined(code.add("fsub", kind, *products[:2]), code.add("fadd", kind, *products[2:]))


def _guarded(name: str, of_zero: Callable[[str], str]) -> Rule:
    """A division of ints: LLVM's has no result for a divisor of 0, and none for the least int by -1."""

    def rule(code: Instructions, operands: list[str], dtype: np.dtype, out: np.dtype) -> str:
        x, y = operands
        type, signed = value_type(dtype), dtype.kind == "i"
        op = f"{'s' if signed else 'u'}{name}"
        if _is_safe_divisor(y):
            return code.add(op, type, x, y)
        zero = code.add("icmp eq", type, y, "0")
        unsafe, wrapped = zero, zero
        if signed:
            wrapped = code.add("icmp eq", type, y, "-1")
            unsafe = code.add("or", "i1", zero, wrapped)
        result = code.add(op, type, x, code.emit(f"select i1 {unsafe}, {type} 1, {type} {y}"))
        if signed:
            negated = code.add("sub", type, "0", x) if name == "div" else "0"
            result = code.emit(f"select i1 {wrapped}, {type} {negated}, {type} {result}")
        return code.emit(f"select i1 {zero}, {type} {of_zero(x)}, {type} {result}")

    return rule


def _is_safe_divisor(name: str) -> bool:
    return name.lstrip("-").isdigit() and name not in ("0", "-1")


def _by_kind(**rules: Rule) -> Rule:
    table = {kind: rule for kinds, rule in rules.items() for kind in kinds}

    def rule(code: Instructions, operands: list[str], dtype: np.dtype, out: np.dtype) -> str:
        if dtype.kind not in table:
            raise NotNativeError(f"an operation on {dtype}")
        return table[dtype.kind](code, operands, dtype, out)

    return rule


def _intrinsic(name: str) -> Rule:
    """The rule of an intrinsic function of operands and result of one type."""

    def rule(code: Instructions, operands: list[str], dtype: np.dtype, out: np.dtype) -> str:
        _single(dtype)
        type = value_type(dtype)
        return code.call(f"llvm.{name}.{_suffix(dtype)}", type, type, *operands)

    return rule


def _library(name: str) -> Rule:
    """The rule of a function of the C library."""

    def rule(code: Instructions, operands: list[str], dtype: np.dtype, out: np.dtype) -> str:
        if dtype.kind != "f":
            raise NotNativeError(f"{name} of {dtype}")
        type = value_type(dtype)
        return code.call(name if dtype.itemsize == 8 else f"{name}f", type, type, *operands)

    return rule


def _power(code: Instructions, operands: list[str], dtype: np.dtype, out: np.dtype) -> str:
    x, y = operands
    made = known_power(code, x, y, dtype) if dtype.kind == "f" else ""
    if made or dtype != np.float64 or y.startswith("0x"):
        return made or _library("pow")(code, operands, dtype, out)
    return any_power(code, x, y)


def _of_angle(name: str) -> Rule:
    """The rule of the sine or the cosine."""

    def rule(code: Instructions, operands: list[str], dtype: np.dtype, out: np.dtype) -> str:
        is_double = dtype == np.float64
        return of_angle(code, name, operands[0]) if is_double else _library(name)(code, operands, dtype, out)

    return rule


def _single(dtype: np.dtype) -> None:
    if dtype.kind == "c":
        raise NotNativeError(f"a function of {dtype}")


def _shift(name: str) -> Rule:
    """A shift; by as many bits as there are, or more, all are lost."""

    def rule(code: Instructions, operands: list[str], dtype: np.dtype, out: np.dtype) -> str:
        x, y = operands
        type, bits = value_type(dtype), 8 * dtype.itemsize
        if y.isdigit() and int(y) < bits:
            return code.add(name, type, x, y)
        inside = code.add("icmp ult", type, y, str(bits))
        if name == "ashr":
            return code.add(name, type, x, code.emit(f"select i1 {inside}, {type} {y}, {type} {bits - 1}"))
        moved = code.add(name, type, x, code.emit(f"select i1 {inside}, {type} {y}, {type} 0"))
        return code.emit(f"select i1 {inside}, {type} {moved}, {type} 0")

    return rule


def _negate(code: Instructions, operands: list[str], dtype: np.dtype, out: np.dtype) -> str:
    type = value_type(dtype)
    if dtype.kind in "iu":
        return code.add("sub", type, "0", operands[0])
    made = [code.emit(f"fneg {type} {p}") for p in parts(operands[0])]
    return made[0] if len(made) == 1 else joined(*made)


def _not(code: Instructions, operands: list[str], dtype: np.dtype, out: np.dtype) -> str:
    return code.add("xor", value_type(dtype), operands[0], "true" if dtype.kind == "b" else "-1")


def _sign(code: Instructions, operands: list[str], dtype: np.dtype, out: np.dtype) -> str:
    (x,), type = operands, value_type(dtype)
    if dtype.kind == "f":
        kept = code.add("fcmp ueq", type, x, constant(np.zeros((), dtype)))
        unit = code.call(f"llvm.copysign.{_suffix(dtype)}", type, type, constant(np.ones((), dtype)), x)
        return code.emit(f"select i1 {kept}, {type} {x}, {type} {unit}")
    positive = code.emit(f"zext i1 {code.add('icmp sgt', type, x, '0')} to {type}")
    negative = code.add("icmp slt", type, x, "0")
    return code.emit(f"select i1 {negative}, {type} -1, {type} {positive}")


def _abs(code: Instructions, operands: list[str], dtype: np.dtype, out: np.dtype) -> str:
    type = value_type(dtype)
    if dtype.kind == "f":
        return code.call(f"llvm.fabs.{_suffix(dtype)}", type, type, operands[0])
    return code.emit(
        f"call {type} @llvm.abs.{type}({type} {operands[0]}, i1 false)", f"llvm.abs.{type}", type, f"{type}, i1"
    )


def _count_leading_zeros(code: Instructions, operands: list[str], dtype: np.dtype, out: np.dtype) -> str:
    type = value_type(dtype)
    return code.emit(
        f"call {type} @llvm.ctlz.{type}({type} {operands[0]}, i1 false)", f"llvm.ctlz.{type}", type, f"{type}, i1"
    )


def _bitcast(code: Instructions, operands: list[str], dtype: np.dtype, out: np.dtype) -> str:
    before, after = value_type(dtype), value_type(out)
    if dtype.itemsize != out.itemsize or "b" in (dtype.kind, out.kind) or "c" in (dtype.kind, out.kind):
        raise NotNativeError(f"the bits of {dtype} as {out}")
    return operands[0] if before == after else code.emit(f"bitcast {before} {operands[0]} to {after}")


def _is_finite(code: Instructions, operands: list[str], dtype: np.dtype, out: np.dtype) -> str:
    size = _abs(code, operands, dtype, dtype)
    return code.add("fcmp one", value_type(dtype), size, constant(np.array(np.inf, dtype)))


def _real(code: Instructions, operands: list[str], dtype: np.dtype, out: np.dtype) -> str:
    return parts(operands[0])[0]


def _imag(code: Instructions, operands: list[str], dtype: np.dtype, out: np.dtype) -> str:
    return parts(operands[0])[1]


def _complex(code: Instructions, operands: list[str], dtype: np.dtype, out: np.dtype) -> str:
    return joined(*operands)


def _clamp(code: Instructions, operands: list[str], dtype: np.dtype, out: np.dtype) -> str:
    low, x, high = operands
    return RULES["minimum"](code, [RULES["maximum"](code, [x, low], dtype, out), high], dtype, out)


# Functions of the C library.
FUNCTIONS: Mapping[str, str] = {
    "exponential": "exp",
    "exponential_minus_one": "expm1",
    "log": "log",
    "log_plus_one": "log1p",
    "sine": "sin",
    "cosine": "cos",
    "tan": "tan",
    "tanh": "tanh",
    "atan2": "atan2",
    "power": "pow",
    "cbrt": "cbrt",
    "chlo.acos": "acos",
    "chlo.atan": "atan",
    "chlo.asinh": "asinh",
    "chlo.acosh": "acosh",
}
RULES: Mapping[str, Rule] = {
    "add": _of_kind(iu="add", fc="fadd", b="or"),
    "subtract": _of_kind(iu="sub", fc="fsub"),
    "multiply": _by_kind(iu=_of_kind(iu="mul"), f=_of_kind(f="fmul"), b=_of_kind(b="and"), c=_complex_product),
    "divide": _by_kind(iu=_guarded("div", lambda x: "-1"), f=_of_kind(f="fdiv")),
    "remainder": _by_kind(iu=_guarded("rem", lambda x: x), f=remainder),
    "and": _of_kind(biu="and"),
    "or": _of_kind(biu="or"),
    "xor": _of_kind(biu="xor"),
    "not": _not,
    "negate": _negate,
    "abs": _abs,
    "sign": _sign,
    "shift_left": _shift("shl"),
    "shift_right_logical": _shift("lshr"),
    "shift_right_arithmetic": _shift("ashr"),
    "maximum": _by_kind(i=_intrinsic("smax"), u=_intrinsic("umax"), f=_intrinsic("maximum"), b=_of_kind(b="or")),
    "minimum": _by_kind(i=_intrinsic("smin"), u=_intrinsic("umin"), f=_intrinsic("minimum"), b=_of_kind(b="and")),
    "floor": _intrinsic("floor"),
    "ceil": _intrinsic("ceil"),
    "round_nearest_even": _intrinsic("rint"),
    "clamp": _clamp,
    "sqrt": _intrinsic("sqrt"),
    "popcnt": _intrinsic("ctpop"),
    "count_leading_zeros": _count_leading_zeros,
    "bitcast_convert": _bitcast,
    "is_finite": _is_finite,
    "real": _real,
    "imag": _imag,
    "complex": _complex,
    **{name: _library(function) for name, function in FUNCTIONS.items()},
    "power": _power,
    "sine": _of_angle("sin"),
    "cosine": _of_angle("cos"),
}


def rule_of(name: str) -> Rule:
    """The rule of an op."""
    rule = RULES.get(name)
    if rule is None:
        raise NotNativeError(name)
    return rule
