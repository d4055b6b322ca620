"""`python -m anabranch cache`: the caches on disk, in words."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from anabranch.base.file_store import CacheEntry, Store
from anabranch.runtime.xla import disk_cache
from anabranch.transpile import cache as rewritten

_CACHES: tuple[tuple[str, Callable[[Path], Store], Callable[[], Mapping[str, str]]], ...] = (
    ("rewritten functions", rewritten.store, rewritten.needs),
    ("executables", disk_cache.store, disk_cache.needs),
)
_SHOWN = 60  # characters of what an entry needs


def stores(folder: Path) -> list[Store]:
    """Each cache's files."""
    return [store_in(folder) for _, store_in, _ in _CACHES]


def info(folder: Path) -> Iterator[str]:
    """How much there is."""
    for what, store_in, _ in _CACHES:
        store = store_in(folder)
        yield f"{store.folder}: {_amount(*store.usage(), what)} of {store.limit / 2**20:.0f} MiB"


def clear(folder: Path) -> Iterator[str]:
    """Remove everything."""
    for what, store_in, _ in _CACHES:
        store = store_in(folder)
        yield f"{store.folder}: {_amount(*store.clear(), what)} MiB removed"


def explain(folder: Path) -> Iterator[str]:
    """Yield what each entry is, and whether this process would use it."""
    for what, store_in, needs in _CACHES:
        store, wanted = store_in(folder), needs()
        yield f"{store.folder}: {_amount(*store.usage(), what)} MiB"
        for entry in store.entries():
            used = datetime.datetime.fromtimestamp(entry.used).isoformat(" ", "minutes")
            yield f"  {_name(entry)}\n    {entry.size / 1024:.1f} KiB, last used {used}, {_use(entry, wanted)}"


def _amount(entries: int, size: int, what: str) -> str:
    return f"{entries} {what}, {size / 2**20:.1f}"


def _name(entry: CacheEntry) -> str:
    about = entry.about or {}
    name = f"{about.get('function') or entry.key}{about.get('signature', '')}"
    return f"{name} in {about['place']}" if about.get("place") else name


def _use(entry: CacheEntry, wanted: Mapping[str, str]) -> str:
    if entry.about is None:
        return "not usable: it is damaged, or another user's"
    needs = entry.about["needs"]
    other = [_other(name, needs.get(name, ""), now) for name, now in wanted.items() if needs.get(name) != now]
    return f"not usable here: {'; '.join(other)}" if other else "usable here"


def _other(name: str, needed: str, now: str) -> str:
    if max(len(needed), len(now)) > _SHOWN:
        return f"another {name}" if name != "the package's files" else f"{name} have changed"
    return f"{name} {needed or 'not set'}, here {now or 'not set'}"
