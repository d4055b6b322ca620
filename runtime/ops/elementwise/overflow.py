"""Overflow: where the exact result of an operation is no int64, and what of a product is beyond 64 bits."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from anabranch.runtime.ir.interval import exactly
from anabranch.runtime.ir.op import Op, Work
from anabranch.runtime.ops.elementwise.python_arithmetic import PythonOp
from anabranch.runtime.ops.elementwise.term import BOOL, FLOAT64, INT64, Rule, Term

UINT64 = np.dtype(np.uint64)
_HALF = 2**32 - 1


class Overflow(PythonOp):
    """A test of two int64s: the exact result of an operation on them is no int64.

    Parameters
    ----------
    name
        In Programs.
    exact
        The operation, also on intervals.
    rule
        Terms of the inputs to the Term of the output.
    """

    __slots__ = ("exact",)
    is_elementwise = True
    work = Work.LITTLE

    def __init__(self, name: str, exact: Callable[[Any, Any], Any], rule: Rule) -> None:
        super().__init__(name, (INT64, INT64, BOOL), lambda a, b: not exactly(exact(a, b)).fits, rule)
        self.exact = exact


def _add(a: Term, b: Term) -> Term:
    result = a + b
    return ((a ^ result) & (b ^ result)) < 0


def _subtract(a: Term, b: Term) -> Term:
    return ((a ^ b) & (a ^ (a - b))) < 0


def _multiply(a: Term, b: Term) -> Term:
    """From the product in float64, known to within rounding, and the one modulo 2**64.

    Below 9.3e18 in magnitude an overflow always flips the sign, so the two tests together are exact.
    """
    product = a.to(FLOAT64) * b.to(FLOAT64)
    return (abs(product) > 9.3e18) | ((product < 0.0) ^ (a * b < 0))


def _multiply_high(a: Term, b: Term) -> Term:
    """By halves of 32 bits, whose products are exact."""
    a0, a1, b0, b1 = a & _HALF, a >> 32, b & _HALF, b >> 32
    low, left, right = a0 * b0, a1 * b0, a0 * b1
    middle = (low >> 32) + (left & _HALF) + (right & _HALF)
    return a1 * b1 + (left >> 32) + (right >> 32) + (middle >> 32)


class _MultiplyHigh(PythonOp):
    """`multiply_high(a, b)`: the high 64 bits of the product of two uint64s."""

    __slots__ = ()
    is_elementwise = True
    work = Work.LITTLE


OPS: tuple[Op, ...] = (
    _MultiplyHigh("multiply_high", (UINT64,) * 3, lambda a, b: a * b >> 64, _multiply_high),
    Overflow("add_overflows", operator.add, _add),
    Overflow("subtract_overflows", operator.sub, _subtract),
    Overflow("multiply_overflows", operator.mul, _multiply),
)
