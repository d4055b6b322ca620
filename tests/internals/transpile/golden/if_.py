def clipped(x, low, high):
    if x < low:  # too small
        y = low
    elif x > high:
        y = high
    else:
        y = x
    return y


def early(x):
    if x < 0:
        return -x
    # what is not negative stays
    y = x + 1
    return y


def unset(x):
    if x > 0:
        y = 1
    return y
