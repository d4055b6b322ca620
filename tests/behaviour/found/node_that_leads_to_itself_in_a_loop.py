"""Tracing went round and round a node that leads to itself, and the call raised the `RecursionError` of that."""


class Part:
    def __init__(self, x, k):
        self.x, self.k = x, k


class Node:
    def __init__(self, v):
        self.v, self.after, self.seen = v, self, []

    def add(self, v):
        self.v += v
        self.seen.append(v)


def f(n, x):
    p = q = Part(x, n)
    node = Node(n)
    if n > 1:
        p = Part(x + n, n)
        t = 0
        while t < 3 and n > 2:
            t += 1
            node.add(n)
            q = Part(p.x, q.k)
    return node.v, node.seen, node.after is node, (p.x, p.k), (q.x, q.k)


ARGSETS = ((3, 1.0), (1, 2.0))
