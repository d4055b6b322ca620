"""A process that loads what another one has compiled needs nothing of what traces functions."""

from __future__ import annotations

from pathlib import Path

import pytest

import anabranch

HERE = f"import sys; sys.path.insert(0, {str(Path(anabranch.__file__).parents[1])!r})"
MAKE = """
import numpy as np
from anabranch import jit
from anabranch.export import export

@jit
def f(a, n, d):
    positive, total = [], 0.0
    for v in a:
        if v > 0:
            positive.append(v * n)
    while total < n:
        total += d["k"]
    if total > 5:
        raise ValueError(f"too much: {total}")
    return positive, total, a[a > 0], ("many" if n > 1 else a.sum())

arguments = (np.arange(-1.0, 3.0), 2.0, {"k": 0.5})
f.lower(*arguments).compile().save("compiled")
with open("exported", "wb") as file:
    file.write(export(f)(*arguments).serialize())
"""

COMPILED = "import anabranch; call = anabranch.Compiled.load('compiled')"
EXPORTED = "import anabranch; call = anabranch.export.deserialize(open('exported', 'rb').read()).call"
CALL = """
import sys
import numpy as np
positive, total, selected, last = call(np.arange(-1.0, 3.0), 2.0, {"k": 0.5})
print(positive == [2.0, 4.0], total == 2.0, selected.tolist() == [1.0, 2.0], last == "many")
print(*[name for name in sys.modules if name.startswith("anabranch.runtime.")])
"""


@pytest.mark.parametrize("load", [COMPILED, EXPORTED])
def test_a_loaded_function_needs_neither_control_flow_nor_the_numpy_surface(run_python, tmp_path, load):
    (tmp_path / "make.py").write_text(MAKE)  # the source of a function is a file's
    run_python(f"{HERE}\nimport runpy; runpy.run_path('make.py')")
    right, modules = run_python(f"{HERE}\n{load}\n{CALL}").splitlines()
    assert right.split() == ["True"] * 4
    loaded = {module.split(".")[2] for module in modules.split()}
    assert not loaded & {"control", "numpy", "frontend", "eager", "random", "testing"}
