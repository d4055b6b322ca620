"""The example of docs/explain.md, and the page made of it: `python -m tests.behaviour.docs.explain_page` writes it."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import numpy as np

from anabranch import jit

PAGE = Path(__file__).parents[3] / "docs" / "explain.md"
HEAD = """\
# What became of a function, and why

`f.explain(*args)` traces a function on arguments, without running it, and says what was decided: which arguments
are static or had to be, which functions were rewritten, which conditions and loops are staged and what they hang
on, which are unrolled and why, what Python decided, what comes from outside and is guarded, which large arguments are
copied for a call, and where the executable is. `str()` of it is the report below, `.as_dict()` has the same as plain
values (`kind`, `what`, `why`, `file`, `line`), and a notebook shows a table. Without such a call nothing of this is
noted.

```python
{before}```

`print(march.explain(np.ones(5), 3))`:

```text
{after}
```

A condition "hangs on" the arguments that it is computed from. What depends on a loop's own names says so. For why a
call was compiled again, see `explain_cache_misses` in [settings.md](settings.md); for the functions themselves,
[rewriting.md](rewriting.md).
"""
WEIGHTS = np.array([0.25, 0.5, 0.25])


def limited(v):
    if v > 10.0:
        return 10.0
    return v


@jit(static_argnames="kind")
def march(x, steps, kind="mean"):
    history = []
    for step in range(steps):
        x = np.convolve(x, WEIGHTS, "same") if kind == "mean" else x
        history.append(limited(x.sum()))
    while x[0] > 0.1:
        x = x * 0.5
    return x, history


def page() -> str:
    """The page as it should be."""
    before = "\n\n".join(inspect.getsource(f) for f in (limited, inspect.unwrap(march)))
    before = f"import numpy as np\nfrom anabranch import jit\n\nWEIGHTS = np.array([0.25, 0.5, 0.25])\n\n\n{before}"
    after = str(march.explain(np.ones(5), 3))
    first = inspect.getsourcelines(limited)[1] - 1
    # Lines as they are on the page, in a file of its own; as if it were not compiled, whoever was here before.
    offset = first - before[: before.index("def limited")].count("\n")
    after = re.sub(r"explain_page\.py:(\d+)", lambda m: f"march.py:{int(m[1]) - offset}", after)
    after = after.replace(str(Path(__file__).parent) + "/", "")
    after = re.sub(r"\n  Program: .*", "", after)  # its length is nobody's promise
    return HEAD.replace("{before}", before).replace("{after}", after)


if __name__ == "__main__":
    PAGE.write_text(page())
