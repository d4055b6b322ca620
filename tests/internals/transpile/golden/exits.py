def first_above(values, limit):
    for i, v in enumerate(values):
        if v > limit:
            return i
    return -1


def search(rows, wanted):
    for row in rows:
        for v in row:
            if v == wanted:
                break
        else:
            continue
        return v
    else:
        found = None
    return found
