"""Dicts and sets whose keys are known only at run time, as arguments and made in the function."""

from __future__ import annotations

from property_tests.feature_programs.grammar import Grammar

GRAMMAR = Grammar(
    module="""from collections import Counter, defaultdict

import numpy as np


def f(ks, d, s, n):
    e = <new>
    u = {n, 3}
    out = []
    k, x = n, ks[0]
    <block>
    return <dict>, e, out, u, s, k, n, list(e.items()), len(s)
""",
    calls="(np.array(<keys>), {<items>}, {<members>}, <number>)",
    words={
        "keys": ("[3, 1, 4, 1, 5]", "[0, 0, 0, 2, 1]", "[2, -1, 7, 7, 3]", "[5, 4, 3, 2, 1]", "[1, 0, 1, 0, 6]"),
        "items": ("5: 1, 77: 3", "0: 2, 1: 4", "3: -1, 1: 0", "1: 1, 2: 2"),
        "members": ("5, 77", "3, 4", "1, 0", "2, -1"),
        "number": ("0", "1", "2", "3", "5"),
        "new": ("{}", "{}", "{}", "{n: 1}", "dict(d)", "d.copy()", "defaultdict(int)", "Counter()", "d", "{**d}"),
        "dict": ("e", "e", "e", "d"),
        "set": ("u", "u", "s"),
        "int": ("k", "n", "len(<dict>)", "k % 3", "<key> + 1", "<dict>.get(<key>, 0)", "len(<set>)", "n - k", "7"),
        "key": ("k", "k", "x", "int(x)", "n", "k % 3", "x % 3", "x + n", "k * 2", "k > 2", "<typed>", "3"),
        "typed": ("k", "float(k)", "(k, n)", "x > 2", "float(x) / 2", "bool(k)", "np.int64(k)", "-k", "(k, x)"),
        "condition": (
            "k > 2",
            "x > 2",
            "<key> in <dict>",
            "<key> not in <dict>",
            "<key> in <set>",
            "not <dict>",
            "n > 1",
            "len(<dict>) < 4",
            "<set> <= <set>",
            "<dict> == <dict>",
            "<dict>.get(<key>) is None",
        ),
        "iterable": (
            "list(<dict>)",
            "<dict>",
            "list(<dict>.values())",
            "sorted(<set>)",
            "ks.tolist()",
            "<dict>.values()",
            "sorted(<dict>)",
            "range(n % 5)",
            "list(<set>)",
            "<dict>.keys() & <dict>.keys()",
        ),
        "statement": (
            "<dict>[<key>] = <int>",
            "<dict>[<key>] = <int>",
            "<dict>[<key>] = <dict>.get(<key>, 0) + 1",
            "<dict>.setdefault(<key>, <int>)",
            "out.append(<dict>.setdefault(<key>, 5))",
            "<dict>.pop(<key>, None)",
            "k = <dict>.pop(<key>, <int>)",
            "del <dict>[<key>]",
            "out.append(<dict>[<key>])",
            "<dict>[<key>] += 1",
            "<set>.add(<key>)",
            "<set>.add(<key>)",
            "<set>.discard(<key>)",
            "<set>.remove(<key>)",
            "n += 1",
            "<dict>.update({<key>: <int>, <key>: <int>})",
            "<dict>.update(<dict>)",
            "<dict> |= {<key>: <int>}",
            "<set> |= {<key>, <key>}",
            "<set> -= {<key>}",
            "u = u <op> s",
            "u = s.copy()",
            "u = set(<iterable>)",
            "out.append(sum(<dict>.values()))",
            "out.append(max(<dict>, default=-1))",
            "out.append(len(<dict>))",
            "k = <int>",
            "x = x + 1",
            "e = <new>",
            "k, n = n, k",
            "out.extend(<iterable>)",
            "<dict>.clear()",
            "out.append(<dict>.popitem())",
            "e = {q: v for q, v in <dict>.items() if <filter>}",
            "e = {<each>: q for q in <iterable>}",
            "u = {<each> for q in <iterable>}",
            "out.append(<condition>)",
            "out.append(next(iter(<dict>), None))",
            "out.append([v for v in <dict>.values() if v > 1])",
            "out.append(sorted(<dict>.items()))",
            "e = dict(sorted(<dict>.items()))",
            "s.clear()",
            "e = <dict> | <dict>",
            "e = dict(zip(<iterable>, range(3)))",
            "e = dict.fromkeys(<iterable>, <int>)",
            "s.update(<iterable>)",
            "out.append(min(<set>, default=9))",
            "out.append(max(<dict>, key=<dict>.get, default=0))",
        ),
        "op": ("|", "&", "-", "^"),
        "filter": ("v > 1", "q > 1", "q != k", "v % 2 == 0"),
        "each": ("q", "q % 3", "q + n", "q * k", "(q, n)", "float(q)"),
        "compound": (
            "for k in ks.tolist():\n    <block>",
            "for x in ks:\n    <block>",
            "for k in <iterable>:\n    <block>",
            "for k in range(n % 6):\n    <block>",
            "if <condition>:\n    <block>",
            "for k, x in <dict>.items():\n    <block>",
            "if <condition>:\n    <block>\nelse:\n    <block>",
            "for k in ks.tolist():\n    <block>",
            "try:\n    <block>\nexcept <error>:\n    <block>",
            "<t> = 0\nwhile <t> < 3 and <condition>:\n    <t> += 1\n    <block>",
            "for x in ks:\n    if <condition>:\n        <jump>\n    <block>",
        ),
        "jump": ("continue", "break"),
        "error": ("KeyError", "KeyError as error", "(KeyError, RuntimeError)", "Exception"),
    },
)
