def either(x, y):
    return x or (y and not x > 1)


def between(x, y, z):
    return (x < y) and (y < z or z is None)
