"""concurrent.futures: processes of the standard library, each a new interpreter."""

import concurrent.futures
import multiprocessing

from common import report, task


def main():
    spawn = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=spawn) as pool:
        assert report("the first process", [pool.submit(task, 0).result()]) == 1
    with concurrent.futures.ProcessPoolExecutor(3, mp_context=spawn) as pool:
        assert report("a pool of new ones", list(pool.map(task, range(24)))) == 0


if __name__ == "__main__":
    main()
