"""Since Python 3.12 `sum` adds at the end what rounding took from floats; each addition was rounded."""


def f(x, y, numbers, n):
    mixed = sum([1, x, True, y, 2, -x]), sum((x, y, -x), y), sum(v * y for v in numbers), sum(numbers, 3)
    grown = []
    for i in range(n):
        grown.append(x * 10.0 ** (i % 17) * (-1) ** i)
    chosen = sum(i if i % 2 else y * i for i in range(n))
    return mixed, sum(grown), sum(v for v in grown if v > 0), chosen, sum([-0.0 * y, -0.0], -0.0)


ARGSETS = (
    (1e16, 1.0, [1e16, 1.0, -1e16, 1e-3, 7.25], 40),
    (1.1, 0.1, [0.1] * 10, 0),
    (1e308, 1e308, [1e308, 1e308, -1e308], 3),
    (float("inf"), 1.0, [0.1, float("nan")], 2),
)
