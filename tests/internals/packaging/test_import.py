"""The modules that `import anabranch` loads."""

from __future__ import annotations

import importlib.metadata
import sysconfig
from pathlib import Path

import pytest

import anabranch
from anabranch.runtime.tracing import source_frames

LOADED = "import sys, anabranch; print(*sorted({name.partition('.')[0] for name in sys.modules}))"


@pytest.mark.parametrize("module", ["libcst", "llvmlite", "jax", "numba", "matplotlib"])
def test_import_leaves_out(run_python, module):
    assert module not in run_python(LOADED).split()


def test_version(run_python):
    version = run_python("import anabranch; print(anabranch.__version__)").strip()
    assert version == importlib.metadata.version("anabranch")


CALLS = f"""
import sys
sys.path.insert(0, {str(Path(anabranch.__file__).parents[1])!r})
import numpy as np
import anabranch
f = anabranch.jit(lambda x: (x + x, x > 1))
for x in (2.0, np.arange(3.0), np.zeros((0, 2)), np.ones(2, bool), anabranch.asarray(np.arange(3) * 1j + 1)):
    if not np.iscomplexobj(x):
        print(*map(np.asarray, f(x)))
print(np.asarray(anabranch.asarray(np.arange(3) * 1j)))
print(*sorted({{name.partition('.')[0] for name in sys.modules}}))
"""


@pytest.mark.parametrize("module", ["jax", "numba"])
def test_calls_leave_out(run_python, module):
    """Some of jaxlib's functions import the `jax` package, which takes longer than all else."""
    assert module not in run_python(CALLS).split("\n")[-2].split()


def test_the_standard_library_is_where_sysconfig_says():
    places = sysconfig.get_paths()
    assert [*source_frames.STANDARD] == [places[k] for k in ("stdlib", "platstdlib")]
    assert source_frames.standard(f"{places['stdlib']}/json/decoder.py")
    for name in ("purelib", "platlib"):
        assert not source_frames.standard(f"{places[name]}/package/module.py")
