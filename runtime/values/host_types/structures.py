"""The structures of arguments of the caller's types that compiled code has other forms of."""

from __future__ import annotations

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.values import containers, registry
from anabranch.runtime.values.host_types import byte_sequences, records, time_functions, times
from anabranch.runtime.values.host_types.times import SCALAR, TimeStructure, TracedTimes

# They are written in terms of the class of dates and durations, which asks for them.
times.FUNCTIONS.update(time_functions.RULES)


def zeros(shape: Value, dtype: np.dtype) -> Value:
    """An array of zeros of records, dates or durations; None for any other dtype."""
    if dtype.names:
        return records.zeros(shape, dtype)
    if dtype.kind not in "mM" or not dtype.isnative:
        return None
    return TracedTimes(registry.FUNCTIONS[np.zeros](shape, np.int64), dtype)


def structure_of(value: object) -> containers.Structure | None:
    """The structure of an argument that is dates, records or bytes; None for any other."""
    if isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in "Mm" and value.dtype.isnative:
        exact = type(value) is np.ndarray or isinstance(value, np.generic)
        key = SCALAR if isinstance(value, np.generic) else "ints"
        return TimeStructure(TracedTimes, (key,), value.dtype) if exact else None
    if type(value) in (bytearray, memoryview):
        return byte_sequences.structure_of(value)  # type: ignore[arg-type]
    if isinstance(value, np.ndarray) and value.dtype.names and type(value) in (np.ndarray, np.recarray):
        kind = records.RecordType(value.dtype, type(value) is np.recarray)
        return records.RecordStructure(records.TracedRecords, value.dtype.names, kind)
    return None
