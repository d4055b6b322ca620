def assigned(x, table):
    import math

    a = b = x
    c: float = a + 1 if a > 0 else b
    c += abs(x)
    table["c"], (d, *e) = c, (a, b, x)
    return math.sqrt(c), d, e
