"""Executables on disk, so that the next process need not ask XLA to compile the same module again.

An entry is found by a digest of the module's text, the flags, the versions of jaxlib and XLA, and the processor's
features.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import itertools
import os
import platform
import sys
from collections.abc import Sequence
from pathlib import Path

from anabranch._store import Store
from anabranch.runtime._forks import compile_text
from anabranch.runtime._host import CompileOptions, HostCallback, SerializationError
from anabranch.runtime._jaxlib import Executable, deserialize, versions
from anabranch.runtime.config import settings

LIMIT = 512 * 2**20


def executable(text: str, options: CompileOptions, callbacks: Sequence[HostCallback]) -> Executable:
    """The executable of a StableHLO module: from disk where it is there, else compiled, and kept.

    One with host callbacks lives in its own process only.
    """
    folder = settings().cache_dir
    if folder is None or callbacks:
        return compile_text(text, options, callbacks)
    entries, key = store(folder), key_of(text, options)
    data = entries.load(key)
    if data is not None:
        try:
            return deserialize(data, options)
        except SerializationError:
            entries.remove(key)
    made = compile_text(text, options)
    entries.save(key, made.serialize())
    return made


def key_of(text: str, options: CompileOptions) -> str:
    """The digest of everything that decides what XLA makes."""
    parts = (text, options, versions(), processor(), os.environ.get("XLA_FLAGS", ""))
    return hashlib.sha256(repr(parts).encode()).hexdigest()


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
    return "\n".join([sys.platform, platform.machine(), *described])


_DESCRIBING = frozenset({"flags", "Features", "model name", "cpu family", "model", "stepping"})


@functools.lru_cache(maxsize=16)
def store(folder: Path) -> Store:
    """The entries in the cache's folder."""
    return Store(folder / "executables", LIMIT)
