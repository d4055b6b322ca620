"""Random programs on arrays: views, aliases and writes, each line tried with NumPy as it is written.

A line that raises there ends the program, so what is compared includes exceptions. Because the arrays are at hand while
the program is written, keys fit shapes and most lines do something.
"""

from __future__ import annotations

import random
import warnings
from typing import Any

import numpy as np

Scope = dict[str, Any]
DTYPES = (np.float64, np.float64, np.int64, np.int64, np.float32, np.int32, np.uint8, np.complex128, np.bool_)
SHAPES = ((4,), (6,), (2, 3), (3, 3), (4, 2), (2, 3, 2), (3, 1, 2), (1, 4))
AUGMENTED = ("+", "-", "*", "/", "//", "%", "**", "&", "|", "^", "<<", ">>")
BINARY = ("add", "subtract", "multiply", "maximum", "minimum", "true_divide", "floor_divide", "less", "logical_and")
SCATTERED = ("add", "subtract", "multiply", "minimum", "maximum")
MOST_ARRAYS = 7


class Writer:
    """Writes the lines of a program over arrays `a`, `b`, an int `i` in range of axes of two, and a float `v`."""

    def __init__(self, choice: random.Random, scope: Scope) -> None:
        self.random = choice
        self.scope: Scope = {"np": np, **scope}
        self.lines: list[str] = []
        self.count = 0
        self.ended = False

    def write(self, steps: int, raising: float = 0.2) -> list[str]:
        """Add so many lines; of the lines that raise, a part stays, and ends the program."""
        while len(self.lines) < steps and not self.ended:
            self.attempt(self.statement(), raising)
        return self.lines

    def attempt(self, line: str, raising: float) -> None:
        before = {id(x): np.copy(x) for x in self.arrays().values()}
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                exec(line, self.scope)
            except Exception:
                if self.random.random() >= raising or not self._unchanged(before):
                    return
                self.ended = True
        self.lines.append(line)

    def _unchanged(self, before: dict[int, Any]) -> bool:
        return all(np.array_equal(before.get(id(x), x), x, equal_nan=True) for x in self.arrays().values())

    # ---- what there is -----------------------------------------------------------------------------------------------

    def arrays(self) -> dict[str, Any]:
        return {k: v for k, v in self.scope.items() if isinstance(v, np.ndarray)}

    def pick(self, least: int = 0) -> str:
        names = [k for k, v in self.arrays().items() if v.ndim >= least]
        return self.random.choice(names or list(self.arrays()))

    def new(self) -> str:
        names = list(self.arrays())
        if len(names) >= MOST_ARRAYS or self.random.random() < 0.15:
            return self.random.choice([n for n in names if n[0] == "x"] or names)
        self.count += 1
        return f"x{self.count}"

    def one(self, *options: str) -> str:
        return self.random.choice(options)

    # ---- lines -------------------------------------------------------------------------------------------------------

    def statement(self) -> str:
        pick = self.random.random()
        if pick < 0.36:
            return f"{self.new()} = {self.view()}"
        if pick < 0.46:
            return f"{self.new()} = {self.fresh()}"
        if pick < 0.5:
            return f"{self.new()} = {self.pick()}"
        return self.writing()

    def view(self) -> str:
        name = self.pick(1)
        array = self.scope[name]
        axis, other = self.axis(array), self.axis(array)
        sizes = tuple(self.random.sample(array.shape, array.ndim))
        return self.one(
            f"{name}[{self.key(array)}]",
            f"{name}[{self.key(array)}]",
            f"{name}[{self.key(array)}]",
            f"{name}.T",
            f"{name}.swapaxes({axis}, {other})",
            f"{name}.transpose({tuple(self.random.sample(range(array.ndim), array.ndim))})",
            f"{name}.reshape({self.shape_for(array)})",
            f"{name}.reshape({sizes})",
            f"{name}.reshape(-1, order={self.one('C', 'F', 'A')!r})",
            f"{name}.ravel({self.one('', repr('F'), repr('K'))})",
            f"{name}.squeeze()",
            f"np.expand_dims({name}, {axis})",
            f"np.moveaxis({name}, {axis}, {other})",
            f"np.flip({name}, {axis})",
            f"np.rot90({name})",
            f"np.diagonal({name}, {self.random.randint(-1, 1)})",
            f"np.broadcast_to({name}, {(2, *array.shape)})",
            f"{name}.real",
            f"{name}.imag",
            f"np.atleast_2d({name})",
            f"np.array_split({name}, 2, {axis})[{self.random.randint(0, 1)}]",
            f"np.asarray({name})",
            f"{name}.view()",
            f"np.ascontiguousarray({name})",
            f"{name}[...]",
        )

    def fresh(self) -> str:
        name, other = self.pick(), self.pick()
        return self.one(
            f"{name}.copy()",
            f"{name} {self.one('+', '*', '-')} {self.value()}",
            f"np.{self.one(*BINARY)}({name}, {other})",
            f"{name}[{self.fancy(self.scope[name])}]",
            f"{name}.sum(axis={self.axis(self.scope[name])})",
            f"np.zeros({self.random.choice(SHAPES)}, np.{np.dtype(self.random.choice(DTYPES)).name})",
            f"np.where({name} > 1, {name}, {self.value()})",
            f"{name}.astype({name}.dtype, copy=False)",
            f"{name}.flatten()",
            f"np.array({name})",
            f"np.concatenate([{name}, {other}])",
        )

    def writing(self) -> str:
        name, other, third = self.pick(), self.pick(), self.pick()
        array = self.scope[name]
        key, value, axis = self.key(array), self.value(), self.axis(array)
        augment = self.random.choice(AUGMENTED)
        mask = f"{name} > {self.number()}"
        positions = self.one("[0, 1, 0]", "[0, -1]", "p", "[[0], [1]]")
        return self.one(
            f"{name}[{key}] = {value}",
            f"{name}[{key}] = {value}",
            f"{name}[...] = {value}",
            f"{name}[{key}] {augment}= {value}",
            f"{name} {augment}= {value}",
            f"{name} {augment}= {value}",
            f"{name}[{mask}] = {self.number()}",
            f"{name}[{mask}] {augment}= {self.number()}",
            f"{name}[{self.fancy(array)}] = {value}",
            f"{name}[{self.fancy(array)}] {augment}= {value}",
            f"np.{self.one(*BINARY)}({other}, {value}, out={name})",
            f"np.{self.one(*BINARY)}({other}, {value}, out={name}, where={third} > 1)",
            f"np.{self.one(*BINARY)}({other}, {value}, out={name}, casting='unsafe')",
            f"np.{self.one(*SCATTERED)}.at({name}, {positions}, {value})",
            f"{name}.sort({self.one('', str(axis))})",
            f"{name}.fill({self.number()})",
            f"{self.one(f'{name}.put(', f'np.put({name}, ')}{positions}, {value})",
            f"np.copyto({name}, {value})",
            f"np.copyto({name}, {value}, where={third} > 0)",
            f"np.copyto({name}, {value}, casting='unsafe')",
            f"np.place({name}, {mask}, {self.one('[7, 8]', '[5]', value)})",
            f"np.putmask({name}, {mask}, {value})",
            f"np.fill_diagonal({name}, {value})",
            f"{name}.sort(kind='stable')",
            f"{name} @= {other}",
            f"{name}.{self.one('real', 'imag')} = {value}",
            f"{name}[1:] {self.one('', augment)}= {name}[:-1]",
            f"{name}[:-1] {self.one('', augment)}= {name}[1:]",
            f"{name}[...] {self.one('', '+')}= {name}[::-1]",
            f"np.add({name}[1:], {name}[:-1], out={name}[1:])",
            f"np.cumsum({other}, axis={axis}, out={name})",
            f"np.clip({other}, 0, 2, out={name})",
            f"{other}.sum(axis={axis}, out={name})",
            f"np.take({other}, [0, 1], axis={axis}, out={name})",
            f"{name}.shape = {self.shape_for(array)}",
            f"{name}, {other} = {other}, {name}",
        )

    # ---- parts of lines ----------------------------------------------------------------------------------------------

    def axis(self, array: Any) -> int:
        return self.random.randint(-array.ndim, array.ndim - 1) if array.ndim else 0

    def number(self) -> str:
        return self.one("0", "1", "2", "-1", "0.5", "3", "True", "i", "v", "2j", "300", "np.float32(1.5)", "np.int8(2)")

    def value(self) -> str:
        name, number = self.pick(), self.number()
        return self.one(number, number, number, name, name, f"{name}[{self.key(self.scope[name])}]", "[1, 2]")

    def key(self, array: Any) -> str:
        parts = [self.part(n) for n in array.shape[: self.random.randint(0, array.ndim)]]
        if self.random.random() < 0.15:
            parts.insert(self.random.randint(0, len(parts)), "None")
        if self.random.random() < 0.15 or not parts:
            parts.insert(self.random.randint(0, len(parts)), "...")
        return ", ".join(parts)

    def part(self, size: int) -> str:
        pick = self.random.random()
        if pick < 0.25:
            return str(self.random.randint(-size, size - 1 if size else 0) if pick > 0.01 else size)
        if pick < 0.35:
            return self.one("i", "-i", "i - 1", "j")
        if pick < 0.42:
            return self.one("i:i + 1", "i:i + 2", "1 - i:2 - i")
        start, stop = (self.one("", "", str(self.random.randint(-size - 1, size + 1))) for _ in range(2))
        return f"{start}:{stop}" + self.one("", "", ":-1", ":2", ":-2", ":1")

    def fancy(self, array: Any) -> str:
        first = self.one("[0, 1, 0]", "[-1, 0]", "p", "[[0, 1], [1, 0]]", "np.array([1, 1])", "[]")
        if array.ndim < 2:
            return first
        return self.one(
            first, f"{first}, {self.part(array.shape[1])}", f"{self.part(array.shape[0])}, {first}",
            f"{first}, {first}", f"..., {first}", f"{first}, None", "p, i",
        )  # fmt: skip

    def shape_for(self, array: Any) -> tuple[int, ...]:
        n = array.size
        sizes = [(n,), (1, n), (n, 1), *((d, n // d) for d in (2, 3, 4) if n and n % d == 0)]
        sizes += [(d, -1) for d in (2, 3) if n % d == 0] + [(2, n // 4, 2)] * (n % 4 == 0) + [(n + 1,)] * (n < 2)
        return self.random.choice(sizes)


def some_array(choice: random.Random, dtype: Any = None) -> Any:
    """A small array: contiguous or not, in either order."""
    dtype = choice.choice(DTYPES) if dtype is None else dtype
    shape = choice.choice(SHAPES)
    values = np.array([choice.randint(0, 4) for _ in range(int(np.prod(shape)))]).reshape(shape)
    array = values.astype(dtype)
    if np.dtype(dtype).kind in "fc":
        array = array / 2
    form = choice.random()
    if form < 0.7:
        return array
    if form < 0.8:
        return np.asfortranarray(array)
    wide = np.zeros((*shape[:-1], 2 * shape[-1]), array.dtype)
    wide[..., ::2] = array
    return wide[..., ::2] if form < 0.9 else array[::-1]


def clone(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments again, arrays with the same strides and flags."""
    return tuple([_clone(x) if isinstance(x, np.ndarray) else x for x in args])


def _clone(array: Any) -> Any:
    base = array if array.base is None else array.base
    memory = base.copy(order="K")
    offset = array.__array_interface__["data"][0] - base.__array_interface__["data"][0]
    made = np.ndarray(array.shape, array.dtype, memory, offset, array.strides)
    made.flags.writeable = array.flags.writeable
    return made
