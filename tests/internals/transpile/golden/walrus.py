def collatz(n):
    steps = 0
    while (half := n // 2) > 0:
        n = half if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def larger(x, y):
    if x > 0 and (doubled := 2 * x) > y:
        return doubled
    return y
