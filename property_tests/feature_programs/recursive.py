"""Functions that call themselves to a depth known only at run time, and change what they were given on the way."""

from __future__ import annotations

from property_tests.feature_programs.grammar import Grammar

GRAMMAR = Grammar(
    module="""import numpy as np


class Box:
    def __init__(self):
        self.n = 0
        self.seen = []


def other(n, a, l, o):
    <entry>
    if n <= <least>:
        return n + 3
    return down(n - 1, a, l, o) + n


def down(n, a, l, o):
    x = 1
    <block>
    if n <= <least>:
        <entry>
        return <result>
    r = <call>
    <block>
    return <after>


def f(n, a, l):
    o = Box()
    told = []
    <outer>
    return r, o.n, o.seen, told
""",
    calls="(<number>, np.array([4, 1, 3]), [7, <number>])",
    words={
        "number": ("3", "4", "2", "0", "5"),
        "least": ("0", "1", "-1"),
        "outer": (
            "r = down(n, a, l, o)",
            "r = down(n + 1, a, l, o)",
            "r = [down(k, a, l, o) for k in range(n)]",
            "try:\n    r = down(n, a, l, o)\nexcept <error> as error:\n    r = 0\n    told.append(str(error))",
            "r = 0\nfor k in range(n):\n    r += down(k, a, l, o)\n    told.append(len(o.seen))",
            "r = down(a[0], a, l, o) if n > 2 else 0",
        ),
        "call": (
            "down(n - 1, a, l, o)",
            "down(n - 1, a, l, o) + 1",
            "down(n - 1, a, l, o) + down(n - 2, a, l, o)",
            "other(n - 1, a, l, o)",
            "sum(down(n - 1 - j, a, l, o) for j in range(2))",
            "down(n // 2 - 1, a, l, o)",
            "down(n - 1, a, l, o) if x > 0 else 0",
            "max(down(n - 1, a, l, o), down(n - 2, a, l, o))",
        ),
        "int": ("n", "x", "a[n % 3]", "o.n", "len(l)", "len(o.seen)", "1"),
        "result": ("1", "n", "x + 1 if n > 0 else 2", "int(a[0])", "len(l)", "o.n"),
        "after": ("r", "r + <int>", "r * 2 + x", "int(r + a[n % 3]) % 1000", "r - len(o.seen)"),
        "entry": ("pass", "o.n += 1", "l.append(n)", "a[n % 3] += 1", "o.seen.append(n)"),
        "condition": ("n > 2", "x > 1", "a[0] > 4", "o.n % 2 == 0", "len(l) < 5", "n in o.seen", "n % 2"),
        "statement": (
            "x = x",
            "x += 1",
            "x = <int>",
            "a[n % 3] += 1",
            "a[0] = <int>",
            "o.n += 1",
            "o.n = <int>",
            "l.append(<int>)",
            "if l:\n    l[0] = <int>",
            "o.seen.append(n)",
            "o.seen.append(<int>)",
            "if l:\n    l.pop()",
            "x = int(a[n % 3])",
            "x = 6 // (n + 1)",
            "x = 6 // n",
            "if <condition>:\n    raise ValueError(f'at {n}')",
            "o.n -= 1",
            "a *= 2",
            "n -= 1",
        ),
        "compound": (
            "if <condition>:\n    <block>",
            "if <condition>:\n    <block>\nelse:\n    <block>",
            "for j in range(2):\n    <block>",
            "try:\n    <block>\nexcept <error>:\n    <block>",
            "try:\n    x = down(n - 2, a, l, o) if n > 1 else 0\nexcept <error>:\n    <block>",
            "for j in range(n):\n    <block>",
            "if n > 2:\n    x = down(n - 2, a, l, o)",
        ),
        "error": ("IndexError", "ValueError", "ZeroDivisionError", "Exception"),
    },
)
