"""Bytes that are read back after they were damaged: refused in the project's own words, or made anew."""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import itertools
import linecache
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import anabranch as ab
from anabranch.export import deserialize, export
from anabranch.runtime.call import container_format
from anabranch.runtime.config import configure
from anabranch.runtime.host.callbacks import LoweringError
from anabranch.runtime.xla.compiler import compile_text, deserialize as deserialize_executable
from property_tests.fuzzing import functions

X = np.arange(3.0)
_FUNCTIONS = {"halved": (2.5, 0.5), "written": (np.arange(4.0),), "doubled": (X,), "squared": (X,), "pair": (X, 2)}
FUNCTIONS = tuple(_FUNCTIONS)
Damage = list[Any]  # what is done, and where


def _given(name: str) -> list[Any]:
    return [a.copy() if isinstance(a, np.ndarray) else a for a in _FUNCTIONS[name]]


def _wanted(name: str) -> str:
    args = _given(name)
    return repr((getattr(functions, name)(*args), args))


def _got(call: Callable[..., Any], name: str) -> str:
    args = _given(name)
    return repr((call(*args), args))


@functools.cache
def _lowered(name: str) -> Any:
    return ab.jit(getattr(functions, name)).lower(*_given(name))


@functools.cache
def _bytes(kind: str, name: str) -> bytes:
    """Return the kept bytes of a function, undamaged."""
    if kind == "exported":
        return export(ab.jit(getattr(functions, name)))(*_given(name)).serialize()
    made = _lowered(name).compile()
    return made.serialize() if kind == "compiled" else made.execution.executable.serialize()


def damaged(data: bytes, other: bytes, damages: list[Damage]) -> bytes:
    """The bytes after each of these: a place is a share of their length, or counts from either end."""
    for what, at, *more in damages:
        place = int(at * len(data)) if isinstance(at, float) else at % (len(data) + 1)
        if what == "flip" and place < len(data):
            data = data[:place] + bytes([data[place] ^ 1 << more[0]]) + data[place + 1 :]
        elif what == "cut":
            data = data[:place]
        elif what == "behead":
            data = data[place:]
        elif what == "insert":
            data = data[:place] + bytes.fromhex(more[0]) + data[place:]
        elif what == "overwrite":
            new = bytes.fromhex(more[0])
            data = data[:place] + new + data[place + len(new) :]
        elif what == "zeros":
            data = data[:place] + bytes(len(data) - place)
        elif what == "another's":
            data = data[:place] + other[place:]
        elif what == "only":
            data = bytes.fromhex(more[0])
    return data


def _without_a_word(error: Exception) -> str | None:
    return None if str(error) else "a refusal without a word"


_READERS: dict[str, Callable[[Any], Callable[..., Any]]] = {
    "compiled": ab.Compiled.deserialize,
    "exported": lambda data: deserialize(data).call,
}


def saved(kind: str, name: str, other: str, damages: list[Damage], through: str) -> str | None:
    """Load what was saved, damaged; gives what is wrong, or None."""
    good, foreign = _bytes(kind, name), _bytes(kind, other)
    bad = damaged(good, foreign, damages)
    try:
        if through == "file":
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "saved"
                path.write_bytes(bad)
                call: Callable[..., Any] = (
                    ab.Compiled.load(path) if kind == "compiled" else _READERS[kind](path.read_bytes())
                )
        else:
            call = _READERS[kind](_HOLDERS[through](bad))
    except ab.SerializationError as error:
        return "refused, though nothing is wrong with it" if bad in (good, foreign) else _without_a_word(error)
    if bad not in (good, foreign):
        return "damaged, and loaded"
    which = name if bad == good else other
    return None if _got(call, which) == _wanted(which) else "another answer"


_HOLDERS: dict[str, Callable[[bytes], Any]] = {"bytes": bytes, "bytearray": bytearray, "memoryview": memoryview}
THROUGH = ("file", *_HOLDERS)


def sealed(kind: str, name: str, other: str, part: int, damages: list[Damage], header: dict[str, str]) -> str | None:
    """Load bytes that have the right checksum and are wrong: of another process, or with another's parts."""
    title = {"compiled": "compiled function", "exported": "exported function"}[kind]
    here = container_format.made_here() if kind == "compiled" else {"form": container_format.FORM}
    parts, others = (container_format.unpack(_bytes(kind, n), title, here, 3) for n in (name, other))
    if (kind, part) == ("exported", 0):
        # XLA's reader of portable bytes takes them on trust, and may crash: the checksum keeps them from it.
        damages = [["another's", 0]]
    parts[part] = damaged(parts[part], others[part], damages)
    data = container_format.pack(title, {**here, **header}, parts)
    try:
        _READERS[kind](data)(*_given(name))
    except ab.SerializationError as error:
        return _without_a_word(error)
    except ab.UnsupportedValueError:
        return None  # it is another function, of another signature
    except LoweringError:
        return None if kind == "exported" and part == 0 else "not seen before XLA"
    changed = {key: value for key, value in header.items() if value != here.get(key)}
    return "loaded" if changed else None  # nothing can be told of what fits


def executable(name: str, other: str, damages: list[Damage]) -> str | None:
    """Load an executable's own bytes, damaged."""
    good, foreign = _bytes("executable", name), _bytes("executable", other)
    bad = damaged(good, foreign, damages)
    callbacks = _lowered(other if bad == foreign else name).callbacks
    try:
        deserialize_executable(bad, callbacks=callbacks)
    except ab.SerializationError:
        return "refused, though nothing is wrong with it" if bad in (good, foreign) else None
    return None if bad in (good, foreign) else "damaged, and loaded"


def text(name: str, damages: list[Damage]) -> str | None:
    """Compile a module's text, damaged: it is another module, or none."""
    bad = damaged(_lowered(name).text.encode(), b"", damages).decode("utf-8", "replace")
    with contextlib.suppress(LoweringError):
        compile_text(bad)
    return None


# ---- the caches on disk ----------------------------------------------------------------------------------------------

_modules = itertools.count()


def _imported(path: Path) -> Any:
    """The file imported anew: functions whose rewriting only the disk can have."""
    name = f"fuzzed_{next(_modules)}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    finally:
        del sys.modules[name]
    linecache.checkcache(str(path))
    return module


def cached(names: list[str], entry: int, other: int, damages: list[Damage]) -> str | None:
    """Call functions whose entries on disk were damaged, or have changed places: they are made anew, and right."""
    with tempfile.TemporaryDirectory() as folder, configure(cache_dir=folder):
        path = Path(functions.__file__)
        first = _imported(path)
        for name in names:
            if _got(ab.jit(getattr(first, name)), name) != _wanted(name):
                return f"{name} is wrong before any damage"
        files = sorted(p for p in Path(folder).rglob("*") if p.is_file())
        chosen, foreign = files[entry % len(files)], files[other % len(files)]
        good = chosen.read_bytes()
        bad = damaged(good, foreign.read_bytes(), damages)
        chosen.write_bytes(bad)
        again = _imported(path)
        for name in names:
            if _got(ab.jit(getattr(again, name)), name) != _wanted(name):
                return f"{name} is wrong with a damaged {chosen.parent.name}"
        if not chosen.is_file():
            return f"a damaged entry of {chosen.parent.name} is not made anew"
        if bad != good and chosen.read_bytes() == bad:
            return f"a damaged entry of {chosen.parent.name} was used"
        return None
