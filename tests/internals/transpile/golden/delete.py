def dropped(x, items):
    y = 2 * x
    if x > 0:
        del y
    del items[0]
    return y
