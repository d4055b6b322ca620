"""A check of the code at hand, sound or with a fault in it: it does with programs what Python does.

`python -m property_tests.mutations.showing NAME` runs a plain program, then that of a fault.
"""

from __future__ import annotations

import ast
import linecache
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from anabranch import jit
from anabranch.runtime.testing.compare_outcomes import Difference, first_difference
from anabranch.runtime.testing.outcomes import Outcome
from property_tests.mutations.faults import FAULTS

# Of what any program is made: a copy of the code that gets this wrong shows nothing.
PLAIN = """
def f(a, n, x):
    for i in range(n):
        a[i] += x
        if x < 2.0:
            x = x * 1.5
    return x
f(np.arange(4.0), 3, 1.5)
"""


def difference(program: str) -> Difference | None:
    """The first difference that the program's calls show, made one after the other of one compiled function."""
    function, calls = taken_apart(program)
    compiled = jit(function)
    found = (first_difference(Outcome(function, c, {}), Outcome(compiled, c, {}), (), None) for c in calls)
    return next((d for d in found if d is not None), None)


def taken_apart(program: str) -> tuple[Any, list[tuple[Any, ...]]]:
    """The program's `f`, and the arguments of the calls below."""
    name = f"<shown {hash(program)}>.py"
    linecache.cache[name] = (len(program), None, program.splitlines(keepends=True), name)
    tree = ast.parse(program)
    scope: dict[str, Any] = {"np": np, "__name__": __name__}
    calls = [s.value for s in tree.body if isinstance(s, ast.Expr)]
    tree.body = [s for s in tree.body if not isinstance(s, ast.Expr)]
    exec(compile(tree, name, "exec"), scope)
    return scope["f"], list(_arguments(calls, scope))


def _arguments(calls: list[ast.expr], scope: dict[str, Any]) -> Iterator[tuple[Any, ...]]:
    for call in calls:
        yield eval(ast.unparse(call), {**scope, "f": lambda *args: args})


def shown(name: str) -> tuple[int, str]:
    """0 where a fault's own program goes wrong, and how."""
    (fault,) = (f for f in FAULTS if f.name == name)
    plain = difference(PLAIN)
    if plain is not None:
        return 2, f"a plain program goes wrong, too: {plain}"
    found = difference(fault.shows)
    return (1, "nothing shows") if found is None else (0, str(found))


if __name__ == "__main__":
    status, text = shown(sys.argv[1])
    sys.stdout.write(f"{text}\n")
    sys.exit(status)
