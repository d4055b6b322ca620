"""The functions that make traced values; each trace is given them where it starts."""

from __future__ import annotations

from typing import Final

from anabranch.runtime.tracing.outside import ValueConstructors
from anabranch.runtime.values.arrays.dynamic_array import make
from anabranch.runtime.values.arrays.numpy_scalar import NumPyScalar
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.python_numbers.python_scalar import python_scalar

CONSTRUCTORS: Final = ValueConstructors(array=TracedArray, scalar=NumPyScalar, python=python_scalar, part=make)
