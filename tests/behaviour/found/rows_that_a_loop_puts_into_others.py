"""Rows that a loop over a list puts into a dict or a list were copies: what was changed in them later did not show."""


def f(rows, n):
    d = {1: [n]}
    d.setdefault(n, [])
    for r in rows:
        d[n] = r
    out = []
    for r, q in zip(rows, rows):
        if r[0] > n:
            out.append(q)
    for r in rows:
        r[0] += 1
    return d, out, rows


ARGSETS = (([[1, 2], [3, 4], [5, 6]], 0), ([[i, i + 1] for i in range(12)], 3))
