"""Strings that are chosen, joined and looked at: as keys, as items, as what is returned."""

from __future__ import annotations

from property_tests.feature_programs.grammar import Grammar

GRAMMAR = Grammar(
    module="""import numpy as np


def f(ks, w, words, n):
    t = <literal>
    parts = []
    d = {}
    out = []
    k = n
    <block>
    return t, w, parts, d, out, k, len(t), t == w
""",
    calls="(np.array(<keys>), <literal>, [<literal>, <literal>, 'c d'], <number>)",
    words={
        "keys": ("[3, 1, 4, 1, 5]", "[0, 0, 0, 2, 1]", "[2, 1, 7, 7, 3]", "[5, 4, 3, 2, 1]"),
        "number": ("0", "1", "2", "3"),
        "literal": ("'ab'", "''", "'a,b'", "'Hello'", "'bab'", "'é1'"),
        "int": ("k", "n", "len(<text>)", "k % 3", "len(parts)", "k + 1", "<text>.find('b')", "<text>.count('a')"),
        "text": (
            "t",
            "w",
            "'x'",
            "words[k % 3]",
            "w[0:1]",
            "(t + w)",
            "('a' if <condition> else 'bb')",
            "str(k)",
            "f'{k}'",
            "w[k % 2 :]",
            "t.upper()",
            "<literal>",
            "f'{t}-{k}'",
            "w.replace('a', 'zz')",
            "w[::-1]",
            "','.join(parts)",
            "chr(97 + k % 5)",
            "(w * 2)",
            "words[0]",
            "t.strip()",
            "w.split(',')[0]",
            "str(n > 1)",
            "f'{k:03d}'",
        ),
        "condition": (
            "k > 2",
            "n > 1",
            "t == w",
            "<text> in d",
            "'b' in <text>",
            "<text> < w",
            "len(parts) < 3",
            "t",
            "not t",
            "w.startswith('a')",
            "<text> == words[0]",
            "t.isdigit()",
            "w[0] == 'a'",
            "<text> != t",
        ),
        "statement": (
            "t = <text>",
            "t = <text>",
            "t += 'y'",
            "t += <text>[:2]",
            "parts.append(<text>)",
            "parts.append(<text>)",
            "d[<text>] = <int>",
            "d[<text>] = d.get(<text>, 0) + 1",
            "out.append(<int>)",
            "out.append(<condition>)",
            "out.append(d.get(<text>))",
            "if <text> in d:\n    out.append(d[<text>])",
            "k += 1",
            "k = <int>",
            "n += 1",
            "t, w = w, t",
            "out.append(sorted(d))",
            "if parts:\n    t = parts.pop()",
            "t = parts.pop() if n > 2 else t",
            "d.pop(<text>, None)",
            "parts.sort()",
            "out.append(ord(<text>[0]))",
            "t = t[:3]",
            "d.setdefault(<text>, 0)",
            "out.append(max(parts, default=''))",
            "out.append(int(<text>))",
            "parts = []",
        ),
        "compound": (
            "for k in ks.tolist():\n    <block>",
            "for k in ks.tolist():\n    <block>",
            "for c in <text>:\n    <each>\n    <block>",
            "for k in range(n % 5):\n    <block>",
            "if <condition>:\n    <block>",
            "for c in words:\n    <each>\n    <block>",
            "if <condition>:\n    <block>\nelse:\n    <block>",
            "for c in parts:\n    if len(parts) > 6:\n        break\n    <each>",
            "try:\n    <block>\nexcept <error>:\n    <block>",
            "<t> = 0\nwhile <t> < 3 and <condition>:\n    <t> += 1\n    <block>",
            "for k in ks.tolist():\n    if <condition>:\n        <jump>\n    <block>",
        ),
        "each": ("t += c", "d[c] = d.get(c, 0) + 1", "parts.append(c)", "k += c == 'a'", "out.append(c in w)", "t = c"),
        "jump": ("continue", "break"),
        "error": ("IndexError", "KeyError as error", "ValueError", "Exception"),
    },
)
