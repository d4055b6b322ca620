"""``python -m tests.without_passes [ARGUMENTS OF PYTEST]``: the tests with each pass disabled in turn.

Without arguments these are the quick tests. The exit status is 1 where a test fails without some pass.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence

from anabranch.runtime.passes import OPTIONAL

QUICK = ("@tests/quick.txt", "-q", "-n", "2", "--dist=worksteal")


def main(arguments: Sequence[str]) -> int:
    failed = []
    for one in OPTIONAL:
        print(f"without {one.name}", flush=True)
        environment = {**os.environ, "ANABRANCH_DISABLE_PASSES": one.name}
        done = subprocess.run([sys.executable, "-m", "pytest", *arguments], env=environment, check=False)
        if done.returncode:
            failed.append(one.name)
    print(
        f"tests fail without {', '.join(failed)}" if failed else f"all pass without any one of {len(OPTIONAL)} passes"
    )
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or QUICK))
