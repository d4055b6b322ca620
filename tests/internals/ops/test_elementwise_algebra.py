"""XLA and LLVM rewrite arithmetic as if numbers were real; what comes out must still be NumPy's."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.interpret import evaluate
from anabranch.runtime.ir.program import Equation, Literal, Program, Var
from anabranch.runtime.lower import lower
from anabranch.runtime.ops.table import OPS
from anabranch.runtime.xla.compiler import compile_text
from tests.internals.ops.op_cases import differs


class Expression:
    """Builds equations with Python's operators."""

    def __init__(self, atom, equations):
        self.atom, self.equations = atom, equations

    def __array_ufunc__(self, ufunc, method, *inputs):
        dtype = self.atom.type.dtype
        atoms = [x.atom if isinstance(x, Expression) else self.literal(x, dtype) for x in inputs]
        op = OPS[ufunc.__name__]
        outputs = tuple(Var(t) for t in op.type(*(a.type for a in atoms)))
        self.equations.append(Equation(op, tuple(atoms), {}, outputs))
        return Expression(outputs[0], self.equations)

    def literal(self, value, dtype):
        return Literal(np.full(self.atom.type.shape, value, dtype))

    def __add__(self, other):
        return np.add(self, other)

    def __sub__(self, other):
        return np.subtract(self, other)

    def __mul__(self, other):
        return np.multiply(self, other)

    def __truediv__(self, other):
        return np.true_divide(self, other)

    def __rtruediv__(self, other):
        return np.true_divide(other, self)

    def __neg__(self):
        return np.negative(self)


EXPRESSIONS = {
    "division by a constant": lambda x, y: x / 3.0,
    "two constant factors": lambda x, y: x * 3.0 * 0.1,
    "large constant cancelled": lambda x, y: x + 1000.0 - 1000.0,
    "two constant terms": lambda x, y: x + 0.1 + 0.2,
    "zero added": lambda x, y: x + 0.0,
    "negative zero taken away": lambda x, y: x - (-0.0),
    "times zero": lambda x, y: x * 0.0,
    "itself taken away": lambda x, y: x - x,
    "product less product": lambda x, y: x * y - x * y,
    "product plus term": lambda x, y: x * y + (-(x * y)),
    "common factor": lambda x, y: x * 7.0 + y * 7.0,
    "square less square": lambda x, y: np.square(x) - x * x,
    "double quotient": lambda x, y: x / y / x,
    "quotient of quotient": lambda x, y: x / (y / x),
    "reciprocal twice": lambda x, y: 1.0 / (1.0 / x),
    "root squared": lambda x, y: np.sqrt(x) * np.sqrt(x),
    "over root": lambda x, y: y / np.sqrt(x),
    "logarithm of root": lambda x, y: np.sqrt(np.square(x)),
    "sum undone": lambda x, y: x + y - y,
    "negated difference": lambda x, y: -(x - x),
    "product undone": lambda x, y: x * y / y,
}


@pytest.mark.parametrize("count", [200, 2000])  # products of many elements are rounded in another way
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
def test_nothing_is_rearranged(dtype, count, rng):
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e4, -1e4]
    x = np.concatenate([rng.standard_normal(count) * 10, special]).astype(dtype)
    y = np.roll(x, 5) + dtype(0.1)
    variables = tuple(Var(ArrayType(a.shape, a.dtype)) for a in (x, y))
    equations: list[Equation] = []
    inputs = [Expression(v, equations) for v in variables]
    outputs = tuple(f(*inputs).atom for f in EXPRESSIONS.values())
    program = Program(variables, tuple(equations), outputs)
    for name, got, wanted in zip(
        EXPRESSIONS, compile_text(lower(program))([x, y]), evaluate(program, x, y), strict=True
    ):
        wrong = differs(got, wanted)
        assert not wrong.any(), f"{name}: {got[wrong][:4]} for {wanted[wrong][:4]} at {x[wrong][:4]}, {y[wrong][:4]}"


def test_exponentials_are_not_merged():
    x = np.array([1000.0, 720.0, -1000.0])
    equations: list[Equation] = []
    variable = Var(ArrayType(x.shape, x.dtype))
    e = Expression(variable, equations)
    quotient, logarithm = np.exp(e) / np.exp(e), np.log(np.exp(e))
    program = Program((variable,), tuple(equations), (quotient.atom, logarithm.atom))
    for got, wanted in zip(compile_text(lower(program))([x]), evaluate(program, x), strict=True):
        np.testing.assert_array_equal(got, wanted)
