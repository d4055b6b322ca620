"""Objects that loops make and change: in lists, in dicts, linked to each other."""

from __future__ import annotations

from property_tests.feature_programs.grammar import Grammar

GRAMMAR = Grammar(
    module="""from dataclasses import dataclass

import numpy as np


@dataclass
class Part:
    x: float
    k: int

    def step(self, by):
        self.x += by
        return self


class Node:
    def __init__(self, v, after):
        self.v = v
        self.after = after
        self.seen = []

    def add(self, v):
        self.v += v
        self.seen.append(v)

    def __len__(self):
        return len(self.seen)


class Sub(Node):
    count = 0

    def add(self, v):
        super().add(v * 2)
        self.count += 1


def f(ks, given, n):
    ps = []
    p = Part(1.0, n)
    q = <first>
    node = <node>
    head = node
    d = {}
    out = []
    k = n
    <block>
    return (
        [(r.x, r.k) for r in ps], (p.x, p.k), (q.x, q.k), p is q, node.v, node.seen, head.v, len(node), out, k,
        {key: r.x for key, r in d.items()}, head is node, given.x, isinstance(node, Sub),
    )
""",
    calls="(np.array(<keys>), Part(<float>, <number>), <number>)",
    words={
        "keys": ("[3, 1, 4, 1, 5]", "[0, 0, 0, 2, 1]", "[2, 1, 7, 7, 3]", "[5, 4, 3, 2, 1]"),
        "number": ("0", "1", "2", "3"),
        "float": ("1.5", "0.0", "-2.0"),
        "int": ("k", "n", "len(ps)", "k % 3", "<o>.k", "node.v", "len(node)", "k + 1", "len(out)"),
        "real": ("<o>.x", "1.0", "<o>.x * 2", "float(k)", "n / 2", "<o>.x + <o>.x"),
        "o": ("p", "q", "p", "q", "given", "(ps[<place>] if ps else p)", "d.get(<key>, q)"),
        "place": ("0", "-1", "k % len(ps)"),
        "key": ("k", "k % 3", "n"),
        "part": ("p", "Part(<real>, <int>)", "Part(0.0, k)", "given", "<o>"),
        "first": ("p", "given", "Part(2.0, 1)"),
        "node": ("Node(n, None)", "Sub(n, None)", "Node(1, Node(2, None))"),
        "condition": (
            "k > 2",
            "n > 1",
            "<o>.x > 1",
            "<o> is <o>",
            "<o> == <o>",
            "len(ps) < 3",
            "ps",
            "<key> in d",
            "len(node) > 1",
            "node.after is None",
            "node is head",
            "<key> not in d",
            "node.seen",
            "isinstance(node, Sub)",
        ),
        "statement": (
            "ps.append(<part>)",
            "ps.append(Part(<real>, <int>))",
            "ps.append(Part(<real>, <int>))",
            "p = <o>",
            "q = <o>",
            "p = Part(<real>, <int>)",
            "<o>.x += 1",
            "<o>.x = <real>",
            "<o>.k = <int>",
            "<o>.k += 1",
            "<o>.step(<real>)",
            "q = <o>.step(<real>)",
            "d[<key>] = <o>",
            "d[<key>] = Part(<real>, k)",
            "k += 1",
            "node.add(<int>)",
            "node.v = <int>",
            "node.v += k",
            "node = Node(<int>, node)",
            "node = Sub(<int>, node)",
            "head = node",
            "node = node.after or node",
            "node.after = head",
            "node.seen.append(<int>)",
            "out.append(<int>)",
            "out.append(<real>)",
            "out.append(<condition>)",
            "p, q = q, p",
            "k = <int>",
            "n += 1",
            "ps = [r for r in ps if r.x > 1]",
            "if ps:\n    <risky>",
            "if ps:\n    <risky>",
            "<risky>",
            "out.append(sum(r.x for r in ps))",
            "head.add(k)",
            "node = head",
            "if node.after is not None:\n    out.append(node.after.v)",
            "q = Part(p.x, q.k)",
            "setattr(p, 'k', <int>)",
            "out.append(getattr(q, 'x'))",
        ),
        "risky": (
            "ps.pop()",
            "p = ps[<place>]",
            "ps[<place>] = p",
            "q = max(ps, key=lambda r: r.x)",
            "ps.pop(0)",
            "ps.sort(key=lambda r: (r.x, r.k))",
            "d[ps[<place>].k] = p",
            "ps[<place>].x += 1",
        ),
        "compound": (
            "for k in ks.tolist():\n    <block>",
            "for k in ks.tolist():\n    <block>",
            "for r in ps:\n    if len(ps) > 6:\n        break\n    <each>\n    <block>",
            "for k in range(n % 5):\n    <block>",
            "if <condition>:\n    <block>",
            "for k in ks:\n    <block>",
            "if <condition>:\n    <block>\nelse:\n    <block>",
            "try:\n    <block>\nexcept <error>:\n    <block>",
            "<t> = head\n"
            "while <t> is not None and len(out) < 9:\n    out.append(<t>.v)\n    <t>.v += 1\n    <t> = <t>.after",
            "<t> = 0\nwhile <t> < 3 and <condition>:\n    <t> += 1\n    <block>",
            "for k in ks.tolist():\n    if <condition>:\n        <jump>\n    <block>",
        ),
        "each": ("r.x += 1", "r.step(k)", "p = r", "d[r.k] = r", "r.k = k", "out.append(r.k)"),
        "jump": ("continue", "break"),
        "error": ("IndexError", "(KeyError, IndexError)", "ValueError", "AttributeError"),
    },
)
