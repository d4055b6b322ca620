"""Conversions between dtypes, choice, and the parts of complex values."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.op import Op, Work
from anabranch.runtime.ops.elementwise.comparison import truth
from anabranch.runtime.ops.elementwise.term import (
    BOOL,
    FLOAT32,
    FLOAT64,
    INT32,
    INT64,
    Rule,
    Term,
    complex_of,
    terms_of,
    where,
)
from anabranch.runtime.ops.elementwise.ufunc import narrow
from anabranch.runtime.ops.op import expect
from anabranch.runtime.ops.stablehlo_writer import LoweringContext


def _float_to_signed(x: Term, dtype: np.dtype) -> Term:
    """Truncation to int32 or int64; what has no such value (NaN too) becomes the least one, as on x86-64."""
    info = np.iinfo(dtype)
    # Whole numbers compare exactly with the two powers of two that bound the range.
    whole = where(x < 0.0, x.apply("ceil"), x.apply("floor"))
    inside = (whole >= float(info.min)) & (whole < -float(info.min))
    return where(inside, where(inside, whole, 0.0).to(dtype), int(info.min))


def _float_to_int(x: Term, dtype: np.dtype) -> Term:
    """A C cast as x86-64 compiles it.

    int32 and int64 have an instruction. int8, int16, uint8 and uint16 are the low bits of an int32; uint32 those of an
    int64 (NumPy's vector loop differs from its own scalar loop beyond the range: this is the scalar one). uint64 takes
    values from 2**63 on apart.
    """
    if dtype in (INT32, INT64):
        return _float_to_signed(x, dtype)
    if dtype.itemsize < 4:
        return _float_to_signed(x, INT32).to(dtype)
    if dtype.itemsize == 4:
        return _float_to_signed(x, INT64).to(dtype)
    x = x.to(FLOAT32) if narrow(x.dtype) else x
    high = x >= 2.0**63
    least = int(np.iinfo(INT64).min)
    return where(high, _float_to_signed(x - 2.0**63, INT64) ^ least, _float_to_signed(x, INT64)).bits(dtype)


def _to_float(x: Term, dtype: np.dtype) -> Term:
    if not narrow(dtype):
        return x.to(dtype)
    # NumPy rounds integers to float32 first, but float64 only once.
    return (_rounded_to_odd(x) if x.dtype == FLOAT64 else x.to(FLOAT32)).to(dtype)


def _rounded_to_odd(x: Term) -> Term:
    """A float64 as the float32 that rounds on to float16 as the float64 would: an inexact one ends in a one bit."""
    nearest = x.to(FLOAT32)
    back = nearest.to(FLOAT64)
    bits = where(abs(back) > abs(x), nearest.bits() - 1, nearest.bits())
    return where(back.eq(x) | x.isnan(), nearest, (bits | 1).bits(FLOAT32))


def convert(x: Term, dtype: np.dtype) -> Term:
    """`ndarray.astype`."""
    if x.dtype == dtype:
        return x
    if dtype == BOOL:
        return truth(x)
    part = np.dtype(f"f{dtype.itemsize // 2}") if dtype.kind == "c" else dtype
    if x.dtype.kind == "c":
        return complex_of(x.real.to(part), x.imag.to(part)) if dtype.kind == "c" else convert(x.real, dtype)
    if dtype.kind == "c":
        real = convert(x, part)
        return complex_of(real, real.constant(0.0))
    if dtype.kind in "iu" and x.dtype.kind in "fV":
        return _float_to_int(x.to(FLOAT32) if narrow(x.dtype) else x, dtype)
    return _to_float(x, dtype) if dtype.kind in "fV" else x.to(dtype)


class Convert(Op):
    """`ndarray.astype(dtype)`; the params are `dtype`."""

    __slots__ = ()
    is_elementwise = True
    is_transparent = True
    work = Work.LITTLE

    def type(self, x: ArrayType, *, dtype: np.dtype) -> tuple[ArrayType, ...]:
        """The input's shape with `dtype`."""
        return (ArrayType(x.shape, np.dtype(dtype)),)

    def evaluate(self, x: Any, *, dtype: np.dtype) -> tuple[Any, ...]:
        """`ndarray.astype`, in NumPy's unsafe casting."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", np.exceptions.ComplexWarning)
            return (np.asarray(x).astype(dtype),)

    def lower(self, ctx: LoweringContext) -> Sequence[str]:
        """Emit the conversion NumPy's cast makes on x86-64."""
        (x,) = terms_of(ctx)
        return [convert(x, ctx.out_types[0].dtype).name]


class Reinterpret(Op):
    """`ndarray.view(dtype)` of real numbers, for a dtype of the same size: the bits stay; the params are `dtype`."""

    __slots__ = ()
    is_elementwise = True
    work = Work.LITTLE

    def type(self, x: ArrayType, *, dtype: np.dtype) -> tuple[ArrayType, ...]:
        """The input's shape with `dtype`."""
        kinds = {x.dtype.kind, np.dtype(dtype).kind}
        fits = x.dtype.itemsize == np.dtype(dtype).itemsize and kinds <= set("iufV")
        expect(fits, self.name, lambda: f"{x} as {dtype}")
        return (ArrayType(x.shape, np.dtype(dtype)),)

    def evaluate(self, x: Any, *, dtype: np.dtype) -> tuple[Any, ...]:
        """`ndarray.view`."""
        return (np.asarray(x).view(dtype),)

    def lower(self, ctx: LoweringContext) -> Sequence[str]:
        """Emit the cast of bits."""
        (x,) = terms_of(ctx)
        out = ctx.out_types[0].dtype
        return [(x if x.dtype == out else x.bits(out)).name]


class ComplexParts(Op):
    """An op between complex values and their parts, or a choice: a type rule, an evaluation and an expression."""

    __slots__ = ("_evaluate", "_rule", "_type")
    is_elementwise = True
    work = Work.LITTLE

    def __init__(self, name: str, type: Callable[..., ArrayType], evaluate: Callable[..., object], rule: Rule) -> None:
        super().__init__(name)
        self._type = type
        self._evaluate = evaluate
        self._rule = rule

    def type(self, *inputs: ArrayType, **params: Any) -> tuple[ArrayType, ...]:
        """One output, of the inputs' shape."""
        expect(all(x.shape == inputs[0].shape for x in inputs), self.name, "the inputs' shapes differ")
        return (self._type(*inputs),)

    def evaluate(self, *arrays: Any, **params: Any) -> tuple[Any, ...]:
        """The output as NumPy has it."""
        return (self._evaluate(*arrays),)

    def lower(self, ctx: LoweringContext) -> Sequence[str]:
        """Emit the expression."""
        result: Term = self._rule(*terms_of(ctx))
        return [result.name]


def _part_type(z: ArrayType) -> ArrayType:
    expect(z.dtype.kind == "c", "real, imag", lambda: f"{z} is not complex")
    return ArrayType(z.shape, np.dtype(f"f{z.dtype.itemsize // 2}"))


def _complex_type(x: ArrayType, y: ArrayType) -> ArrayType:
    expect(x == y and x.dtype.char in "fd", "complex", lambda: f"{x} and {y} make no complex")
    return ArrayType(x.shape, np.dtype(f"c{x.dtype.itemsize * 2}"))


def _select_type(predicate: ArrayType, on_true: ArrayType, on_false: ArrayType) -> ArrayType:
    expect(predicate.dtype == BOOL, "select", lambda: f"the predicate is {predicate}")
    expect(on_true == on_false, "select", lambda: f"{on_true} and {on_false} differ")
    return on_true


def _join(real: np.ndarray, imag: np.ndarray) -> np.ndarray:
    # Not real + 1j*imag: that turns an infinite part into a NaN one.
    result = np.empty(np.shape(real), np.result_type(real, np.complex64))
    result.real, result.imag = real, imag
    return result


def _bits_type(source: np.dtype, target: np.dtype) -> Callable[[ArrayType], ArrayType]:
    def rule(x: ArrayType) -> ArrayType:
        expect(x.dtype == source, "bits", lambda: f"{x} is not {source}")
        return ArrayType(x.shape, target)

    return rule


_UINT64 = np.dtype(np.uint64)
convert_op = Convert("convert")
float_to_bits = ComplexParts(
    "float_to_bits", _bits_type(FLOAT64, _UINT64), lambda x: np.asarray(x).view(_UINT64), lambda x: x.bits(_UINT64)
)
bits_to_float = ComplexParts(
    "bits_to_float", _bits_type(_UINT64, FLOAT64), lambda x: np.asarray(x).view(FLOAT64), lambda x: x.bits(FLOAT64)
)
select = ComplexParts("select", _select_type, np.where, where)
real = ComplexParts("real", _part_type, np.real, lambda z: z.real)
imag = ComplexParts("imag", _part_type, np.imag, lambda z: z.imag)
complex = ComplexParts("complex", _complex_type, _join, complex_of)
reinterpret = Reinterpret("reinterpret")
OPS: tuple[Op, ...] = (convert_op, reinterpret, select, real, imag, complex, float_to_bits, bits_to_float)
