def squares(items, limit):
    kept = [v * v for v in items if v < limit]
    return sum(v for v in kept), {k: v for k, v in enumerate(kept)}
