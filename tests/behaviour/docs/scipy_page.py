"""Makes `docs/scipy-support.md` of the programs in `scipy_programs.py`; run it as a module."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import scipy
from scipy import special

from anabranch.runtime.host.library_ufuncs import named
from tests.behaviour.docs.scipy_programs import PROGRAMS, REFUSED

PAGE = Path(__file__).parents[3] / "docs" / "scipy-support.md"
VERSION = ".".join(scipy.__version__.split(".")[:2])
_HEAD = f"""# What of SciPy is supported

What becomes of SciPy's functions where they are called with values known only at run time, as of SciPy {VERSION}. With
values known while tracing each of them is SciPy's own. The page is made of programs that are compared with their eager
runs: `python -m tests.behaviour.docs.scipy_page`.

## Staged

The ufuncs of `scipy.special` are computed by SciPy's own loops, which compiled code calls, from machine code too: the
results are SciPy's to the bit. They broadcast, cast and take `out=` and `where=` as NumPy's do; of their methods only
`outer` is there. `scipy.special.seterr` is not looked at.
"""
_HOST = """## Called on the host

Every other function of SciPy is called as it is, while the compiled function runs: it gets plain numbers and copies of
arrays, and its results, its exceptions and its warnings are its own. So are methods of its objects, and its functions
that take functions of yours, which run as plain Python then. Such a call takes what SciPy takes, and some tens
of microseconds more; `f.explain(...)` lists them, and `jit(f, host_calls=False)` refuses them.

What a call returns is found by a call more, while the function is traced: with the values of the call that it is traced
for, and inside of loops, where these are not known, with others of the same types. Sizes of arrays may differ from call
to call; other types than those found then are an error, `StructureMismatchError`, at the call that has them. Of objects
such as `OptimizeResult` the fields that are numbers, arrays of numbers or texts can be used. Objects that do not
change, such as splines, frozen distributions, trees and sparse matrices, are made anew by each call of a method.

These were tried:
"""
_OWN = """## Functions of your own

With `@anabranch.host` a function of your own is called in the same way, whatever is in it, in the order of all effects,
and exactly as often as in eager Python; `@anabranch.host(result=float)` says what it returns, and saves the call while
tracing. It must not change its arguments, nor return views of them.

```python
import numpy as np
from anabranch import ShapeDtypeStruct, host, jit

@host(result=ShapeDtypeStruct((3,), float))
def solved(a, b):
    return np.linalg.lstsq(a, b)[0]

@jit
def f(a, b):
    return solved(a, b).sum()
```
"""


def page() -> str:
    """The text of the page."""
    names = ", ".join(f"`{name}`" for name in staged())
    parts = [_HEAD, names, "", _HOST, "| module | functions |", "|---|---|"]
    found: dict[str, list[str]] = {}
    for function in PROGRAMS:
        for module, name in called(function):
            found.setdefault(module, []).append(name)
    for module, functions in sorted(found.items()):
        parts.append(f"| `scipy.{module}` | {', '.join(f'`{name}`' for name in sorted(set(functions)))} |")
    parts += ["", "## Refused", "", "| | |", "|---|---|"]
    parts += [f"| {what} | {why} |" for what, (_, why) in REFUSED.items()]
    return "\n".join([*parts, "", _OWN])


def staged() -> Iterator[str]:
    """The names of the ufuncs that are staged."""
    return (name for name, value in sorted(vars(special).items()) if isinstance(value, np.ufunc) and named(value))


def called(function: Callable[..., Any]) -> Iterator[tuple[str, str]]:
    """The functions of SciPy's that a program calls, which are no ufuncs: module and name."""
    for node in ast.walk(ast.parse(textwrap.dedent(inspect.getsource(function)))):
        parts = ast.unparse(node.func).split(".") if isinstance(node, ast.Call) else []
        if len(parts) < 2 or "(" in "".join(parts):
            continue
        found = getattr(scipy, parts[0], None)
        if found is not None and not isinstance(getattr(found, parts[1], None), np.ufunc):
            yield parts[0], ".".join(parts[1:])


if __name__ == "__main__":
    PAGE.write_text(page())
