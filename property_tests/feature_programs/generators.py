"""Jitted generators that are sent to, thrown into and closed, with what they hold changed between the steps."""

from __future__ import annotations

from property_tests.feature_programs.grammar import Grammar

GRAMMAR = Grammar(
    module="""import copy

import numpy as np


class Box:
    def __init__(self, v):
        self.v = v


def each(rows):
    for row in rows:
        row += 1
        yield row
    return len(rows)


def drive(f, a, l, o, n):
    told = []
    a, l, o = copy.deepcopy((a, l, o))
    made = f(a, l, o, n)
    try:
        for step in range(8):
            <step>
            told.append(copy.deepcopy((got, a, l, o.v)))
            <between>
    except StopIteration as end:
        told.append(("end", end.value))
    except Exception as error:
        if type(error).__module__.startswith("anabranch"):
            raise
        # What a step has changed when it raises is as it was before, so that it is not told.
        return [*told, (type(error).__name__, str(error))]
    <last>
    return told, a, l, o.v


def f(a, l, o, n):
    y = <array>
    m = []
    d = {"p": n}
    k = 0
    <block>
    yield k
    return k, y.sum(), m
""",
    calls="(np.array(<values>), [<number>, 5], Box(<number>), <number>)",
    words={
        "values": ("[3.0, 1.0, -4.0]", "[0.0, 0.5, 2.0]"),
        "number": ("0", "1", "2", "3"),
        "array": ("a", "a * 1", "a[:]", "a", "np.zeros(3)", "np.arange(3.0)", "a[1:]"),
        "step": (
            "got = next(made)",
            "got = made.send(None if step == 0 else step)",
            "got = next(made)",
            "got = made.throw(ValueError('thrown')) if step == 3 else next(made)",
        ),
        "between": (
            "a[0] += 1",
            "l.append(step)",
            "o.v = step",
            "pass",
            "l[0] = 9",
            "a *= 2",
            "o.v += 1",
            "got = None",
        ),
        "last": ("pass", "made.close()", "told.append(list(made))", "told.append(next(made, 'over'))"),
        "int": ("k", "n", "len(l)", "k % 3", "l[0]", "o.v", "d['p']", "k + 1", "len(m)"),
        "real": ("a[k % 3]", "y[0]", "a.sum()", "y.sum()", "y[k % 2]", "1.5"),
        "value": (
            "k",
            "<real>",
            "<int>",
            "y",
            "a",
            "m",
            "d",
            "l",
            "(k, <real>)",
            "l[0]",
            "o.v",
            "a.copy()",
            "None",
            "'t'",
        ),
        "condition": ("k > 2", "n > 1", "<real> > 1", "len(l) < 4", "o.v > 1", "m", "k % 2 == 0", "y is a"),
        "statement": (
            "yield <value>",
            "yield <value>",
            "yield <value>",
            "k = (yield <value>) or 1",
            "x = yield <value>",
            "k += 1",
            "a[k % 3] += 1",
            "y[0] = <real>",
            "y += 1",
            "y = <array>",
            "l.append(<int>)",
            "l[0] = <int>",
            "o.v = <int>",
            "o.v += 1",
            "m.append(<int>)",
            "d['p'] += 1",
            "d['q'] = <real>",
            "n += 1",
            "k = <int>",
            "y = y * 2",
            "a[:] = y[0]",
            "yield from [<int>, k]",
            "yield from range(n % 4)",
            "m = [<int>, k]",
            "a *= 2",
            "m.clear()",
            "l.pop()",
            "k = yield from each(<rows>)",
            "y, a = a, y",
            "m = l",
            "return <int>",
        ),
        "rows": ("[a]", "[y, a]", "[y]"),
        "compound": (
            "for k in range(n % 5):\n    <block>",
            "if <condition>:\n    <block>",
            "for v in a:\n    yield v\n    <block>",
            "if <condition>:\n    <block>\nelse:\n    <block>",
            "for k in l:\n    if len(l) > 6:\n        break\n    <block>",
            "for v in y:\n    <block>",
            "<t> = 0\nwhile <t> < 3 and <condition>:\n    <t> += 1\n    <block>",
            "for k, v in enumerate(a):\n    yield v\n    <block>",
            "for row in each(<rows>):\n    <block>",
            "for k in range(n % 5):\n    if <condition>:\n        <jump>\n    <block>",
        ),
        "jump": ("continue", "break"),
    },
)
