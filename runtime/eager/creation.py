"""Data onto the device: `asarray`, `device_put`, `from_dlpack`."""

from __future__ import annotations

import numpy as np

from anabranch.base.grammar import a
from anabranch.base.value import Value
from anabranch.runtime.device import foreign as interop
from anabranch.runtime.device.array import Array, check_device, placed
from anabranch.runtime.device.upper_layers import operations
from anabranch.runtime.eager.execute import captured
from anabranch.runtime.errors import UnsupportedValueError
from anabranch.runtime.numpy import namespace
from anabranch.runtime.tracing.builder import tracing
from anabranch.runtime.values import containers
from anabranch.runtime.values.tracer import Tracer

# Here rather than with the first operation, which may come while a function is traced.
operations()


def asarray(x: Value, /, *, dtype: Value = None, device: Value = None, copy: bool | None = None) -> Value:
    """An Array of a number, sequence, ndarray, Array, or anything that speaks `__array__`.

    Parameters
    ----------
    x
        Its contents are copied to the device, but for those of an Array, which cannot change.
    dtype : dtype, optional
        By default as `numpy.asarray` chooses it.
    device : "cpu", optional
    copy : bool, optional
        False says that nothing may be copied, which only an Array of that dtype can do without.

    Returns
    -------
    Array
        In a compiled function the result of `numpy.asarray`.

    Raises
    ------
    UnsupportedValueError
        For strings, dates, objects and other dtypes that the device does not have, and for tensors that require grad or
        are not on the CPU.
    ValueError
        Where `copy=False` cannot be kept, and for another device.

    Examples
    --------
    >>> import anabranch
    >>> anabranch.asarray([1, 2, 3]) * 2
    Array([2, 4, 6], dtype=int64)
    """
    check_device(device)
    if tracing():
        return namespace.asarray(captured(x), dtype=dtype, copy=copy)
    if isinstance(x, Array):
        if dtype is None or np.dtype(dtype) == x.dtype:
            return x.copy() if copy else x
        if copy is False:
            raise ValueError(f"an Array of {x.dtype} cannot be one of {np.dtype(dtype)} without a copy")
        return x.astype(dtype)
    if copy is False:
        raise ValueError("an Array has memory of its own, so this must be copied; leave out copy=False")
    host = interop.seen(x, "x") if interop.exports(type(x)) else x
    return placed(np.asarray(host, dtype))


def device_put(x: Value, device: Value = None) -> Value:
    """The same structure with every array and number on the device, as `jax.device_put`.

    Parameters
    ----------
    x : pytree
        Tuples, lists, dicts, named tuples, dataclasses and objects of arrays and numbers.
    device : "cpu", optional

    Returns
    -------
    pytree
        Of Arrays.

    Raises
    ------
    UnsupportedValueError
        For a leaf that is no array or number.

    Examples
    --------
    >>> import numpy as np
    >>> import anabranch
    >>> anabranch.device_put({"weights": np.ones(2)})
    {'weights': Array([1., 1.], dtype=float64)}
    """
    check_device(device)
    foreign = interop.exports(type(x))
    structure = None if foreign else containers.structure_of(x)
    if structure is not None:
        return structure.build([device_put(c) for c in structure.children(x)])
    numbers = (Array, Tracer, np.ndarray, np.generic, bool, int, float, complex)
    if not (foreign or isinstance(x, numbers) or hasattr(x, "__array__")):
        raise UnsupportedValueError(f"{a(type(x).__name__)} ({x!r:.60}) is neither an array nor a number")
    return asarray(x)


def from_dlpack(x: object, /, *, device: object = None, copy: bool | None = None) -> Array:
    """An Array with the contents of an array that speaks DLPack, such as one of PyTorch; they are copied.

    Raises
    ------
    BufferError
        Where `copy=False` asks for memory that is shared: its owner could change it, and an Array never changes. Also
        for data that is not on the CPU, or of a dtype that NumPy does not have.

    Examples
    --------
    >>> import numpy as np
    >>> import anabranch
    >>> anabranch.from_dlpack(np.arange(3.0))
    Array([0., 1., 2.], dtype=float64)
    """
    check_device(device)
    if isinstance(x, Array):
        return x.copy() if copy else x
    if copy is False:
        raise BufferError("an Array shares no memory with what may be written to; leave out copy=False")
    return placed(interop.without_copy(x))
