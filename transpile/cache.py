"""Rewritten functions on disk, so that the next process need not import libcst.

An entry is found by a digest of everything that decides its contents: the function's text and its place, what its names
stand for, and the versions of all that takes part. It holds the rewritten text and the compiled code, under a checksum;
what is damaged counts as missing. Entries are replaced as a whole, so processes and threads do not meet half a one.
"""

from __future__ import annotations

import builtins
import contextlib
import functools
import hashlib
import importlib.util
import marshal
import os
import re
import sys
import threading
import time
import types
from pathlib import Path

from anabranch._version import __version__
from anabranch.transpile.result import Counterpart, Rewritten
from anabranch.transpile.source import Source

# What all entries may take together; the least recently used go first.
LIMIT = 64 * 2**20
_SWEEP_EACH = 64
_TOUCH_AFTER = 24 * 3600.0

_saved = 0


def key_of(function: types.FunctionType, source: Source, counterpart: Counterpart, *options: object) -> str:
    """The digest of everything that decides how `function` is rewritten."""
    code = function.__code__
    place = (source.filename, source.first_line, source.first_column, source.is_lambda)
    shape = (code.co_qualname, code.co_firstlineno, code.co_flags, code.co_freevars, options, sys.flags.optimize)
    parts = (_versions(), source.text, place, shape, _surroundings(function, source, counterpart))
    return hashlib.sha256(repr(parts).encode("utf-8", "surrogatepass")).hexdigest()


def _surroundings(
    function: types.FunctionType, source: Source, counterpart: Counterpart
) -> list[tuple[str, str, str | None]]:
    """What the names in the text stand for; words in comments and strings may be among them."""
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
    digest = hashlib.sha256()
    here = Path(__file__).parent
    for file in sorted(here.rglob("*.py")):
        digest.update(file.relative_to(here).as_posix().encode() + b"\0" + file.read_bytes() + b"\0")
    # The installed libcst, told without importing it (and without importlib.metadata, which takes as long).
    found = importlib.util.find_spec("libcst")
    place = found.origin if found is not None and found.origin is not None else ""
    libcst = f"{place} {os.stat(place).st_mtime_ns}" if os.path.exists(place) else place
    return sys.version, importlib.util.MAGIC_NUMBER.hex(), libcst, __version__, digest.hexdigest()


def load(folder: Path, key: str) -> Rewritten | None:
    """The entry of `key`; None where there is none, or none that can be read."""
    path = _path(folder, key)
    try:
        data = path.read_bytes()
        size = hashlib.sha256().digest_size
        if hashlib.sha256(data[size:]).digest() != data[:size]:
            return None
        text, filename, first_line, code, ab, headers = marshal.loads(data[size:])
        if time.time() - path.stat().st_mtime > _TOUCH_AFTER:
            os.utime(path)
    except (OSError, ValueError, EOFError, TypeError):
        return None
    return Rewritten(text, filename, first_line, code, ab, headers)


def save(folder: Path, key: str, entry: Rewritten) -> None:
    """Keep an entry; where that can't be done, nothing happens."""
    global _saved
    payload = marshal.dumps((entry.source, entry.filename, entry.first_line, entry.code, entry.ab, entry.headers))
    path = _path(folder, key)
    with contextlib.suppress(OSError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        temporary = path.with_name(f"{key}.{os.getpid()}.{threading.get_ident()}.tmp")
        try:
            temporary.write_bytes(hashlib.sha256(payload).digest() + payload)
            temporary.replace(path)
        except OSError:
            temporary.unlink(missing_ok=True)
            raise
        if _saved % _SWEEP_EACH == 0:
            sweep(path.parent, LIMIT)
        _saved += 1


def sweep(folder: Path, limit: int) -> None:
    """Remove the least recently used files of `folder` when all are larger than `limit`, down to three quarters."""
    with os.scandir(folder) as files:
        found = [(s.st_mtime, s.st_size, f.path) for f in files if f.is_file() and (s := f.stat())]
    total = sum(size for _, size, _ in found)
    if total <= limit:
        return
    for _, size, path in sorted(found):
        # Another process may have been faster.
        with contextlib.suppress(OSError):
            os.unlink(path)
        total -= size
        if total <= limit * 3 // 4:
            return


def _path(folder: Path, key: str) -> Path:
    return folder / "rewritten" / key
