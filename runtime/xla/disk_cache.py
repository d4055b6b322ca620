"""Executables on disk, so that the next process need not ask XLA to compile the same module again.

An entry is found by a digest of the module's text, the flags, the versions of jaxlib and XLA, and the processor's
features.
"""

from __future__ import annotations

import contextlib
import contextvars
import functools
import hashlib
import itertools
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from anabranch._version import __version__
from anabranch.base.context_values import having
from anabranch.base.file_store import Store
from anabranch.base.keyed_locks import KeyedLocks
from anabranch.base.signals import Watched
from anabranch.runtime._jaxlib import FIXED_FLAGS, versions
from anabranch.runtime.config import settings
from anabranch.runtime.errors import SerializationError
from anabranch.runtime.host.callbacks import HostCallback
from anabranch.runtime.host.compile_options import CompileOptions
from anabranch.runtime.host.machine_code import compile_llvm
from anabranch.runtime.host.saved_bytes import sealed, unsealed
from anabranch.runtime.xla.compiler import deserialize
from anabranch.runtime.xla.executable import Executable
from anabranch.runtime.xla.fork import compile_text

LIMIT = 512 * 2**20
_MACHINE_CODE = b"anabranch machine code 1\n"

_locks = KeyedLocks()
_asking: contextvars.ContextVar[Mapping[str, Any]] = contextvars.ContextVar("asking", default={})  # noqa: B039


def executable(text: str, options: CompileOptions, callbacks: Sequence[HostCallback]) -> Executable:
    """The executable of a StableHLO module: from disk where it is there, else compiled, and kept."""
    with Watched():
        folder = settings().cache_dir
        if folder is None:
            return compile_text(text, options, callbacks)
        entries, key = store(folder), key_of(text, options)
        with _locks.of(key):
            data = entries.load(key)
            if data is not None:
                try:
                    return deserialize(data, options, callbacks)
                except SerializationError:
                    entries.remove(key)
            made = compile_text(text, options, callbacks)
            with contextlib.suppress(SerializationError):
                entries.save(key, made.serialize(), _about(made, options))
            return made


def machine_code(llvm: str, signature: str, compile: Callable[[str], bytes] | None = None) -> tuple[bytes, bool]:
    """The object code of a module of LLVM's, and whether it was on disk: else it is compiled, and kept."""
    compile = compile or compile_llvm
    with Watched():
        folder = settings().cache_dir
        if folder is None:
            return compile(llvm), False
        entries, key = store(folder), hashlib.sha256(repr((llvm, needs())).encode()).hexdigest()
        with _locks.of(key):
            data = entries.load(key)
            if data is not None:
                try:
                    return unsealed(_MACHINE_CODE, data)[1], True
                except ValueError:
                    entries.remove(key)
            made = compile(llvm)
            about = {**_asking.get(), "signature": signature, "options": "LLVM", "needs": needs()}
            entries.save(key, sealed(_MACHINE_CODE, {}, made), about)
            return made, False


def _about(made: Executable, options: CompileOptions) -> dict[str, Any]:
    """Return the description of an entry for `python -m anabranch cache explain`."""
    inputs, outputs = ([str(kind) for kind in kinds] for kinds in (made.inputs, made.outputs))
    signature = f"({', '.join(inputs)}) -> ({', '.join(outputs)})"
    return {**_asking.get(), "signature": signature, "options": repr(options), "needs": needs()}


def asked_by(function: str, place: str) -> contextlib.AbstractContextManager[object]:
    """Say of the executables that are kept what they are for."""
    return having(_asking, {"function": function, "place": place})


def needs() -> dict[str, str]:
    """Return the versions and settings that an executable compiled here and now will only run with."""
    return {
        "anabranch": __version__,
        "jaxlib and XLA": versions(),
        "processor": processor(),
        "XLA_FLAGS": os.environ.get("XLA_FLAGS", ""),
    }


def key_of(text: str, options: CompileOptions) -> str:
    """The digest of everything that decides what XLA makes."""
    return hashlib.sha256(repr((text, options, FIXED_FLAGS, needs())).encode()).hexdigest()


@functools.cache
def processor() -> str:
    """The processor and its features: code for one may not run on another."""
    described: list[str] = []
    with contextlib.suppress(OSError), open("/proc/cpuinfo") as file:
        # The first of the processors: there may be hundreds, each with as long a text.
        for line in itertools.takewhile(str.strip, file):
            name, _, value = line.partition(":")
            if name.strip() in _DESCRIBING:
                described.append(f"{name.strip()}: {value.strip()}")
    return "\n".join([sys.platform, _machine(), *described])


def _machine() -> str:
    if hasattr(os, "uname"):
        return os.uname().machine
    return os.environ.get("PROCESSOR_IDENTIFIER", "")


_DESCRIBING = frozenset({"flags", "Features", "model name", "cpu family", "model", "stepping"})


@functools.lru_cache(maxsize=16)
def store(folder: Path) -> Store:
    """The entries in the cache's folder."""
    return Store(folder / "executables", LIMIT)
