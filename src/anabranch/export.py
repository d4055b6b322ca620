"""Functions that other processes load without their source, as `jax.export`."""

from __future__ import annotations

from anabranch.runtime.api.export import Exported as Exported, deserialize as deserialize, export as export

__all__ = ["Exported", "deserialize", "export"]
