def weighted(values, weights):
    total = 0.0
    for i, (v, w) in enumerate(zip(values, weights)):
        if w == 0:
            continue
        total += i * v * w
    return total


def table(n, m):
    count = 0
    for i in range(n):
        for j in range(i, m):
            count += i * j
    return count
