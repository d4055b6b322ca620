"""Numba's decorators and types, compiled by anabranch: `from anabranch.compat import numba`.

Results are those of the plain functions. `install()` lets packages that import `numba` have this.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
from typing import Any

from anabranch.compat.numba import (
    config as config,
    core as core,
    cuda as cuda,
    errors as errors,
    experimental as experimental,
    extending as extending,
    np as np,
    typed as typed,
    types as types,
)
from anabranch.compat.numba.decorators import (
    from_dtype as from_dtype,
    get_num_threads as get_num_threads,
    guvectorize as guvectorize,
    literal_unroll as literal_unroll,
    literally as literally,
    njit as njit,
    objmode as objmode,
    pndindex as pndindex,
    prange as prange,
    set_num_threads as set_num_threads,
    threading_layer as threading_layer,
    typeof as typeof,
    vectorize as vectorize,
)
from anabranch.compat.numba.errors import TypingError as TypingError
from anabranch.compat.numba.experimental import jitclass as jitclass
from anabranch.runtime.compat.dispatcher import jit as jit
from anabranch.runtime.ufuncs.number_types import NAMES, containers

__version__ = "0.61.0"  # the one whose names these are
optional = containers["optional"]
_ABSENT = ("cfunc", "stencil", "carray", "farray", "gdb", "generated_jit")


def __getattr__(name: str) -> Any:
    if name in NAMES:
        return NAMES[name]
    if name.startswith("Numba") and hasattr(errors, name):
        return getattr(errors, name)
    if name in _ABSENT:
        raise AttributeError(f"anabranch.compat.numba has no {name}: see docs/numba.md for what to write instead")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def install() -> None:
    """Let this process import this module and its parts where `numba` is imported.

    Examples
    --------
    >>> import sys
    >>> from anabranch.compat import numba
    >>> numba.install()
    >>> sys.modules["numba"] is numba
    True
    """
    sys.modules["numba"] = sys.modules[__name__]
    for part in pkgutil.walk_packages(__path__, f"{__name__}."):
        sys.modules[f"numba{part.name.removeprefix(__name__)}"] = importlib.import_module(part.name)
    for name, module in {"linalg": np.linalg, "numpy_support": np.numpy_support, "ufunc": np.ufunc}.items():
        sys.modules[f"numba.np.{name}"] = module
    sys.modules["numba.np.ufunc.gufunc"] = sys.modules["numba.np.ufunc.dufunc"] = np.ufunc
    sys.modules["numba.experimental.structref"] = experimental.structref
    sys.modules["numba.core.dispatcher"] = core.registry
    sys.modules["numba.typed.typedlist"] = sys.modules["numba.typed.typeddict"] = typed
    for name, module in {"config": config, "errors": errors, "types": types}.items():
        sys.modules[f"numba.core.{name}"] = module
