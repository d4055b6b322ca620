"""Arrays that a function reads from outside, as inputs of its program."""

from __future__ import annotations

import numpy as np

from anabranch.runtime.device import array as device
from anabranch.runtime.guards.guards import Guards
from anabranch.runtime.ir.array_type import ArrayType, native
from anabranch.runtime.ir.program import Var
from anabranch.runtime.tracing.builder import current
from anabranch.runtime.tracing.storage import OnDeviceOutside, Storage
from anabranch.runtime.values.arrays.traced_array import TracedArray


class CapturedArrays:
    """Arrays from globals and closures that the function reads: inputs, so that their contents are current."""

    def __init__(self, guards: Guards) -> None:
        self.guards = guards
        self.arrays: list[np.ndarray | device.Array] = []
        self.handles: list[TracedArray] = []
        self._formals: list[Var] = []

    def handle(self, array: np.ndarray | device.Array) -> TracedArray:
        """The traced array that stands for it."""
        trace = current().trace
        root = trace.root
        for known, handle, formal in zip(self.arrays, self.handles, self._formals, strict=True):
            if known is array:
                # Met first in a trace of a loop's body that was given up: what its memory holds was forgotten.
                root.env.setdefault(handle.storage, formal)
                return handle
        formal = root.formal(ArrayType(array.shape, native(array.dtype)))
        storage = Storage(formal.type)
        if isinstance(array, device.Array):
            storage.readonly = OnDeviceOutside("an array from outside of the function")
        else:
            storage.readonly = None if array.flags.writeable else "array from outside"
            storage.strides = None if array.flags.c_contiguous else array.strides
        root.env[storage] = formal
        trace.identity.callers_memory.add(storage)
        self.arrays.append(array)
        self.handles.append(TracedArray(storage))
        self.handles[-1].serial = 0  # the array was there before all, wherever it is met
        self._formals.append(formal)
        self.guards.heap.forget_array(array)
        return self.handles[-1]
