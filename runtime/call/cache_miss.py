"""Why a call was compiled: its signature beside the closest one that the function was compiled for before."""

from __future__ import annotations

import itertools
import logging
import warnings
from collections.abc import Callable, Iterator

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.runtime.config import TRACED, Settings, settings
from anabranch.runtime.device.array import Array
from anabranch.runtime.guards.guard_diff import changes
from anabranch.runtime.guards.guards import Guards
from anabranch.runtime.signature.argument_layouts import argument_names
from anabranch.runtime.signature.flatten_to_key import ArgumentKey, RepeatedArgument, SignatureKey
from anabranch.runtime.signature.object_fields import part_name
from anabranch.runtime.tracing.source_frames import stacklevel
from anabranch.runtime.values.containers import Structure

_log = logging.getLogger("anabranch.compiles")
_TOLD = 5  # changes


@frozen
class Miss:
    """A call that found no executable."""

    function: str
    key: SignatureKey  # the signature
    names: tuple[str, ...]  # the positional parameters
    compiles: int  # how often the function was compiled, this time included
    guards: Guards | None = None  # those of an executable for the signature that does not hold good any more
    was_dropped: bool = False  # whether there was an executable for the signature, which had to make room
    overflowed_capacity: bool = False  # whether a run of the one for the signature needed more capacity than it has


def report(miss: Miss, earlier: Callable[[], list[SignatureKey]]) -> None:
    """Log a compilation, and warn of too many, where the settings ask for it."""
    chosen, logged = settings(), _log.isEnabledFor(logging.DEBUG)
    asked, many = chosen.log_compiles or chosen.explain_cache_misses, miss.compiles == chosen.compile_warning
    if not (asked or many or logged):
        return
    text = f"{miss.function} is compiled for {signature(miss.key, miss.names)}"
    if chosen.explain_cache_misses or many:
        text += f"; {explanation(miss, earlier())}"
    if asked or logged:
        _log.log(logging.WARNING if asked else logging.DEBUG, text)
    if many:
        advice = "give arguments that change from call to call one type and shape, and let as few as can be be static"
        warnings.warn(f"{miss.function} was compiled {miss.compiles} times; {advice}. {text}", stacklevel=stacklevel())


def signature(key: SignatureKey, names: tuple[str, ...]) -> str:
    """A signature with the arguments' names: `x: float64[3], n: int`."""
    return ", ".join(f"{name}: {text}" for name, text in _parts(key, names)) or "no arguments"


def explanation(miss: Miss, earlier: list[SignatureKey]) -> str:
    """Return what has changed since the last time, or what differs from the closest of the earlier signatures."""
    if miss.guards is not None:
        found = list(itertools.islice(changes(miss.guards), _TOLD)) or [
            "something that the function reads from outside"
        ]
        return f"the signature is one of before, but since then this has changed: {'; '.join(found)}"
    if miss.overflowed_capacity:
        return "a run of what was compiled for the signature needed more capacity than it has"
    if miss.was_dropped:
        size = settings().cache_size
        return f"its executable for this signature had made room for others: cache_size is {size}"
    if not earlier:
        return "it was not compiled before" if miss.compiles == 1 else "its executables were cleared"
    now = dict(_parts(miss.key, miss.names))
    rows = [dict(_parts(k, miss.names)) for k in earlier]
    differing = [[n for n in {**now, **row} if now.get(n) != row.get(n)] for row in rows]
    closest, place = min((len(d), -i) for i, d in enumerate(differing))
    if not closest:
        return "the signature differs from one of before in what its text does not show"
    row = rows[-place]
    text = ", ".join(f"{n} is {now.get(n, 'not there')}, was {row.get(n, 'not there')}" for n in differing[-place])
    return f"of the signatures before, the closest differs in {closest} argument{'s' * (closest > 1)}: {text}"


def _parts(key: SignatureKey, names: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    positional, named, aliases, traced_under = key
    for name, part in zip(argument_names(names, len(positional)), positional, strict=True):
        yield from leaves(name, part)
    places = {name: i for i, name in enumerate(names)}
    for name, part in sorted(named, key=lambda row: places.get(row[0], len(places))):
        yield from leaves(name, part)
    if aliases:
        yield "which arrays are one", str(aliases)
    if traced_under != Settings().traced:
        named_settings = zip(TRACED, traced_under, strict=True)
        yield "settings", " ".join(f"{name}={value}" for name, value in named_settings)


def leaves(name: str, key: ArgumentKey) -> Iterator[tuple[str, str]]:
    """Yield the parts of a signature's text for one argument, each with its name."""
    if isinstance(key, tuple) and isinstance(key[0], Structure):
        structure, *children = key
        yield name, structure.cls.__name__
        for place, child in zip(structure.keys, children, strict=True):
            yield from leaves(part_name(name, structure, place), child)
        return
    yield name, _leaf(key)


def _leaf(key: ArgumentKey) -> str:
    match key:
        case type():
            return f"Python {key.__name__}"
        case RepeatedArgument(index):
            return f"the same object as container {index}"
        case ("static", _, value):
            return f"static {value!r:.60}"
        case ("static", cls, *parts):
            return f"static {cls.__name__} {str(tuple(parts))[:60]}"
        case (cls, shape, dtype) if cls is Array:
            return f"Array {dtype}[{','.join(map(str, shape))}]"
        case (cls, dtype) if cls is np.generic:
            return f"NumPy {dtype}"
        case (_, shape, dtype, writeable, strides):
            notes = "" if writeable else " read-only"
            notes += "" if strides is None else f" of strides {strides}"
            return f"{dtype}[{','.join(map(str, shape))}]{notes}"
    return repr(key)
