"""What classes hold in place of their own methods while something is traced, and what they are written to hold."""

from __future__ import annotations

import dataclasses
from typing import Any

from anabranch import _locks


@dataclasses.dataclass(slots=True)
class Staged:
    """A class, what it held before its methods were staged, and how many traces need them so."""

    cls: type
    before: dict[str, Any]
    traces: int = 0


lock = _locks.lock()
classes: dict[int, Staged] = {}


def as_written(cls: type) -> dict[str, Any]:
    """The attributes of a class, without what stands in for some of them now."""
    staged = classes.get(id(cls))
    if staged is None:
        return vars(cls).copy()
    with lock:
        held = {**vars(cls), **staged.before}
    return {name: value for name, value in held.items() if value is not None or name != "__ne__"}
