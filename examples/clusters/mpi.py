"""MPI: each rank computes its part; `python mpi.py` starts three of them, as `mpiexec -n 3 python mpi.py` does."""

import os
import subprocess
import sys

from common import report, task


def main():
    from mpi4py import MPI  # noqa: PLC0415 - starts MPI, which only ranks do

    world = MPI.COMM_WORLD
    if world.rank == 0:
        first = [task(0)]
    world.Barrier()  # the others find what rank 0 has compiled
    parts = world.gather([task(k) for k in range(world.rank, 24, world.size)] if world.rank else [])
    if world.rank == 0:
        assert report("rank 0", first) == 1
        assert report("the other ranks", [told for part in parts for told in part]) == 0


if __name__ == "__main__":
    if len(sys.argv) > 1 or "PMI_RANK" in os.environ or "OMPI_COMM_WORLD_RANK" in os.environ:
        main()
    else:
        command = ["mpiexec", "-n", "3", sys.executable, __file__, "rank"]
        sys.exit(subprocess.run(command, check=False).returncode)
