"""Expressions over StableHLO: a `Term` is one emitted value, and operators on Terms emit more."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ops.stablehlo_writer import Emitter, LoweringContext

BOOL = np.dtype(np.bool_)
INT32 = np.dtype(np.int32)
INT64 = np.dtype(np.int64)
FLOAT32 = np.dtype(np.float32)
FLOAT64 = np.dtype(np.float64)


@frozen(eq=False)
class Term:
    """A value in a function body: where it is emitted, its SSA name and its type.

    Arithmetic is XLA's, element by element, between Terms of one shape and dtype; a Python or NumPy scalar stands for a
    constant of the Term's type.
    """

    emitter: Emitter
    name: str
    type: ArrayType

    @property
    def dtype(self) -> np.dtype:
        return self.type.dtype

    def of(self, dtype: np.dtype) -> ArrayType:
        """The type of this shape and another dtype."""
        return ArrayType(self.type.shape, dtype)

    def constant(self, value: object, dtype: np.dtype | None = None) -> Term:
        """`value` at every position of this shape."""
        type = self.type if dtype is None else self.of(dtype)
        return Term(self.emitter, self.emitter.constant(value, type), type)

    def apply(self, op: str, *others: Operand, dtype: np.dtype | None = None) -> Term:
        """Emit `op` on this and `others`; `dtype` is the result's where it differs."""
        terms = [self, *(self._lift(o) for o in others)]
        out = self.type if dtype is None else self.of(dtype)
        name = self.emitter.op(op, [t.name for t in terms], [t.type for t in terms], out)
        return Term(self.emitter, name, out)

    def _lift(self, other: Operand) -> Term:
        return other if isinstance(other, Term) else self.constant(other)

    # ---- arithmetic and logic --------------------------------------------------------------------------------------

    def __add__(self, other: Operand) -> Term:
        return self.apply("add", other)

    def __sub__(self, other: Operand) -> Term:
        return self.apply("subtract", other)

    def __rsub__(self, other: Operand) -> Term:
        return self._lift(other).apply("subtract", self)

    def __mul__(self, other: Operand) -> Term:
        return self.apply("multiply", other)

    def __truediv__(self, other: Operand) -> Term:
        """`stablehlo.divide`: truncates between integers."""
        return self.apply("divide", other)

    def __rtruediv__(self, other: Operand) -> Term:
        return self._lift(other).apply("divide", self)

    def __neg__(self) -> Term:
        return self.apply("negate")

    def __and__(self, other: Operand) -> Term:
        return self.apply("and", other)

    def __or__(self, other: Operand) -> Term:
        return self.apply("or", other)

    def __xor__(self, other: Operand) -> Term:
        return self.apply("xor", other)

    def __invert__(self) -> Term:
        return self.apply("not")

    def __lshift__(self, other: Operand) -> Term:
        return self.apply("shift_left", other)

    def __rshift__(self, other: Operand) -> Term:
        return self.apply("shift_right_arithmetic" if self.dtype.kind == "i" else "shift_right_logical", other)

    def __abs__(self) -> Term:
        return self.apply("abs")

    # ---- comparisons -----------------------------------------------------------------------------------------------

    def compare(self, direction: str, other: Operand) -> Term:
        name = self.emitter.compare(self.name, self._lift(other).name, direction, self.type)
        return Term(self.emitter, name, self.of(BOOL))

    def eq(self, other: Operand) -> Term:
        return self.compare("EQ", other)

    def ne(self, other: Operand) -> Term:
        return self.compare("NE", other)

    def __lt__(self, other: Operand) -> Term:
        return self.compare("LT", other)

    def __le__(self, other: Operand) -> Term:
        return self.compare("LE", other)

    def __gt__(self, other: Operand) -> Term:
        return self.compare("GT", other)

    def __ge__(self, other: Operand) -> Term:
        return self.compare("GE", other)

    def isnan(self) -> Term:
        return self.ne(self)

    # ---- types -----------------------------------------------------------------------------------------------------

    def to(self, dtype: np.dtype) -> Term:
        """XLA's own conversion, for values that both types hold; the `convert` op has NumPy's rules."""
        return Term(self.emitter, self.emitter.convert(self.name, self.type, dtype), self.of(dtype))

    def bits(self, dtype: np.dtype | None = None) -> Term:
        """The same bits as a signed integer, or as `dtype`."""
        return self.apply("bitcast_convert", dtype=np.dtype(f"i{self.dtype.itemsize}") if dtype is None else dtype)

    @property
    def part(self) -> np.dtype:
        """The dtype of a complex Term's parts."""
        return np.dtype(f"f{self.dtype.itemsize // 2}")

    @property
    def real(self) -> Term:
        return self.apply("real", dtype=self.part)

    @property
    def imag(self) -> Term:
        return self.apply("imag", dtype=self.part)

    def multiply_add(self, factor: Term, addend: Term) -> Term:
        """`self * factor + addend`, on machines that can do so rounded once."""
        names = [self.name, factor.name, addend.name]
        return Term(self.emitter, self.emitter.multiply_add(names, self.type), self.type)

    def fenced(self) -> Term:
        """The same value, shut off from XLA's algebra, which is that of real numbers.

        Without it `(x + 1e16) - 1e16` is x, `x / 3` is `x * (1/3)`, `exp(x) * exp(y)` is `exp(x + y)` and `-0.0 + 0.0`
        is -0.0. The barrier goes before loops are fused, so it costs nothing at run time.
        """
        return Term(self.emitter, self.emitter.fence(self.name, self.type), self.type)

    def source_fenced(self) -> Term:
        """As `fenced`; of a value that is broadcast, that one is shut off, and XLA sees that the Term repeats it."""
        return Term(self.emitter, self.emitter.fence_source(self.name, self.type), self.type)

    def rounded(self) -> Term:
        """The same value, shut off from LLVM too, which has no barrier.

        LLVM makes a product and a sum one multiply-add, after which `a*b - a*b` is not zero.
        """
        if self.dtype not in (FLOAT32, FLOAT64):
            return self
        return Term(self.emitter, self.emitter.rounded(self.name, self.type), self.type)


def terms_of(ctx: LoweringContext) -> list[Term]:
    """The inputs of an equation that is lowered."""
    return [Term(ctx.emitter, name, type) for name, type in zip(ctx.inputs, ctx.in_types, strict=True)]


Operand: TypeAlias = Term | complex | np.generic
Rule: TypeAlias = Callable[..., Any]  # Terms of the inputs to a Term, or to a tuple of them


def where(condition: Term, on_true: Operand, on_false: Operand) -> Term:
    """`on_true` where the condition holds; at least one of the two is a Term."""
    like = on_true if isinstance(on_true, Term) else on_false
    if not isinstance(like, Term):
        raise TypeError("where of two constants has no type")
    yes, no = (x if isinstance(x, Term) else like.constant(x) for x in (on_true, on_false))
    name = like.emitter.select(condition.name, yes.name, no.name, like.type)
    return Term(like.emitter, name, like.type)


def complex_of(real: Term, imag: Term) -> Term:
    """A complex Term from its parts."""
    return real.apply("complex", imag, dtype=np.dtype(f"c{real.dtype.itemsize * 2}"))


def call(op: str) -> Rule:
    """The rule that is one StableHLO (or CHLO) op of the inputs' type."""

    def rule(first: Term, *others: Term) -> Term:
        return first.apply(op, *others)

    return rule


def identity(x: Term) -> Term:
    """The identity rule."""
    return x


def by_kind(**rules: Rule) -> Rule:
    """One rule for each kind of the first input; a keyword names kinds by their letters: `iu=`, `f=`, `c=`."""
    table = {kind: rule for kinds, rule in rules.items() for kind in kinds}

    def rule(*inputs: Term) -> Any:
        return table[inputs[0].dtype.kind](*inputs)

    return rule


def iterate(running: Rule, step: Rule, state: tuple[Term, ...]) -> tuple[Term, ...]:
    """`step` on all elements of `state` for as long as `running` holds for any of them."""
    emitter, types = state[0].emitter, [t.type for t in state]

    def terms(names: list[str]) -> tuple[Term, ...]:
        return tuple(Term(emitter, n, t) for n, t in zip(names, types, strict=True))

    def test(names: list[str]) -> str:
        return _any(running(*terms(names)))

    def body(names: list[str]) -> list[str]:
        return [t.name for t in step(*terms(names))]

    return terms(emitter.loop([t.name for t in state], types, test, body))


def _any(x: Term) -> str:
    """Return whether any element holds."""
    scalar = ArrayType((), BOOL)
    if not x.type.shape:
        return x.name
    init = x.emitter.constant(False, scalar)

    def either(names: list[str]) -> list[str]:
        return [x.emitter.binary("or", names[0], names[1], scalar)]

    return x.emitter.reduce([x.name], [x.type], [init], range(len(x.type.shape)), either)[0]
