"""Random programs on arrays of tens to thousands of elements, which machine code computes as wholes.

Each line is tried with NumPy as it is written, as in `array_programs`; one that raises there ends the program.
"""

from __future__ import annotations

import random
import textwrap
from typing import Any

import numpy as np

from property_tests.array_programs import Writer
from property_tests.generation.programs import GeneratedProgram
from property_tests.large_array_calls import calls_of

_HEAD = """import numpy as np

from property_tests.large_array_values import places, values


def f(a, b, c, p, i, j, v):
"""
_UNARY = (
    "exp", "exp", "log", "sin", "cos", "tanh", "sqrt", "abs", "negative", "square", "floor", "ceil", "rint", "sign",
    "isnan", "isfinite", "isinf", "log1p", "expm1", "arctan", "cbrt", "reciprocal", "conj", "real", "imag", "angle",
    "invert", "logical_not", "signbit", "exp2", "log2", "log10", "sinh", "arcsinh", "arcsin", "trunc", "positive",
    "tan", "arccos", "arctanh", "deg2rad", "fabs", "nan_to_num", "sinc", "cosh", "arccosh",
)  # fmt: skip
_BINARY = (
    "add", "subtract", "multiply", "true_divide", "floor_divide", "remainder", "fmod", "power", "arctan2", "maximum",
    "minimum", "fmax", "fmin", "logaddexp", "logaddexp2", "hypot", "copysign", "less", "greater_equal", "equal",
    "not_equal", "logical_and", "logical_xor", "bitwise_and", "bitwise_or", "bitwise_xor", "left_shift",
    "right_shift", "gcd", "heaviside", "float_power", "nextafter",
)  # fmt: skip
_REDUCTIONS = ("sum", "sum", "prod", "max", "min", "mean", "any", "all", "argmax", "argmin", "var", "ptp", "std")
_FUNCTIONS = ("nansum", "nanmax", "nanmin", "count_nonzero", "nanmean", "median", "average", "nanprod")
_ACCUMULATIONS = (
    "cumsum",
    "cumprod",
    "nancumsum",
    "maximum.accumulate",
    "minimum.accumulate",
    "add.accumulate",
    "diff",
)
_OPERATORS = ("+", "-", "*", "/", "//", "%", "**", "&", "|", "^", "<", ">=", "==")
_AT = ("add", "subtract", "multiply", "minimum", "maximum")
_PRODUCTS = (
    "{x} @ {y}", "{x} @ {y}", "{x}.T @ {y}", "{x} @ {y}.T", "{x} @ {x}.T", "{x}.T @ {x}", "{x}.dot({y})",
    "np.inner({x}, {y})", "np.outer({x}, {y})", "np.vdot({x}, {y})", "np.einsum('ij,jk', {x}, {y})",
    "np.einsum('ij,kj->ik', {x}, {y})", "np.einsum('ij,ij->i', {x}, {y})", "np.einsum('ij,j', {x}, {y})",
    "np.einsum('i,i', {x}, {y})", "np.einsum('kij,kjl->kil', {x}, {y})", "np.einsum('ij,ik->kj', {x}, {y})",
    "np.einsum('ii', {x})", "np.einsum('ij->j', {x})", "np.tensordot({x}, {y}, 1)", "np.tensordot({x}, {y}, 2)",
    "np.tensordot({x}, {y}, ((0,), (0,)))", "np.kron({x}[:3], {y}[:2])", "np.convolve({x}, {y})", "np.trace({x})",
    "{x}[1:] @ {y}[:-1].T", "{x}[:-1] @ {x}[1:].T", "{x}[::2] @ {y}", "{x} @ {y}[..., ::-1]", "{x}[:, 1:] @ {y}[1:]",
    "{x}[:, ::2] @ {y}[::2]", "{x}[0] @ {y}", "{x} @ {y}[:, 0]", "{x} @ {y}[-1]", "{x}[i] @ {y}[i]",
    "{x}[:, i] @ {x}[:, i - 1]", "{x} @ {x}", "({x} + 1) @ {y}", "({x} * {x}) @ ({y} - 1)",
    "{x}.transpose(0, 2, 1) @ {y}", "{x}.swapaxes(-1, -2) @ {x}", "np.broadcast_to({x}, (2, *{x}.shape)) @ {y}",
    "{x}.reshape(-1) @ {y}.ravel()", "{x} @ np.where({y} > 0, {y}, 0)", "np.linalg.norm({x})",
    "np.matvec({x}, {y})", "np.vecdot({x}, {y})", "np.vecmat({x}, {y})",
)  # fmt: skip


class LargeWriter(Writer):
    """Writes the lines of a program on arrays `a`, `b`, `c`, positions `p`, ints `i` and `j`, a float `v`."""

    def __init__(self, choice: random.Random, scope: dict[str, Any]) -> None:
        super().__init__(choice, scope)
        self.is_about_parts = choice.random() < 0.4

    def statement(self) -> str:
        """A line, or a loop or branch with one in it; in some programs mostly updates of parts and what reads parts."""
        if self.is_about_parts and self.random.random() < 0.8:
            return self.update()
        pick = self.random.random()
        if pick < 0.10:
            return self.block()
        if pick < 0.72:
            return f"{self.new()} = {self.expression()}"
        return self.write_to()

    def expression(self) -> str:
        """An expression that makes an array."""
        kind = self.random.choice(
            (self.elementwise, self.elementwise, self.product, self.reduction, self.accumulation, self.move, self.move,
             self.view, self.scattered)
        )  # fmt: skip
        return kind()

    # ---- what makes arrays -------------------------------------------------------------------------------------------

    def operand(self) -> str:
        name = self.pick()
        pick = self.random.random()
        if pick < 0.6:
            return name
        if pick < 0.75:
            return f"{name}[{self.key(self.scope[name])}]"
        return self.one(f"{name}.T", f"{name}[::-1]", f"{name}.ravel()", f"({name} + {self.scalar()})", f"{name}[p]")

    def scalar(self) -> str:
        return self.one("0", "1", "2", "-1", "0.5", "3", "i", "v", "2j", "np.float32(1.5)", "np.int8(2)", "np.nan")

    def elementwise(self) -> str:
        x, y = self.operand(), self.one(self.operand(), self.operand(), self.scalar())
        return self.one(
            f"np.{self.one(*_UNARY)}({x})",
            f"np.{self.one(*_UNARY)}({x})",
            f"np.{self.one(*_BINARY)}({x}, {y})",
            f"np.{self.one(*_BINARY)}({x}, {y})",
            f"np.{self.one(*_BINARY)}({y}, {x})",
            f"{x} {self.one(*_OPERATORS)} {y}",
            f"{x} {self.one(*_OPERATORS)} {y}",
            f"np.divmod({x}, {y})[{self.one('0', '1')}]",
            f"np.modf({x})[{self.one('0', '1')}]",
            f"np.frexp({x})[{self.one('0', '1')}]",
            f"np.where({x} > {self.scalar()}, {y}, {self.operand()})",
            f"np.clip({x}, {self.one('0', '-1', 'v')}, {self.one('2', '1.5')})",
            f"{x}.astype(np.{self.one('float32', 'float64', 'complex128', 'complex64')})",
            f"np.round({x}, {self.one('0', '1')})",
            f"np.select([{x} > 1, {x} < 0], [{x}, -1], {self.operand()})",
            f"np.isclose({x}, {y})",
            f"np.{self.one(*_BINARY)}.outer({x}[:3], {y})",
        )

    def product(self) -> str:
        choices = [self.random.choice(_PRODUCTS).format(x=self.pick(1), y=self.pick(1)) for _ in range(12)]
        return next((choice for choice in choices if self.is_fine(choice)), choices[0])

    def is_fine(self, text: str) -> bool:
        """Return whether an expression has a value of bounded size."""
        with np.errstate(all="ignore"):
            try:
                value = eval(text, dict(self.scope))
            except Exception:  # another one is tried
                return False
        return bool(np.size(value) <= 20_000)

    def reduction(self) -> str:
        name = self.pick()
        array = self.scope[name]
        axis = self.one("None", *map(str, range(-array.ndim, array.ndim)), *["(0, 1)"] * (array.ndim > 2))
        rest = self.one("", "", ", keepdims=True")
        other = self.operand()
        return self.one(
            f"{name}.{self.one(*_REDUCTIONS)}(axis={axis}{rest})",
            f"np.{self.one(*_REDUCTIONS)}({name}, axis={axis}{rest})",
            f"np.{self.one(*_FUNCTIONS)}({name}, axis={axis}{rest})",
            f"np.{self.one('sum', 'max', 'prod', 'min')}({name}, axis={axis}, initial=1{rest})",
            f"np.sum({name}, axis={axis}, where={name} > {self.scalar()}{rest})",
            f"np.{self.one('add', 'multiply', 'maximum', 'logical_or', 'bitwise_xor', 'logaddexp', 'subtract')}"
            f".reduce({name}, axis={axis})",
            f"({name} {self.one('+', '*')} {other}).{self.one('sum', 'max', 'argmin')}(axis={axis})",
            f"np.add.reduceat({name}, [0, 2, 1])",
        )

    def accumulation(self) -> str:
        name = self.pick()
        axis = self.axis(self.scope[name])
        return self.one(
            f"np.{self.one(*_ACCUMULATIONS)}({name}, axis={axis})",
            f"np.{self.one(*_ACCUMULATIONS)}({self.operand()}, axis={axis})",
            f"{name}.cumsum()",
            f"np.cumsum({name}[::-1], axis={axis})[::-1]",
            f"np.diff({name}, n=2, axis={axis})",
            f"np.diff({name}, prepend=0, axis={axis})",
            f"np.gradient({name}, axis={axis})",
            f"np.ediff1d({name})",
            f"np.trapezoid({name}, axis={axis})",
        )

    def move(self) -> str:
        name, other = self.pick(), self.pick()
        array = self.scope[name]
        axis = self.axis(array)
        return self.one(
            f"np.concatenate([{name}, {other}], axis={axis})",
            f"np.stack([{name}, {name} * 2], axis={axis})",
            f"np.roll({name}, {self.one('1', '-2', 'i', '7')}, axis={axis})",
            f"np.roll({name}, {self.one('1', 'i', '-3')})",
            f"np.pad({name}, 1, mode={self.one('constant', 'edge', 'wrap', 'reflect')!r})",
            f"np.sort({name}, axis={axis})",
            f"np.argsort({name}, axis={axis}, kind='stable')",
            f"np.take({name}, p, axis={axis}, mode='clip')",
            f"np.take({name}, [0, -1, 0], axis={axis})",
            f"np.repeat({name}, 2, axis={axis})",
            f"np.tile({name}, 2)",
            f"np.flip({name}, {axis})",
            f"{name}.reshape({self.shape_for(array)})",
            f"{name}.T.reshape({self.shape_for(array)})",
            f"({name} * 2).reshape({self.shape_for(array)})",
            f"{name}.ravel({self.one('', repr('F'))})",
            f"{name}.transpose({tuple(self.random.sample(range(array.ndim), array.ndim))}).copy()",
            f"np.broadcast_to({name}[{self.one('0', 'i', ':1')}], {name}.shape)",
            f"np.broadcast_to({name}[..., :1], {name}.shape)",
            f"np.broadcast_to({name}, (2, *{name}.shape))",
            f"{name}[p]",
            f"{name}[..., p]",
            f"{name}[{name} > {self.scalar()}]",
            f"np.tril({name})",
            f"np.triu({name}, 1)",
            f"np.diagonal({name}).copy()",
            f"np.searchsorted(np.sort({name}.ravel()), {other})",
            f"np.nonzero({name})[0]",
            f"np.full_like({name}, {self.scalar()})",
            f"np.zeros_like({name})",
            f"np.arange({name}.size).reshape({name}.shape)",
            f"np.linspace(0, 1, {name}.size)",
            f"np.meshgrid({name}.ravel()[:20], {other}.ravel()[:7])[{self.one('0', '1')}]",
            f"np.take_along_axis({name}, np.argsort({name}, axis={axis}, kind='stable'), axis={axis})",
        )

    def scattered(self) -> str:
        name = self.pick(1)
        return self.one(
            "np.bincount(p)", f"np.bincount(p, {name}.ravel()[:p.size], minlength=20)", "np.bincount(p, minlength=30)",
            f"np.histogram({name}, bins=5, range=(-2, 3))[0]",
        )  # fmt: skip

    # ---- what writes -------------------------------------------------------------------------------------------------

    def write_to(self) -> str:
        name, other, third = self.pick(1), self.pick(), self.pick()
        array = self.scope[name]
        key, axis, augment = self.key(array), self.axis(array), self.one("+", "-", "*", "/", "//", "%", "**", "|")
        value = self.one(self.scalar(), self.operand(), f"{name}[{self.key(array)}]", self.operand())
        mask = f"{other} > {self.scalar()}"
        return self.one(
            f"{name}[{key}] = {value}",
            f"{name}[{key}] = {value}",
            f"{name}[{key}] {augment}= {value}",
            f"{name}[{key}] {augment}= {value}",
            f"{name} {augment}= {value}",
            f"{name}[...] = {value}",
            f"{name}[p] = {value}",
            f"{name}[p] {augment}= {value}",
            f"{name}[..., p] = {self.scalar()}",
            f"{name}[p, p] {augment}= {self.scalar()}",
            f"{name}[{mask}] = {self.scalar()}",
            f"{name}[{mask}] {augment}= {self.scalar()}",
            f"np.{self.one(*_AT)}.at({name}, p, {value})",
            f"np.{self.one(*_AT)}.at({name}, (p, p[::-1]), {self.scalar()})",
            f"np.{self.one(*_BINARY)}({other}, {value}, out={name})",
            f"np.{self.one(*_UNARY)}({other}, out={name})",
            f"np.{self.one(*_BINARY)}({other}, {value}, out={name}[{key}])",
            f"np.{self.one(*_BINARY)}({other}, {value}, out={name}, where={third} > 1)",
            f"np.{self.one(*_UNARY)}({other}, out={name}, where={third} > 0)",
            f"np.{self.one('cumsum', 'cumprod')}({other}, axis={axis}, out={name})",
            f"np.matmul({other}, {third}, out={name})",
            f"np.dot({other}, {third}, out={name})",
            f"{other}.sum(axis={axis}, out={name})",
            f"np.copyto({name}, {value}, where={third} > 0)",
            f"np.copyto({name}, {other})",
            f"{name}.sort({axis})",
            f"{name}.fill({self.scalar()})",
            f"{name}[1:] {self.one('', augment)}= {name}[:-1]",
            f"{name}[:-1] {self.one('', augment)}= {name}[1:]",
            f"{name}[...] {self.one('', '+')}= {name}[::-1]",
            f"{name}[..., 1:] {self.one('', '+')}= {name}[..., :-1]",
            f"{name}[2:] = {name}[1:-1] + {name}[:-2]",
            f"{name}[:] = {name}.T",
            f"{name}[::2] = {name}[1::2]",
            f"{name}[i:i + 20] {self.one('', augment)}= {value}",
            f"{name}[i::2] {self.one('', augment)}= {self.scalar()}",
            f"{name}.reshape(-1)[i::3] {self.one('', '+')}= {self.scalar()}",
            f"{name}.T[i] {self.one('', '+')}= {self.scalar()}",
            f"np.fill_diagonal({name}, {self.scalar()})",
            f"np.put({name}, p, {self.scalar()})",
            f"np.putmask({name}, {name} > 1, {self.scalar()})",
            f"{name}[:i] = {value}",
            f"{name} @= {other}",
            f"{name}, {other} = {other}, {name}",
        )

    def part(self, size: int) -> str:
        """The key of an axis, often one that is known only at run time."""
        if self.random.random() < 0.6:
            return super().part(size)
        k, n = self.random.randint(0, max(size, 1)), self.random.randint(1, max(size, 1))
        return self.one(
            f"i:i + {n}", f"i + {k}:", f":i + {k}", f"i + {k}:{n}", f"{k} - i:{n} + i", f"i * {k}", f"j - {k}", "j:",
            f"j:{n}", ":j", f"i:j + {k}", "j", f"i::{self.one('2', '3', 'j')}", f":{n}:j", f"{k}:i:-1", "::-1", "i::-1",
        )  # fmt: skip

    def update(self) -> str:
        """A new array, a part of it written to, or something made of parts."""
        name, other = self.pick(1), self.pick(1)
        array, new = self.scope[name], self.new()
        key, part = self.key(array), f"{other}[{self.key(self.scope[other])}]"
        value = self.one(
            self.scalar(), self.scalar(), part, part, f"{name}[{self.key(array)}] * 2", f"{part} + {other}"
        )
        return self.one(
            f"{new} = {name} {self.one('+', '*')} {self.scalar()}",
            f"{new} = {name} {self.one('+', '*')} {other}",
            f"{new} = np.zeros({array.shape}, {name}.dtype)",
            f"{new} = {part}",
            f"{new} = np.broadcast_to({part}, {array.shape})",
            f"{new} = np.broadcast_to({part}, {array.shape}) + {self.scalar()}",
            f"{new} = np.concatenate([{name}, {part}], axis={self.axis(array)})",
            f"{new} = np.where({name} > {self.scalar()}, {part}, {name})",
            f"{new} = {name}{self.one('.T', '[::-1]', '.ravel()', '.copy()', '[..., ::-1]', '.reshape(-1)')}",
            f"{new} = np.{self.one('sin', 'exp', 'floor', 'square')}({part})",
            f"{new} = {part}.{self.one('sum', 'max', 'min', 'cumsum')}({self.one('', 'axis=0', 'axis=-1')})",
            f"{new} = {part} @ {self.one(name, name + '.T', part)}",
            f"{new} = np.roll({name}, {self.one('i', 'j', '1')}, {self.axis(array)})",
            *[f"{name}[{key}] {operator}= {value}" for operator in ("", "", "", "+", "+", "*")],
            *[f"{name}[{key}] {operator}= {name}[{self.key(array)}]" for operator in ("", "", "+")],
            f"{name}[p] {self.one('', '+')}= {value}",
            f"{name} {self.one('+', '-', '*')}= {value}",
            f"if v > 1:\n    {name}[{key}] = {value}",
            f"for k in range(j):\n    {name}[k] {self.one('', '+')}= {name}[k - 1]",
        )

    def block(self) -> str:
        name, other = self.pick(1), self.pick(1)
        n = len(self.scope[name])
        inner = textwrap.indent(self.write_to(), "    ")
        line = textwrap.indent(f"{self.new()} = {self.expression()}", "    ")
        augment = self.one("+", "*", "-")
        return self.one(
            f"for k in range({min(n, 50)}):\n    {name}[k] = {name}[k - 1] {augment} {other}[k % len({other})]",
            f"for k in range({min(n, 50)}):\n    {name}[k] {augment}= np.{self.one(*_UNARY)}({other}[k])",
            f"for r in {name}:\n    r {augment}= {self.scalar()}",
            f"for r in {name}:\n    r[...] = np.{self.one(*_UNARY)}(r)",
            f"for r in {name}:\n    r[1:] {self.one('', augment)}= r[:-1]",
            f"t = 0.0\nfor r in {name}:\n    t = t + r.sum()",
            f"t = {name}\nfor k in range(3):\n    t = {self.one(*_PRODUCTS).format(x='t', y=other)}",
            f"t = {name}\nfor k in range(i + 2):\n    t = t {augment} {other}",
            f"t = []\nfor r in {name}:\n    t.append(r @ {other})\nt = np.array(t)",
            f"t = []\nfor r in {name}:\n    t.append(np.{self.one(*_UNARY)}(r))\nt = np.array(t)",
            f"if v > 1:\n{inner}",
            f"if {name}.ravel()[0] > 0:\n{inner}\nelse:\n{textwrap.indent(self.write_to(), '    ')}",
            f"for k in range(i + 2):\n{inner}",
            f"if i > 0:\n{line}\nelse:\n{line.split(' = ')[0]} = {name} {augment} {other}",
            f"for k in range(2):\n{line}",
            f"k = 0\nwhile k < 3:\n{inner}\n    k += 1",
        )


def large_array_program(seed: int) -> GeneratedProgram:
    """The program of a seed, and two calls of it."""
    choice = random.Random(seed)
    calls = calls_of(choice, 2)
    text = _HEAD
    scope = GeneratedProgram(text + "    pass\n", calls).scope
    with np.errstate(all="ignore"):
        args = eval(calls[0], dict(scope))
    writer = LargeWriter(choice, dict(zip("abcpijv", _apart(args), strict=True)))
    lines = writer.write(choice.choice((1, 2, 2, 3, 3, 4, 6)), raising=0.02)
    made = [name for name in writer.scope if name == "t" or (name[0] == "x" and name[1:].isdigit())]
    given = ["a", "b", "c"]
    shown = made if choice.random() < 0.5 else choice.sample(made, min(len(made), 2))
    shown = [*shown, *(name for name in given if choice.random() < 0.25)] or ["a"]
    body = "\n".join([*lines, f"return {', '.join(shown)},"])
    return GeneratedProgram(_HEAD + textwrap.indent(body, "    ") + "\n", calls)


def _apart(args: tuple[Any, ...]) -> list[Any]:
    """The arguments in memory of their own."""
    return [np.array(x) if isinstance(x, np.ndarray) else x for x in args]
