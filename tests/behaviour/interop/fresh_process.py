"""Programs in files of their own, run by a fresh interpreter."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

LIMIT = 120


def run_program(folder: Path, text: str, *arguments: str, stdin: str | None = None, **variables: str) -> str:
    """Run a program as a file, with a time limit for it and all its processes; gives what it printed."""
    file = folder / "program.py"
    file.write_text(textwrap.dedent(text))
    return run_command(folder, [sys.executable, str(file), *arguments], stdin=stdin, **variables)


def run_command(folder: Path, command: list[str], stdin: str | None = None, **variables: str) -> str:
    """Run a command; gives what it printed."""
    environment = {**os.environ, **variables}
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, cwd=folder, env=environment, stdin=pipe, stdout=pipe, stderr=pipe, text=True, start_new_session=True
    ) as process:
        try:
            out, err = process.communicate(stdin, timeout=LIMIT)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
            raise AssertionError(f"no end after {LIMIT} s\n{out}\n{err}") from None
    assert process.returncode == 0, out + err
    return out
