"""Random programs in which names, items of lists and attributes stand for the same arrays.

They are bound, chosen, swapped, handed on and written through branches, loops and tries. All arrays are of one shape,
so that any name may stand for any of them.
"""

from __future__ import annotations

import random
import textwrap

from property_tests.generation.programs import GeneratedProgram

NAMES = ("a", "b", "y", "z")
HEAD = """import numpy as np


class Box:
    def __init__(self, v):
        self.v = v


def pick(x, w, n):
    return x if n > 2 else w


def bump(x, w):
    x[1] += w[0]
    return w


def each(*rows):
    for row in rows:
        yield row


def f(n, a, b, s, o):
    y = {y}
    z = {z}
    k = 0
    d = {{"p": z, "q": y}}

    def change():
        nonlocal y
        y += 1

{body}
    return n, a, b, y, z, s, o, d
"""
CALL = "({n}, (a_ := np.arange(4.0)), (b_ := np.arange(4.0) * 10), [a_, b_], Box(b_), )"
EXPRESSIONS = (
    "{x}", "{x}", "{x} if {c} else {w}", "{x} if {c} else {w}", "{x}[:]", "{x}[::-1]", "{x} * 2", "{x} + {w}",
    "{x}.copy()", "np.roll({x}, 1)", "({x}, {w})[n % 2]", "pick({x}, {w}, n)", "{x}.reshape(2, 2).ravel()",
    "{x}.reshape(2, 2).T.ravel()", "{x}.reshape(2, 2).T.reshape(4)", "bump({x}, {w})", "np.asarray({x})",
)  # fmt: skip
CONDITIONS = ("n > 1", "n % 2 == 0", "{x}[0] > 3", "{x}[1] < {w}[2]", "k > 1", "{x} is {w}")
WRITES = (
    "{x} += 1", "{x} *= 2", "{x}[k % 4] += 5", "{x}[0] = 9", "{x}[1:] = {w}[:-1]", "{x} += {w}", "{x}[:] = {w}",
    "{x}[n % 4] -= 2", "np.add({x}, 1, out={w})", "{x}[{w} > 2] = 1", "{x}[::-1] += {w}", "np.clip({x}, 0, 5, out={w})",
    "bump({x}, {w})", "{x}[1:3] *= {w}[:2]", "v = {x}[2:]; v += 1", "v = {x}[n % 2 : n % 2 + 2]; v -= 1",
    "[r.fill(3) for r in ({x}, {w}) if r[0] > 1]",
)  # fmt: skip
HOLDERS = (
    "s.append({x})", "s[0] = {x}", "s[-1][0] += 1", "{x} = s[-1]", "{x} = s[0]", "s = [y, z]", "s = [s[0], a]",
    "s[n % 2] += 1", "s = [z, y] if {c} else s", "change()", "o.v = {x}", "{x} = o.v", "o.v += 1", "o = Box(y)",
    "o.v[0] = 4", "o = Box(a) if {c} else o", 'd["p"] = {x}', '{x} = d["p"]', 'd["q"] += 1', 'd["p"][k % 4] = k',
    'd = {{"p": {x}, "q": {w}}}', 's[0], d["p"] = d["p"], s[0]',
)  # fmt: skip
COUNTS = ("n += 1", "k += 1", "n -= 1 if n > 3 else 0")
BLOCKS = (
    ("for r in each({x}, {w}):", "    r *= 2", "{block}"), ("for r in ({x}, {w}):", "    r -= 1", "{block}"),
    ("for k in range(n):", "{block}"), ("for k in range(2):", "{block}"), ("for k in range(n + 1):", "{block}"),
    ("if {c}:", "{block}"), ("if {c}:", "{block}", "else:", "{block}"),
    ("try:", "{block}", "    {x}[k] = 1 / n if n > 1 else 7 // n", "except ZeroDivisionError:", "{block}"),
    ("{t} = 0", "while {t} < n and {t} < 4:", "    {t} += 1", "{block}"),
    ("{t} = 0", "while {t} < n and {t} < 4 and bump({x}, {w})[0] < 99:", "    {t} += 2", "{block}"),
)  # fmt: skip


def alias_program(seed: int) -> GeneratedProgram:
    """The program of a seed, and four calls of it."""
    choice = random.Random(seed)
    start = {
        "y": choice.choice(("a", "a if n > 1 else b", "a * 1", "a[:]")),
        "z": choice.choice(("b", "y", "b if n > 2 else y", "b * 1", "b[::-1]")),
    }
    return program_of(start, [statement(choice, 2) for _ in range(choice.randint(2, 6))])


def program_of(start: dict[str, str], statements: list[str]) -> GeneratedProgram:
    """The program of these statements, each the lines of one."""
    body = textwrap.indent("\n".join(statements) or "pass", "    ")
    return GeneratedProgram(HEAD.format(**start, body=body), tuple(CALL.format(n=n) for n in range(4)))


def statement(choice: random.Random, depth: int) -> str:
    """One statement, with up to so many blocks within each other."""
    if depth and choice.random() < 0.4:
        lines = []
        for line in choice.choice(BLOCKS):
            inner = [statement(choice, depth - 1) for _ in range(choice.randint(1, 3))] if line == "{block}" else []
            # Blocks within each other count by names of their own.
            counted = line.replace("{t}", f"t{depth}")
            lines.append(textwrap.indent("\n".join(inner), "    ") if inner else filled(choice, counted))
        return "\n".join(lines)
    pick = choice.random()
    if pick < 0.36:
        return filled(choice, "{x} = " + choice.choice(EXPRESSIONS))
    if pick < 0.42:
        return "{0}, {1} = {1}, {0}".format(*choice.sample(NAMES, 2))
    return filled(choice, choice.choice(WRITES if pick < 0.7 else HOLDERS if pick < 0.92 else COUNTS))


def filled(choice: random.Random, template: str) -> str:
    """A template with names, and with a condition on some."""
    if "{c}" in template:
        template = template.replace("{c}", choice.choice(CONDITIONS))
    return template.format(x=choice.choice(NAMES), w=choice.choice(NAMES))
