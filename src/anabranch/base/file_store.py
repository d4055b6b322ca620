"""Files of bytes by key, each under a checksum, in a folder of bounded size that processes and threads share."""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import os
import stat
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

_log = logging.getLogger("anabranch.cache")
_SWEEP_EACH = 64
_TOUCH_AFTER = 24 * 3600.0
_ABANDONED_AFTER = 3600.0
_FORMAT = b"anabranch entry 2\n"
_DIGEST = hashlib.sha256().digest_size
_START = len(_FORMAT) + _DIGEST
_LENGTH = 4
# Neither a link nor a pipe, which might wait for ever, is an entry.
_READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


class CacheUsage(NamedTuple):
    """How many entries a folder holds, and their bytes."""

    entries: int
    size: int


class CacheEntry(NamedTuple):
    """The contents of a folder under one key.

    Attributes
    ----------
    key : str
    size : int
        In bytes.
    used : float
        When it was last used, to a day, in seconds since 1970.
    about : mapping or None
        What was said of it when it was saved; None where it is damaged.
    """

    key: str
    size: int
    used: float
    about: Mapping[str, Any] | None


class Store:
    """The entries in a folder.

    An entry is replaced as a whole, so nobody meets half a one. A damaged one, and one that another user has written,
    counts as missing; a damaged one is removed. Where nothing can be written, nothing is kept.

    Parameters
    ----------
    folder : Path
        Made when first needed, for its owner alone.
    limit : int
        What all entries may take together, in bytes; the least recently used go first.
    """

    def __init__(self, folder: Path, limit: int) -> None:
        self.folder = folder
        self.limit = limit
        self._saved = 0

    def load(self, key: str) -> bytes | None:
        """Return what was saved under the key; None where there is none."""
        found = self._read(key)
        return None if found is None else found[1]

    def _read(self, key: str) -> tuple[bytes, bytes] | None:
        """Return the description of an entry, and the entry."""
        path = os.path.join(self.folder, key)
        try:
            descriptor = os.open(path, _READ)
        except OSError:
            return None
        try:
            status = os.fstat(descriptor)
            if not _is_trusted(status):
                return None
            data = _all(descriptor) if stat.S_ISREG(status.st_mode) and status.st_size <= self.limit else b""
        except OSError:
            data = b""
        finally:
            os.close(descriptor)
        parts = _unpacked(key, data)
        if parts is None:
            _log.info("%s is damaged, and is removed", path)
            self.remove(key)
        elif abs(time.time() - status.st_mtime) > _TOUCH_AFTER:  # clocks may have been wrong in both directions
            with contextlib.suppress(OSError):
                os.utime(path)
        return parts

    def save(self, key: str, payload: bytes, about: Mapping[str, object] | None = None) -> None:
        """Keep an entry, with what is to be said of it; where that can't be done, nothing happens."""
        path = os.path.join(self.folder, key)
        temporary = f"{path}.{os.urandom(8).hex()}.tmp"
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with open(os.open(temporary, _CREATE, 0o600), "wb") as file:
                file.write(_packed(key, payload, about or {}))
            os.replace(temporary, path)
        except OSError as error:
            _log.info("%s is not kept: %s", path, error)
            return
        finally:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
        if self._saved % _SWEEP_EACH == 0:
            self.sweep()
        self._saved += 1

    def remove(self, key: str) -> None:
        """Forget an entry."""
        path = os.path.join(self.folder, key)
        with contextlib.suppress(OSError):
            if os.path.isdir(path) and not os.path.islink(path):
                os.rmdir(path)
            else:
                os.unlink(path)

    def sweep(self) -> None:
        """Remove what killed processes have left; where all is larger than the limit, the least recently used, too.

        Of these so many that three quarters of the limit are taken.
        """
        now, found = time.time(), []
        for used, size, path in self._files():
            if not path.endswith(".tmp"):
                found.append((min(used, now), size, path))
            elif abs(now - used) > _ABANDONED_AFTER:
                _unlink(path)
        total = sum(size for _, size, _ in found)
        if total <= self.limit:
            return
        for _, size, path in sorted(found):
            _unlink(path)
            total -= size
            if total <= self.limit * 3 // 4:
                return

    def usage(self) -> CacheUsage:
        """Return the number of entries, and their size."""
        found = [size for _, size, path in self._files() if not path.endswith(".tmp")]
        return CacheUsage(len(found), sum(found))

    def entries(self) -> Iterator[CacheEntry]:
        """All entries, the most recently used first."""
        for used, size, path in sorted(self._files(), reverse=True):
            key = os.path.basename(path)
            if not key.endswith(".tmp"):
                found = self._read(key)
                yield CacheEntry(key, size, used, None if found is None else json.loads(found[0]))

    def clear(self) -> CacheUsage:
        """Remove everything; gives what there was."""
        before = self.usage()
        for _, _, path in self._files():
            _unlink(path)
        return before

    def _files(self) -> list[tuple[float, int, str]]:
        """Last use, size and path."""
        found = []
        with contextlib.suppress(OSError), os.scandir(self.folder) as files:
            for file in files:
                # Another process may have removed it.
                with contextlib.suppress(OSError):
                    status = file.stat(follow_symlinks=False)
                    if not stat.S_ISDIR(status.st_mode):
                        found.append((status.st_mtime, status.st_size, file.path))
        return found


def _unlink(path: str) -> None:
    # Another process may have been faster.
    with contextlib.suppress(OSError):
        os.unlink(path)


def _is_trusted(status: os.stat_result) -> bool:
    """Return whether this belongs to this user, or to the system: entries are code, which will be run."""
    return not hasattr(os, "geteuid") or status.st_uid in (os.geteuid(), 0)


def _all(descriptor: int) -> bytes:
    with open(descriptor, "rb", closefd=False) as file:
        return file.read()


def _packed(key: str, payload: bytes, about: Mapping[str, object]) -> bytes:
    said = json.dumps(about).encode()
    body = len(said).to_bytes(_LENGTH, "little") + said + payload
    return _FORMAT + hashlib.sha256(key.encode() + body).digest() + body


def _unpacked(key: str, data: bytes) -> tuple[bytes, bytes] | None:
    """Return the description of an entry, and the entry; None where it is damaged, or another key's."""
    body = data[_START:]
    if not data.startswith(_FORMAT) or hashlib.sha256(key.encode() + body).digest() != data[len(_FORMAT) : _START]:
        return None
    end = _LENGTH + int.from_bytes(body[:_LENGTH], "little")
    return body[_LENGTH:end], body[end:]
