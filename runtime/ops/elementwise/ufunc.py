"""The op of a NumPy ufunc."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.op import Op, Work
from anabranch.runtime.ops import vector_functions
from anabranch.runtime.ops.elementwise.term import FLOAT32, Rule, Term, terms_of
from anabranch.runtime.ops.op import expect
from anabranch.runtime.ops.stablehlo_writer import LoweringContext


@functools.cache
def _out_dtypes(ufunc: np.ufunc, dtypes: tuple[np.dtype, ...]) -> tuple[np.dtype, ...]:
    resolved = ufunc.resolve_dtypes((*dtypes, *[None] * ufunc.nout))
    # The dtypes must be a loop as they are: promotion belongs to the caller, which emits `convert` for it.
    expect(resolved[: ufunc.nin] == dtypes, ufunc.__name__, f"no loop for {', '.join(map(str, dtypes))}")
    return tuple(resolved[ufunc.nin :])


class Ufunc(Op):
    """A NumPy ufunc on inputs of one shape whose dtypes are one of its loops.

    Parameters
    ----------
    ufunc
        Gives the name, the output dtypes (`resolve_dtypes`) and the evaluation.
    rule
        Terms of the inputs to Terms of the outputs. float16 (and other narrow floats) reach it as float32, and its
        results are rounded back, which is how NumPy computes them.
    work
        For one element.
    """

    __slots__ = ("rule", "ufunc", "work")
    is_elementwise = True

    def __init__(self, ufunc: np.ufunc, rule: Rule, work: Work = Work.LITTLE) -> None:
        super().__init__(ufunc.__name__)
        self.ufunc = ufunc
        self.rule = rule
        self.work = work

    def type(self, *inputs: ArrayType, **params: Any) -> tuple[ArrayType, ...]:
        """Types of the outputs: the inputs' shape, dtypes by `ufunc.resolve_dtypes`."""
        if len(inputs) != self.ufunc.nin:
            raise TypeError(f"{self.name}: takes {self.ufunc.nin} inputs, {len(inputs)} given")
        first = inputs[0]
        for other in inputs[1:]:
            expect(other.shape == first.shape, self.name, "the inputs' shapes differ")
        outs = _out_dtypes(self.ufunc, tuple([x.dtype for x in inputs]))
        # Runs for each traced operation, so the common case makes nothing new.
        return tuple([first if dtype is first.dtype else ArrayType(first.shape, dtype) for dtype in outs])

    def evaluate(self, *arrays: Any, **params: Any) -> tuple[Any, ...]:
        """The ufunc itself."""
        result = self.ufunc(*arrays)
        return result if isinstance(result, tuple) else (result,)

    def lower(self, ctx: LoweringContext) -> Sequence[str]:
        """Emit the rule's expression, or a call of NumPy's function where that is faster."""
        called = vector_functions.called(self.name, ctx)
        if called is not None:
            return called
        results = self.rule(*map(self.enter, terms_of(ctx)))
        results = results if isinstance(results, tuple) else (results,)
        return [self.leave(r, t.dtype).name for r, t in zip(results, ctx.out_types, strict=True)]

    def enter(self, x: Term) -> Term:
        """An input as the rule takes it, fenced off from the op that made it."""
        if x.dtype.kind in "biu":
            return x
        fenced = self.fenced(x)
        return fenced.to(FLOAT32) if narrow(x.dtype) else fenced

    def fenced(self, x: Term) -> Term:
        """A float or complex input, shut off from XLA's algebra."""
        return x.fenced()

    def leave(self, x: Term, dtype: np.dtype) -> Term:
        """A result of the rule as the output's dtype."""
        return x.to(dtype) if x.dtype != dtype else x


class SumOrProduct(Ufunc):
    """A ufunc for which XLA has no algebra of inputs that repeat one number, as it has for quotients."""

    __slots__ = ()

    def fenced(self, x: Term) -> Term:
        """The input; of a broadcast, the value before it is shut off."""
        return x.source_fenced()


class NativeUfunc(Ufunc):
    """A ufunc that compares or rearranges bits: its rule takes float16 as it is."""

    __slots__ = ()

    def enter(self, x: Term) -> Term:
        """The input itself."""
        return x


class Power(Ufunc):
    """`power`, whose NumPy loop raises `ValueError` for a negative integer exponent.

    Whoever traces it checks; here such an exponent counts as 0, in `evaluate` as in `lower`. For a single exponent of
    0.5 NumPy takes a square root; whoever wants that asks for it.
    """

    __slots__ = ()

    def evaluate(self, *arrays: Any, **params: Any) -> tuple[np.ndarray, ...]:
        """`numpy.power`, with negative integer exponents as 0, of exponents that are not one for all."""
        base, exponent = map(np.asarray, arrays)
        if exponent.dtype.kind == "i":
            exponent = np.maximum(exponent, np.zeros((), exponent.dtype))
        if base.dtype.kind not in "fc":
            return (np.asarray(self.ufunc(base, exponent)),)
        bases, exponents = (np.append(x.reshape(-1), x.dtype.type(1)) for x in (base, exponent))
        return (np.asarray(self.ufunc(bases, exponents)[:-1].reshape(base.shape)),)


def narrow(dtype: np.dtype) -> bool:
    """Return whether a dtype is a float that is computed in float32: float16, bfloat16, float8."""
    return dtype.itemsize <= 2 and dtype.kind in "fV"
