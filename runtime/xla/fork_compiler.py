"""The program of the interpreter that compiles for a forked process."""

from __future__ import annotations

import signal
from multiprocessing.connection import Connection

from anabranch.runtime.xla.compiler import compile_text


def _uncalled(*arrays: object) -> tuple[object, ...]:
    """Stands for a callback of the process that asks; here the program is not run."""
    raise NotImplementedError


def serve(descriptor: str) -> None:
    """Compile what comes through a pipe, until its other end is closed."""
    # A terminal interrupts all of its processes; the one that asks ends this one when nobody waits any more.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with Connection(int(descriptor)) as pipe:
        while True:
            try:
                text, options, callbacks = pipe.recv()
            except EOFError:
                return
            try:
                answer: object = compile_text(text, options, [known or _uncalled for known in callbacks]).serialize()
            except Exception as error:
                answer = error
            pipe.send(answer)
