"""Numbers drawn in branches, loops and tries, of generators and of the modules `random` and `np.random`."""

from __future__ import annotations

from property_tests.feature_programs.grammar import Grammar

GRAMMAR = Grammar(
    module="""import random

import numpy as np


def roll(rng, n):
    if n > 2:
        return int(rng.integers(n))
    return n


def f(rng, dice, own, a, n):
    out = []
    d = {}
    k = n
    x = 0.5
    <block>
    return out, d, k, x, a
""",
    calls="(np.random.default_rng(<number>), np.random.RandomState(<number>), <own>, np.arange(4.0), <number>)",
    words={
        "number": ("0", "1", "2", "3", "5"),
        "own": ("random.Random(<number>)",),
        "int": (
            "k",
            "n",
            "len(out)",
            "k % 3",
            "roll(rng, n)",
            "int(rng.integers(5))",
            "own.randrange(6)",
            "own.randint(0, 3)",
            "int(dice.randint(4))",
            "int(rng.integers(0, k % 3 + 1))",
            "own.choice([3, 1, 2])",
            "int(rng.permutation(3)[0])",
        ),
        "real": (
            "x",
            "own.random()",
            "rng.random()",
            "dice.rand()",
            "float(a[k % 4])",
            "rng.uniform(0.0, 2.0)",
            "own.uniform(1.0, 2.0)",
            "round(rng.normal(), 3)",
            "round(own.gauss(0.0, 1.0), 3)",
            "float(rng.choice(a))",
            "dice.uniform()",
        ),
        "condition": (
            "k > 2",
            "n > 1",
            "<real> < 0.5",
            "len(out) < 4",
            "k in d",
            "own.random() < 0.3",
            "rng.random() < 0.7",
        ),
        "statement": (
            "out.append(<int>)",
            "out.append(<real>)",
            "out.append(<real>)",
            "k = <int>",
            "x = <real>",
            "d[k] = <real>",
            "d[<int>] = x",
            "rng.shuffle(a)",
            "own.shuffle(out)",
            "a[k % 4] = <real>",
            "a += rng.random(4)",
            "n += 1",
            "k += 1",
            "a[:] = dice.permutation(a)",
            "own.shuffle(out)",
            "if out:\n    out.pop()",
            "out.extend(rng.random(k % 3))",
            "a[rng.integers(4)] += 1",
            "x = d.get(<int>, x)",
            "out.append(float(rng.random(3).sum()))",
        ),
        "compound": (
            "for k in range(n % 5):\n    <block>",
            "for k in range(4):\n    <block>",
            "if <condition>:\n    <block>",
            "if <condition>:\n    <block>\nelse:\n    <block>",
            "try:\n    <block>\nexcept <error>:\n    <block>",
            "<t> = 0\nwhile <t> < 3 and <condition>:\n    <t> += 1\n    <block>",
            "for k in range(5):\n    if <condition>:\n        <jump>\n    <block>",
        ),
        "jump": ("continue", "break"),
        "error": ("IndexError", "KeyError", "ValueError", "Exception"),
    },
)
