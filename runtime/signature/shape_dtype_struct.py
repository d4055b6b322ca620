"""`ShapeDtypeStruct`: an array or number of which only the type is known."""

from __future__ import annotations

import dataclasses
import math
import operator
from typing import Any

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.runtime.device import array as device
from anabranch.runtime.errors import UnsupportedValueError
from anabranch.runtime.ir.array_type import native
from anabranch.runtime.values.abstract import PYTHON_DTYPES, Abstract, Kind


@frozen
class ShapeDtypeStruct:
    """An abstract argument for `trace`, `lower` and `eval_shape`, and what they say of results.

    Parameters
    ----------
    shape : tuple of int
        In what is said of results, None stands for a size that is known only at run time.
    dtype : dtype
    weak_type : bool, optional
        Whether it stands for a Python number, an int, float, bool or complex. As in `jax.ShapeDtypeStruct`.
    device : str, optional
        The device of an `anabranch.Array`, "cpu"; None for an ndarray.

    Raises
    ------
    UnsupportedValueError
        For a dtype that cannot be compiled, and where it is used as an array.

    Examples
    --------
    >>> import numpy as np
    >>> from anabranch import ShapeDtypeStruct, eval_shape
    >>> eval_shape(np.cumsum, ShapeDtypeStruct((3,), np.int32))
    ShapeDtypeStruct(shape=(3,), dtype=int64)
    """

    shape: tuple[int | None, ...]
    dtype: Any
    weak_type: bool = dataclasses.field(default=False, kw_only=True)
    device: str | None = dataclasses.field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        object.__setattr__(self, "shape", tuple(n if n is None else operator.index(n) for n in self.shape))
        object.__setattr__(self, "dtype", native(np.dtype(self.dtype)))
        device.check_device(self.device)
        if self.weak_type and (self.shape or self.dtype not in PYTHON_DTYPES.values()):
            raise UnsupportedValueError(
                "weak_type=True stands for a Python number, but no Python number is a "
                f"{self.dtype}[{','.join(map(str, self.shape))}]; leave weak_type out"
            )

    @property
    def ndim(self) -> int:
        """How many axes it has."""
        return len(self.shape)

    @property
    def size(self) -> int | None:
        """How many elements it has; None where that is known only at run time."""
        known = self.known_shape
        return None if known is None else math.prod(known)

    @property
    def known_shape(self) -> tuple[int, ...] | None:
        """The shape, where all of it is known."""
        sizes = tuple(n for n in self.shape if n is not None)
        return sizes if len(sizes) == len(self.shape) else None

    @property
    def python(self) -> type:
        """int, float, bool or complex, where `weak_type` holds."""
        return next(kind for kind, dtype in PYTHON_DTYPES.items() if dtype == self.dtype)

    def __repr__(self) -> str:
        more = ", weak_type=True" if self.weak_type else ""
        more += f", device={self.device!r}" if self.device is not None else ""
        return f"ShapeDtypeStruct(shape={self.shape}, dtype={self.dtype.name}{more})"

    def __array__(self, *_: object, **__: object) -> np.ndarray:
        raise UnsupportedValueError(
            f"{self!r} stands for an array in `trace`, `lower` and `eval_shape`; a call needs the array itself"
        )

    def key(self) -> type | tuple[Any, ...]:
        """The part of a signature for an argument of this type."""
        if self.weak_type:
            return self.python
        if self.device is not None:
            return (device.Array, self.shape, self.dtype)
        return (np.ndarray, self._argument_shape, self.dtype, True, None)

    @property
    def _argument_shape(self) -> tuple[int, ...]:
        known = self.known_shape
        if known is None:
            raise UnsupportedValueError(
                f"{self!r} has no size known while tracing, so it describes a result and cannot be an argument; give "
                "it a shape of ints"
            )
        return known

    def abstract(self) -> Abstract:
        """The type while tracing."""
        return Abstract(self._argument_shape, self.dtype, Kind.PYTHON if self.weak_type else Kind.ARRAY)
