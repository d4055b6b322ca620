def halves(x, n):
    for _ in range(n):
        x = x / 2
        if x < 1:
            return
        yield x


def total(x, n):
    return sum(v for v in halves(x, n) if v > 2)
