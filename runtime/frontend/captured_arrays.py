"""Arrays that a function reads from outside, and the states of generators, as inputs of its program."""

from __future__ import annotations

from typing import Any

import numpy as np

from anabranch.runtime.device import array as device
from anabranch.runtime.guards.guards import Guards
from anabranch.runtime.host.generator_state import GeneratorKind, OutsideGenerator
from anabranch.runtime.ir.array_type import ArrayType, native
from anabranch.runtime.ir.program import Var
from anabranch.runtime.ops.random_draws import WORD
from anabranch.runtime.tracing.builder import current
from anabranch.runtime.tracing.storage import OnDeviceOutside, Storage
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.random_generators import TracedGenerator


class CapturedArrays:
    """Arrays from globals and closures that the function reads: inputs, so that their contents are current."""

    def __init__(self, guards: Guards) -> None:
        self.guards = guards
        # The arrays, and the generators of random numbers whose states are inputs like them.
        self.arrays: list[Any] = []
        self.states: set[Storage] = set()  # the memory of these states
        self.handles: list[TracedArray] = []
        self._formals: list[Var] = []

    def handle(self, array: np.ndarray | device.Array) -> TracedArray:
        """The traced array that stands for it."""
        handle = self._known(array)
        if handle is not None:
            return handle
        formal = current().trace.root.formal(ArrayType(array.shape, native(array.dtype)))
        storage = Storage(formal.type)
        if isinstance(array, device.Array):
            storage.readonly = OnDeviceOutside("an array from outside of the function")
        else:
            storage.readonly = None if array.flags.writeable else "array from outside"
            storage.strides = None if array.flags.c_contiguous else array.strides
        self.guards.heap.forget_array(array)
        return self._added(array, storage, formal)

    def generator(self, generator: Any, kind: GeneratorKind) -> TracedGenerator:
        """The traced generator of random numbers that stands for one."""
        known = self._known(OutsideGenerator(generator, kind))
        if known is None:
            formal = current().trace.root.formal(ArrayType((kind.words,), WORD))
            known = self._added(OutsideGenerator(generator, kind), Storage(formal.type), formal)
            self.states.add(known.storage)
        return TracedGenerator(kind, known)

    def _known(self, array: object) -> TracedArray | None:
        root = current().trace.root
        for known, handle, formal in zip(self.arrays, self.handles, self._formals, strict=True):
            if known is array or (isinstance(known, OutsideGenerator) and known == array):
                # Met first in a trace of a loop's body that was given up: what its memory holds was forgotten.
                root.env.setdefault(handle.storage, formal)
                return handle
        return None

    def _added(self, array: Any, storage: Storage, formal: Var) -> TracedArray:
        trace = current().trace
        trace.root.env[storage] = formal
        trace.identity.callers_memory.add(storage)
        self.arrays.append(array)
        self.handles.append(TracedArray(storage))
        self.handles[-1].serial = 0  # the array was there before all, wherever it is met
        self._formals.append(formal)
        return self.handles[-1]
