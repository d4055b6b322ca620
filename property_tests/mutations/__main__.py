"""Do the property tests notice a fault? `python -m property_tests.mutations [NAME ...] [-- pytest's arguments]`.

Each fault is planted in a copy of the working tree. There its own program must go wrong, or it is no fault; then the
`ci` profile of the property tests runs until a test fails, which must pass on the sound code. Exits with 1 where fewer
than 19 of 20 faults are noticed.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from property_tests.mutations.fault import Fault
from property_tests.mutations.faults import FAULTS

ROOT = Path(__file__).parents[2]
COPIED = ("src", "runtime", "transpile", "tests", "property_tests", "docs", "pyproject.toml")
# What asks for the sound code, and what a run leaves.
LEFT_OUT = shutil.ignore_patterns("test_mutations.py", "__pycache__", ".hypothesis")
PLUGINS = ("-p", "property_tests.mutations.unshrunk", "-p", "no:cacheprovider")
PYTEST = ("-m", "pytest", *PLUGINS, "--hypothesis-profile=ci", "-x", "-q", "-n", "2", "--dist=worksteal")
MOST_SECONDS = 1800
ENOUGH = 19 / 20


def main(arguments: list[str]) -> int:
    at = arguments.index("--") if "--" in arguments else len(arguments)
    parser = argparse.ArgumentParser(prog="python -m property_tests.mutations", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="faults; all by default")
    parser.add_argument("--show", action="store_true", help="run only the faults' own programs")
    parser.add_argument("--logs", type=Path, help="a folder for what pytest prints")
    options = parser.parse_args(arguments[:at])
    unknown = set(options.names) - {fault.name for fault in FAULTS}
    if unknown:
        parser.error(f"no such fault: {', '.join(sorted(unknown))}")
    chosen = [fault for fault in FAULTS if not options.names or fault.name in options.names]
    check = _shows if options.show else Round(arguments[at + 1 :], options.logs).notices
    noticed = sum([check(fault) for fault in chosen])
    print(f"{noticed} of {len(chosen)}")
    return int(noticed < (1 if options.show else ENOUGH) * len(chosen))


class Round:
    """Runs of the property tests, each with one fault."""

    def __init__(self, more: Sequence[str], logs: Path | None) -> None:
        self.more, self.logs = more, logs

    def notices(self, fault: Fault) -> bool:
        """Print a line: which test notices the fault, after how many seconds."""
        with copied(fault) as copy:
            status, shown = run(copy, "-m", "property_tests.mutations.showing", fault.name)
            if status != 0:
                return _line(fault, shown, False)
            begun = time.monotonic()
            status, output = run(copy, *PYTEST, *(self.more or ["property_tests"]))
            seconds = f"{time.monotonic() - begun:5.0f} s  "
        if self.logs:
            self.logs.mkdir(parents=True, exist_ok=True)
            (self.logs / f"{fault.name.replace(' ', '_')}.log").write_text(output)
        failed = re.findall(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", output, re.MULTILINE)
        if not failed:
            ending = {0: "escaped", None: "did not end"}.get(status, f"pytest ended with {status}")
            return _line(fault, seconds + ending, False)
        with copied() as sound:
            status, _ = run(sound, *PYTEST, *dict.fromkeys(failed))
        words = ", ".join(dict.fromkeys(failed)).replace("property_tests/", "")
        return _line(fault, f"{seconds}{words}{' (without the fault, too)' if status else ''}", status == 0)


def _shows(fault: Fault) -> bool:
    """Print what the fault's own program does."""
    with copied(fault) as copy:
        status, shown = run(copy, "-m", "property_tests.mutations.showing", fault.name)
    return _line(fault, shown, status == 0)


def _line(fault: Fault, text: str, good: bool) -> bool:
    print(f"{'' if good else '!':<2}{fault.name:<56} {text.strip()}", flush=True)
    return good


@contextmanager
def copied(fault: Fault | None = None) -> Iterator[Path]:
    """A copy of the working tree, with a fault in it."""
    with tempfile.TemporaryDirectory(prefix="fault-") as folder:
        copy = Path(folder)
        for name in COPIED:
            if (ROOT / name).is_dir():
                shutil.copytree(ROOT / name, copy / name, symlinks=True, ignore=LEFT_OUT)
            else:
                shutil.copy2(ROOT / name, copy / name)
        if fault is not None:
            fault.plant(copy)
        yield copy


def run(copy: Path, *arguments: str) -> tuple[int | None, str]:
    """Python in the copy, on the copy's code alone: its exit status, None where it did not end, and what it printed."""
    # No rewritten function or executable of the sound code, nor of another fault, may stand in for what is made here.
    env = {**os.environ, "PYTHONPATH": str(copy / "src"), "ANABRANCH_CACHE": "0", "CI": "1"}
    process = subprocess.Popen(
        [sys.executable, *arguments], cwd=copy, env=env, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
    )  # fmt: skip
    try:
        output, _ = process.communicate(timeout=MOST_SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        return None, process.communicate()[0]
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)
        raise
    return process.returncode, output


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
