"""Why a call was compiled: its signature beside the closest one that the function was compiled for before."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from anabranch.runtime.array import Array
from anabranch.runtime.config import Settings, settings
from anabranch.runtime.signature import Repeated
from anabranch.runtime.values.containers import Structure

_log = logging.getLogger("anabranch.compiles")


def report(function: str, key: Any, earlier: Iterable[Any], names: tuple[str, ...], compiles: int) -> None:
    """Log a compilation, and warn of too many, where the settings ask for it."""
    chosen = settings()
    if not (chosen.log_compiles or chosen.explain_cache_misses or compiles == chosen.compile_warning):
        return
    text = f"{function} is compiled for {signature(key, names)}"
    if chosen.explain_cache_misses or compiles == chosen.compile_warning:
        text += f"; {explanation(key, list(earlier), names)}"
    if chosen.log_compiles or chosen.explain_cache_misses:
        _log.warning(text)
    if compiles == chosen.compile_warning:
        advice = "give arguments that change from call to call one type and shape, and let as few as can be be static"
        warnings.warn(f"{function} was compiled {compiles} times; {advice}. {text}", stacklevel=4)


def signature(key: Any, names: tuple[str, ...]) -> str:
    """A signature with the arguments' names: `x: float64[3], n: int`."""
    return ", ".join(f"{name}: {text}" for name, text in _parts(key, names)) or "no arguments"


def explanation(key: Any, earlier: list[Any], names: tuple[str, ...]) -> str:
    """What differs from the closest of the earlier signatures."""
    if not earlier:
        return "it was not compiled before"
    now = dict(_parts(key, names))
    rows = [dict(_parts(k, names)) for k in earlier]
    differing = [[n for n in {**now, **row} if now.get(n) != row.get(n)] for row in rows]
    closest, place = min((len(d), -i) for i, d in enumerate(differing))
    if not closest:
        return "the signature is one of before, but something that the function reads from outside has changed"
    row = rows[-place]
    changes = ", ".join(f"{n} is {now.get(n, 'not there')}, was {row.get(n, 'not there')}" for n in differing[-place])
    return f"of the signatures before, the closest differs in {closest} argument{'s' * (closest > 1)}: {changes}"


def _parts(key: Any, names: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    positional, named, aliases, traced_under = key
    for i, part in enumerate(positional):
        yield from leaves(names[i] if i < len(names) else f"*args[{i - len(names)}]", part)
    places = {name: i for i, name in enumerate(names)}
    for name, part in sorted(named, key=lambda row: places.get(row[0], len(places))):
        yield from leaves(name, part)
    if aliases:
        yield "which arrays are one", str(aliases)
    if traced_under != Settings().traced:
        named_settings = zip(("checks", "unroll_limit", "recursion_limit"), traced_under, strict=True)
        yield "settings", " ".join(f"{name}={value}" for name, value in named_settings)


def leaves(name: str, key: Any) -> Iterator[tuple[str, str]]:
    """What a signature says of one argument, part by part, each with its name."""
    if isinstance(key, tuple) and key and isinstance(key[0], Structure):
        structure, *children = key
        yield name, structure.cls.__name__
        for place, child in zip(structure.keys, children, strict=True):
            yield from leaves(f"{name}[{place!r}]", child)
        return
    yield name, _leaf(key)


def _leaf(key: Any) -> str:
    match key:
        case type():
            return f"Python {key.__name__}"
        case Repeated(index):
            return f"the same object as container {index}"
        case ("static", _, value):
            return f"static {value!r:.60}"
        case ("static", cls, *parts):
            return f"static {cls.__name__} {str(tuple(parts))[:60]}"
        case (cls, tuple() as shape, dtype) if cls is Array:
            return f"Array {dtype}[{','.join(map(str, shape))}]"
        case (cls, dtype) if cls is np.generic:
            return f"NumPy {dtype}"
        case (tuple() as shape, dtype, writeable, *strides):
            notes = "" if writeable else " read-only"
            notes += "".join(f" of strides {s}" for s in strides)
            return f"{dtype}[{','.join(map(str, shape))}]{notes}"
    return repr(key)
