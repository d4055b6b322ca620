def later(x, n):
    for i in range(n):
        if i == 0:
            best = x
        elif x > best:
            best = x + i
    return best, i
