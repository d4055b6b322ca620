"""Ordinary NumPy functions with ordinary control flow, compiled with XLA."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from anabranch._version import __version__ as __version__
from anabranch.base.garbage import of_new_objects_alone

if TYPE_CHECKING:
    from anabranch import export as export, numpy as numpy
    from anabranch.runtime.api.djit import Dynamic as Dynamic
    from anabranch.runtime.api.functional import (
        cond as cond,
        fori_loop as fori_loop,
        scan as scan,
        switch as switch,
        while_loop as while_loop,
    )
    from anabranch.runtime.api.host import host as host
    from anabranch.runtime.api.inspection.profile_session import profile as profile
    from anabranch.runtime.api.jit import (
        djit as djit,
        eval_shape as eval_shape,
        jit as jit,
        make_xpr as make_xpr,
        xpr as xpr,
    )
    from anabranch.runtime.api.jitted import Wrapped as Wrapped
    from anabranch.runtime.api.stages import Compiled as Compiled, Lowered as Lowered, Traced as Traced
    from anabranch.runtime.call.call_spec import ArgInfo as ArgInfo
    from anabranch.runtime.config import Settings as Settings, configure as configure, disable_jit as disable_jit
    from anabranch.runtime.device.array import Array as Array
    from anabranch.runtime.eager.creation import (
        asarray as asarray,
        device_put as device_put,
        from_dlpack as from_dlpack,
    )
    from anabranch.runtime.errors import (
        AliasError as AliasError,
        AnabranchError as AnabranchError,
        CapacityError as CapacityError,
        ConcretizationError as ConcretizationError,
        DeletedArrayError as DeletedArrayError,
        DonationError as DonationError,
        EagerFallbackWarning as EagerFallbackWarning,
        EscapedTracerError as EscapedTracerError,
        ForkedProcessError as ForkedProcessError,
        ImmutableArrayError as ImmutableArrayError,
        IntegerRangeError as IntegerRangeError,
        NoSourceError as NoSourceError,
        SerializationError as SerializationError,
        SourceError as SourceError,
        StaleExecutableError as StaleExecutableError,
        StaticArgumentError as StaticArgumentError,
        StructureMismatchError as StructureMismatchError,
        UnsupportedConstructError as UnsupportedConstructError,
        UnsupportedOperationError as UnsupportedOperationError,
        UnsupportedValueError as UnsupportedValueError,
    )
    from anabranch.runtime.ir.program import Program as Program
    from anabranch.runtime.signature.pytree import OneOf as OneOf, PyTreeDef as PyTreeDef
    from anabranch.runtime.signature.shape_dtype_struct import ShapeDtypeStruct as ShapeDtypeStruct
    from anabranch.runtime.ufuncs.vectorize import guvectorize as guvectorize, vectorize as vectorize
    from anabranch.runtime.xla.memory import memory_stats as memory_stats, release_memory as release_memory

# Each name is imported when it is first asked for, so that `import anabranch` alone is quick.
_MODULES = {
    "device.array": ("Array",),
    "call.call_spec": ("ArgInfo",),
    "config": ("Settings", "configure", "disable_jit"),
    "api.djit": ("Dynamic",),
    "api.host": ("host",),
    "api.inspection.profile_session": ("profile",),
    "api.functional": ("cond", "fori_loop", "scan", "switch", "while_loop"),
    "eager.creation": ("asarray", "device_put", "from_dlpack"),
    "errors": (
        "AliasError",
        "AnabranchError",
        "CapacityError",
        "ConcretizationError",
        "DeletedArrayError",
        "EscapedTracerError",
        "DonationError",
        "ForkedProcessError",
        "ImmutableArrayError",
        "IntegerRangeError",
        "EagerFallbackWarning",
        "NoSourceError",
        "SerializationError",
        "SourceError",
        "StaleExecutableError",
        "StaticArgumentError",
        "StructureMismatchError",
        "UnsupportedConstructError",
        "UnsupportedOperationError",
        "UnsupportedValueError",
    ),
    "api.jit": ("djit", "eval_shape", "jit", "make_xpr", "xpr"),
    "ir.program": ("Program",),
    "signature.shape_dtype_struct": ("ShapeDtypeStruct",),
    "api.stages": ("Compiled", "Lowered", "Traced"),
    "signature.pytree": ("OneOf", "PyTreeDef"),
    "api.jitted": ("Wrapped",),
    "ufuncs.vectorize": ("guvectorize", "vectorize"),
    "xla.memory": ("memory_stats", "release_memory"),
}
_HOME = {name: f"anabranch.runtime.{module}" for module, names in _MODULES.items() for name in names}
__all__ = ["__version__", "export", "numpy", *sorted(_HOME)]  # noqa: PLE0604 - names of the table


def __getattr__(name: str) -> Any:
    if name in ("export", "numpy"):
        return importlib.import_module(f"anabranch.{name}")
    if name not in _HOME:
        raise AttributeError(f"module 'anabranch' has no attribute '{name}'")
    with of_new_objects_alone():
        value = globals()[name] = getattr(importlib.import_module(_HOME[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), "export", "numpy", *_HOME})
