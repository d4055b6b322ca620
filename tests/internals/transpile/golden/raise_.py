def one_of_several(x, kinds):
    error = ValueError("large") if x > 2 else None
    if error is not None:
        raise error
    last = None
    for kind in kinds:
        try:
            return kind(x)
        except KeyError as missing:
            last = missing
            if x < 0:
                raise ValueError(x) from missing
    raise RuntimeError("none") from last
