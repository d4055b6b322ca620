def groups(x, parse):
    try:
        y = parse(x)
    except* ValueError as error:
        if error.exceptions:
            raise
        y = 0
    except* KeyError:
        y = 1
    return y
