"""`max(n, 0, key=...)` was taken for 0 or more, so its `abs` was left out."""


def f(n, x):
    return abs(max(n, 0, key=lambda v: float(x))), max(0, min(n, 0, key=lambda v: -v))


ARGSETS = (
    (-1, 1.0),
    (2, 1.0),
)
