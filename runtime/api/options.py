"""The options of `jit`."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Collection, Mapping
from typing import Any

from anabranch.base.frozen import frozen
from anabranch.base.grammar import a
from anabranch.runtime.config import Settings, settings
from anabranch.runtime.errors import UnsupportedValueError
from anabranch.runtime.host.compile_options import Flag

_FLAG_VALUES = (str, bool, int, float)


def flags_of(given: object) -> tuple[Flag, ...]:
    """XLA's flags with their values; none for None.

    Raises
    ------
    TypeError
        For what is no mapping.
    UnsupportedValueError
        For a name that is no text, or a value that no flag has; whether XLA knows the flag is left to it.
    """
    if given is not None and not isinstance(given, Mapping):
        raise TypeError(f"compiler_options is a mapping of XLA's flags to their values, not {a(type(given).__name__)}")
    flags = tuple((given or {}).items())
    for name, value in flags:
        if not (isinstance(name, str) and name.isascii()):
            raise UnsupportedValueError(f"compiler_options: XLA has no flag {name!r}")
        if not isinstance(value, _FLAG_VALUES) or (isinstance(value, str) and not value.isascii()):
            raise UnsupportedValueError(
                f"compiler_options: {name} is {value!r:.60}, and XLA's flags are text, bools, ints or floats"
            )
    return flags


@frozen
class JitOptions:
    """The options that `jit` was called with."""

    static: frozenset[str | int] = frozenset()  # the static parameters by name, and positions in `*args`
    # The settings that hold for this function whatever is in force around a call.
    settings: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    donated: frozenset[str | int] = frozenset()  # the donated parameters, in the same way
    compiler_flags: tuple[Flag, ...] = ()  # XLA's flags for all executables, with their values
    show_graph: bool = False  # whether each Program that is compiled is printed

    def show(self, program: object) -> None:
        """Print a Program that is compiled for the first time, where that was asked for."""
        if self.show_graph:
            sys.stdout.write(f"{program}\n")

    def also(self, others: JitOptions) -> JitOptions:
        """These and others, which win."""
        return JitOptions(
            self.static | others.static,
            {**self.settings, **others.settings},
            self.donated | others.donated,
            tuple({**dict(self.compiler_flags), **dict(others.compiler_flags)}.items()),
            self.show_graph or others.show_graph,
        )

    def without(self, names: Collection[str]) -> JitOptions:
        """For a function of which these parameters are bound."""
        static, donated = (_shifted(chosen, names) for chosen in (self.static, self.donated))
        return dataclasses.replace(self, static=static, donated=donated)

    def in_force(self) -> Settings:
        """The settings around a call, with the function's own."""
        return dataclasses.replace(settings(), **self.settings) if self.settings else settings()


def _shifted(chosen: frozenset[str | int], bound: Collection[str]) -> frozenset[str | int]:
    """Parameters where these, the first ones, are bound."""
    rest = chosen.difference(bound)
    return frozenset(c - len(bound) if isinstance(c, int) and c >= 0 else c for c in rest)
