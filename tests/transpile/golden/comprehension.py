def squares(items, limit):
    kept = [v * v for v in items if v < limit]
    return sum(v for v in kept), {k: v for k, v in enumerate(kept)}


def text(x, digits):
    return f"{x:.{digits}f} of {'some' if digits else 'none'}"
