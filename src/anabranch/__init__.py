"""Ordinary NumPy functions with ordinary control flow, compiled with XLA."""

from __future__ import annotations

from anabranch._version import __version__ as __version__
from anabranch.runtime.control.functional import (
    cond as cond,
    fori_loop as fori_loop,
    scan as scan,
    switch as switch,
    while_loop as while_loop,
)
from anabranch.runtime.errors import (
    AliasError as AliasError,
    AnabranchError as AnabranchError,
    ConcretizationError as ConcretizationError,
    EscapedTracerError as EscapedTracerError,
    NoSourceError as NoSourceError,
    SourceError as SourceError,
    StaticArgumentError as StaticArgumentError,
    StructureMismatchError as StructureMismatchError,
    UnsupportedConstructError as UnsupportedConstructError,
    UnsupportedOperationError as UnsupportedOperationError,
    UnsupportedValueError as UnsupportedValueError,
)
from anabranch.runtime.jit import Wrapped as Wrapped, jit as jit, xpr as xpr
from anabranch.runtime.stages import Compiled as Compiled, Lowered as Lowered, Traced as Traced
