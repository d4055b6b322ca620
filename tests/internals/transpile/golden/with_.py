def quiet(x, manager):
    with manager() as m:
        if x > 0:
            return m
        y = x + 1
    return y
