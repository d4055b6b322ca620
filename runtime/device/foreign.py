"""Arrays of other libraries as arguments: ndarrays on their own memory, or refused with what to pass instead."""

from __future__ import annotations

import functools
import pickle
import sys
from collections.abc import Callable
from typing import Any, NoReturn

import ml_dtypes
import numpy as np

from anabranch.runtime.errors import UnsupportedValueError

# DLPack's numbers for memory that the CPU can read: its own, and what CUDA and ROCm pin for it.
_HOST_MEMORY = (1, 3, 11)
_PLAIN = (np.ndarray, np.memmap)
# Classes that are no arrays of numbers, or more than that, by module and name; and what to pass of one.
_REFUSED = {
    ("pandas", ""): "its values, {0}.to_numpy()",
    ("polars", ""): "its values, {0}.to_numpy()",
    ("xarray", ""): "its values, {0}.to_numpy()",
    ("scipy.sparse", ""): "a dense array, {0}.toarray(), or the arrays that it is made of",
    ("dask", ""): "what it computes, {0}.compute(), or call the function in {0}.map_blocks(...)",
    ("numpy", "matrix"): "an array, numpy.asarray({0}), for which * is elementwise",
    ("numpy", "MaskedArray"): "{0}.filled(value), or {0}.data and {0}.mask: compiled code knows no masks",
    ("numpy", "recarray"): "its fields one by one, {0}['name']",
    ("numpy", "chararray"): "numbers: compiled code has no arrays of text",
    ("builtins", "memoryview"): "an array on the same memory, numpy.asarray({0})",
    ("builtins", "bytearray"): "an array on the same memory, numpy.frombuffer({0}, numpy.uint8)",
    ("array", "array"): "an array on the same memory, numpy.asarray({0})",
}  # fmt: skip


class Foreign:
    """The arguments of one call that are arrays of other libraries."""

    __slots__ = ("_known", "returns_arrays")

    def __init__(self) -> None:
        self._known: list[tuple[Any, np.ndarray]] = []
        self.returns_arrays = False  # whether results are Arrays, which every library can take, rather than ndarrays

    def seen(self, value: object, where: str) -> np.ndarray:
        """The argument as an ndarray on its memory; one that is passed twice is one ndarray."""
        for original, array in self._known:
            if original is value:
                return array
        array = seen(value, where)
        self._known.append((value, array))
        self.returns_arrays = self.returns_arrays or not isinstance(value, np.ndarray)
        return array

    def original(self, array: np.ndarray) -> Any:
        """The argument that was seen as an array; None for another array."""
        return next((original for original, known in self._known if known is array), None)


def _exports(cls: type) -> bool:
    """Return whether instances give their memory to other libraries, and are no ndarrays."""
    return hasattr(cls, "__dlpack__") and not issubclass(cls, np.ndarray)


def _is_foreign(cls: type) -> bool:
    """Return whether instances are arrays of another library, or refused as such; they are no pytrees."""
    return hasattr(cls, "__dlpack__") or issubclass(cls, np.ndarray) or _advice(cls) is not None


def _advice(cls: type) -> str | None:
    """Return what to pass instead of an instance; None where nothing is known of the class."""
    for base in cls.__mro__[:-1]:
        for (module, name), advice in _REFUSED.items():
            fits = base.__name__ == name or (not name and (hasattr(cls, "__array__") or hasattr(cls, "toarray")))
            if fits and (base.__module__ + ".").startswith(module + "."):
                return advice
    return None


def _is_masked(cls: type) -> bool:
    # `np.ma` is imported when it is first asked for.
    return issubclass(cls, np.ndarray) and "numpy.ma" in sys.modules and issubclass(cls, np.ma.MaskedArray)


def _may_change(cls: type) -> bool:
    """Return whether instances are arrays or tables of another library whose elements may be written."""
    root = cls.__module__.partition(".")[0]
    if _is_masked(cls):
        return True
    return (_exports(cls) and root not in ("jax", "jaxlib", "anabranch")) or (
        root == "pandas" and hasattr(cls, "__array__")
    )


exports: Callable[[type], bool] = functools.lru_cache(maxsize=1024)(_exports)
is_foreign: Callable[[type], bool] = functools.lru_cache(maxsize=1024)(_is_foreign)
may_change: Callable[[type], bool] = functools.lru_cache(maxsize=1024)(_may_change)


def contents(value: Any) -> tuple[Any, ...]:
    """Return what tells whether an array that `may_change` was written to."""
    version = getattr(value, "_version", 0)  # how often PyTorch has written to it, also on another device
    if isinstance(value, np.ma.MaskedArray):
        return (np.asarray(value).tobytes(), np.ma.getmaskarray(value).tobytes())
    try:
        if not hasattr(value, "__dlpack__"):
            return (pickle.dumps(value),)
        return (version, without_copy(value.detach() if hasattr(value, "detach") else value).tobytes())
    except Exception:
        return (version,)


def seen(value: object, where: str) -> np.ndarray:
    """An array of another library as an ndarray on its memory.

    Raises
    ------
    UnsupportedValueError
        For one whose memory the CPU cannot read, which records what is done to it for derivatives, or which is more, or
        other, than an array of numbers.
    """
    cls = type(value)
    advice = _advice(cls)
    if advice is not None:
        raise UnsupportedValueError(f"argument '{where}' is a {_name(cls)}; pass {advice.format(where)}")
    if isinstance(value, np.memmap):
        return value.view(np.ndarray)
    if issubclass(cls, np.ndarray):
        raise UnsupportedValueError(
            f"argument '{where}' is a {_name(cls)}, a subclass of numpy.ndarray with methods of its own; pass "
            f"numpy.asarray({where})"
        )
    if cls.__module__.startswith("jax.") and cls.__name__.endswith("Tracer"):
        raise UnsupportedValueError(
            f"argument '{where}' is a value that jax traces ({cls.__name__}), which has no contents yet; call the "
            "compiled function outside of jax.jit, jax.vmap and jax.grad, or within jax.pure_callback"
        )
    if getattr(value, "requires_grad", False) is True:
        raise UnsupportedValueError(
            f"argument '{where}' is a {_name(cls)} that requires grad, but compiled code records nothing for "
            f"derivatives; pass {where}.detach()"
        )
    return _on_host(value, where)


def plain(value: object) -> Any:
    """The plain array of one whose class means more, as `numpy.asarray` gives it; anything else as it is."""
    return np.asarray(value) if isinstance(value, np.ndarray) and type(value) not in _PLAIN else value


def check_operand(array: np.ndarray) -> None:
    """Refuse an array from outside whose class means more than its elements, or computes in its own way.

    Raises
    ------
    UnsupportedValueError
    """
    cls = type(array)
    if cls not in _PLAIN:
        advice = _advice(cls) or "numpy.asarray({0})"
        raise UnsupportedValueError(
            f"a {_name(cls)} meets a value that is known only at run time, which knows plain arrays only; instead of "
            f"the {cls.__name__} a use {advice.format('a')}"
        )


def _on_host(value: Any, where: str) -> np.ndarray:
    cls = type(value)
    try:
        if hasattr(value, "is_deleted") and value.is_deleted():
            raise RuntimeError("it was deleted")
        device, _ = value.__dlpack_device__()
        if device not in _HOST_MEMORY:
            raise UnsupportedValueError(
                f"argument '{where}' is a {_name(cls)} on another device ({getattr(value, 'device', device)}); move it "
                "to the CPU first"
            )
        return without_copy(value)
    except UnsupportedValueError:
        raise
    except Exception as error:
        _refuse(value, where, error)


def without_copy(value: Any) -> np.ndarray:
    """An array that speaks DLPack as an ndarray on its memory, also of dtypes that NumPy does not take by DLPack."""
    array: np.ndarray
    if type(value).__module__.partition(".")[0] in ("jax", "jaxlib"):
        array = np.asarray(value)
        return array
    torch = sys.modules.get("torch")
    if torch is None or not isinstance(value, torch.Tensor):
        return np.from_dlpack(value)
    name = str(value.dtype).removeprefix("torch.")
    if hasattr(ml_dtypes, name):
        dtype = np.dtype(getattr(ml_dtypes, name))
        array = value.view(torch.int16 if dtype.itemsize == 2 else torch.uint8).numpy().view(dtype)
    else:
        array = value.numpy()
    return array


def _refuse(value: object, where: str, error: Exception) -> NoReturn:
    raise UnsupportedValueError(
        f"argument '{where}' is a {_name(type(value))} that gives no array for the CPU: {error}"
    ) from error


def _name(cls: type) -> str:
    """The class as users know it."""
    root = cls.__module__.partition(".")[0]
    name = {"ArrayImpl": "Array"}.get(cls.__name__, cls.__name__) if root in ("jax", "jaxlib") else cls.__name__
    return name if root == "builtins" else f"{root.replace('jaxlib', 'jax')}.{name}"
