"""Lists that are items of others and change, of which there are as many as run-time values say."""

from __future__ import annotations

import math
from collections import defaultdict, deque

import numpy as np
import pytest

from anabranch import UnsupportedOperationError, configure, jit
from tests.program_table import Program, Table

case = Table()
KEYS = np.array([3, 1, 4, 1, 5, 2, 0, 5, 3, 4])
EDGES = np.array([[0, 1], [1, 2], [2, 3], [3, 0], [1, 3], [4, 5]])


@case((EDGES, 6))
def adj_build(e, n):
    adj = [[] for _ in range(n)]
    for a, b in e:
        adj[a].append(b)
        adj[b].append(a)
    return adj


@case((EDGES, 6))
def bfs(e, n):
    adj = [[] for _ in range(n)]
    for a, b in e:
        adj[a].append(b)
        adj[b].append(a)
    dist = [-1] * n
    dist[0] = 0
    q = deque([0])
    while q:
        u = q.popleft()
        for v in adj[u]:
            if dist[v] < 0:
                dist[v] = dist[u] + 1
                q.append(v)
    return dist


@case((EDGES,))
def ddl(e):
    g = defaultdict(list)
    for a, b in e:
        g[int(a)].append(int(b))
    return {k: sum(v) for k, v in g.items()}, g, sorted(g)


@case((KEYS,))
def runs(ks):
    out = [[ks[0]]]
    for k in ks[1:]:
        if k >= out[-1][-1]:
            out[-1].append(k)
        else:
            out.append([k])
    return out, len(out), max(out, key=len), [len(r) for r in out]


@case((KEYS,))
def alias(ks):
    rows = []
    cur = []
    for k in ks:
        cur.append(k)
        if k == 5:
            rows.append(cur)
            cur = []
    rows.append(cur)
    cur.append(100)
    return rows, cur


@case((KEYS,))
def shared(ks):
    a = []
    rows = []
    for k in ks:
        rows.append(a)
        a.append(k)
    return rows, rows[0] is rows[-1]


@case((KEYS,))
def pops(ks):
    rows = []
    for k in ks:
        rows.append([k, k + 1, k + 2])
    s = 0
    for r in rows:
        s += r.pop()
        r[0] = -1
        r.insert(1, 7)
    del rows[2]
    rows[0].extend([1, 2, 3])
    rows[1] += [9]
    rows[3].sort()
    rows[3].reverse()
    return rows, s, 7 in rows[0], rows[0] == rows[1], rows[0][1:3], rows[2] + [4]


@case((KEYS,))
def poperr(ks):
    rows = []
    for k in ks:
        rows.append([])
    rows[2].append(1)
    rows[2].pop()
    return rows[2].pop()


@case((KEYS,))
def idxerr(ks):
    rows = []
    for k in ks:
        rows.append([k])
    rows[0].append(3)
    return rows[1][2]


@case((KEYS,))
def stack(ks):
    stacks = [[], [], []]
    for k in ks:
        stacks[k % 3].append(k)
    moved = 0
    while len(stacks[0]) > 0:
        stacks[2].append(stacks[0].pop())
        moved += 1
    return stacks, moved


@case((8,))
def powerset(n):
    res = [[]]
    for i in range(n):
        new = []
        for r in res:
            new.append(r + [i])  # noqa: RUF005
        res = res + new
    return len(res), res[-1]


@case((KEYS,))
def lol(ks):
    grid = []
    for i in range(len(ks)):
        row = []
        for j in range(ks[i]):
            row.append(i * j)
        grid.append(row)
    tot = 0
    for row in grid:
        for v in row:
            tot += v
    return grid, tot


@case((KEYS,))
def objs(ks):
    class P:
        def __init__(s, x):
            s.x = x
            s.h = []

        def go(s, d):
            s.x += d
            s.h.append(s.x)

    ps = [P(float(k)) for k in range(3)]
    for k in ks:
        for p in ps:
            p.go(k)
    return [p.h for p in ps]


@case((KEYS,))
def tup(ks):
    buckets = {}
    for i, k in enumerate(ks):
        b = int(k) % 3
        if b not in buckets:
            buckets[b] = []
        buckets[b].append((i, int(k)))
    return buckets


@case((KEYS,))
def sdef(ks):
    d = {}
    for i, k in enumerate(ks):
        d.setdefault(int(k), []).append(i)
    return d, {k: len(v) for k, v in d.items()}


def _records(keys):
    records = []
    for i, k in enumerate(keys):
        if k > 2:
            records.append({"place": i, "size": k * 0.5})
    return records


@case((KEYS[:5],))
def chosen_records(keys):
    records, best = _records(keys), None
    for r in records:
        if best is None or r["size"] > best["size"]:
            best = r
    best["place"] = -1
    return records, best, [r for r in records if r["size"] > 1]


@case((KEYS[:5],))
def largest_record(keys):
    records = _records(keys)
    return max(records, key=lambda r: r["size"])["place"] if records else None, records


@case(([[0.0, 1.0], [3.0, 3.0]], 2.0))
def rows_of_an_argument_replaced_in_nested_loops(rows, t):
    first = rows[0]
    for _ in range(3):
        for row in rows:
            t += sum(x * w for x, w in zip(row, [1.0, 2.0], strict=True))
        for j in range(2):
            rows[j] = [t, 1.0]
            rows[j][1] += t
    first[0] = 7.0
    return rows, first


@case(([[1.0, 2.0], [3.0]], np.array([1, 5, 2])), ([[1.0, 2.0], [3.0]], np.array([1, 1, 2])))
def zipped_rows_of_several_lengths(rows, a):
    for j in range(2):
        if a[j] > 2:
            rows[j] = [7.0, 8.0, 9.0]
    found = [x * y + k for row in rows for k, (x, y) in enumerate(zip(row, [1.0, 2.0, 3.0, 4.0], strict=False))]
    return found, [list(zip(row, "ab", strict=False)) for row in rows], list(zip(*rows, strict=False))


@case(([[1.0, 2.0], [3.0]], np.array([0, 0, 0])), ([[1.0, 2.0], [3.0, 4.0]], np.array([0, 0, 0])))
def zipped_strictly(rows, a):
    for j in a % 2:
        rows[j] = rows[1]
    return [list(zip(row, [1, 2], strict=True)) for row in rows]


@case((np.array([0, 1, 2, 0, 1, 2, 0]), 3, 1.0), (KEYS, 6, math.nan))
def lists_in_order(keys, n, x):
    paths = [[] for _ in range(n)]
    for i, k in enumerate(keys.tolist()):
        paths[k].append(x if i == 3 else float(i))
    ways = [(a == b, a != b, a < b, a <= b, a > b, a >= b) for a in paths for b in (paths[0], [0.0, 3.0], [])]
    return ways, [a == a for a in paths], [a <= a for a in paths]


@case((np.array([0, 1, 2, 0, 1, 2, 0, 3, 5, 7, 5, 1, 8, 9, 3, 2, 2, 6, 4, 0]),))
def groups_in_order(keys):
    groups, runs = defaultdict(list), []
    for i, k in enumerate(keys):
        groups[k].append(i)
        if k > 2:
            runs.append([i] * (k % 3))
    runs.sort(key=lambda run: (-len(run), run))
    return sorted(sorted(g, reverse=True) for g in groups.values()), runs


@case((np.array([3, 1, 3, 7]),))
def chosen_rows_get_longer(keys):
    rows, total = [[0, 0] for _ in range(18)], 0
    for k in keys:
        row = rows[k]
        row[0] += 1
        total += row[1]
        row.append(k)
    return rows, total


@case((KEYS[:4], 1.5))
def numbers_with_a_list_that_is_an_item(keys, x):
    groups, said = {}, []
    for k in keys:
        groups.setdefault(k, []).append(x)
        groups.setdefault(k + 1, []).append(2.0)
    items = groups[keys[0]]
    for operation in (lambda: x + items, lambda: items - x, lambda: x <= items, lambda: x * items):
        try:
            operation()
        except TypeError as error:
            said.append(str(error))
    return said, x == items, items != x, 2 * items


@case((np.arange(6.0).reshape(3, 2), np.array([2, 0, 1])), (np.arange(6.0).reshape(3, 2), np.array([1, 2])))
def arrays_that_could_be_numbers(a, counts):
    return np.array([sum(a[j] for j in range(k)) if k != 1 else a[k] for k in counts if k])


def test_a_number_among_the_arrays_of_a_list_is_refused() -> None:
    with pytest.raises(UnsupportedOperationError, match="has numbers where most of its items are arrays"):
        jit(arrays_that_could_be_numbers)(np.ones((3, 2)), np.array([1, -1, 2]))


@case((np.array([5]),), (np.array([2]),))
def each_row_of_the_one_before(n):
    rows, row = [[1]], [1]
    for _ in range(int(n[0])):
        before, rest = rows[-1], rows[-1][1:]
        rows.append([1] + [x + y for x, y in zip(before, rest, strict=False)] + [1])
        rest = row[1:]
        row = [1] + [x + y for x, y in zip(row, rest, strict=False)] + [1]
    return rows, row


@case(([[0, 1, 0], [1, 1, 1], [0, 1, 0]], 3), ([[1]], 0))
def tables_of_steps(rows, steps):
    n = len(rows)
    for step in range(steps):
        new = [[0] * n for _ in range(n)]
        for i in range(n):
            for j in range(n):
                new[i][j] = rows[j][i] + rows[i - 1][j] * step
        new[0].append(step)
        rows = new
    return rows


@case((np.array([1, 0, 2, 1, 1, 0]), 1.5), (np.array([1, 2]), 2.5))
def lists_that_begin_with_items_of_two_kinds(keys, x):
    rows = [[k, x] for k in range(12)]
    same = rows[keys[0]]
    for k in keys:
        if k:
            rows[k] = [k, k, x, None]
        rows[k].append(x)
        rows.append([float(k), k, x])
    same.append(-1)
    found = []
    for row in rows:
        found.extend([len(row), row[0]])
        found.extend((x, row is same))
    return rows, found, rows[keys[0]] is same


@case((np.array([3, -12, 11]),), (np.array([3, 12]),))
def written_rows(keys):
    rows = [[i] for i in range(12)]
    other = rows[0]
    for k in keys:
        rows[k] = other
        rows[k].append(k)
    return rows, [rows[k] is other for k in range(12)], other


@pytest.mark.parametrize("program", case.programs)
def test_as_in_eager_python(program: Program) -> None:
    program.check()


IN_XLA = (alias, runs, pops, tup, chosen_records)


@pytest.mark.parametrize("program", [p for p in case.programs if p.values[0].function in IN_XLA])
def test_as_in_eager_python_in_loops_of_xla(program: Program) -> None:
    with configure(native_loops=False):
        program.check()
