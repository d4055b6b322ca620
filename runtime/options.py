"""What `jit` was asked for beside the function."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping
from typing import Any

from anabranch.runtime.config import Settings, settings


@dataclasses.dataclass(frozen=True, slots=True)
class Options:
    """What `jit` was asked for.

    Attributes
    ----------
    static : frozenset of str and int
        The static parameters by name, and positions in `*args`.
    settings : mapping
        The settings that hold for this function whatever is in force around a call.
    """

    static: frozenset[str | int] = frozenset()
    settings: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    def also(self, others: Options) -> Options:
        """These and others, which win."""
        return Options(self.static | others.static, {**self.settings, **others.settings})

    def without(self, names: Collection[str]) -> Options:
        """For a function of which these parameters are bound."""
        rest = self.static.difference(names)
        shifted = [s - len(names) if isinstance(s, int) and s >= 0 else s for s in rest]
        return dataclasses.replace(self, static=frozenset(shifted))

    def in_force(self) -> Settings:
        """The settings around a call, with the function's own."""
        return dataclasses.replace(settings(), **self.settings) if self.settings else settings()
