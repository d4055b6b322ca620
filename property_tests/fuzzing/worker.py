"""A child process that does one case after the other: one that kills it, or that never ends, is named.

A case is a function of `property_tests.fuzzing` by its name, with what JSON can hold as arguments; its answer is what
the function returns. An exception that leaves the function is a failure, as the end of the process is.
"""

from __future__ import annotations

import contextlib
import faulthandler
import importlib
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

LONGEST = 120.0  # seconds for a case
_ROOM = 24 * 2**30  # bytes of addresses: a case that asks for more gets a MemoryError
_ROOT = Path(__file__).parents[2]


class Worker:
    """Cases for a child process, which is started when it is first needed, and when one has ended it."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None
        self._said: IO[str] | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None  # where it may leave files

    def ask(self, function: str, **case: Any) -> Any:
        """The answer to a case.

        Raises
        ------
        AssertionError
            When the case raises, ends the process or takes too long.
        """
        if self._process is None:
            self._start()
        process, shown = self._process, f"{function}(**{case!r})"
        assert process is not None
        assert process.stdin is not None
        assert process.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(json.dumps([function, case]) + "\n")
            process.stdin.flush()
        if not select.select([process.stdout], [], [], LONGEST)[0]:
            raise AssertionError(f"no answer in {LONGEST} s to {shown}\n{self._end()}")
        line = process.stdout.readline()
        if not line:
            process.wait()
            raise AssertionError(f"the process ended with {_ending(process.returncode)} at {shown}\n{self._end()}")
        kind, answer = json.loads(line)
        assert kind == "answer", f"{shown}\n{answer}"
        return answer

    def close(self) -> None:
        """End the child."""
        if self._process is not None:
            self._end()

    def _start(self) -> None:
        self._said = tempfile.TemporaryFile("w+")
        self._folder = tempfile.TemporaryDirectory()
        path = os.pathsep.join([str(_ROOT), *filter(None, sys.path)])
        environment = {**os.environ, "PYTHONPATH": path, "ANABRANCH_CACHE": "0", "PYTHONWARNINGS": "ignore"}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "property_tests.fuzzing.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._said,
            text=True,
            env=environment,
            cwd=self._folder.name,
        )

    def _end(self) -> str:
        """End the child; gives the last of what it said."""
        process, said = self._process, self._said
        assert process is not None
        assert said is not None
        process.kill()
        process.communicate()
        said.seek(0)
        text = said.read()
        said.close()
        assert self._folder is not None
        self._folder.cleanup()
        self._process = None
        return text[-4000:]


def _ending(code: int) -> str:
    return signal.Signals(-code).name if code < 0 else f"status {code}"


@contextlib.contextmanager
def working() -> Iterator[Worker]:
    """A worker for a while."""
    worker = Worker()
    try:
        yield worker
    finally:
        worker.close()


def _limit() -> None:
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource  # noqa: PLC0415 - where there is such a thing

        resource.setrlimit(resource.RLIMIT_AS, (_ROOM, _ROOM))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _serve() -> None:
    """Answer cases, line by line; what they print goes where errors go."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    faulthandler.enable()
    _limit()
    for line in sys.stdin:
        name, case = json.loads(line)
        module, _, function = name.rpartition(".")
        faulthandler.dump_traceback_later(LONGEST - 5)
        try:
            found = getattr(importlib.import_module(f"property_tests.fuzzing.{module}"), function)
            answer = "answer", found(**case)
        except BaseException:
            answer = "error", traceback.format_exc()
        faulthandler.cancel_dump_traceback_later()
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    _serve()
