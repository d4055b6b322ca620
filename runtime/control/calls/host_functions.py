"""Functions that compiled code calls on the host: those of libraries that keep to their arguments, and named ones."""

from __future__ import annotations

from typing import Any

from anabranch.base.value import Value
from anabranch.runtime.config import settings
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.values import decisions
from anabranch.runtime.values.host_calls import functions, stage, trial

# Packages whose functions have no effects.
_PACKAGES = ("scipy",)
# Modules of theirs whose functions do.
_EFFECTS = ("scipy.io.", "scipy.datasets.", "scipy._lib.")


def is_called(function: object) -> bool:
    """Return whether a function is called on the host.

    Raises
    ------
    UnsupportedOperationError
        Where it is, and the settings forbid it.
    """
    if getattr(function, "__anabranch_host__", None) is not None:
        if not settings().host_calls:
            raise UnsupportedOperationError(
                f"{getattr(function, '__name__', 'a function')} is called on the host, which the setting host_calls "
                "forbids here"
            )
        return True
    return _is_of_library(function) and settings().host_calls


def _is_of_library(function: object) -> bool:
    module = getattr(function, "__module__", None)
    if not isinstance(module, str) or module.partition(".")[0] not in _PACKAGES:
        return False
    return not f"{module}.".startswith(_EFFECTS)


def called(name: str, function: Any, args: tuple[Value, ...], kwargs: dict[str, Value]) -> Value:
    """Stage the call."""
    options = getattr(function, "__anabranch_host__", None)
    if options is not None:
        decisions.note("host", name, lambda: "called on the host, in order, as it is a host function")
        return stage.call(name, function, args, kwargs, options.example, is_ordered=True)
    if not functions.has_run_time_values((function, args, kwargs)):
        return trial.now(name, function, args, kwargs)
    decisions.note("host", name, lambda: "called on the host, with values known only at run time")
    return stage.call(name, function, args, kwargs)
