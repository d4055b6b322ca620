"""Laws for whole families: random expressions and random programs are compiled and do what they did."""

from __future__ import annotations

import linecache
import random
import textwrap
import zlib

import numpy as np
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp

from tests.equivalence import check

DTYPES = (np.float64, np.float32, np.int64, np.int32, np.uint8, np.bool_)
# Ops that every dtype takes, except where the second set says that booleans do not.
BINARY = ("{} + {}", "{} * {}", "np.maximum({}, {})", "np.minimum({}, {})", "np.where({} > 0, {}, 1)")
COMPARISONS = ("{} < {}", "{} >= {}", "{} == {}", "{} != {}")
UNARY = ("abs({})", "np.square({})", "({}).astype(np.float64)", "np.sign({} + 0)", "({}) > 1")


def function_of(text: str):
    """The function `f` that the text defines; its source can be found again."""
    name = f"property_{zlib.crc32(text.encode()):08x}.py"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    scope = {"np": np, "__name__": __name__}
    exec(compile(text, name, "exec"), scope)
    return scope["f"]


@st.composite
def expressions(draw, depth: int = 3) -> str:
    """An elementwise expression of `a`, `b` and `c` whose dtypes NumPy decides."""
    if depth == 0 or (draw(st.booleans()) and depth < 3):
        return draw(st.sampled_from(("a", "b", "c", "2", "0.5", "True")))
    below = expressions(depth - 1)
    form = draw(st.sampled_from(BINARY + COMPARISONS + UNARY))
    return "(" + form.format(*(draw(below) for _ in range(form.count("{}")))) + ")"


def operands(dtype):
    """Small values: whether an overflow is seen is no question of this file."""
    kind = np.dtype(dtype).kind
    values = {"f": st.integers(-8, 8).map(lambda n: n / 4), "i": st.integers(-5, 5), "u": st.integers(0, 5)}
    return values.get(kind, st.booleans())


@st.composite
def arguments(draw):
    """Three arrays that broadcast together."""
    shapes = draw(hnp.mutually_broadcastable_shapes(num_shapes=3, max_dims=3, max_side=3)).input_shapes
    dtypes = draw(st.tuples(*[st.sampled_from(DTYPES)] * 3))
    return tuple(draw(hnp.arrays(d, s, elements=operands(d))) for d, s in zip(dtypes, shapes, strict=True))


@given(expressions(), arguments())
def test_elementwise_expressions(expression, args):
    check(function_of(f"def f(a, b, c):\n    return {expression}\n"), *args, ulps=2**32)


class Writer:
    """Writes a function of an int, a float and an array of five, with loops that end."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.counter = 0

    def program(self) -> str:
        body = self.block(2, in_loop=False)
        lines = ["k, y = n, x", *body, "return k, y, a.sum()"]
        return "def f(n, x, a):\n" + textwrap.indent("\n".join(lines), "    ") + "\n"

    def block(self, room: int, in_loop: bool) -> list[str]:
        return [line for _ in range(self.random.randint(1, 3)) for line in self.statement(room, in_loop)]

    def statement(self, room: int, in_loop: bool) -> list[str]:
        pick = self.random.random()
        if room and pick < 0.25:
            lines = [f"if {self.test()}:", *self.inside(room, in_loop)]
            if self.random.random() < 0.5:
                lines += ["else:", *self.inside(room, in_loop)]
            return lines
        if room and pick < 0.5:
            self.counter += 1
            name = f"i{self.counter}"
            head = self.random.choice((f"for {name} in range(n % 4):", f"for {name} in range({name}0, 4):"))
            lines = [f"{name}0 = abs(k) % 3", head, *self.inside(room, True)]
            return [*lines, "else:", *self.inside(0, in_loop)] if self.random.random() < 0.2 else lines
        if in_loop and pick < 0.6:
            return [f"if {self.test()}:", "    " + self.random.choice(("break", "continue"))]
        if pick < 0.65:
            return [f"if {self.test()}:", "    return k, y, a.sum()"]
        return [self.assignment()]

    def inside(self, room: int, in_loop: bool) -> list[str]:
        return ["    " + line for line in self.block(max(room - 1, 0), in_loop)]

    def test(self) -> str:
        forms = ("k > 2", "y < 1.5", "k % 2 == 0", "a[k % 5] > 0.5", "0 < k < n", "k < n and y > 0", "not k")
        return self.random.choice(forms)

    def assignment(self) -> str:
        forms = (
            "k += 1", "k = (k * 3 + 1) % 7", "y = y / 2 + k", "y, k = y - k, k - 1", "a[k % 5] += 1.0",
            "a[k % 5] = a[(k + 1) % 5] * 0.5 + y % 3", "a[1:4] = a[2:5]", "y = float(a[k % 5])", "a *= 0.5",
            "k = max(k - 2, 0) if y > 1 else min(n, 5)",
        )  # fmt: skip
        return self.random.choice(forms)


@given(st.integers(0, 2**32), st.integers(-3, 7), st.sampled_from((0.0, 0.75, -1.5, 4.0)))
def test_programs_of_loops_and_branches(seed, n, x):
    text = Writer(seed).program()
    try:
        check(function_of(text), n, x, np.linspace(-1, 2, 5))
    except Exception as error:
        error.add_note(text)
        raise
