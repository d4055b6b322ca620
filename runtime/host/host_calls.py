"""Calls of NumPy from a compiled program, on XLA's own memory: nothing is copied on the way in or out.

XLA's interface to custom calls is a stable one in C (`xla/ffi/api/c_api.h` of jaxlib). The one handler here finds what
to call in an attribute of the custom call, as text that means the same in every process.
"""

from __future__ import annotations

import ast
import ctypes
import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.runtime.host.callbacks import HostCallback, HostFunction, keep
from anabranch.runtime.ir.array_type import ArrayType

TARGET = "anabranch_numpy"
"""The name of the custom call."""

_METADATA = 1  # the kind of extension by which XLA asks a handler for its version
_INTERNAL = 13  # the error code


class _Version(ctypes.Structure):
    _fields_ = (
        ("size", ctypes.c_size_t),
        ("extension", ctypes.c_void_p),
        ("major", ctypes.c_int),
        ("minor", ctypes.c_int),
    )


class _Metadata(ctypes.Structure):
    _fields_ = (("size", ctypes.c_size_t), ("version", _Version))


class _Extension(ctypes.Structure):
    """An extension of a frame; only that for metadata has more than the first three fields."""

    _fields_ = (
        ("size", ctypes.c_size_t),
        ("kind", ctypes.c_int),
        ("next", ctypes.c_void_p),
        ("metadata", ctypes.POINTER(_Metadata)),
    )


class _NewError(ctypes.Structure):
    _fields_ = (
        ("size", ctypes.c_size_t),
        ("extension", ctypes.c_void_p),
        ("message", ctypes.c_char_p),
        ("code", ctypes.c_int),
    )


class _Api(ctypes.Structure):
    _fields_ = (
        ("size", ctypes.c_size_t),
        ("extension", ctypes.c_void_p),
        ("version", _Version),
        ("internal", ctypes.c_void_p),
        ("new_error", ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(_NewError))),
    )


class _Buffer(ctypes.Structure):
    _fields_ = (
        ("size", ctypes.c_size_t),
        ("extension", ctypes.c_void_p),
        ("dtype", ctypes.c_int),
        ("data", ctypes.c_void_p),
    )


class _Buffers(ctypes.Structure):
    _fields_ = (
        ("size", ctypes.c_size_t),
        ("extension", ctypes.c_void_p),
        ("count", ctypes.c_int64),
        ("kinds", ctypes.c_void_p),
        ("buffers", ctypes.POINTER(ctypes.POINTER(_Buffer))),
    )


class _Text(ctypes.Structure):
    _fields_ = (("start", ctypes.c_void_p), ("size", ctypes.c_size_t))


class _Attributes(ctypes.Structure):
    _fields_ = (
        ("size", ctypes.c_size_t),
        ("extension", ctypes.c_void_p),
        ("count", ctypes.c_int64),
        ("kinds", ctypes.c_void_p),
        ("names", ctypes.c_void_p),
        ("values", ctypes.POINTER(ctypes.POINTER(_Text))),
    )


class _Frame(ctypes.Structure):
    """What XLA passes for one call."""

    _fields_ = (
        ("size", ctypes.c_size_t),
        ("extension", ctypes.POINTER(_Extension)),
        ("api", ctypes.POINTER(_Api)),
        ("context", ctypes.c_void_p),
        ("stage", ctypes.c_int),
        ("arguments", _Buffers),
        ("results", _Buffers),
        ("attributes", _Attributes),
    )


def attributes(function: HostCallback, index: int, in_types: Sequence[ArrayType], outs: Sequence[ArrayType]) -> str:
    """The attributes of a custom call of a function of arrays, which is one of those that the program is given."""
    if not isinstance(function, HostFunction):
        target = 'call_target_name = "xla_ffi_python_cpu_callback", api_version = 4 : i32, has_side_effect = true'
        return f"{target}, backend_config = {{index = {index} : ui64}}"
    types = [[(type.shape, type.dtype.str) for type in some] for some in (in_types, outs)]
    text = repr((function.module, function.name, function.params, *types))
    return f'call_target_name = "{TARGET}", api_version = 4 : i32, backend_config = {{call = "{text}"}}'


@frozen(eq=False)
class _Call:
    """One function on arrays of known types."""

    function: HostFunction
    inputs: tuple[Callable[[int], np.ndarray], ...]
    outputs: tuple[Callable[[int], np.ndarray], ...]

    def run(self, frame: _Frame) -> None:
        """Compute the results of a frame, in their memory."""
        given, made = frame.arguments.buffers, frame.results.buffers
        inputs = [on(given[i].contents.data) for i, on in enumerate(self.inputs)]
        self.function([on(made[i].contents.data) for i, on in enumerate(self.outputs)], *inputs)


@functools.lru_cache(maxsize=4096)
def _call(text: bytes) -> _Call:
    """The call that an attribute says."""
    module, name, params, *types = ast.literal_eval(text.decode())
    ins, outs = (tuple([_placed(shape, np.dtype(dtype)) for shape, dtype in some]) for some in types)
    return _Call(HostFunction(module, name, params), ins, outs)


def _placed(shape: tuple[int, ...], dtype: np.dtype) -> Callable[[int], np.ndarray]:
    """How memory at an address becomes an array."""
    memory: Any = ctypes.c_char * (ArrayType(shape, dtype).nbytes)
    if not memory._length_:
        return lambda address: np.empty(shape, dtype)
    return lambda address: np.ndarray(shape, dtype, memory.from_address(address))


def _handle(at: Any) -> int | None:
    """XLA's call: NULL is returned where all is well, else an error."""
    frame: _Frame = at.contents
    api = frame.api.contents
    try:
        if frame.extension and frame.extension.contents.kind == _METADATA:
            version = frame.extension.contents.metadata.contents.version
            version.major, version.minor = api.version.major, api.version.minor
            return None
        attribute = frame.attributes.values[0].contents
        _call(ctypes.string_at(attribute.start, attribute.size)).run(frame)
    except BaseException as error:  # nothing may go through XLA's frames
        new = _NewError(ctypes.sizeof(_NewError), None, keep(error).encode(), _INTERNAL)
        made: int | None = api.new_error(ctypes.byref(new))
        return made
    return None


# Kept for ever: XLA calls it whenever it likes.
_HANDLER = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(_Frame))(_handle)
_CAPSULE = b"xla._CUSTOM_CALL_TARGET"


def capsule() -> object:
    """The handler as jaxlib takes it."""
    make = ctypes.pythonapi.PyCapsule_New
    make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    made: object = make(ctypes.cast(_HANDLER, ctypes.c_void_p), _CAPSULE, None)
    return made
