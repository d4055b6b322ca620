def counter(x):
    count = 0

    def bump(by=1):
        nonlocal count
        if x > 0:
            count += by
        return count

    bump()
    scaled = lambda v: v * count if v > 1 else v
    return bump(2), scaled(x)
