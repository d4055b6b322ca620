"""Writes to a list behind a loop were lost to the caller's, where only some steps bind its name to another one."""


def f(n, a, b):
    i = 0
    while i < n:
        i += 1
        if i == 2:
            continue
        if i == 3:
            a = [i, n]
        elif i == 4:
            a = b
    a[0] = 9
    b[1] += 1
    return n


ARGSETS = (
    (0, [1, 5], [2, 6]),
    (1, [1, 5], [2, 6]),
    (2, [1, 5], [2, 6]),
    (3, [1, 5], [2, 6]),
    (4, [1, 5], [2, 6]),
    (5, [1, 5], [2, 6]),
)
