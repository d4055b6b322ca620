"""XLA in a process that was forked from one in which it ran.

Its threads are not there after a fork, and what waits for them waits for ever. So a forked process makes clients of its
own when it first needs one, and loads its parent's executables and arrays anew when they are first used. The threads
that compile belong to no client: where the parent had started them, another interpreter compiles.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import os
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from anabranch.base.fork_locks import lock
from anabranch.base.signals import Interrupt
from anabranch.runtime import _jaxlib
from anabranch.runtime._jaxlib import Buffer
from anabranch.runtime.errors import ForkedProcessError
from anabranch.runtime.host.callbacks import HostCallback, has_effects
from anabranch.runtime.host.compile_options import CompileOptions
from anabranch.runtime.xla import compiler as xla, executable as executables
from anabranch.runtime.xla.executable import Executable
from anabranch.runtime.xla.native_code import NativeFunction

_SERVE = (
    "import sys; sys.path[:] = sys.argv[2:]; "
    "from anabranch.runtime.xla import fork_compiler; fork_compiler.serve(sys.argv[1])"
)
_INSTEAD = (
    "start processes with the method 'spawn' or 'forkserver', or fork before the first compiled function is called"
)


def compile_text(text: str, options: CompileOptions, callbacks: Sequence[HostCallback] = ()) -> Executable:
    """As `xla.compile_text`, also in a forked process.

    Raises `LoweringError`. Raises `ForkedProcessError` for a program with effects, which belong to the process that
    compiles, or where the compiling process ends.
    """
    if not _process.cannot_compile:
        return xla.compile_text(text, options, callbacks)
    if has_effects(callbacks):
        raise ForkedProcessError(
            "this process was forked from one in which XLA had compiled: here it cannot compile a function that "
            f"prints, logs or warns in a branch or a loop, or calls a host function; {_INSTEAD}"
        )
    return xla.deserialize(_process.compiled(text, options, [_movable(c) for c in callbacks]), options, callbacks)


def _movable(callback: HostCallback) -> NativeFunction | None:
    """The part of a function that the compiling interpreter needs: the code of a native one."""
    return callback if isinstance(callback, NativeFunction) else None


class _Compiler:
    """Another interpreter, which compiles for this one and ends with it."""

    def __init__(self) -> None:
        # Few processes ever need these.
        import multiprocessing.spawn  # noqa: PLC0415
        import subprocess  # noqa: PLC0415

        self._lock = lock()
        self._here, there = multiprocessing.Pipe()
        command = [multiprocessing.spawn.get_executable(), "-c", _SERVE, str(there.fileno()), *sys.path]
        self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, pass_fds=[there.fileno()])
        there.close()
        self._pid = os.getpid()
        atexit.register(self.end)

    def compiled(self, text: str, options: CompileOptions, callbacks: list[NativeFunction | None]) -> bytes:
        """The serialized executable of a program with these callbacks.

        Raises `EOFError` or `OSError` when the interpreter has ended.
        """
        with self._lock:
            try:
                self._here.send((text, options, callbacks))
                answer = self._here.recv()
            except Interrupt:
                # The next question would get this one's answer.
                self._process.kill()
                raise
        if isinstance(answer, Exception):
            raise answer
        return bytes(answer)

    def end(self) -> None:
        """Let go of the interpreter, which ends when nobody holds its pipe; its parent waits for that."""
        self._here.close()
        if os.getpid() == self._pid:
            self._process.wait()
        else:
            self._process.returncode = 0  # another process's child


class _Process:
    """The state of this process: what is its own, and what it has lost in a fork."""

    def __init__(self) -> None:
        self.cannot_compile = False
        self._lock = lock()
        self._compiler: _Compiler | None = None

    def compiled(self, text: str, options: CompileOptions, callbacks: list[NativeFunction | None]) -> bytes:
        """Return what the compiling interpreter gives; it is started when first asked for, and when it has ended."""
        try:
            with self._lock:
                if self._compiler is None:
                    self._compiler = _Compiler()
                compiler = self._compiler
            return compiler.compiled(text, options, callbacks)
        except Interrupt:
            with self._lock:
                self._compiler = None
            raise
        except (EOFError, OSError) as error:
            with self._lock:
                self._compiler = None
            raise ForkedProcessError(
                "this process was forked from one in which XLA had compiled, and the interpreter that compiles for it "
                f"has ended, or cannot be started; {_INSTEAD}"
            ) from error

    def begin(self) -> None:
        """Start anew, forked from one in which clients had been made."""
        # `jax` compiles with the same threads.
        self.cannot_compile = self.cannot_compile or _jaxlib.has_compiled() or "jax" in sys.modules
        if self._compiler is not None:
            self._compiler.end()
            self._compiler = None


_process = _Process()


class _Orphan(Executable):
    """An executable whose client is the parent's. It becomes one of this process's when it is first used."""

    def __getattribute__(self, name: str) -> Any:
        _adopt(self)
        return getattr(self, name)

    def __call__(self, arguments: Sequence[np.ndarray]) -> list[np.ndarray]:
        _adopt(self)
        return self(arguments)


_adopting = lock()


def _adopt(executable: Executable) -> None:
    with _adopting:
        if type(executable) is not _Orphan:
            return  # another thread was faster
        held = object.__getattribute__(executable, "__dict__")
        if has_effects(held["callbacks"]):
            raise ForkedProcessError(
                "this process was forked from one in which XLA had run: here it cannot run a function that prints, "
                f"logs or warns in a branch or a loop; {_INSTEAD}"
            )
        # Read through another object: whoever asks this one adopts it.
        lost = object.__new__(Executable)
        lost.__dict__.update(held)
        options = CompileOptions(asynchronous=held["_backend"].asynchronous)
        made = xla.deserialize(lost.serialize(), options, held["callbacks"])
        held.update(made.__dict__)
        executable.__class__ = Executable  # type: ignore[assignment]


def _moved(buffers: Sequence[Buffer]) -> Iterator[Buffer]:
    """The buffers, those of the parent's client placed in this process's."""
    for buffer in buffers:
        yield _jaxlib.put(_jaxlib.to_numpy(buffer, copy=False)) if _jaxlib.is_stale(buffer) else buffer


_execute_own = Executable.execute_buffers


def _execute_moved(self: Executable, buffers: Sequence[Buffer]) -> list[Buffer]:
    return _execute_own(self, list(_moved(buffers)))


def _finish_computations() -> None:
    """Wait for what is being computed on the device, which would never be ready in the new process."""
    for array in _jaxlib.arrays_on_device():
        with contextlib.suppress(Exception):  # it is told where the array is used
            array.block_until_ready()


def _after_fork() -> None:
    lost = _jaxlib.forget_backends()
    if not lost and not _process.cannot_compile and "jax" not in sys.modules:
        return
    for backend in lost:
        # Its end would wait for its threads, so it never ends.
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(backend))
    for executable in list(executables.live):
        executable.__class__ = _Orphan
    _process.begin()
    Executable.execute_buffers = _execute_moved  # type: ignore[method-assign]


os.register_at_fork(before=_finish_computations, after_in_child=_after_fork)
