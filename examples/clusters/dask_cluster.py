"""Dask: tasks, blocks of arrays, and generalised ufuncs on a cluster of processes."""

import dask.array
import numpy as np
from common import relax, report, task
from dask.distributed import Client, LocalCluster

from anabranch import jit


@jit
def smooth(block):
    """Each row without its fastest wiggles."""
    out = block.copy()
    for i in range(block.shape[0]):
        for j in range(1, block.shape[1] - 1):
            out[i, j] = 0.25 * block[i, j - 1] + 0.5 * block[i, j] + 0.25 * block[i, j + 1]
    return out


def main():
    with LocalCluster(n_workers=3, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        first, *others = client.scheduler_info()["workers"]
        assert report("the first worker", [client.submit(task, 0, workers=[first]).result()]) == 1
        futures = [client.submit(task, k, workers=[w], pure=False) for k in range(8) for w in others]
        assert report("the others", client.gather(futures)) == 0

        x = np.random.default_rng(0).random((600, 400))
        blocks = dask.array.from_array(x, chunks=(100, 400))
        # The meta keeps dask from calling the function on arrays without elements, to see what it returns.
        by_blocks = blocks.map_blocks(smooth, meta=x[:0]).compute()
        by_rows = dask.array.apply_gufunc(smooth, "(n)->(n)", blocks, meta=x[:0]).compute()
        np.testing.assert_array_equal(by_blocks, smooth.__wrapped__(x))
        np.testing.assert_array_equal(by_rows, by_blocks)
        means = dask.compute(*[dask.delayed(relax)(row.copy(), 10) for row in x[:6]])
        np.testing.assert_allclose(means, [relax(row.copy(), 10) for row in x[:6]])
        print("map_blocks, apply_gufunc and delayed give what NumPy does")


if __name__ == "__main__":
    main()
