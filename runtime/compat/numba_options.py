"""The options of Numba's decorators: what they mean here, and a warning for those that mean something else."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

# Options that ask for nothing that results could tell.
_WITHOUT_EFFECT = frozenset(
    ("nopython", "cache", "parallel", "nogil", "inline", "boundscheck", "debug", "pipeline_class", "looplift", "target",
     "no_cpython_wrapper", "no_cfunction_wrapper", "no_rewrites", "writable_args", "is_dynamic")
)  # fmt: skip
# `fastmath=True` lets the last digits differ. Programs that say so fill tables with `inf` all the same: of LLVM's flags
# those are left out with which anything may come of an infinity or a NaN.
_FLAGS = ("nsz", "arcp", "contract", "afn", "reassoc")
_warned: set[str] = set()


def settings(options: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of `jit` for the options of one of Numba's decorators; others are warned about, once."""
    found: dict[str, Any] = {}
    for name, value in options.items():
        if name == "fastmath":
            if value:
                found["fastmath"] = _FLAGS if value is True else tuple(sorted(value))
        elif name == "error_model":
            found["zero_division_errors"] = value != "numpy"
        elif name == "forceobj" and value:
            _warn(name, "forceobj=True is not kept: everything is compiled, or refused")
        elif name == "locals" and value:
            _warn(name, "locals=… is not kept: variables have the types of their values; write float32(x)")
        elif name not in _WITHOUT_EFFECT and name not in ("forceobj", "locals"):
            _warn(name, f"the option {name!r} is not one that anabranch knows; it has no effect")
    return found


def _warn(name: str, text: str) -> None:
    if name not in _warned:
        _warned.add(name)
        warnings.warn(f"anabranch.compat.numba: {text}", stacklevel=4)
