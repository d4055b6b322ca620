"""joblib: its own processes (loky), and threads, which share even what is in memory."""

import joblib
from common import report, task


def main():
    run = joblib.delayed(task)
    assert report("this process", [task(0)]) == 1
    assert report("processes of loky", joblib.Parallel(n_jobs=3)(run(k) for k in range(24))) == 0
    threads = joblib.Parallel(n_jobs=3, backend="threading")
    assert report("threads of this process", threads(run(k) for k in range(24))) == 0


if __name__ == "__main__":
    main()
