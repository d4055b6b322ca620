"""A search in the table that a branch left which failed never ended: all of its entries were taken."""


def f(n):
    a = []
    d = {1: [n]}
    if n == 1:
        a[-1] = n
    else:
        d.setdefault(1, []).clear()
    d.setdefault(1, []).append(3)
    return d


ARGSETS = ((3,), (1,))
