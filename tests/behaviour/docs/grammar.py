"""Programs for every kind of node of Python's grammar, and the kinds that are refused."""

from __future__ import annotations

import contextlib
import dataclasses
import enum
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.program_table import Table

case = Table()
# Kind of node -> the programs that show it.
SHOWN: dict[str, list[Callable[..., Any]]] = {}


def shows(kinds: str, *argsets: tuple[Any, ...], **options: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A program of some kinds of nodes, compared with its eager run."""

    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        for kind in kinds.split():
            SHOWN.setdefault(kind, []).append(function)
        return case(*argsets, **options)(function)

    return add


class Color(enum.IntEnum):
    RED = 1
    BLUE = 2


@dataclasses.dataclass
class Point:
    x: float
    y: float


counter = 0


# fmt: off
@shows("FunctionDef Return arguments arg Call keyword Expr", (3,), (-3,))
def functions(n):
    """All kinds of parameters."""
    def inner(a, /, b, *rest, c=n, **more):
        if a > b:
            return a - b
        return sum(rest) + c + more["d"]

    return inner(n, 0, 1, 2, d=5), inner(1, 2, c=7, d=n)


@shows("Lambda", (3,), (-3,))
def lambdas(n):
    f, g = lambda v, k=n: v * k, lambda *a: len(a) + n
    return f(2), g(1, 2), (lambda v: v if v > 0 else -v)(n)


@shows("Assign Tuple List Starred Store Load Name Subscript Attribute", (3,), (-3,))
def assignments(n):
    p = Point(0.0, 1.0)
    items = [1, 2, 3]
    a = items[0] = p.x = n
    (b, [c, *d]), e = (n, (1, n, 2)), 4
    p.y, items[1] = items[1], p.x
    return a, b, c, d, e, items, p.x, p.y, [*items, n]


@shows("AugAssign Add Sub Mult", (3,), (-3,))
def augmented(n):
    a = np.arange(3.0)
    b = a
    a += n
    a[1] *= 2
    p = Point(n, 1)
    p.x -= a[0]
    return a, b, p.x


@shows("AnnAssign", (3,), (-3,))
def annotated(n):
    k: int
    m: float = n * 2.0
    if n > 0:
        k = 5
    return k + m


@shows("Delete Del", (3,), (-3,))
def deleted(n):
    k, items = n, [n, 2, 3]
    if n > 0:
        del k
    del items[0]
    return items, k


@shows("If Compare Gt Lt GtE LtE Eq NotEq", (5,), (0,), (-5,))
def conditions(n):
    if n > 3:
        return 1
    elif n == 0:
        return 2
    if 0 < n <= 3 or n >= 10 or n != -5:
        return 3
    return 4


@shows("While Break Continue", (7,), (0,), (1,))
def whiles(n):
    s = 0
    while n > 0:
        n -= 1
        if n % 3 == 0:
            continue
        if s > 8:
            break
        s += n
    else:
        s += 100
    return s


@shows("For Pass", (4,), (0,))
def fors(n):
    s = 0
    for i in range(n):
        for j, (v, w) in enumerate([(i, n), (n, i)]):
            s += j * v - w
        if s > 20:
            break
    else:
        pass
    return s


@shows("With withitem", (3,), (-3,))
def withs(n):
    with contextlib.nullcontext(n) as k, contextlib.nullcontext((n, 2)) as (a, b):
        if k > 0:
            return a * b
        k = k - 1
    return k


@shows("Match match_case MatchValue MatchSingleton MatchOr MatchAs", (1,), (2,), (-1,), (7,))
def matches(n):
    match n:
        case Color.RED | -1 as k:
            return k * 10
        case None:
            return 0
        case k if k > 5:
            return k
        case _:
            return -1


@shows("MatchSequence MatchStar MatchMapping MatchClass", (1.0,), (2.0,))
def structural_matches(x):
    total = 0.0
    for thing in ((x, 2.0, 3.0), {"at": x, "more": 1}, Point(1.0, x)):
        match thing:
            case [1.0, *rest]:
                total += len(rest)
            case [first, *_]:
                total += first * 10
            case {"at": at, **rest}:
                total += at * 100 + len(rest)
            case Point(1.0, y=y):
                total += y * 1000
    return total


@shows("Raise", (3,), (-3,))
def raises(n):
    if n < 0:
        raise ValueError(f"negative") from None  # noqa: F541
    return n


@shows("Try ExceptHandler", (3,), (0,))
def tries(n):
    r = 0
    try:
        r = 12 // n
    except ZeroDivisionError:
        r = -1
    else:
        r += 1
    finally:
        r *= 2
    return r


@shows("Assert", (3,), (-3,))
def asserts(n):
    assert n > 0, "not positive"
    return n


@shows("Import ImportFrom alias", (4.0,), (0.0,))
def imports(x):
    import math as m
    from math import floor

    return m.sqrt(x), floor(x)


@shows("Nonlocal", (3,), (-3,))
def nonlocals(n):
    total = 0

    def add(v):
        nonlocal total
        if v > 0:
            total += v

    add(n)
    add(5)
    return total


@shows("BoolOp And Or UnaryOp Not", (3,), (0,), (-3,))
def booleans(n):
    return (n > 0 and n < 5) or not n, not (n or 0)


@shows("NamedExpr", (5,), (0,))
def walrus(n):
    s = 0
    while (m := n - s) > 1:
        s += 1
    return s, m


@shows("BinOp Div FloorDiv Mod Pow LShift RShift BitOr BitXor BitAnd MatMult", (7,), (-7,))
def operators(n):
    a = np.array([[1.0, n], [2.0, 0.0]])
    return n / 4, n // 4, n % 4, n ** 2, n << 2, n >> 1, n | 8, n ^ 5, n & 6, a @ a


@shows("UAdd USub Invert", (7,), (-7,))
def unary(n):
    return +n, -n, ~n


@shows("IfExp", (3,), (-3,))
def ternaries(n):
    return 1 if n > 2 else n * 2 if n > 0 else -n


@shows("Dict Set", (3,), (-3,))
def displays(n):
    d = {"a": n, "b": 1, "c": n}
    if n > 0:
        d["a"] = 0
    return d, n in {1, 2, 3}, len({n, n + 1, 3})


@shows("ListComp DictComp SetComp comprehension", (3,), (-3,))
def comprehensions(n):
    rows = [[v * n for v in (1, 2)] for _ in range(2)]
    named = {k: v for k, v in (("a", n), ("b", 1)) if v > 0}
    return rows, named, {v * n: v for v in (1, 2)}, len({v * n for v in (1, 2) if v > n})


@shows("GeneratorExp", (np.array([1.0, -2.0, 3.0]), 1.0))
def generator_expressions(a, t):
    return sum(v * t for v in a if v > t), any(v > t for v in a)


@shows("Yield YieldFrom", (3,), (0,))
def generators(n):
    def inner(k):
        for i in range(k):
            yield i * k

    def outer(k):
        yield k
        yield from inner(k)

    s = 0
    for v in outer(n):
        s = s * 10 + v
    return s


@shows("In NotIn Is IsNot", (3,), (-3,))
def memberships(n):
    best = None
    if n > 0:
        best = n
    return n in (1, 3), n not in (1, 3), best is None, best is not None


@shows("JoinedStr FormattedValue", (3,), (-3,))
def strings(n):
    text = f"{'positive'!r:>12}" if n > 0 else f"{1 + 1:.{2}f}"
    return text


@shows("Constant", (3,), (-3,))
def constants(n):
    return n * 2j, b"a", "b" "c", None, True, 0x1F + n, ... is Ellipsis


@shows("Slice", (3,), (0,))
def slices(n):
    a = np.arange(12.0).reshape(3, 4)
    a[1:, ::2] = n
    return a[:, -1], a[None, ..., ::-1].shape, a[0:2][1]


@shows("ClassDef", (3,), (-3,))
def classes(n):
    class Account:
        rate = 2

        def __init__(self, start):
            self.balance = start if start > 0 else 0

        def pay(self, amount):
            if amount > 0:
                self.balance += amount * self.rate
            return self.balance

    account = Account(n)
    account.pay(n + 2)
    return account.balance


@shows("Global", (3,), (-3,))
def globals_assigned(n):
    global counter
    before, counter = counter, 5
    if n > 0:
        counter += n
    result, counter = counter, before
    return result


@shows("TryStar", (3,), (-3,))
def handlers_of_groups(n):
    try:
        if n < 0:
            raise ExceptionGroup("all", [ValueError(n), KeyError(n)])
    except* ValueError as error:
        n += 100 * len(error.exceptions)
    except* KeyError:
        n += 1000
    return n
# fmt: on


# Kinds that are refused, or that only some Pythons know: the code (None where it is taken), and a program.
REFUSED: dict[str, tuple[str, str]] = {
    "AsyncFunctionDef": ("AB101", "async def f(x):\n    return abs(x)\n"),
    "Await": ("AB101", "async def f(x):\n    return await x\n"),
    "AsyncFor": ("AB101", "async def f(x):\n    async for v in x:\n        pass\n"),
    "AsyncWith": ("AB101", "async def f(x):\n    async with x:\n        pass\n"),
}
NEWER: dict[str, tuple[tuple[int, int], str]] = {
    "TypeAlias": ((3, 12), "def f(n):\n    type T = int\n    return n * 2 if n > 0 else 0\n"),
    "TypeVar": ((3, 12), "def f[T: int](n: T) -> T:\n    return n * 2 if n > 0 else 0\n"),
    "ParamSpec": ((3, 12), "def f[**P](n):\n    return n * 2 if n > 0 else 0\n"),
    "TypeVarTuple": ((3, 12), "def f[*T](n):\n    return n * 2 if n > 0 else 0\n"),
}
# Kinds that take values known while tracing, or that run while tracing.
STATIC = {"With", "withitem", "Import", "ImportFrom", "alias"}
# What is to say beside what the pass says.
NOTES = {
    "Global": "What a call assigns is in the module after it; the next call is traced anew.",
    "ClassDef": "Made while tracing, its methods rewritten; no control flow in its body ([AB104](errors/AB104.md)).",
    "With": "The manager is entered and left while tracing; what the block does is staged. The `__exit__` of a user's "
    "class may end exceptions at run time, as `suppress` does.",
    "Yield": "A jitted generator function is compiled from one yield to the next; its yields are statements "
    "([AB115](errors/AB115.md)) outside of try and with ([AB117](errors/AB117.md)). A generator that a compiled "
    "function uses is staged with the loop over it.",
    "YieldFrom": "As `yield`.",
    "NamedExpr": "Anywhere; in a lambda where it always runs ([AB107](errors/AB107.md)). "
    "No run-time condition in its comprehension where the name is used outside of that.",
    "SetComp": "With members or conditions known only at run time it is a hash table, made by a loop.",
    "DictComp": "With keys or conditions known only at run time it is a hash table, made by a loop.",
    "Call": "What is called is rewritten too when it is the user's own.",
    "Set": "With members known only at run time it is a hash table; right behind `in` it is only compared.",
    "JoinedStr": "Written on the host. Its characters are known at run time where it is made of ints and other texts.",
    "FormattedValue": "As the f-string around it.",
    "Import": "NumPy and `math` are exchanged for their staged forms. `import *` is refused by Python itself.",
    "ImportFrom": "As `import`.",
    "Lambda": "Its body is rewritten in place.",
    "Delete": "A name holds an Undefined from then on; items and attributes are deleted.",
    "TypeAlias": "Python 3.12 and later.",
    "TypeVar": "Python 3.12 and later.",
    "ParamSpec": "Python 3.12 and later.",
    "TypeVarTuple": "Python 3.12 and later.",
}
