"""Samples of where a thread is in machine code: a signal at each millisecond, answered by machine code itself."""

from __future__ import annotations

import contextlib
import ctypes
import itertools
import platform
import signal
import sys
import threading
from collections.abc import Iterator

from anabranch.base.fork_locks import lock
from anabranch.runtime.host.machine_code import compile_llvm, is_available, linked

_NANOSECONDS = 1_000_000  # from one sample to the next
_MOST = 1 << 17
_ENTRY = "sample"
# Where the kernel puts the program counter and the stack pointer, in bytes from the context that a handler gets.
_REGISTERS = {"x86_64": (168, 160), "aarch64": (440, 432)}
# How many words of the stack are searched for the return into the code, when the thread is in what that calls.
_WORDS = 96
_SA_SIGINFO, _SA_RESTART = 0x4, 0x10000000
_TO_THREAD, _MONOTONIC = 4, 1
_HANDLER = """
define void @{entry}(i32 %signal, ptr %info, ptr %context) nounwind {{
entry:
  %pc.p = getelementptr i8, ptr %context, i64 {pc}
  %pc = load i64, ptr %pc.p
  %sp.p = getelementptr i8, ptr %context, i64 {sp}
  %sp = load i64, ptr %sp.p
  %stack = inttoptr i64 %sp to ptr
  br label %look
look:
  %at = phi i64 [ %pc, %entry ], [ %word, %next ]
  %k = phi i64 [ 0, %entry ], [ %k.next, %next ]
  %offset = sub i64 %at, {begin}
  %within = icmp ult i64 %offset, {size}
  br i1 %within, label %found, label %more
more:
  %end = icmp uge i64 %k, {words}
  br i1 %end, label %found, label %next
next:
  %word.p = getelementptr i64, ptr %stack, i64 %k
  %word = load volatile i64, ptr %word.p
  %k.next = add i64 %k, 1
  br label %look
found:
  %result = phi i64 [ %offset, %look ], [ -1, %more ]
  %called = icmp ne i64 %k, 0
  %before = sext i1 %called to i64
  %kept = add i64 %result, %before
  %number = atomicrmw add ptr inttoptr (i64 {count} to ptr), i64 1 monotonic
  %room = icmp ult i64 %number, {most}
  br i1 %room, label %keep, label %done
keep:
  %spot = getelementptr i64, ptr inttoptr (i64 {samples} to ptr), i64 %number
  store i64 %kept, ptr %spot
  br label %done
done:
  ret void
}}
"""


class _Action(ctypes.Structure):
    """The C library's `struct sigaction`."""

    _fields_ = (
        ("handler", ctypes.c_void_p),
        ("mask", ctypes.c_uint64 * 16),
        ("flags", ctypes.c_int),
        ("restorer", ctypes.c_void_p),
    )


class _Event(ctypes.Structure):
    """`struct sigevent`: which signal a timer sends, and to which thread."""

    _fields_ = (
        ("value", ctypes.c_void_p),
        ("signal", ctypes.c_int),
        ("notify", ctypes.c_int),
        ("thread", ctypes.c_int),
        ("rest", ctypes.c_char * 44),
    )


_numbers = itertools.count()
_alone = lock()


def obstacle() -> str:
    """The reason why nothing can be sampled here; empty where it can."""
    if not is_available():
        return "llvmlite is not installed"
    if sys.platform != "linux" or platform.machine() not in _REGISTERS:
        return f"the stack of a thread is not known on {sys.platform}, {platform.machine()}"
    return ""


@contextlib.contextmanager
def sampling(begin: int, size: int) -> Iterator[list[int]]:
    """Sample this thread within a `with` block.

    Parameters
    ----------
    begin, size : int
        The address of the code that is asked about, and its bytes.

    Yields
    ------
    list of int
        Filled at the end: of each sample, the byte of the code where the thread was, or where it was to return to from
        a function called; below 0 where it was elsewhere.
    """
    pc, sp = _REGISTERS[platform.machine()]
    memory = (ctypes.c_int64 * (_MOST + 1))()
    count = ctypes.addressof(memory)
    text = _HANDLER.format(
        entry=_ENTRY, pc=pc, sp=sp, begin=begin, size=size, words=_WORDS, count=count, samples=count + 8, most=_MOST
    )
    found: list[int] = []
    with _alone:
        address, library = linked(f"anabranch_sampler.{next(_numbers)}", compile_llvm(text), _ENTRY, text)
        with _answered(address), _timer():
            yield found
        del library  # no signal finds the handler any more
        found += memory[1 : 1 + min(memory[0], _MOST)]


@contextlib.contextmanager
def _answered(handler: int) -> Iterator[None]:
    """Let `SIGPROF` be answered by machine code."""
    library = ctypes.CDLL(None, use_errno=True)
    new, old = _Action(handler, flags=_SA_SIGINFO | _SA_RESTART), _Action()
    if library.sigaction(signal.SIGPROF, ctypes.byref(new), ctypes.byref(old)):
        raise OSError(ctypes.get_errno(), "sigaction")
    try:
        yield
    finally:
        # One that has been sent and not yet been answered would end the process.
        ignored = _Action(signal.SIG_IGN.value)
        library.sigaction(signal.SIGPROF, ctypes.byref(ignored), None)
        library.sigaction(signal.SIGPROF, ctypes.byref(old), None)


@contextlib.contextmanager
def _timer() -> Iterator[None]:
    """Send `SIGPROF` to this thread at each millisecond."""
    library = ctypes.CDLL(None, use_errno=True)
    event = _Event(None, signal.SIGPROF, _TO_THREAD, threading.get_native_id())
    timer = ctypes.c_void_p()
    if library.timer_create(_MONOTONIC, ctypes.byref(event), ctypes.byref(timer)):
        raise OSError(ctypes.get_errno(), "timer_create")
    try:
        period = (ctypes.c_long * 4)(0, _NANOSECONDS, 0, _NANOSECONDS)
        library.timer_settime(timer, 0, ctypes.byref(period), None)
        yield
    finally:
        library.timer_delete(timer)
