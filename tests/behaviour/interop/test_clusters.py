"""The examples of clusters: no worker compiles what another one has. Ray, which is large, is run by who has it."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from tests.behaviour.interop.fresh_process import run_command

EXAMPLES = Path(__file__).parents[3] / "examples" / "clusters"
NEEDS = {"futures_pool": "numpy", "joblib_pool": "joblib", "dask_cluster": "distributed", "mpi": "mpi4py"}


@pytest.mark.slow
@pytest.mark.parametrize("name", NEEDS)
def test_cluster(tmp_path, name):
    pytest.importorskip(NEEDS[name], exc_type=ImportError)
    if name == "mpi" and shutil.which("mpiexec") is None:
        pytest.skip("there is no mpiexec")
    cache = {"ANABRANCH_CACHE": "1", "ANABRANCH_CACHE_DIR": str(tmp_path / "cache")}
    printed = run_command(tmp_path, [sys.executable, str(EXAMPLES / f"{name}.py")], **cache)
    assert printed.count(" 1 compiled\n") == 1
    assert printed.count(" 0 compiled\n") >= 1


def test_each_example_is_on_the_page():
    page = (EXAMPLES.parents[1] / "docs" / "clusters.md").read_text()
    files = {file.name for file in EXAMPLES.glob("*.py")} - {"common.py"}
    assert all(f"../examples/clusters/{name})" in page for name in files)
    assert files == {*(f"{name}.py" for name in NEEDS), "ray_cluster.py"}
