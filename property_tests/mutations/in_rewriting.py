"""Faults in `transpile/`: what is carried, how a block is left, which names may be unset."""

from __future__ import annotations

from property_tests.mutations.fault import Fault

FAULTS = (
    Fault(
        # A name that is only read after the loop is live where `break` leaves it, not at its head.
        "carry wanted after break dropped",
        "transpile/passes/loop_parts.py",
        "split.own & (split.live_in | split.live_out)",
        "split.own & split.live_in",
        """
def f(x):
    while True:
        y = x * 2.0
        if y > 10.0:
            break
        x = y
    return y
f(1.5)
""",
    ),
    Fault(
        "continue taken for break",
        "transpile/blocks.py",
        "cst.Continue: Exit.CONTINUE,",
        "cst.Continue: Exit.BREAK,",
        """
def f(n, x):
    for i in range(n):
        if i == 1:
            continue
        if x > 100.0:
            break
        x = x * 2.0
    return x
f(5, 1.5)
""",
    ),
    Fault(
        # The exit code is asked for an else only where `break` is the one exit.
        "loop else run after break",
        "transpile/passes/loop_parts.py",
        "if orelse and Exit.BREAK in loop.exits:",
        "if orelse and loop.exits == {Exit.BREAK}:",
        """
def f(n, x):
    for i in range(n):
        if x > 5.0:
            break
        if x < 0.0:
            return -x
        x = x + i
    else:
        x = x + 100.0
    return x
f(6, 1.5)
""",
    ),
    Fault(
        "guard of a match case ignored",
        "transpile/passes/match.py",
        "test = guard if asked.test is None else cst.BooleanOperation(asked.test, cst.And(), parenthesised(guard))",
        "test = asked.test or parenthesised(guard)",
        """
def f(k, x):
    match k:
        case 1 if x > 2.0:
            return x
        case _:
            return -x
f(1, 1.5)
""",
    ),
    Fault(
        # As if the target were bound at the head of the loop, and so after a loop over nothing.
        "loop target taken for set",
        "transpile/control_flow_graph.py",
        "return self.else_(node.orelse, [head]) + breaks",
        "return self.else_(node.orelse, [head + 1]) + breaks",
        """
def f(n, x):
    for i in range(n):
        x = x + i
    j = i
    return x
f(3, 1.5)
f(0, 1.5)
""",
    ),
    Fault(
        # As if a helper that is only called, and not handed on, had no need of the variable itself.
        "closure reads an old value",
        "transpile/data_flow.py",
        'if not inside or self.graph.mask([inner.name or ""]) & live:',
        "if not inside and not self._only_called(inner):",
        """
def f(n, x):
    k = 1.0
    def g(v):
        return v * k
    for i in range(n):
        k = k + 0.5
        x = g(x)
    return x
f(3, 1.5)
""",
    ),
    Fault(
        # A code that may be that of a break is handed on as that of a return.
        "break handed on as return",
        "transpile/block_values.py",
        "if unit.exits == {Exit.RETURN}:",
        "if Exit.RETURN in unit.exits:",
        """
def f(n, x):
    for i in range(n):
        if x > 2.0:
            if x > 50.0:
                return -1.0
            if i > 2:
                break
            x = x + 0.5
        x = x * 1.5
    return x
f(6, 1.5)
""",
    ),
)
