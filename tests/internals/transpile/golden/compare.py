def compared(x, y, items):
    if x is None or x in items:
        return 0 < x < y <= 3
    return y is not None and y not in items
