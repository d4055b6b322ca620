"""Sequences of numbers beside lists that NumPy makes arrays of: ranges."""

from __future__ import annotations

import abc
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.values import registry


class NumberSequence(abc.ABC):
    """The base of a stand-in of a range with run-time bounds."""

    @abc.abstractmethod
    def as_array(self) -> Value:
        """The array that NumPy makes of it."""

    @abc.abstractmethod
    def as_indices(self) -> Value:
        """The same for use as an index, where an empty one is of integers too."""


def as_array(x: range | NumberSequence) -> Value:
    """The array that NumPy makes of a range: of floats where it is empty, as of any sequence."""
    return x.as_array() if isinstance(x, NumberSequence) else registry.FUNCTIONS[np.array](x)


def as_indices(x: range | NumberSequence) -> Any:
    """The indices that a range stands for as a key of an array."""
    return x.as_indices() if isinstance(x, NumberSequence) else np.arange(x.start, x.stop, x.step)


# What `isinstance` asks for.
NUMBERS = (range, NumberSequence)
