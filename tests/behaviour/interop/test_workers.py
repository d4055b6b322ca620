"""Compiled functions in the workers of multiprocessing, concurrent.futures, joblib and dask."""

from __future__ import annotations

import sys

import pytest

from tests.behaviour.interop.fresh_process import run_program

# Functions of a script, of a module, of a class, and within a function; `check` compares what workers gave.
COMMON = """
import sys, warnings
import numpy as np
from anabranch import jit
warnings.simplefilter("ignore", DeprecationWarning)  # on forking with threads

@jit
def work(x, n):
    total = 0.0
    for i in range(n):
        total += np.sqrt(x + i).sum()
    return total

class Model:
    def __init__(self, weight):
        self.weight = weight

    @jit
    def run(self, x):
        return x * self.weight if x.sum() > 0 else x

GIVEN = [np.full(3, float(k)) for k in range(4)]
EXPECTED = [sum(np.sqrt(x + i).sum() for i in range(4)) for x in GIVEN]

def check(found):
    np.testing.assert_allclose(found, EXPECTED)

def local(k):
    @jit
    def scaled(x):
        return x * k if x.sum() > 0 else x
    return scaled

def main():
{}

if __name__ == "__main__":
    main()
    print("done")
"""


def run(tmp_path, body):
    lines = "\n".join(f"    {line}" for line in body.strip().splitlines())
    cache = {"ANABRANCH_CACHE": "1", "ANABRANCH_CACHE_DIR": str(tmp_path / "cache")}
    assert run_program(tmp_path, COMMON.replace("{}", lines), **cache).endswith("done\n")


POOLS = """
import concurrent.futures, multiprocessing
check([work(x, 4) for x in GIVEN])
context = multiprocessing.get_context("{method}")
with context.Pool(2) as pool:
    check(pool.starmap(work, [(x, 4) for x in GIVEN]))
    assert [r.sum() for r in pool.map(Model(2.0).run, GIVEN)] == [0.0, 6.0, 12.0, 18.0]
with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
    check(list(pool.map(work, GIVEN, [4] * 4)))
"""


@pytest.mark.slow
@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_processes(tmp_path, method):
    if method == "fork" and sys.platform != "linux":
        pytest.skip("forking with threads is for Linux")
    run(tmp_path, POOLS.replace("{method}", method))


def test_threads(tmp_path):
    run(
        tmp_path,
        """
import concurrent.futures
with concurrent.futures.ThreadPoolExecutor(16) as pool:
    check(list(pool.map(work, GIVEN, [4] * 4)))
    found = set(pool.map(work, [GIVEN[1]] * 64, [4] * 64))
assert len(found) == 1
assert work.cache_info().misses == 1
""",
    )


@pytest.mark.slow
def test_joblib(tmp_path):
    pytest.importorskip("joblib")
    run(
        tmp_path,
        """
import joblib
call, scaled = joblib.delayed(work), local(3)
for backend in ("loky", "threading", "multiprocessing"):
    parallel = joblib.Parallel(n_jobs=2, backend=backend)
    check(parallel(call(x, 4) for x in GIVEN))
    # Large arrays come to the workers of processes as read-only maps of files.
    large = joblib.Parallel(n_jobs=2, backend=backend, max_nbytes=1000)
    np.testing.assert_allclose(large(call(np.ones(1000), 1) for _ in range(2)), [1000, 1000])
    if backend != "multiprocessing":  # which pickles by name
        assert [r.sum() for r in parallel(joblib.delayed(scaled)(x) for x in GIVEN)] == [0.0, 9.0, 18.0, 27.0]
        assert [r.sum() for r in parallel(joblib.delayed(Model(2.0).run)(x) for x in GIVEN)] == [0.0, 6.0, 12.0, 18.0]
memory = joblib.Memory("kept", verbose=0)
check([memory.cache(work)(x, 4) for x in GIVEN])
""",
    )


@pytest.mark.slow
def test_dask(tmp_path):
    pytest.importorskip("dask.array")
    run(
        tmp_path,
        """
import dask, dask.array
x, scaled, model = dask.array.arange(12.0, chunks=4), local(3), Model(2.0)
for scheduler in ("synchronous", "threads", "processes"):
    with dask.config.set(scheduler=scheduler, num_workers=2):
        check(dask.compute(*[dask.delayed(work)(g, 4) for g in GIVEN]))
        assert x.map_blocks(scaled, dtype=float).sum().compute() == 198.0
        assert x.map_blocks(model.run).sum().compute() == 132.0
        assert dask.array.apply_gufunc(scaled, "(i)->(i)", x.rechunk(12)).sum().compute() == 198.0
""",
    )


def test_a_server_that_forks_its_workers(tmp_path):
    """As gunicorn does with `preload`: the application has run, then each worker is forked and serves."""
    run(
        tmp_path,
        """
import gc, os, signal
check([work(x, 4) for x in GIVEN])
gc.freeze()
workers = {}
for k in range(3):
    reading, writing = os.pipe()
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        signal.alarm(60)
        check([work(x, 4) for x in GIVEN])
        found = Model(float(k)).run(np.ones(k + 2)).sum()
        os.write(writing, str(found).encode())
        os._exit(0)
    os.close(writing)
    workers[pid] = reading, k * (k + 2.0)
for pid, (reading, expected) in workers.items():
    assert os.waitpid(pid, 0)[1] == 0
    assert float(os.read(reading, 100)) == expected
""",
    )
