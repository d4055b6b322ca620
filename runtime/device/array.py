"""`Array`: data that stays on the device, and never changes.

What an Array can do on the host is here. Operators (`array_operators`), indexing, NumPy's functions and ndarray's
methods are compiled.
"""

from __future__ import annotations

import operator
import types
from collections.abc import Callable, Iterator
from typing import Any, NoReturn, TypeVar

import numpy as np

from anabranch.base.fork_locks import lock
from anabranch.runtime._jaxlib import Buffer, exported, put, to_numpy, wait
from anabranch.runtime.device import upper_layers
from anabranch.runtime.device.upper_layers import Operators, operations
from anabranch.runtime.errors import DeletedArrayError, ImmutableArrayError, UnsupportedValueError
from anabranch.runtime.host.buffer_types import DTYPES, BufferType

# DLPack's number of the CPU and of its first device, and the version from which a capsule can say that it is read-only.
_DLPACK_CPU = (1, 0)
_DLPACK_READ_ONLY = (1, 0)
DEVICE = "cpu"
T = TypeVar("T")
_HELD = frozenset(DTYPES.values())
_KINDS = frozenset(d.kind for d in _HELD)
# Of two calls at once that an Array is donated to, one gets it.
_donation_lock = lock()


def check_device(device: object) -> None:
    """Accept the one device there is, or None.

    Raises
    ------
    ValueError
    """
    if device not in (None, DEVICE):
        raise ValueError(f"unknown device {device!r}: there is {DEVICE!r} only")


def _of_contents(convert: Callable[[np.ndarray], T]) -> Callable[[Array], T]:
    """A method that is a conversion of the contents."""
    return lambda self: convert(self.__array__())


class Array(Operators):
    """An array on the device, as `jax.Array`: asynchronous, immutable, with ndarray's attributes and methods.

    Made by `anabranch.asarray`, by operations on Arrays, and by compiled functions that are called with one. Operations
    give what NumPy gives, as new Arrays; those without axes are 0-d Arrays where NumPy has scalars.

    Raises
    ------
    ImmutableArrayError
        For `a[i] = v` and everything else that would write into the array. `a += b` makes a new Array, as for a tuple.
    DeletedArrayError
        When the array is used after `delete`.

    Examples
    --------
    >>> import anabranch
    >>> from anabranch import jit
    >>> a = anabranch.asarray([1.0, 2.0, 3.0])
    >>> total = jit(lambda x: x.sum())(a)
    >>> isinstance(total, anabranch.Array), float(total)
    (True, 6.0)
    >>> a[0] = 5.0
    Traceback (most recent call last):
        ...
    anabranch.ImmutableArrayError: an Array never changes
    """

    __slots__ = ("__weakref__", "_kind", "_memory", "_shared", "_taker")
    __array_priority__ = 1000.0
    # Arrays compare elementwise, as ndarrays do.
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, memory: object, kind: BufferType) -> None:
        # jaxlib's own array, None once it is deleted; `runtime.dispatch` reads it, too
        self._memory = memory
        self._kind = kind

    # ---- the device's memory ---------------------------------------------------------------------------------------

    @property
    def buffer(self) -> Buffer:
        """The memory, which may not be filled yet."""
        if self._memory is None:
            raise DeletedArrayError(f"this Array ({self._kind}) was {self._fate()}; use a copy that was made before")
        return Buffer(self._memory, self._kind)

    def block_until_ready(self) -> Array:
        """Wait until the contents are there; gives the array itself."""
        wait(self.buffer.array if self._memory is None else self._memory)
        return self

    def is_ready(self) -> bool:
        """Return whether the contents are there."""
        return bool(self.buffer.array.is_ready())

    def delete(self) -> None:
        """Let go of the memory now; ndarrays made of it without a copy keep it."""
        self._memory = None

    @property
    def is_shared(self) -> bool:
        """Return whether a copy was made, which stands on the same memory."""
        return getattr(self, "_shared", False)

    def hand_over(self, taker: str) -> Buffer:
        """Let go of the memory, which a call of the function of this name uses for its results.

        Raises
        ------
        DeletedArrayError
            When it is gone already.
        """
        with _donation_lock:
            buffer = self.buffer
            self._memory, self._taker = None, taker
        return buffer

    def take_back(self, buffer: Buffer) -> None:
        """Undo `hand_over`: the call did not take place."""
        self._memory = buffer.array

    def _fate(self) -> str:
        taker = getattr(self, "_taker", None)
        if taker is None:
            return "deleted"
        return f"donated to a call of {taker} (donate_argnums, donate_argnames), which has used its memory"

    def is_deleted(self) -> bool:
        """Return whether `delete` was called, or the array was donated to a call."""
        return self._memory is None

    @property
    def device(self) -> str:
        """The name of the device, as `numpy.ndarray.device`."""
        return DEVICE

    def to_device(self, device: object, /, *, stream: object = None) -> Array:
        """The array on a device; there is one.

        Raises
        ------
        ValueError
            For another one, and for a stream.
        """
        check_device(device)
        if stream is not None:
            raise ValueError("the CPU has no streams")
        return self

    # ---- what is known without its contents ------------------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, ...]:
        """As `ndarray.shape`."""
        return self._kind.shape

    @property
    def dtype(self) -> np.dtype:
        """As `ndarray.dtype`."""
        return self._kind.dtype

    @property
    def ndim(self) -> int:
        """As `ndarray.ndim`."""
        return len(self._kind.shape)

    @property
    def size(self) -> int:
        """As `ndarray.size`."""
        return self._kind.nbytes // self._kind.dtype.itemsize

    @property
    def itemsize(self) -> int:
        """As `ndarray.itemsize`."""
        return self._kind.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """As `ndarray.nbytes`."""
        return self._kind.nbytes

    def __len__(self) -> int:
        if not self._kind.shape:
            raise TypeError("len() of unsized object")
        return self._kind.shape[0]

    # ---- to the host -----------------------------------------------------------------------------------------------

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        """The contents, read-only and without a copy, or with `copy=True` an ndarray of its own."""
        host = to_numpy(self.buffer, copy=False)
        if dtype is not None and np.dtype(dtype) != host.dtype:
            if copy is False:
                raise ValueError(f"an Array of {host.dtype} cannot be seen as {np.dtype(dtype)} without a copy")
            return host.astype(dtype)
        return host.copy() if copy else host

    def item(self, *args: Any) -> Any:
        """As `ndarray.item`."""
        return self.__array__().item(*args)

    def tolist(self) -> Any:
        """As `ndarray.tolist`."""
        return self.__array__().tolist()

    def tobytes(self, order: Any = "C") -> bytes:
        """As `ndarray.tobytes`."""
        return self.__array__().tobytes(order)

    __bool__, __int__, __float__ = _of_contents(bool), _of_contents(int), _of_contents(float)
    __complex__, __index__, __str__ = _of_contents(complex), _of_contents(operator.index), _of_contents(str)

    def __repr__(self) -> str:
        if self._memory is None:
            return f"<deleted Array {self._kind}>"
        text = np.array2string(self.__array__(), separator=", ", prefix="Array(")
        shape = f"shape={self.shape}, " if 0 in self.shape else ""
        return f"Array({text}, {shape}dtype={self.dtype.name})"

    def __format__(self, spec: str) -> str:
        return format(self.__array__(), spec)

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return operations().reduced(self)

    # ---- copies and exchange ---------------------------------------------------------------------------------------

    def copy(self, order: Any = "C") -> Array:
        """Another Array; they share memory, which neither can change."""
        del order  # an Array has no order that could be seen
        made = Array(*self.buffer)
        made._shared = self._shared = True
        return made

    def __copy__(self) -> Array:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> Array:
        return self.copy()

    def __dlpack_device__(self) -> tuple[int, int]:
        return _DLPACK_CPU

    def __dlpack__(
        self,
        *,
        stream: object = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        """A DLPack capsule of a copy, or with `copy=False` of the array's own memory, which nobody may write to.

        The copy is there since libraries write to what they were told is read-only, PyTorch among them.

        Raises
        ------
        BufferError
            For another device, a dtype that DLPack does not know, or where `copy=False` cannot be kept: in a version of
            DLPack that cannot say that memory is read-only, and for the dtypes of `ml_dtypes`.
        """
        if stream is not None or dl_device not in (None, _DLPACK_CPU):
            raise BufferError("an Array can be given to the CPU only, which has no streams")
        builtin = self.dtype.isbuiltin == 1
        if copy is not False:
            return self.__array__(copy=True).__dlpack__() if builtin else exported(self.buffer)
        if not builtin or max_version is None or max_version < _DLPACK_READ_ONLY:
            raise BufferError("an Array is read-only, which this version of DLPack cannot say: it must be copied")
        # NumPy's stubs are those of its oldest form.
        export: Any = self.__array__().__dlpack__
        return export(max_version=max_version)

    def __array_namespace__(self, *, api_version: str | None = None) -> types.ModuleType:
        """`anabranch.numpy`."""
        return namespace(api_version)

    # ---- operations ------------------------------------------------------------------------------------------------

    def __getitem__(self, key: Any) -> Any:
        return operations().get(self, key)

    def __setitem__(self, key: Any, value: Any) -> NoReturn:
        raise ImmutableArrayError(
            "an Array never changes: `a[...] = v` is for ndarrays; write into b = numpy.asarray(a).copy(), or into a "
            "copy in a compiled function (a = a.copy(); a[...] = v; return a)"
        )

    def __delitem__(self, key: object) -> NoReturn:
        raise ValueError("cannot delete array elements")

    def __iter__(self) -> Iterator[Any]:
        if not self._kind.shape:
            raise TypeError("iteration over a 0-d array")
        return (self[i] for i in range(len(self)))

    def __contains__(self, value: object) -> bool:
        return value in self.__array__()

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: object, **kwargs: object) -> Any:
        return operations().ufunc(ufunc, method, inputs, kwargs)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return operations().function(function, args, kwargs)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"'Array' object has no attribute '{name}'")
        return operations().attribute(self, name)

    def __dir__(self) -> list[str]:
        return sorted({*object.__dir__(self), *(n for n in dir(np.ndarray) if not n.startswith("_"))})


def namespace(api_version: str | None = None) -> types.ModuleType:
    """The namespace of the array API standard for Arrays, and for what stands for arrays while tracing."""
    module = upper_layers.namespace()
    if api_version not in (None, module.__array_api_version__):
        raise ValueError(f"{module.__array_api_version__} of the array API standard is there, not {api_version}")
    return module


def holds(dtype: np.dtype) -> bool:
    """Return whether the device has a dtype, in any byte order."""
    # Not each kind of dtype has an order of bytes.
    return dtype.kind in _KINDS and dtype.newbyteorder("=") in _HELD


def placed(array: np.ndarray) -> Array:
    """A copy of an ndarray on the device.

    Raises
    ------
    UnsupportedValueError
        For a dtype that the device does not have.
    """
    if not holds(array.dtype):
        raise UnsupportedValueError(f"an array of dtype {array.dtype} cannot be put on the device")
    return Array(*put(array))


def adopted(array: np.ndarray) -> Array:
    """An Array on the memory of a new ndarray, which nobody else may have."""
    return Array(*put(array, copy=False))
