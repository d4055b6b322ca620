"""Heaps, deques and sorted lists of run-time length."""

from __future__ import annotations

from property_tests.feature_programs.grammar import Grammar

GRAMMAR = Grammar(
    module="""import bisect
import heapq
from collections import deque

import numpy as np


def f(ks, given, n):
    h = <heap>
    q = <deque>
    s = []
    pairs = []
    out = []
    k, x = n, ks[0]
    <block>
    return h, q, s, pairs, out, k, x, len(q), q == deque(s)
""",
    calls="(np.array(<keys>), deque([<number>, 4, 2]), <number>)",
    words={
        "keys": ("[3, 1, 4, 1, 5]", "[0, 0, 0, 2, 1]", "[2, 1, 7, 7, 3]", "[5, 4, 3, 2, 1]"),
        "number": ("0", "1", "2", "3"),
        "heap": ("[]", "[n]", "[]", "[2, 5, 3]"),
        "deque": ("deque()", "deque([n, 1])", "deque(maxlen=3)", "deque(ks.tolist())", "given"),
        "int": (
            "k",
            "n",
            "len(h)",
            "k % 3",
            "len(q)",
            "k + 1",
            "-k",
            "x",
            "int(x)",
            "(h[0] if h else 0)",
            "(q[0] if q else n)",
        ),
        "list": ("s", "s", "h", "out"),
        "d": ("q", "q", "given"),
        "condition": (
            "k > 2",
            "n > 1",
            "q",
            "h",
            "len(s) < 4",
            "k in q",
            "h and h[0] < k",
            "len(q) > 2",
            "k in s",
            "not <d>",
            "q and q[-1] > k",
        ),
        "statement": (
            "heapq.heappush(h, <int>)",
            "heapq.heappush(h, <int>)",
            "heapq.heappush(h, k)",
            "if h:\n    <of_h>",
            "if h:\n    <of_h>",
            "<of_h>",
            "k = heapq.heappushpop(h, <int>)",
            "if q:\n    <of_q>",
            "if q:\n    <of_q>",
            "<of_q>",
            "if given:\n    <of_given>",
            "heapq.heapify(h)",
            "heapq.heappush(pairs, (<int>, k))",
            "if pairs:\n    k, n = heapq.heappop(pairs)",
            "q.append(<int>)",
            "<d>.append(<int>)",
            "<d>.appendleft(<int>)",
            "<d>.extend([<int>, k])",
            "<d>.extendleft([<int>, k])",
            "<d>.rotate(1)",
            "<d>.clear()",
            "bisect.insort(s, <int>)",
            "bisect.insort(s, k)",
            "bisect.insort_left(s, <int>)",
            "out.append(bisect.bisect(s, <int>))",
            "out.append(bisect.bisect_left(s, k))",
            "out.append(sum(<d>))",
            "out.extend(<d>)",
            "q = deque(s)",
            "s = sorted(h)",
            "h = sorted(q)",
            "k = <int>",
            "n += 1",
            "k += 1",
            "out.append(heapq.nsmallest(2, s))",
            "out.append(heapq.nlargest(1, h))",
            "<d>.reverse()",
            "if k in q:\n    q.remove(k)",
            "out.append(q.count(k))",
            "q = <deque>",
            "out.append(max(<d>, default=0))",
            "s.insert(<place>, k)",
            "out.append(list(reversed(<d>)))",
            "x = x + 1",
            "q = q.copy()",
        ),
        "place": ("0", "-1", "k % 2"),
        "of_h": ("k = heapq.heappop(h)", "out.append(heapq.heappop(h))", "k = heapq.heapreplace(h, <int>)", "h[0] = k"),
        "of_q": ("k = q.pop()", "k = q.popleft()", "q[0] = <int>", "q[-1] += 1", "out.append(q[<place>])", "del q[0]"),
        "of_given": ("k = given.pop()", "given[<place>] = k", "out.append(given.popleft())"),
        "compound": (
            "for k in ks.tolist():\n    <block>",
            "for k in ks.tolist():\n    <block>",
            "for x in ks:\n    <block>",
            "for k in range(n % 5):\n    <block>",
            "if <condition>:\n    <block>",
            "for k in list(<d>):\n    <block>",
            "if <condition>:\n    <block>\nelse:\n    <block>",
            "for k in <d>:\n    if len(<d>) > 9:\n        break\n    <block>",
            "try:\n    <block>\nexcept <error>:\n    <block>",
            "<t> = 0\nwhile <t> < 3 and <condition>:\n    <t> += 1\n    <block>",
            "for k in ks.tolist():\n    if <condition>:\n        <jump>\n    <block>",
        ),
        "jump": ("continue", "break"),
        "error": ("IndexError", "IndexError as error", "ValueError", "Exception"),
    },
)
