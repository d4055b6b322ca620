"""The structures of arguments of the caller's types that compiled code has other forms of."""

from __future__ import annotations

import numpy as np

from anabranch.runtime.values import containers
from anabranch.runtime.values.host_types.times import TimeStructure, TracedTimes


def structure_of(value: object) -> containers.Structure | None:
    """The structure of an argument that is dates, records or bytes; None for any other."""
    if isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in "Mm" and value.dtype.isnative:
        exact = type(value) is np.ndarray or isinstance(value, np.generic)
        return TimeStructure(TracedTimes, ("ints",), value.dtype) if exact else None
    return None
