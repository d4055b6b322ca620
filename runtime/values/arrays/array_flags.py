"""`ndarray.flags` of a traced array: how its memory lies, and whether it can be written to."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.values import wrap
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.attributes import StandIn
from anabranch.runtime.values.memory import memory_layout, views

_BY_KEY = {
    "C_CONTIGUOUS": "c_contiguous",
    "C": "c_contiguous",
    "CONTIGUOUS": "c_contiguous",
    "F_CONTIGUOUS": "f_contiguous",
    "F": "f_contiguous",
    "FORTRAN": "f_contiguous",
    "WRITEABLE": "writeable",
    "W": "writeable",
    "FNC": "fnc",
    "FORC": "forc",
}


class ArrayFlags(StandIn):
    """The flags of an array that are known while tracing; those of its owner and its address are refused."""

    def __init__(self, array: TracedArray) -> None:
        object.__setattr__(self, "_array", array)

    def __anabranch_sample__(self) -> object:
        return np.zeros(1).flags

    def __setattr__(self, name: str, value: object) -> None:
        raise _set()

    @property
    def c_contiguous(self) -> bool:
        return bool(_model(self._array).flags.c_contiguous)

    contiguous = c_contiguous

    @property
    def f_contiguous(self) -> bool:
        return bool(_model(self._array).flags.f_contiguous)

    @property
    def fortran(self) -> bool:
        return self.f_contiguous

    @property
    def fnc(self) -> bool:
        return self.f_contiguous and not self.c_contiguous

    @property
    def forc(self) -> bool:
        return self.f_contiguous or self.c_contiguous

    @property
    def writeable(self) -> bool:
        if any(isinstance(step, views.Broadcast) for step in self._array.path):
            raise UnsupportedOperationError(
                "whether a broadcast array is read-only, which depends on the function that made it, is not known in "
                "compiled code"
            )
        if self._array.storage.readonly == memory_layout.UNDECIDED:
            raise UnsupportedOperationError("whether this array is read-only is decided by a run-time condition")
        return not self._array.is_readonly

    def __getitem__(self, key: str) -> Value:
        if key in _BY_KEY:
            return getattr(self, _BY_KEY[key])
        flags: Any = np.zeros(1).flags
        flags[key]  # raises for what is no flag
        raise _unknown(key)

    def __setitem__(self, key: str, value: object) -> None:
        raise _set()

    def __getattr__(self, name: str) -> Value:
        if name.startswith("_") or not hasattr(np.zeros(1).flags, name):
            raise AttributeError(f"'numpy._core.multiarray.flagsobj' object has no attribute '{name}'")
        raise _unknown(name)


def _unknown(name: str) -> UnsupportedOperationError:
    return UnsupportedOperationError(
        f"numpy.ndarray.flags.{name.lower()} is not supported in compiled code: an array has no memory of its own "
        "while tracing"
    )


def _set() -> UnsupportedOperationError:
    return UnsupportedOperationError(
        "a flag of an array is set, which compiled code cannot do; set it outside of the compiled function"
    )


class AnyStride(StandIn):
    """The stride of an axis with fewer than two elements: NumPy's number has no meaning, and depends on history.

    It may be multiplied, and passed on to where it has no meaning either. What asks for the number is refused.
    """

    def __anabranch_sample__(self) -> object:
        return 8

    def __add__(self, other: object) -> AnyStride:
        return self

    __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __floordiv__ = __add__

    def __neg__(self) -> AnyStride:
        return self

    def error(self) -> UnsupportedOperationError:
        """The error for a question that only NumPy's number could answer."""
        return UnsupportedOperationError(
            "numpy.ndarray.strides of an array that has fewer than two elements along an axis is not supported in "
            "compiled code: NumPy's number for it depends on how the array was made"
        )

    def __anabranch_asked__(self, *_: object) -> NoReturn:
        raise self.error()

    __index__ = __int__ = __float__ = __bool__ = __hash__ = __str__ = __repr__ = __format__ = __anabranch_asked__
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __truediv__ = __mod__ = __pow__ = __anabranch_asked__


def strides(array: TracedArray) -> tuple[int | AnyStride, ...]:
    """`ndarray.strides`."""
    found = _model(array).strides
    return tuple(AnyStride() if n < 2 else stride for n, stride in zip(array.shape, found, strict=True))


def _model(array: TracedArray) -> np.ndarray:
    if wrap.is_dynamic_array(array) or not memory_layout.known(array) or memory_layout.of_run_time_size(array):
        raise UnsupportedOperationError(
            "how this array lies in memory is not known while tracing (a run-time condition or a NumPy function "
            "decides it); make a copy in C order: a.copy()"
        )
    return memory_layout.model(array)
