"""What `import anabranch` loads."""

from __future__ import annotations

import importlib.metadata

import pytest

LOADED = "import sys, anabranch; print(*sorted({name.partition('.')[0] for name in sys.modules}))"


@pytest.mark.parametrize("module", ["libcst", "jax", "numba", "matplotlib"])
def test_import_leaves_out(run_python, module):
    assert module not in run_python(LOADED).split()


def test_version(run_python):
    version = run_python("import anabranch; print(anabranch.__version__)").strip()
    assert version == importlib.metadata.version("anabranch")
