"""Random programs on arrays whose sizes are known only at run time, each line tried with NumPy as it is written.

A name holds values of one type, dtype and number of axes only, so that loops carry it; its size is any.
"""

from __future__ import annotations

import random
import warnings
from typing import Any

import numpy as np

Scope = dict[str, Any]
DTYPES = ("f8", "f8", "f8", "i8", "i8", "f4", "i4", "i1", "?", "c16")
LONGEST = 60
MOST_NAMES = 9


class Writer:
    """Writes the lines of a program over arrays `a`, `b`, a matrix `m`, ints `i`, `j` and a float `v`."""

    def __init__(self, choice: random.Random, scope: Scope) -> None:
        self.random = choice
        self.scope: Scope = {"np": np, **scope}
        self.lines: list[str] = []
        self.count = 0
        self.ended = False

    def write(self, steps: int, raising: float = 0.15) -> list[str]:
        """Add so many lines; of the lines that raise, a part stays, and ends the program."""
        for _ in range(20 * steps):
            if len(self.lines) >= steps or self.ended:
                break
            self.attempt(self.statement(), raising)
        return self.lines

    def attempt(self, line: str | None, raising: float) -> None:
        if line is None:
            return
        before = {k: np.copy(x) for k, x in self.arrays().items()}
        scope = dict(self.scope)
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                exec(line, scope)
            except Exception:
                if self.random.random() < raising and self._unchanged(before):
                    self.ended = True
                    self.lines.append(line)
                return
        if all(x.size <= LONGEST for x in scope.values() if isinstance(x, np.ndarray)):
            self.scope = scope
            self.lines.append(line)

    def _unchanged(self, before: dict[str, Any]) -> bool:
        return all(np.array_equal(before[k], x, equal_nan=x.dtype.kind in "fc") for k, x in self.arrays().items())

    # ---- what there is -----------------------------------------------------------------------------------------------

    def arrays(self) -> dict[str, Any]:
        return {k: x for k, x in self.scope.items() if isinstance(x, np.ndarray)}

    def pick(self, kinds: str = "biufc", axes: int = 1) -> str:
        names = [k for k, x in self.arrays().items() if x.ndim == axes and x.dtype.kind in kinds]
        return self.random.choice(names or ["a"])

    def one(self, *options: str) -> str:
        return self.random.choice(options)

    def named(self, value: Any) -> str:
        """A name for this value: a new one, or one that holds the like."""
        kind = f"{value.dtype.char}{value.ndim}_" if isinstance(value, np.ndarray) else f"{type(value).__name__}_"
        kind = {"?1_": "q1_", "?2_": "q2_"}.get(kind, kind)
        alike = [k for k in self.scope if k.startswith(kind)]
        if alike and (len(self.scope) > MOST_NAMES + 6 or self.random.random() < 0.4):
            return self.random.choice(alike)
        self.count += 1
        return f"{kind}{self.count}"

    def assigned(self, expression: str) -> str | None:
        """A line that names what the expression gives."""
        scope = dict(self.scope)
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                value = eval(expression, scope)
            except Exception:
                return f"e_0 = {expression}"
        return f"{self.named(value)} = {expression}"

    # ---- lines -------------------------------------------------------------------------------------------------------

    def statement(self) -> str | None:
        pick = self.random.random()
        if pick < 0.3:
            return self.assigned(self.view())
        if pick < 0.52:
            return self.assigned(self.fresh())
        if pick < 0.62:
            return self.assigned(self.number())
        if pick < 0.7:
            return self.control()
        return self.writing()

    def view(self) -> str:
        x, m = self.pick(), self.pick(axes=2)
        lo, hi = self.bound(), self.bound()
        if self.random.random() < 0.25 and m != "a":
            return self.one(
                f"{m}[:, {lo}:].ravel()", f"{m}.T[:{hi}].ravel()", f"{m}[{lo}:{hi}].T.ravel()", f"{m}.ravel()",
                f"{m}[{lo}:{hi}].reshape(-1)", f"{m}[:, :{hi}].reshape(-1)", f"{m}[{lo}:{hi}].reshape(-1, 2)",
                f"{m}[::2][:{hi}].reshape(-1)", f"{m}[:{hi}, {lo}:] * 1", f"{m}[:, :{hi}].copy()", f"{m}.T",
                f"{m}[:{hi}, {lo}:]", f"{m}[{lo}:]", f"{m}[:, :{hi}]", f"{m}[0, :{hi}]", f"{m}.T[:{hi}]",
                f"{m}[:{hi}].ravel()", f"{m}[{m}[:, 0] > 0]", f"{m}[:, {lo}]", f"{m}[{m} > {self.literal()}]",
            )  # fmt: skip
        return self.one(
            f"{x}[{self.window()}]", f"{x}[{self.window()}]", f"{x}[{self.window()}]", f"{x}[{self.mask(x)}]",
            f"{x}[{self.mask(x)}]", f"{x}[{self.window()}][{self.window()}]", f"{x}[{self.pick('i')}]", f"{x}[::-1]",
            f"{x}[{lo}:{hi}].reshape(-1, 2)", f"{x}[:{hi}].reshape(2, -1)", f"{x}[{lo}:{hi}].reshape(2, 2)",
            f"{x}[{lo}:{hi}].ravel()",
        )  # fmt: skip

    def fresh(self) -> str:
        x, y = self.pick(), self.pick()
        n = f"min(len({x}), len({y}))"
        operator = self.one("+", "-", "*", "<", ">=", "==")
        return self.one(
            f"{x} {operator} {y}", f"{x}[:{n}] {operator} {y}[:{n}]", f"{x}[len({x}) - {n}:] {operator} {y}[:{n}]",
            f"{x} {operator} {self.literal()}", f"np.where({self.mask(x)}, {x}, {self.literal()})", f"{x}.copy()",
            f"np.sort({x})", f"np.argsort({x}, kind='stable')", f"np.cumsum({x})", f"np.diff({x})",
            f"np.concatenate([{x}, {y}])", f"np.append({x}, {self.literal()})", f"np.unique({x})",
            f"np.flatnonzero({self.mask(x)})", f"np.nonzero({x})[0]", f"np.zeros(len({x}))", f"np.arange({x}.size)",
            f"np.flip({x})", f"np.abs({x})", f"np.maximum({x}, {self.literal()})", f"{x}.astype(np.float64)",
            f"np.roll({x}, {self.one('1', '-2', 'i')})", f"np.setdiff1d({x}, {y})", f"np.union1d({x}, {y})",
            f"np.unique({x}, return_{self.one('index', 'inverse', 'counts')}=True)[{self.one('0', '1')}]",
            f"{x}[:, None] * {y}", f"np.outer({x}[:3], {y}[:4])", f"np.repeat({x}, 2)",
            f"np.compress({self.mask(x)}, {x})",
            f"np.full({self.bound()}, 2.5)", f"np.arange({self.bound()})", f"{self.pick(axes=2)}.sum(axis=0)",
        )  # fmt: skip

    def number(self) -> str:
        x, y, m = self.pick(), self.pick(), self.pick(axes=2)
        n = f"min(len({x}), len({y}))"
        return self.one(
            f"{x}.sum()", f"{x}.max()", f"np.min({x})", f"len({x})", f"{x}.size", f"{x}.argmax()", f"np.argmin({x})",
            f"{x} @ {y}", f"{x}[:{n}] @ {y}[:{n}]", f"{x}.any()", f"{x}.all()", f"({self.mask(x)}).sum()",
            f"{x}.mean()",
            f"{x}[{self.bound()}]", f"{x}[-1]", f"{x}.prod()", f"np.count_nonzero({x})", f"{m}.sum()", f"{m}.shape[0]",
            f"int({x}.sum() != 2)", f"np.median({x})", f"np.searchsorted(np.sort({x}), {self.literal()})", f"{x}.std()",
        )  # fmt: skip

    def writing(self) -> str:
        x, y, m = self.pick(), self.pick(), self.pick(axes=2)
        window, augment, value = self.window(), self.one("+", "-", "*"), self.literal()
        n = f"min(len({x}), len({y}))"
        return self.one(
            f"{x}[{window}] = {value}", f"{x}[{window}] {augment}= {value}", f"{x}[{window}] = {x}[{window}][::-1]",
            f"{x}[{window}] = {y}[{self.window()}]", f"{x}[:{n}] = {y}[len({y}) - {n}:]",
            f"{x}[:{n}] {augment}= {y}[:{n}]", f"{x}[1:] {self.one('', augment)}= {x}[:-1]",
            f"{x}[{self.mask(x)}] = {value}", f"{x}[{self.mask(x)}] {augment}= {value}",
            f"{x}[{self.mask(x)}] = {y}[:({self.mask(x)}).sum()].copy()", f"{x}[{self.bound()}] = {value}",
            f"{x} {augment}= {y}", f"{x} {augment}= {value}", f"{x}.sort()", f"{x}.fill({value})",
            f"{x}[{self.pick('i')}] = {value}", f"{m}[:{self.bound()}, {self.bound()}:] {augment}= {value}",
            f"{m}[{window}] = {value}",
            f"np.cumsum({x}, out={x})",
        )  # fmt: skip

    def control(self) -> str | None:
        x, y = self.pick(), self.pick()
        alike = [k for k, z in self.arrays().items() if z.ndim == 1 and z.dtype == self.scope[x].dtype]
        z, window, value = self.random.choice(alike), self.window(), self.literal()
        return self.one(
            f"if {self.test()}:\n    {x} = {x}[{window}]", f"if {self.test()}:\n    {x}[{window}] = {value}",
            f"if {self.test()}:\n    {x} = {z}[{window}]\nelse:\n    {x} = {z}[{self.mask(z)}]",
            f"{x} = {z} if {self.test()} else {z}[{window}]",
            f"while len({x}) > max(0, {self.bound()}):\n    {x} = {x}[1:]",
            f"for w in {x}:\n    v = v * 0.5 + (w > {value})", f"for k in range(len({x})):\n    {x}[k:] *= 2",
            f"for k in range(len({x})):\n    {y}[k % 3 :] = {value}",
            f"while v > 0.5:\n    v *= 0.5\n    {x} = {x}[{window}]",
            f"while len({x}) > 1 and {x}[0] > {value}:\n    {x} = {x}[1:]",
            f"for k in range(2):\n    {x} = np.concatenate([{x}, {z}[:k]])",
            f"try:\n    {x} = {x}[{window}] + {z}\nexcept ValueError:\n    {x} = {x}[:1]", f"{x}, {z} = {z}, {x}",
        )  # fmt: skip

    # ---- parts of lines ----------------------------------------------------------------------------------------------

    def test(self) -> str:
        x = self.pick()
        return self.one("v > 1", "i > 0", f"len({x}) > {self.bound()}", f"{x}.sum() > 1", f"({self.mask(x)}).any()")

    def literal(self) -> str:
        return self.one("0", "1", "2", "-1", "0.5", "3", "i", "v", "True")

    def bound(self) -> str:
        ints = [k for k, x in self.scope.items() if isinstance(x, (int, np.int64)) and not isinstance(x, bool)]
        return self.one(
            "i", "j", "-i", "i + 1", "0", "1", "-1", "i - 2", f"len({self.pick()})", f"len({self.pick()}) // 2",
            f"({self.mask(self.pick())}).sum()", self.one(*ints or ["j"]), "i + j",
        )  # fmt: skip

    def window(self) -> str:
        lo, hi = self.bound(), self.bound()
        return self.one(
            f"{lo}:{hi}", f"{lo}:", f":{hi}", f":{hi}", f"{lo}:{lo} + 2", f"{lo}:{hi}:2", f"{lo}::-1",
            "1:", ":-1", "::2",
        )  # fmt: skip

    def mask(self, x: str) -> str:
        return self.one(
            f"{x} > {self.literal()}", f"{x} <= {self.literal()}", f"{x} == {x}", f"{x} != {x}",
            f"({x} > 0) & ({x} < 3)", f"~({x} > 1)",
        )  # fmt: skip


def some_array(choice: random.Random, shape: tuple[int, ...], dtype: str) -> Any:
    """Small values, halves among floats, sorted now and then."""
    size = int(np.prod(shape))
    values = np.array([choice.randint(-3, 5) for _ in range(size)], np.float64)
    if dtype == "?":
        return (values > 1).reshape(shape)
    if np.dtype(dtype).kind in "fc":
        values /= 2
    if choice.random() < 0.2:
        values.sort()
    return values.astype(dtype).reshape(shape)
