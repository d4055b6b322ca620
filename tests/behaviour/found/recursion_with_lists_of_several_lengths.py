"""Lists of three lengths were not joined to one of run-time length: each level of such a recursion was traced anew."""


def f(n):
    out = []

    def go(path, rest):
        if not rest:
            out.append(tuple(path))
            return
        for i in range(len(rest)):
            go(path + [rest[i]], rest[:i] + rest[i + 1 :])

    go([], [k * 2 for k in range(n)])
    return out


ARGSETS = ((5,), (0,), (3,))
