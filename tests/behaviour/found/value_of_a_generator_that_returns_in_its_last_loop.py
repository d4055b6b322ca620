"""The value that a generator returns in a loop that is its last statement was None for `yield from` and StopIteration."""


def f(n, xs):
    def summing(t):
        while True:
            x = yield t
            if x is None:
                return t
            t += x

    def until(limit):
        for x in xs:
            if x > limit:
                return x
            yield x * 2

    def both(out):
        last = yield from until(n)
        out.append(last)

    running = summing(n)
    next(running)
    out = [running.send(i) for i in range(2)]
    try:
        running.send(None)
    except StopIteration as end:
        out.append(end.value)
    found = []
    return out, list(both(found)), found


ARGSETS = (
    (2, [1, 2, 3, 4]),
    (7, [1, 2, 3, 4]),
    (0, [1]),
)
