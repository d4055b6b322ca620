"""The functions of docs/rewriting.md; `python -m tests.behaviour.docs.rewriting_page` makes the page of them."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from anabranch import jit

PAGE = Path(__file__).parents[3] / "docs" / "rewriting.md"
HEAD = """\
# Ten functions, before and after

What `jit` makes of a function can be printed: `f.source()`, or `python -m anabranch show FILE.py:FUNCTION`. `ab` is the
vocabulary that stands for control flow: `ab.if_` runs one branch where its condition is a plain value, and stages both
where it is known only at run time.
"""
# Each with a title, what to see in it, and arguments.
EXAMPLES: list[tuple[str, str, Callable[..., Any], tuple[Any, ...]]] = []


def example(title: str, remark: str, *args: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        EXAMPLES.append((title, textwrap.fill(" ".join(remark.split()), 120), function, args))
        return function

    return add


@example(
    "A loop with a condition",
    """The test and the body become functions of the names that the loop changes. Where the condition turns out to be
    plain Python, `ab.while_` is a plain loop.""",
    2.0,
    1e-12,
)
def newton(x, tol):
    y = x
    while abs(y * y - x) > tol:
        y = 0.5 * (y + x / y)
    return y


@example(
    "Branches",
    "Comments stay where they were. A branch takes what it reads and changes, and returns what is read later.",
    np.float64(0.3),
    2.0,
)
def huber(r, delta):
    a = abs(r)
    if a <= delta:
        # near zero: a parabola
        loss = 0.5 * a * a
        slope = r
    else:
        loss = delta * (a - 0.5 * delta)
        slope = delta * np.sign(r)
    return loss, slope


@example(
    "A name that may be unset",
    """`best` has no value before the loop: it starts as an `Undefined`, and reading it says what Python would say. What
    follows an early return becomes the other branch.""",
    np.array([3.0, 1.0, 2.0]),
)
def smallest(values):
    if len(values) == 0:
        return -1, 0.0
    for i, v in enumerate(values):
        if i == 0 or v < best:
            best = v
            where = i
    return where, best


@example(
    "break, continue, return and else",
    """A loop body says with its first result how it was left. After the loop, that decides how to go on.""",
    np.array([4, 6, 9, 15]),
)
def first_odd(values):
    for i in range(len(values)):
        if values[i] % 2 == 0:
            continue
        if values[i] > 100:
            break
        return i
    else:
        return -2
    return -1


@example(
    "Nested loops over an array that is written",
    """Writing into an array changes no name, so the inner bodies return nothing: what they write is found while
    they are traced.""",
    np.array([[4.0, 2.0], [2.0, 3.0]]),
)
def cholesky(a):
    n = a.shape[0]
    for j in range(n):
        for k in range(j):
            a[j:, j] -= a[j:, k] * a[j, k]
        a[j:, j] /= np.sqrt(a[j, j])
        a[j, j + 1 :] = 0.0
    return a


@example(
    "Conditions with several parts",
    "What may not be evaluated stands in a `lambda`. Comparisons of plain values stay as they are.",
    2.0,
    None,
)
def inside(x, limits):
    if limits is None or not x > 0:
        return x > 0 and x < 1
    low, high = limits
    return low <= x < high


@example(
    "Helpers and inner functions",
    """Calls of the user's own functions go through `ab.call`, which rewrites them when they are first called. NumPy's
    are called by their names: the line on top says which `np` that is.""",
    np.arange(4.0),
    1.5,
)
def scaled(values, factor):
    def squash(v):
        return v / (1 + np.abs(v)) if factor > 1 else v

    total = 0.0
    for v in values:
        total += squash(v)
    return total * factor


@example(
    "Conditions that raise",
    "`raise` stays Python's own. Where the condition is known only at run time, so is the exception.",
    4.0,
)
def checked_root(x):
    assert x == x, "not a number"
    if x < 0:
        raise ValueError("negative")
    return x**0.5


@example(
    "match",
    "A match statement becomes a chain of branches.",
    3,
    2.0,
)
def energy(kind, x):
    match kind:
        case 0:
            return 0.0
        case 1 | 2:
            value = x
        case _ if x > 1:
            value = x * x
        case _:
            value = -x
    return value


@example(
    "Swapping, counting, wandering off",
    "All at once: an endless loop, two names at a time, a ternary, a `break` out of the middle.",
    27,
)
def collatz(n):
    steps, peak = 0, n
    while True:
        if n == 1:
            break
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps, peak = steps + 1, max(peak, n)
    return steps, peak


def polynomial(x, coefficients, degree=3, kind="power"):
    total = np.zeros_like(x)
    for k in range(degree):
        if kind == "power":
            total += coefficients[k] * x**k
        else:
            total += coefficients[k] * np.cos(k * np.arccos(x))
    # a constant is not divided
    if degree > 1:
        total /= degree
    return total


STATIC = """\
## With values of static arguments

`f.source(...)`, called as the function is, shows what the values of static arguments leave of it: they stand where
their names stood, what they decide is decided, short loops over them are written out. Arguments that are not static
may be left out. `polynomial.source(degree=2)` of

```python
{before}```

is

```python
{after}```

This is shown, and not what runs: a call traces the source above, in which Python decides on static values by
itself, so that a new value costs no rewriting. Both compute the same. Parameters that are assigned anywhere in the
function keep their names, and nothing is computed that could raise.
"""


def page() -> str:
    parts = [HEAD]
    for title, remark, function, _ in EXAMPLES:
        before = inspect.getsource(function)
        before = before[before.index("def ") :]
        after = jit(function).source()
        parts.append(f"## {title}\n\n{remark}\n\n```python\n{before}```\n\n```python\n{after}```\n")
    before = inspect.getsource(polynomial)
    after = jit(polynomial, static_argnames="degree").source(degree=2)
    parts.append(STATIC.format(before='@jit(static_argnames="degree")\n' + before, after=after))
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page())
