"""Numba's exceptions and warnings: those that anabranch raises, under Numba's names."""

from __future__ import annotations

from anabranch.runtime.errors import AnabranchError

NumbaError = TypingError = LoweringError = UnsupportedError = CompilerError = AnabranchError
NumbaTypeError = NumbaValueError = NumbaIndexError = NumbaKeyError = NumbaAttributeError = AnabranchError
NumbaNotImplementedError = NumbaRuntimeError = AnabranchError


class NumbaWarning(Warning):
    """The base class of Numba's warnings, none of which are issued."""


class NumbaPerformanceWarning(NumbaWarning):
    """Never issued."""


class NumbaDeprecationWarning(NumbaWarning, DeprecationWarning):
    """Never issued."""


class NumbaPendingDeprecationWarning(NumbaWarning, PendingDeprecationWarning):
    """Never issued."""


class NumbaExperimentalFeatureWarning(NumbaWarning):
    """Never issued."""


class NumbaTypeSafetyWarning(NumbaWarning):
    """Never issued."""


class NumbaParallelSafetyWarning(NumbaWarning):
    """Never issued."""


class NumbaInvalidConfigWarning(NumbaWarning):
    """Never issued."""


class NumbaPedanticWarning(NumbaWarning):
    """Never issued."""


class NumbaIRAssumptionWarning(NumbaPedanticWarning):
    """Never issued."""


class NumbaDebugInfoWarning(NumbaWarning):
    """Never issued."""


class NumbaSystemWarning(NumbaWarning):
    """Never issued."""
