"""Functions that other processes load without their source, as `jax.export`."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from anabranch.runtime.api.export import Exported as Exported, deserialize as deserialize

if TYPE_CHECKING:
    from anabranch.runtime.api.export import export as export

__all__ = ["Exported", "deserialize", "export"]


def __getattr__(name: str) -> Any:
    # A process that loads functions needs nothing of what traces them.
    if name != "export":
        raise AttributeError(f"module 'anabranch.export' has no attribute '{name}'")
    value = globals()[name] = importlib.import_module("anabranch.runtime.api.export").export
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
