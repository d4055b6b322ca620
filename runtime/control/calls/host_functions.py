"""Functions that compiled code calls on the host: those of libraries that keep to their arguments, and named ones."""

from __future__ import annotations

from typing import Any

from anabranch.base.value import Value
from anabranch.runtime.values.host_calls import functions, stage

# Packages whose functions have no effects.
_PACKAGES = ("scipy",)
# Functions of theirs that do.
_EFFECTS = ("scipy.io.", "scipy.datasets.", "scipy._lib.", "scipy.special._orthogonal")


def is_called(function: object, args: tuple[Value, ...], kwargs: dict[str, Value]) -> bool:
    """Return whether a call is one of the host."""
    if getattr(function, "__anabranch_host__", None) is not None:
        return True
    module = getattr(function, "__module__", None) or ""
    if not isinstance(module, str) or module.partition(".")[0] not in _PACKAGES or f"{module}.".startswith(_EFFECTS):
        return False
    return functions.has_run_time_values((function, args, kwargs))


def called(name: str, function: Any, args: tuple[Value, ...], kwargs: dict[str, Value]) -> Value:
    """Stage the call."""
    options = getattr(function, "__anabranch_host__", None)
    if options is None:
        return stage.call(name, function, args, kwargs)
    return stage.call(name, function, args, kwargs, options.example, is_ordered=True)
