def safe(x, parse):
    try:
        y = parse(x)
    except ValueError as error:
        y = str(error)
    else:
        y += 1
    finally:
        print("done")
    return y


def leaves(items, parse):
    for item in items:
        try:
            if parse(item):
                return item
        except KeyError:
            continue
    return None
