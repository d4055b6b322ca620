"""The memory that calls keep for one another, as a user sees it."""

from __future__ import annotations

from typing import Any

from anabranch.runtime._jaxlib import kept_memory
from anabranch.runtime.config import settings
from anabranch.runtime.host import own_memory
from anabranch.runtime.host.kept_memory import KeptMemory


def memory_stats() -> dict[str, int]:
    """The memory of results and of copied arguments that is kept for later calls.

    Returns
    -------
    dict
        "kept_bytes" and "kept_buffers", which nothing uses now, and "limit", the bytes that may be kept: the setting
        `kept_memory`. Arrays that somebody has, and executables, are not counted.

    Examples
    --------
    >>> import anabranch
    >>> sorted(anabranch.memory_stats())
    ['kept_buffers', 'kept_bytes', 'limit']
    """
    stats = [kept.stats for kept in _all_kept()]
    return {
        "kept_bytes": sum(one["bytes"] for one in stats),
        "kept_buffers": sum(one["buffers"] for one in stats),
        "limit": settings().kept_memory,
    }


def release_memory() -> None:
    """Give back to the system what `memory_stats` counts.

    Examples
    --------
    >>> import anabranch
    >>> anabranch.release_memory()
    >>> anabranch.memory_stats()["kept_bytes"]
    0
    """
    for kept in _all_kept():
        kept.release()


def _all_kept() -> list[KeptMemory[Any] | own_memory.OwnMemory]:
    return [own_memory.kept, *kept_memory()]
