"""Trees and recursion."""

from __future__ import annotations

import heapq
import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.programs.science.table import program


class Node:
    def __init__(self, key):
        self.key = key
        self.left = None
        self.right = None


@program(lambda: (np.array([5, 2, 8, 1, 9, 3]), 8), lambda: (np.array([5, 2, 8, 1, 9, 3]), 7))
def binary_search_tree(keys, wanted):
    root = None
    for key in keys:
        if root is None:
            root = Node(key)
            continue
        node = root
        while True:
            if key < node.key:
                if node.left is None:
                    node.left = Node(key)
                    break
                node = node.left
            else:
                if node.right is None:
                    node.right = Node(key)
                    break
                node = node.right
    node, depth = root, 0
    while node is not None and node.key != wanted:
        node = node.left if wanted < node.key else node.right
        depth += 1
    return node is not None, depth


@program(lambda: ([50, 30, 70, 20, 40, 60],))
def tree_of_tuples(keys):
    def insert(tree, key):
        if tree is None:
            return (key, None, None)
        k, left, right = tree
        if key < k:
            return (k, insert(left, key), right)
        return (k, left, insert(right, key))

    def height(tree):
        return 0 if tree is None else 1 + max(height(tree[1]), height(tree[2]))

    def walk(tree):
        if tree is not None:
            yield from walk(tree[1])
            yield tree[0]
            yield from walk(tree[2])

    tree = None
    for key in keys:
        tree = insert(tree, key)
    return list(walk(tree)), height(tree)


@program(lambda: ([3, 6, 1, 8, 2, 9, 2],))
def quicksort_lists(values):
    if len(values) <= 1:
        return values
    pivot = values[len(values) // 2]
    left = [v for v in values if v < pivot]
    middle = [v for v in values if v == pivot]
    right = [v for v in values if v > pivot]
    return quicksort_lists(left) + middle + quicksort_lists(right)


@program(lambda: (np.array([3, 6, 1, 8, 2, 9, 2, 7, 5]),))
def quicksort_in_place(a):
    def sort(lo, hi):
        if lo >= hi:
            return
        pivot = a[hi]
        i = lo
        for j in range(lo, hi):
            if a[j] < pivot:
                a[i], a[j] = a[j], a[i]
                i += 1
        a[i], a[hi] = a[hi], a[i]
        sort(lo, i - 1)
        sort(i + 1, hi)

    sort(0, len(a) - 1)


@program(lambda: ([38, 27, 43, 3, 9, 82, 10],))
def mergesort(values):
    if len(values) < 2:
        return values
    middle = len(values) // 2
    left, right = mergesort(values[:middle]), mergesort(values[middle:])
    merged, i, j = [], 0, 0
    while i < len(left) and j < len(right):
        if left[i] <= right[j]:
            merged.append(left[i])
            i += 1
        else:
            merged.append(right[j])
            j += 1
    return merged + left[i:] + right[j:]


@program(lambda: (np.array([9, 4, 7, 1, 8, 2]),))
def heapsort(a):
    def sift(start, end):
        root = start
        while 2 * root + 1 < end:
            child = 2 * root + 1
            if child + 1 < end and a[child] < a[child + 1]:
                child += 1
            if a[root] >= a[child]:
                return
            a[root], a[child] = a[child], a[root]
            root = child

    n = len(a)
    for start in range(n // 2 - 1, -1, -1):
        sift(start, n)
    for end in range(n - 1, 0, -1):
        a[0], a[end] = a[end], a[0]
        sift(0, end)
    return a


@program(lambda: (["car", "cart", "dog", "do"], "car"), lambda: (["car", "cart", "dog", "do"], "x"))
def trie_of_dicts(words, prefix):
    trie = {}
    for word in words:
        node = trie
        for c in word:
            node = node.setdefault(c, {})
        node["$"] = word
    node = trie
    for c in prefix:
        if c not in node:
            return []
        node = node[c]
    found, stack = [], [node]
    while stack:
        for key, child in stack.pop().items():
            if key == "$":
                found.append(child)
            else:
                stack.append(child)
    return sorted(found)


@dataclass
class Expression:
    op: str
    args: tuple[Any, ...]

    def evaluate(self, x):
        values = [a.evaluate(x) if isinstance(a, Expression) else x if a == "x" else a for a in self.args]
        if self.op == "+":
            return values[0] + values[1]
        if self.op == "*":
            return values[0] * values[1]
        return -values[0]

    def derivative(self):
        parts = [a.derivative() if isinstance(a, Expression) else 1.0 if a == "x" else 0.0 for a in self.args]
        if self.op == "+":
            return Expression("+", tuple(parts))
        if self.op == "*":
            a, b = self.args
            return Expression("+", (Expression("*", (parts[0], b)), Expression("*", (a, parts[1]))))
        return Expression("neg", tuple(parts))


@program(lambda: (2.0,), lambda: (np.array([1.0, 3.0]),))
def expression_tree(x):
    square = Expression("*", ("x", "x"))
    tree = Expression("+", (Expression("*", (3.0, square)), Expression("neg", ("x",))))
    return tree.evaluate(x), tree.derivative().evaluate(x)


@program(lambda: ([1, 2, 3],))
def permutations_recursive(items):
    if not items:
        return [[]]
    out = []
    for i, v in enumerate(items):
        for rest in permutations_recursive(items[:i] + items[i + 1 :]):
            out.append([v, *rest])
    return out


@program(lambda: ([3, 34, 4, 12, 5, 2], 9), lambda: ([3, 5], 4))
def subset_sum_backtracking(numbers, target):
    chosen = []

    def search(k, left):
        if left == 0:
            return True
        if k == len(numbers) or left < 0:
            return False
        chosen.append(numbers[k])
        if search(k + 1, left - numbers[k]):
            return True
        chosen.pop()
        return search(k + 1, left)

    return chosen if search(0, target) else None


@program(lambda: (5,), lambda: (4,))
def n_queens(n):
    solutions = []

    def place(row, columns, diag1, diag2, queens):
        if row == n:
            solutions.append(queens)
            return
        for c in range(n):
            if c in columns or row + c in diag1 or row - c in diag2:
                continue
            place(row + 1, columns | {c}, diag1 | {row + c}, diag2 | {row - c}, queens + [c])

    place(0, set(), set(), set(), [])
    return len(solutions), solutions[0]


@program(lambda: (np.array([[1, 0, 3, 0], [0, 0, 0, 2], [2, 0, 0, 0], [0, 3, 0, 1]]),))
def sudoku_4(board):
    def allowed(i, j, v):
        if v in board[i] or v in board[:, j]:
            return False
        bi, bj = 2 * (i // 2), 2 * (j // 2)
        return v not in board[bi : bi + 2, bj : bj + 2]

    def solve():
        for i in range(4):
            for j in range(4):
                if board[i, j] == 0:
                    for v in range(1, 5):
                        if allowed(i, j, v):
                            board[i, j] = v
                            if solve():
                                return True
                            board[i, j] = 0
                    return False
        return True

    return solve()


@program(lambda: (4,), lambda: (2,))
def hanoi(n):
    pegs = [list(range(n, 0, -1)), [], []]
    moves = []

    def move(k, a, b, c):
        if k == 0:
            return
        move(k - 1, a, c, b)
        pegs[c].append(pegs[a].pop())
        moves.append((a, c))
        move(k - 1, b, a, c)

    move(n, 0, 1, 2)
    return moves, pegs


@program(lambda: (np.random.default_rng(0).random((12, 2)), np.full(12, 1 / 12), 0.5))
def barnes_hut(pos, mass, theta):
    class Cell:
        def __init__(self, centre, size):
            self.centre, self.size = centre, size
            self.mass, self.com = 0.0, np.zeros(2)
            self.body, self.children = None, None

    def insert(cell, i):
        if cell.body is None and cell.children is None:
            cell.body = i
        else:
            if cell.children is None:
                cell.children = {}
                old, cell.body = cell.body, None
                descend(cell, old)
            descend(cell, i)
        cell.com = (cell.com * cell.mass + pos[i] * mass[i]) / (cell.mass + mass[i])
        cell.mass += mass[i]

    def descend(cell, i):
        key = tuple(bool(b) for b in pos[i] > cell.centre)
        if key not in cell.children:
            offset = (np.array(key) - 0.5) * cell.size / 2
            cell.children[key] = Cell(cell.centre + offset, cell.size / 2)
        insert(cell.children[key], i)

    def force(cell, i):
        if cell.mass == 0 or cell.body == i:
            return np.zeros(2)
        d = cell.com - pos[i]
        r = np.sqrt(d @ d + 1e-4)
        if cell.children is None or cell.size / r < theta:
            return cell.mass * d / r**3
        return sum(force(c, i) for c in cell.children.values())

    root = Cell(np.array([0.5, 0.5]), 1.0)
    for i in range(len(pos)):
        insert(root, i)
    return np.array([force(root, i) for i in range(len(pos))]), root.mass


@program(lambda: (np.random.default_rng(1).random((9, 2)), (0.2, 0.2, 0.7, 0.8)))
def quadtree_range_count(points, window):
    def build(pts, x, y, size, depth):
        if len(pts) <= 2 or depth == 4:
            return {"box": (x, y, size), "points": pts}
        h = size / 2
        children = []
        for dx in (0, 1):
            for dy in (0, 1):
                cx, cy = x + dx * h, y + dy * h
                inside = [p for p in pts if cx <= p[0] < cx + h and cy <= p[1] < cy + h]
                children.append(build(inside, cx, cy, h, depth + 1))
        return {"box": (x, y, size), "children": children}

    def count(node):
        x, y, size = node["box"]
        if x > window[2] or y > window[3] or x + size < window[0] or y + size < window[1]:
            return 0
        if "children" in node:
            return sum(count(c) for c in node["children"])
        return sum(window[0] <= p[0] <= window[2] and window[1] <= p[1] <= window[3] for p in node["points"])

    return count(build([tuple(p) for p in points.tolist()], 0.0, 0.0, 1.0, 0))


@program(lambda: ("abracadabra",), lambda: ("aab",))
def huffman_codes(text):
    counter = itertools.count()
    frequency = {}
    for c in text:
        frequency[c] = frequency.get(c, 0) + 1
    heap = [(n, next(counter), c) for c, n in sorted(frequency.items())]
    heapq.heapify(heap)
    while len(heap) > 1:
        n1, _, a = heapq.heappop(heap)
        n2, _, b = heapq.heappop(heap)
        heapq.heappush(heap, (n1 + n2, next(counter), (a, b)))
    codes = {}

    def assign(node, prefix):
        if isinstance(node, str):
            codes[node] = prefix or "0"
        else:
            assign(node[0], prefix + "0")
            assign(node[1], prefix + "1")

    assign(heap[0][2], "")
    return codes, "".join(codes[c] for c in text)


@program(lambda: ([[1, [2, 3]], [], [[[4]]]],))
def flatten_and_depth(nested):
    def walk(x, depth):
        if not isinstance(x, list):
            yield x, depth
            return
        for item in x:
            yield from walk(item, depth + 1)

    pairs = list(walk(nested, 0))
    return [v for v, _ in pairs], max(d for _, d in pairs)


@program(lambda: (2, 3), lambda: (1, 5))
def ackermann(m, n):
    if m == 0:
        return n + 1
    if n == 0:
        return ackermann(m - 1, 1)
    return ackermann(m - 1, ackermann(m, n - 1))


@program(lambda: (np.array([1, 3, 4, 7, 9, 12, 15]), 9), lambda: (np.array([1, 3, 4, 7, 9, 12, 15]), 5))
def binary_search(a, key):
    def search(lo, hi):
        if lo > hi:
            return -1
        mid = (lo + hi) // 2
        if a[mid] == key:
            return mid
        if a[mid] < key:
            return search(mid + 1, hi)
        return search(lo, mid - 1)

    return search(0, len(a) - 1)
