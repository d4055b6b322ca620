"""Objects that loops make, of which there are as many as run-time values say."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from anabranch import configure, jit
from tests.equivalence import check
from tests.program_table import Program, Table

case = Table()
KEYS = np.array([3, 1, 4, 1, 5, 2, 0, 5, 3, 4])


@dataclass
class Part:
    x: float
    v: float

    def step(self, dt):
        self.x += self.v * dt


class Acc:
    def __init__(s, b):
        s.b = b
        s.h = []

    def add(s, v):
        s.b += v
        s.h.append(v)


class Node:
    def __init__(s, v):
        s.v = v
        s.l = None
        s.r = None


@case((KEYS,))
def parts(ks):
    ps = []
    for k in ks:
        if k > 1:
            ps.append(Part(float(k), 1.0))
    for i in range(3):
        for p in ps:
            p.step(0.5)
    return sum(p.x for p in ps), len(ps), [p.x for p in ps]


@case((KEYS,))
def of_a_class_that_the_function_makes(ks):
    class Item:
        def __init__(self, k):
            self.k = k

    kept = []
    for k in ks:
        if k > 1:
            kept.append(Item(k))
    for item in kept:
        item.k += 1
    return [item.k for item in kept]


@case((KEYS[:6], 3))
def those_that_are_left(ks, steps):
    parts, counts = [Part(float(k), 1.0) for k in ks], []
    for s in range(steps):
        for p in parts:
            p.x -= p.v
            if p.x > s:
                p.v = 2.0
        parts = [p for p in parts if p.x > 0]
        counts.append(len(parts))
    return counts, [p.x for p in parts]


@case((KEYS,))
def accs(ks):
    accs = []
    for k in ks:
        accs.append(Acc(k))
    for k in ks:
        accs[k % 3].add(k)
    return [a.b for a in accs], [a.h for a in accs]


@case((KEYS,))
def tree(ks):
    root = None
    for k in ks:
        n = Node(k)
        if root is None:
            root = n
        else:
            c = root
            while True:
                if k < c.v:
                    if c.l is None:
                        c.l = n
                        break
                    c = c.l
                else:
                    if c.r is None:
                        c.r = n
                        break
                    c = c.r
    out = []
    stack = []
    c = root
    while stack or c is not None:
        while c is not None:
            stack.append(c)
            c = c.l
        c = stack.pop()
        out.append(c.v)
        c = c.r
    return out


@case((KEYS,))
def linked(ks):
    class Cell:
        def __init__(s, v, n):
            s.v = v
            s.n = n

    head = None
    for k in ks:
        head = Cell(int(k), head)
    s = 0
    c = head
    n = 0
    while c is not None:
        s += c.v * n
        n += 1
        c = c.n
    prev = None
    c = head
    while c is not None:
        nx = c.n
        c.n = prev
        prev = c
        c = nx
    return s, n, prev.v, prev.n.v


@case((KEYS,))
def ident(ks):
    ps = []
    for k in ks:
        ps.append(Part(float(k), 0.0))
    a = ps[2]
    b = ps[-1]
    a.x = 100.0
    return ps[2].x, a is ps[2], a is b, a == b, ps[0] == Part(3.0, 0.0), isinstance(a, Part)


@case((KEYS,))
def ret(ks):
    ps = []
    for k in ks:
        if k > 2:
            ps.append(Part(float(k), float(k) * 2))
    return [(p.x, p.v) for p in ps], max(ps, key=lambda p: p.x).v


@case((KEYS,))
def sorts(ks):
    ps = []
    for k in ks:
        ps.append(Part(float(k), 1.0))
    ps.sort(key=lambda p: p.x)
    ps = [p for p in ps if p.x > 1]
    return [p.x for p in ps]


@case((KEYS,))
def by_key(keys):
    found = {}
    for key in keys:
        key = int(key)
        if key not in found:
            found[key] = Part(0.0, 1.0)
        found[key].x += key
    return {key: part.x for key, part in found.items()}, found


@pytest.mark.parametrize("program", case.programs)
def test_as_in_eager_python(program: Program) -> None:
    program.check()


@pytest.mark.parametrize("program", [p for p in case.programs if p.values[0].function in (parts, linked)])
def test_as_in_eager_python_in_loops_of_xla(program: Program) -> None:
    with configure(native_loops=False):
        program.check()


def test_all_attributes_at_once() -> None:
    def f(keys):
        made = []
        for key in keys:
            made.append(Part(float(key), 1.0))
        made[1].x = 3.0
        return vars(made[0])["x"]

    check(f, KEYS)


class Logged:
    def __init__(self, value):
        self.value = value
        self.next = None
        self.log = []


@pytest.mark.parametrize("value", [5, 8, 9])
def test_a_way_that_is_not_taken_makes_an_object_with_a_list(value) -> None:
    def insert(node, value):
        while node.value != value:
            if node.next is None:
                node.next = Logged(value)
                return True
            node = node.next
        return False

    def chain():
        node = Logged(5)
        node.next = Logged(8)
        return node

    wrapped = jit(insert)
    for _ in range(3):
        node, other = chain(), chain()
        assert wrapped(node, value) is insert(other, value)
        assert (node.next.next is None) is (other.next.next is None)


def test_objects_of_many_are_printed(capsys) -> None:
    def f(keys):
        made = []
        for key in keys:
            if key > 1:
                made.append(Part(float(key), 1.0))
        made[0].x = 2.0
        print(made[0], len(made))
        made[1].x = 3.0
        print(made[1:])

    f(KEYS)
    expected = capsys.readouterr().out
    for _ in range(3):
        jit(f)(KEYS)
        assert capsys.readouterr().out == expected
