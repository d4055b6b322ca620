"""A row of a list that nothing had changed was returned by a run-time index, and had no contents: a false TypeError."""


def f(rows, n):
    m = [list(r) for r in rows]
    a = []
    d = {}
    for k in range(n):
        m.append(list(rows[-1]))
    for k in (m[-1] if m else a)[:3]:
        d.setdefault(n, []).extend([sum(a), k])
    return m, a, m[k % len(m)], d


ARGSETS = (([[1, 2], [3, 4], [5, 6]], 2), ([[1, 2], [3, 4]], 1))
