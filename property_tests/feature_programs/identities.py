"""Which object an array is, after branches and loops have chosen it, made it, or made a view of all of it."""

from __future__ import annotations

import itertools

from property_tests.feature_programs.grammar import Grammar

NAMES = ("a", "b", "y", "z", "w")
PAIRS = ", ".join(f"{x} is {y}" for x, y in itertools.combinations(NAMES, 2))

GRAMMAR = Grammar(
    module=f"""import numpy as np


def f(ns, a, b):
    n = int(ns[0])
    y = <first>
    z = <second>
    w = <third>
    <block>
    return {PAIRS}, {", ".join(NAMES)}
""",
    calls="(np.array([<number>]), np.arange(3.0), np.arange(3.0) + 5)",
    words={
        "number": ("0", "1", "2", "3"),
        "name": NAMES,
        "first": ("a", "a[:]", "a * 1", "b"),
        "second": ("y", "y[:]", "b", "b * 1"),
        "third": ("z", "y", "a"),
        "one": ("<name>", "<name>", "<name>[:]"),
        "array": (
            "<name>",
            "<name>[:]",
            "<name> * 2",
            "<name>.copy()",
            "<name>[::-1]",
            "<one> if <condition> else <one>",
        ),
        "condition": ("n > 1", "n > 0", "n > 2", "<name>[0] > 4", "<name> is <name>"),
        "statement": (
            "<name> = <array>",
            "<name> = <array>",
            "<name> = <array>",
            "<name>, <name> = <name>, <one>",
            "<name>[1] += 2",
            "<name>[n % 3] += 1",
        ),
        "compound": (
            "if <condition>:\n    <block>",
            "if <condition>:\n    <block>\nelse:\n    <block>",
            "for <t> in range(n):\n    <block>",
            "for <t> in range(2):\n    <block>",
            "<t> = 0\nwhile <t> < n and <t> < 3:\n    <t> += 1\n    <block>",
        ),
    },
    sets=4,
)
