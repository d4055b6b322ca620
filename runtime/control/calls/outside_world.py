"""Host functions that read or change the world outside of a program: files, processes, sockets, the environment.

They would act once, while a function is traced, and not when it is called, so a call of one is refused. A function is
known by where it was made, whatever name it was reached by. What reads or writes a stream in memory that the function
itself has made is pure, and runs.
"""

from __future__ import annotations

import datetime
import io
import pathlib
import sys
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.numpy import unstaged
from anabranch.runtime.tracing.builder import tracing

_ALL = frozenset({"*"})
_PURE = {
    # What these read of the environment is guarded.
    "os": frozenset(
        {"getenv", "getenvb", "fspath", "fsencode", "fsdecode", "PathLike.__fspath__", "strerror", "_get_exports_list"}
    ),
    "shutil": frozenset({"ignore_patterns"}),
    "socket": frozenset({"htons", "htonl", "ntohs", "ntohl", "inet_aton", "inet_ntoa", "inet_pton", "inet_ntop"}),
    "subprocess": frozenset({"list2cmdline"}),
}
_PATHS = frozenset({
    "abspath", "exists", "expanduser", "expandvars", "getatime", "getctime", "getmtime", "getsize", "isdir", "isfile",
    "isjunction", "islink", "ismount", "lexists", "realpath", "relpath", "samefile", "sameopenfile", "samestat",
})  # fmt: skip
# By module, as functions and classes name their own; "*" stands for all but what is pure.
_WORLD: dict[str, frozenset[str]] = {
    **dict.fromkeys(("os", "posix", "nt", "shutil", "subprocess", "socket", "_socket", "tempfile", "glob"), _ALL),
    **dict.fromkeys(("genericpath", "posixpath", "ntpath"), _PATHS),
    **dict.fromkeys(("_posixsubprocess", "_winapi", "_signal", "signal", "select", "secrets", "getpass"), _ALL),
    **dict.fromkeys(("_io", "io", "_pyio", "codecs", "tokenize"), frozenset({"open", "FileIO", "open_code"})),
    **dict.fromkeys(("gzip", "bz2", "lzma"), frozenset({"open", "GzipFile", "BZ2File", "LZMAFile"})),
    **dict.fromkeys(("pickle", "_pickle", "json", "marshal", "plistlib"), frozenset({"dump", "load"})),
    "shelve": frozenset({"open"}),
    "dbm": frozenset({"open"}),
    "fileinput": frozenset({"input", "FileInput"}),
    "mmap": frozenset({"mmap"}),
    "sqlite3": frozenset({"connect", "Connection"}),
    "_sqlite3": frozenset({"connect"}),
    "tarfile": frozenset({"open", "TarFile", "TarFile.open"}),
    "urllib.request": frozenset({"urlopen", "urlretrieve"}),
    "http.client": frozenset({"HTTPConnection", "HTTPSConnection"}),
    **dict.fromkeys(("threading", "_thread"), frozenset({"Thread", "Thread.start", "Timer", "start_new_thread"})),
    "concurrent.futures._base": frozenset({"Executor.map", "Executor.submit"}),
    "concurrent.futures.thread": frozenset({"ThreadPoolExecutor", "ThreadPoolExecutor.submit"}),
    "concurrent.futures.process": frozenset({"ProcessPoolExecutor", "ProcessPoolExecutor.submit"}),
    "multiprocessing.context": _ALL,
    "multiprocessing.process": frozenset({"BaseProcess.start"}),
    "multiprocessing.pool": _ALL,
    "uuid": frozenset({"uuid1", "uuid4", "getnode"}),
    "webbrowser": frozenset({"open", "open_new", "open_new_tab"}),
    "zipfile": frozenset({"ZipFile"}),
    "_csv": frozenset({"reader", "writer"}),
    "csv": frozenset({"DictReader", "DictWriter"}),
    "numpy": frozenset({"DataSource", "memmap"}),
    "numpy.lib.npyio": frozenset({"DataSource"}),
    "numpy.lib.format": frozenset({"open_memmap"}),
}


# The modules that users have such functions from, where others define them.
_PUBLIC = {
    "posix": "os", "nt": "os", "genericpath": "os.path", "posixpath": "os.path", "ntpath": "os.path",
    **dict.fromkeys((f"concurrent.futures.{m}" for m in ("_base", "thread", "process")), "concurrent.futures"),
    **dict.fromkeys(("multiprocessing.context", "multiprocessing.process", "multiprocessing.pool"), "multiprocessing"),
}  # fmt: skip


def counterpart(function: Any) -> Callable[..., Any] | None:
    """Return the function to call instead of such a function while tracing; None for any other."""
    if not tracing():
        return None
    mocks = getattr(sys.modules.get("unittest.mock"), "NonCallableMock", ())
    if isinstance(function, mocks) or isinstance(getattr(function, "mock", None), mocks):
        raise UnsupportedOperationError(
            "a mock would be called only while the function is traced, and would count no calls after that; patch "
            "with a function: mock.patch(name, lambda ...: ...)"
        )
    name = _named(function)
    if name is None:
        return None

    def refuse(*args: Value, **kwargs: Value) -> Value:
        if not any(map(unstaged.is_in_memory, (*args, *kwargs.values()))):
            unstaged.refuse(name)
        return function(*args, **kwargs)

    return refuse


def _named(function: object) -> str | None:
    """Return the name, for messages, of a function that reads or changes the world; None for one that does not."""
    owner = getattr(function, "__self__", None)
    own = getattr(function, "__name__", None)
    if isinstance(owner, pathlib.Path) or (isinstance(owner, type) and issubclass(owner, pathlib.Path)):
        return None if hasattr(pathlib.PurePath, str(own)) else f"Path.{own}"
    if isinstance(owner, np.ndarray) and own in ("tofile", "dump"):
        return f"ndarray.{own}"
    module, name = getattr(function, "__module__", None), getattr(function, "__qualname__", own)
    if isinstance(name, str) and name.startswith("Path.") and str(module).startswith("pathlib"):
        return None if hasattr(pathlib.PurePath, str(own)) else name
    if not isinstance(function, type):
        if own == "sleep" and module == "time":
            return "time.sleep"
        if isinstance(owner, types.ModuleType) and module is None:
            module = owner.__name__
    if not isinstance(module, str) or not isinstance(name, str):
        return None
    listed = _WORLD.get(module)
    if listed is None or not (name in listed or listed is _ALL) or isinstance(owner, io.IOBase):
        return None
    shown = _PUBLIC.get(module, module.removeprefix("_"))
    if name in _PURE.get(shown, ()) or (isinstance(function, type) and issubclass(function, BaseException)):
        return None
    return f"{shown}.{name}" if (shown, name) != ("io", "open") else "open"


# Class methods of dates that read the clock.
_NOW = ("now", "today", "utcnow")


def refuse_what_changes(function: types.BuiltinMethodType | types.MethodType) -> None:
    """Refuse a built-in function that looks at the world outside, as it would while tracing and never again."""
    owner, name = function.__self__, function.__name__
    clock = isinstance(owner, type) and issubclass(owner, datetime.date) and name in _NOW
    if function.__module__ == "time" or clock:
        raise UnsupportedOperationError(
            f"{function.__module__ or 'datetime'}.{name}() would give the time of tracing at each call of the "
            "compiled function; call it outside, and pass its result as an argument"
        )
    if function in (input, open):
        raise UnsupportedOperationError(
            f"{name}() would run only while the function is traced; call it outside, and pass its result as an argument"
        )
    if isinstance(owner, io.IOBase) and not isinstance(owner, (io.StringIO, io.BytesIO)):
        raise UnsupportedOperationError(
            f"{name}() of a file would run only while the function is traced; call it outside, or write with "
            "print(file=...)"
        )
