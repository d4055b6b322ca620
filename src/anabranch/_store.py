"""Files of bytes by key, each under a checksum, in a folder of bounded size that processes and threads share."""

from __future__ import annotations

import contextlib
import hashlib
import os
import threading
import time
from pathlib import Path
from typing import NamedTuple

_SWEEP_EACH = 64
_TOUCH_AFTER = 24 * 3600.0
_DIGEST = hashlib.sha256().digest_size


class Usage(NamedTuple):
    """How many entries a folder holds, and their bytes."""

    entries: int
    size: int


class Store:
    """The entries in a folder.

    An entry is replaced as a whole, so nobody meets half a one. A damaged one counts as missing and is removed. Where
    nothing can be written, nothing is kept.

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
        """What was saved under the key; None where there is none."""
        path = self.folder / key
        try:
            data = path.read_bytes()
            if hashlib.sha256(data[_DIGEST:]).digest() != data[:_DIGEST]:
                self.remove(key)
                return None
            if time.time() - path.stat().st_mtime > _TOUCH_AFTER:
                os.utime(path)
        except OSError:
            return None
        return data[_DIGEST:]

    def save(self, key: str, payload: bytes) -> None:
        """Keep an entry; where that can't be done, nothing happens."""
        path = self.folder / key
        with contextlib.suppress(OSError):
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            temporary = path.with_name(f"{key}.{os.getpid()}.{threading.get_ident()}.tmp")
            try:
                temporary.write_bytes(hashlib.sha256(payload).digest() + payload)
                temporary.replace(path)
            except OSError:
                temporary.unlink(missing_ok=True)
                raise
            if self._saved % _SWEEP_EACH == 0:
                self.sweep()
            self._saved += 1

    def remove(self, key: str) -> None:
        """Forget an entry."""
        with contextlib.suppress(OSError):
            (self.folder / key).unlink()

    def sweep(self) -> None:
        """Where all files are larger than the limit, remove the least recently used down to three quarters of it."""
        found = self._files()
        total = sum(size for _, size, _ in found)
        if total <= self.limit:
            return
        for _, size, path in sorted(found):
            # Another process may have been faster.
            with contextlib.suppress(OSError):
                os.unlink(path)
            total -= size
            if total <= self.limit * 3 // 4:
                return

    def usage(self) -> Usage:
        """What there is."""
        found = self._files()
        return Usage(len(found), sum(size for _, size, _ in found))

    def clear(self) -> Usage:
        """Remove everything; gives what there was."""
        before = self.usage()
        for _, _, path in self._files():
            with contextlib.suppress(OSError):
                os.unlink(path)
        return before

    def _files(self) -> list[tuple[float, int, str]]:
        """Last use, size and path."""
        try:
            with os.scandir(self.folder) as files:
                return [(s.st_mtime, s.st_size, f.path) for f in files if f.is_file() and (s := f.stat())]
        except OSError:
            return []
