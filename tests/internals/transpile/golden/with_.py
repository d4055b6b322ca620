def quiet(x, manager):
    with manager() as m:
        if x > 0:
            return m
        y = x + 1
    return y


def suppressed_with_another(m, a, i):
    with m as b, suppress(IndexError) as nothing:
        b = a[i]
    return b, nothing
