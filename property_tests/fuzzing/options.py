"""Options of any kind: a function that does what the plain one does, or an error that says which of them is none."""

from __future__ import annotations

import contextlib
import io
import tempfile
import warnings
from pathlib import Path
from typing import Any

import anabranch as ab
from anabranch.__main__ import main
from property_tests.fuzzing import things
from property_tests.fuzzing.calls import Call, evaluated, fault, told
from property_tests.fuzzing.programs import PROGRAMS

# What is said of an option that is none.
_REFUSALS = (ab.AnabranchError, TypeError, ValueError, things.HostileError, MemoryError, RecursionError)


def option(program: str, maker: str, options: dict[str, str], args: list[str]) -> str | None:
    """Compile a function with options, and call it; gives what is wrong, or None."""
    warnings.simplefilter("ignore")
    plain = PROGRAMS[program]
    made = Call(args, {})
    with contextlib.redirect_stdout(io.StringIO()):
        try:
            given = {k: evaluated(v) for k, v in options.items()}
            run = ab.jit(plain, **given) if maker == "jit" else ab.jit(**given)(plain)
        except _REFUSALS as error:
            return None if str(error) else f"a refusal without a word: {told(error)}"
        mutations = not any(name.startswith("donate") for name in options)
        got = made.outcome(run, mutations)
        got.text = ""  # Programs are shown where that is asked for
        return fault(made.outcome(plain, mutations), got)


def set_around(program: str, options: dict[str, str], args: list[str]) -> str | None:
    """Call a function with settings around it; gives what is wrong, or None."""
    given: dict[str, Any] = {k: evaluated(v) for k, v in options.items()}
    plain, made = PROGRAMS[program], Call(args, {})
    want = made.outcome(plain)
    try:
        with ab.configure(**given):
            return fault(want, made.outcome(ab.jit(plain)))
    except _REFUSALS as error:
        return None if str(error) else f"a refusal without a word: {told(error)}"


def command(source: str, arguments: list[str]) -> str | None:
    """Run the command line, with a file of this text as `FILE`; gives what is wrong, or None."""
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        file = Path(folder) / "file.py"
        file.write_bytes(source.encode("utf-8", "surrogatepass"))
        said = io.StringIO()
        try:
            with contextlib.redirect_stderr(said), ab.configure(cache_dir=folder):
                status = main([a.replace("FILE", str(file)) for a in arguments])
        except SystemExit as error:
            status = error.code  # type: ignore[assignment]
        if status not in (0, 1, 2):
            return f"the status is {status}"
        return None if not status or said.getvalue() or arguments[:1] == ["check"] else "a failure without a word"
