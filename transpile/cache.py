"""Rewritten functions on disk, so that the next process need not import libcst.

An entry is found by a digest of everything that decides its contents: the function's text and its place, what its names
stand for, and the versions of all that takes part. It holds the rewritten text and the compiled code.
"""

from __future__ import annotations

import builtins
import functools
import hashlib
import importlib.util
import marshal
import os
import re
import sys
import types
from collections.abc import Iterator
from pathlib import Path

from anabranch._version import __version__
from anabranch.base.file_store import Store
from anabranch.transpile.result import Counterpart, Rewritten
from anabranch.transpile.source import FunctionSource

LIMIT = 64 * 2**20


def key_of(function: types.FunctionType, source: FunctionSource, counterpart: Counterpart, *options: object) -> str:
    """The digest of everything that decides how `function` is rewritten."""
    code = function.__code__
    place = (source.filename, source.first_line, source.first_column, source.is_lambda)
    shape = (code.co_qualname, code.co_firstlineno, code.co_flags, code.co_freevars, options, sys.flags.optimize)
    parts = (_versions(), source.text, place, shape, _surroundings(function, source, counterpart))
    return hashlib.sha256(repr(parts).encode("utf-8", "surrogatepass")).hexdigest()


def _surroundings(
    function: types.FunctionType, source: FunctionSource, counterpart: Counterpart
) -> list[tuple[str, str, str | None]]:
    """Return what the names in the text stand for; words in comments and strings may be among them."""
    found = []
    for name in sorted(set(re.findall(r"\w+", source.text))):
        value = function.__globals__.get(name, getattr(builtins, name, None))
        staged = None if value is None else counterpart(value)
        if staged is not None:
            found.append((name, staged, _version_of(value) if isinstance(value, types.ModuleType) else None))
    return found


def _version_of(module: types.ModuleType) -> str:
    """Which of a module's attributes are classes is told by its version."""
    package = sys.modules.get(module.__name__.partition(".")[0], module)
    return f"{module.__name__} {getattr(package, '__version__', '')}"


@functools.cache
def _versions() -> tuple[str, ...]:
    """Of Python, of its byte code, of libcst, of the package, and of the files of the package's transpiler."""
    files = sorted((place, found.st_size, found.st_mtime_ns) for place, found in _files(os.path.dirname(__file__)))
    # The installed libcst, told without importing it (and without importlib.metadata, which takes as long).
    found = importlib.util.find_spec("libcst")
    place = found.origin if found is not None and found.origin is not None else ""
    libcst = f"{place} {os.stat(place).st_mtime_ns}" if os.path.exists(place) else place
    digest = hashlib.sha256(repr(files).encode()).hexdigest()
    return sys.version, importlib.util.MAGIC_NUMBER.hex(), libcst, __version__, digest


def _files(folder: str) -> Iterator[tuple[str, os.stat_result]]:
    """The modules in a folder and in those inside it."""
    with os.scandir(folder) as found:
        for entry in found:
            if entry.is_dir():
                yield from _files(entry.path)
            elif entry.name.endswith(".py"):
                yield entry.path, entry.stat()


def load(folder: Path, key: str) -> Rewritten | None:
    """The entry of `key`; None where there is none, or none that can be read."""
    payload = store(folder).load(key)
    if payload is None:
        return None
    try:
        text, filename, first_line, code, ab, headers = marshal.loads(payload)
    except (ValueError, EOFError, TypeError):
        store(folder).remove(key)
        return None
    return Rewritten(text, filename, first_line, code, ab, headers)


def save(folder: Path, key: str, entry: Rewritten) -> None:
    """Keep an entry; where that can't be done, nothing happens."""
    parts = (entry.source, entry.filename, entry.first_line, entry.code, entry.ab, entry.headers)
    place = f"{entry.code.co_filename}:{entry.first_line}"
    about = {"function": entry.code.co_qualname, "place": place, "needs": needs()}
    store(folder).save(key, marshal.dumps(parts), about)


def needs() -> dict[str, str]:
    """Return what an entry that is made here and now will only be found with."""
    python, byte_code, libcst, package, files = _versions()
    return {
        "anabranch": package,
        "the package's files": files,
        "Python": f"{python}, byte code {byte_code}, optimised {sys.flags.optimize}",
        "libcst": libcst,
    }


@functools.lru_cache(maxsize=16)
def store(folder: Path) -> Store:
    """The entries in the cache's folder."""
    return Store(folder / "rewritten", LIMIT)
