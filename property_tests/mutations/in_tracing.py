"""Faults in `runtime/control`, `runtime/values` and beside them: writes, memory, failures, what is known of an int."""

from __future__ import annotations

from property_tests.mutations.fault import Fault

FAULTS = (
    Fault(
        "middle of a chain evaluated twice",
        "runtime/control/compare.py",
        "return boolean.and_(result, lambda: compare(right, *rest))",
        "return boolean.and_(result, lambda: compare(operand(), *rest))",
        """
def f(x):
    seen = []
    def g(v):
        seen.append(v)
        return v * 2.0
    return 0.0 < g(x) < 5.0, seen
f(1.5)
""",
    ),
    Fault(
        # any for all: lists, cells and attributes that only one branch changes.
        "change of a list in one branch lost",
        "runtime/control/branches/stage_branches.py",
        "if any(s.target in o.changes for o in outcomes)]",
        "if all(s.target in o.changes for o in outcomes)]",
        """
def f(x):
    items = [x, 1.0]
    if x > 1.0:
        items[0] = 5.0
    return items
f(1.5)
""",
    ),
    Fault(
        # What another name may be, by a run-time condition, is not told of a write.
        "alias does not see a write",
        "runtime/values/memory/aliasing.py",
        "if storage.alias_edges or storage.dependents:",
        "if storage.alias_edges:",
        """
def f(a, b, x):
    c = a if x > 1.0 else b
    a[0] = 7.0
    return c + 1.0
f(np.arange(3.0), np.ones(3), 1.5)
""",
    ),
    Fault(
        # What an array is at the start of a step, by what the steps before it left.
        "step of a loop does not see what its arrays are",
        "runtime/control/aliasing/loop_identity.py",
        "aliasing.add_edge(array.storage, _is(number, i), handle)",
        "_ = aliasing.add_edge",
        """
def f(n, a):
    y = a
    for _ in range(n):
        y += 1.0
        y = y + a
    return a, y
f(1, np.arange(3.0))
f(2, np.arange(3.0))
""",
    ),
    Fault(
        # `p, c = c, p + c`: what p is was new one step earlier.
        "array of the step before taken for that of this one",
        "runtime/control/aliasing/loop_sources.py",
        "New(label.serial, label.path, min(label.age + 1, self.oldest))",
        "label",
        """
def f(a):
    p, c = a, a
    for _ in range(30):
        p, c = c, p + c
    p += 1.0
    return p, c
f(np.arange(3.0))
""",
    ),
    Fault(
        "handler sees the state of the first place that may fail",
        "runtime/values/heap/try_regions.py",
        "if heap is None or heap.changed():",
        "if heap is None:",
        """
def f(a, i, j):
    y = 0.0
    try:
        y = a[i]
        y = y + a[j]
    except IndexError:
        y = y + 10.0
    return y
f(np.arange(1.0, 4.0), 2, 5)
""",
    ),
    Fault(
        "later failure wins",
        "runtime/passes/checks.py",
        "fails: Atom = block.emit(logical_and, pred, fine, source=source)",
        "fails: Atom = pred",
        """
def f(a, i, k):
    y = a[i]
    return y + 5 // k
f(np.arange(3.0), 7, 0)
""",
    ),
    Fault(
        # That an index surely fits is not that it is not negative.
        "negative index not wrapped",
        "runtime/values/arrays/index_checks.py",
        "    if known.low >= 0:\n        return atom\n",
        "    if known.low >= -size:\n        return atom\n",
        """
def f(a, n):
    s = 0.0
    for i in range(n):
        s = s + a[i % 3 - 1] * i
    return s
f(np.arange(1.0, 4.0), 7)
""",
    ),
    Fault(
        "place after the last not checked",
        "runtime/values/arrays/index_checks.py",
        "        if known.high >= size:\n            bad.append(atoms.ufunc(np.greater_equal, atom, high))",
        "        if known.high > size:\n            bad.append(atoms.ufunc(np.greater_equal, atom, high))",
        """
def f(a, k):
    return a[k % 3 + 1]
f(np.arange(3.0), 1)
f(np.arange(3.0), 2)
""",
    ),
    Fault(
        "range backwards one step too long",
        "runtime/control/sequences/countable_ranges.py",
        "span = atoms.ufunc(np.subtract, atoms.ufunc(np.subtract, high, low), one)",
        "span = atoms.ufunc(np.subtract, atoms.ufunc(np.subtract, high, low), atoms.convert(forward, np.int64))",
        """
def f(n, x):
    for i in range(n, 0, -1):
        x = x * 2.0 + i
    return x
f(4, 1.5)
""",
    ),
    Fault(
        # As other libraries have it; NumPy copies.
        "astype to the same dtype shares memory",
        "runtime/numpy/methods.py",
        "if copy or a.dtype != chosen:",
        "if a.dtype != chosen:",
        """
def f(a, x):
    b = a.astype(np.float64)
    b[0] = x
    return a + b
f(np.arange(3.0), 1.5)
""",
    ),
    Fault(
        # A call of `print` of constants is taken for something that can be computed beforehand.
        "effect computed while tracing",
        "runtime/tracing/folding.py",
        """
    if not (op.pure and atoms and isinstance(atoms[0], Literal)):
        return None
    values = _values(op, atoms, types, maker)
    if values is None or any(effects((Equation(op, tuple(atoms), params, ()),))):
        return None
""",
        """
    if not (atoms and isinstance(atoms[0], Literal)):
        return None
    values = _values(op, atoms, types, maker)
    if values is None:
        return None
""",
        """
def f(x):
    print("begin")
    return x * 2.0
f(1.5)
f(2.5)
""",
    ),
)
