"""`try` with all of its clauses around containers, which are changed in part when something fails."""

from __future__ import annotations

from property_tests.feature_programs.grammar import Grammar

GRAMMAR = Grammar(
    module="""import numpy as np


class Odd(ValueError):
    def __init__(self, n, *rest):
        super().__init__(n, *rest)
        self.n = n


def half(k):
    if k % 2:
        raise Odd(k, "odd")
    return k // 2


def closing(l, k):
    try:
        return half(k)
    finally:
        l.append(k)


def f(ks, a, l, d, n):
    m = []
    e = {}
    k = n
    told = []
    <block>
    return m, e, k, told, n
""",
    calls="(np.array(<keys>), np.array([4.0, 0.5, -1.0]), [<number>, 5], {<number>: 7}, <number>)",
    words={
        "keys": ("[3, 1, 4, 1, 5]", "[0, 0, 0, 2, 1]", "[2, 4, 6, 0, 3]", "[5, 4, 3, 2, 1]"),
        "number": ("0", "1", "2", "3"),
        "int": ("k", "n", "len(m)", "k % 3", "l[0]", "k + 1", "len(told)", "k + n", "k * 2", "<fails>"),
        "fails": ("half(k)", "10 // k", "l[k]", "d[k]", "e[n]", "m[-1]", "e[<safe>]"),
        "safe": ("k", "n", "len(m)", "k % 3", "k + 1"),
        "condition": ("k > 2", "n > 1", "len(m) < 3", "k in e", "a[0] > 4", "m", "k % 2 == 0", "l[0] == k"),
        "statement": (
            "m.append(<int>)",
            "m.append(<int>)",
            "e[<safe>] = <int>",
            "e[<safe>] = <int>",
            "l.append(<int>)",
            "l[0] = <int>",
            "d[<safe>] = <int>",
            "a[<int>] = 10 / k",
            "a[k % 3] += <int>",
            "k = <int>",
            "n = <int>",
            "k = half(<safe>)",
            "k = closing(l, <safe>)",
            "k = closing(m, <int>)",
            "told.append(<condition>)",
            "if m:\n    m.pop()",
            "if k in e:\n    del e[k]",
            "n += 1",
            "assert <condition>, k",
            "if <condition>:\n    raise <raised>",
            "m.extend([<int>, <int>])",
            "e.pop(<safe>, 0)",
            "if k in m:\n    m.remove(k)",
            "a += 1",
            "told.append(str(k))",
            "e = {}",
            "m = []",
            "k += 1",
        ),
        "raised": ("ValueError(k)", "Odd(k)", "KeyError(n)", "ValueError(f'no {k}')", "IndexError", "Odd(n, k)"),
        "compound": (
            "for k in ks.tolist():\n    try:\n        <block>\n    except <error>:\n        <block>",
            "for k in ks.tolist():\n"
            "    try:\n        <block>\n    except <bound> as error:\n        <tell>\n        <block>",
            "for k in ks:\n    try:\n        <block>\n    finally:\n        <block>",
            "try:\n    <block>\nexcept <error>:\n    <block>\nelse:\n    <block>",
            "try:\n    <block>\nexcept <error>:\n    <block>\nfinally:\n    <block>",
            "try:\n    <block>\nexcept <bound> as error:\n    <tell>\n    <again>",
            "for k in ks.tolist():\n"
            "    try:\n        <block>\n    except <error>:\n        <jump>\n    finally:\n        <block>",
            "if <condition>:\n    <block>\nelse:\n    <block>",
            "for k in range(n % 5):\n    <block>",
            "<t> = 0\nwhile <t> < 3 and <condition>:\n    <t> += 1\n    <block>",
            "try:\n    <block>\nexcept KeyError:\n    <block>\nexcept <error>:\n    <block>",
        ),
        "error": (
            "ZeroDivisionError",
            "(KeyError, IndexError)",
            "ValueError",
            "Exception",
            "Odd",
            "LookupError",
            "KeyError",
        ),
        "bound": ("Odd", "ValueError", "KeyError", "Exception", "(KeyError, ZeroDivisionError)"),
        "tell": (
            "told.append(str(error))",
            "told.append(error.args)",
            "told.append(type(error).__name__)",
            "n += 1",
            "told.append(len(error.args))",
            "told.append(repr(error))",
            "told.append(isinstance(error, KeyError))",
        ),
        "again": ("raise", "raise Odd(k) from error", "<statement>", "<statement>", "raise ValueError(n) from None"),
        "jump": ("continue", "break", "pass", "return m, e, k, told, n"),
    },
)
