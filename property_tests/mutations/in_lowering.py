"""Faults in `runtime/ops` and `runtime/passes`: the rules of ops, and what is put in their place."""

from __future__ import annotations

from property_tests.mutations.fault import Fault

FAULTS = (
    Fault(
        "floor division rounds to zero",
        "runtime/ops/elementwise/division.py",
        "return where(opposed, quotient - 1, quotient), where(opposed, remainder + y, remainder)",
        "return quotient, where(opposed, remainder + y, remainder)",
        """
def f(k):
    return k // 3
f(7)
f(-7)
""",
    ),
    Fault(
        "cast to int rounds down",
        "runtime/ops/elementwise/casts.py",
        'whole = where(x < 0.0, x.apply("ceil"), x.apply("floor"))',
        'whole = x.apply("floor")',
        """
def f(x):
    return int(x)
f(1.5)
f(-1.5)
""",
    ),
    Fault(
        # StableHLO's `if` has the true region first, its `case` that of 0.
        "branches lowered in the wrong order",
        "runtime/ops/control.py",
        'return _case(emitter, index, ctx.inputs[1:], (ctx.params["on_false"], ctx.params["on_true"]))',
        'return _case(emitter, index, ctx.inputs[1:], (ctx.params["on_true"], ctx.params["on_false"]))',
        """
def f(a, i):
    if i > 1:
        a[i] = 5.0
    return a
f(np.arange(3.0), 2)
""",
    ),
    Fault(
        # Of two sides, that which has no value there is taken for the result.
        "select takes the side without a value",
        "runtime/passes/if_conversion.py",
        "a if a is b or b in free else b if a in free else _select(",
        "a if a is b or a in free else b if b in free else _select(",
        """
def f(x):
    if x > 1.0:
        y = x * 2.0
    if x > 1.0:
        return y
    return 0.0
f(1.5)
""",
    ),
    Fault(
        "equations with other params merged",
        "runtime/passes/def_use.py",
        "return (maker.op, maker.outputs.index(atom), params, inputs)",
        "return (maker.op, maker.outputs.index(atom), inputs)",
        """
def f(a, n):
    for i in range(n):
        a[i] = a[i] + a[0] * a[1]
    return a
f(np.arange(2.0, 6.0), 4)
""",
    ),
    Fault(
        "a check after a loop does not ask whether the loop was left",
        "runtime/passes/check_hoisting.py",
        "        if stopped is not None:\n            more =",
        "        if stopped is None:\n            more =",
        """
def f(a, n):
    for i in range(n):
        a[i] = a[i] + 1.0
        if a[i] > 2.5:
            break
    return a
f(np.arange(5.0), 9)
""",
    ),
)
