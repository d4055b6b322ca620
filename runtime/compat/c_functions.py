"""Functions of C that programs for Numba call by address: `get_cython_function_address`, `WrapperAddressProtocol`."""

from __future__ import annotations

import ctypes
import importlib
from typing import Any

import numpy as np

from anabranch.runtime.api.host import HostOptions
from anabranch.runtime.ufuncs.number_types import NumberType, Signature, parsed

_OF_C: dict[str, Any] = {
    "float64": ctypes.c_double, "float32": ctypes.c_float, "bool": ctypes.c_bool,
    **{f"{sign}int{n}": getattr(ctypes, f"c_{sign}int{n}") for sign in ("", "u") for n in (8, 16, 32, 64)},
}  # fmt: skip


def get_cython_function_address(module_name: str, function_name: str) -> int:
    """The address of a function that a module written in Cython offers to C.

    Raises
    ------
    ValueError
        For a name that the module does not offer.
    """
    offered = importlib.import_module(module_name).__pyx_capi__
    if function_name not in offered:
        raise ValueError(f"No function '{function_name}' found in __pyx_capi__ of '{module_name}'")
    capsule = offered[function_name]
    as_c = ctypes.pythonapi
    as_c.PyCapsule_GetName.restype, as_c.PyCapsule_GetName.argtypes = ctypes.c_char_p, [ctypes.py_object]
    as_c.PyCapsule_GetPointer.restype = ctypes.c_void_p
    as_c.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    found: int = as_c.PyCapsule_GetPointer(capsule, as_c.PyCapsule_GetName(capsule))
    return found


class WrapperAddressProtocol:
    """The base class of functions of C: subclasses say an address and a signature of numbers.

    Compiled functions call them on the host.
    """

    def __wrapper_address__(self) -> int:
        raise NotImplementedError("implement __wrapper_address__ method")

    def signature(self) -> Signature:
        """The types that the function takes and returns."""
        raise NotImplementedError("implement signature method")

    @property
    def __anabranch_host__(self) -> HostOptions:
        return HostOptions((self._types()[0].dtype.type(0).item(),))

    @property
    def __name__(self) -> str:
        return type(self).__qualname__

    def __call__(self, *args: Any) -> Any:
        """Return what the function at the address returns."""
        returned, *taken = self._types()
        if len(args) != len(taken):
            raise TypeError(f"{self.__name__}() takes {len(taken)} arguments, and was given {len(args)}")
        kind = ctypes.CFUNCTYPE(_OF_C[returned.dtype.name], *(_OF_C[t.dtype.name] for t in taken))
        numbers = (t.dtype.type(x).item() for t, x in zip(taken, args, strict=True))
        return kind(self.__wrapper_address__())(*numbers)

    def _types(self) -> list[NumberType]:
        """The type of the result, and of the arguments."""
        signature = parsed(self.signature())
        types = [signature.return_type, *signature.args]
        if not all(isinstance(t, NumberType) and np.dtype(t.dtype).name in _OF_C for t in types):
            raise TypeError(f"functions of C take and return real numbers here, and {self.__name__} has {signature}")
        return types  # type: ignore[return-value]
