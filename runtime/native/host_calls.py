"""Calls of functions of this process from machine code that has Python's lock, or takes it for that time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from anabranch.runtime.host.buffer_types import buffer_type
from anabranch.runtime.host.callbacks import HostCallback, NativeCallback
from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.native.instructions import Instructions
from anabranch.runtime.native.llvm_types import is_memory, packed
from anabranch.runtime.native.signal_state import RAISED, STATE, TABLE
from anabranch.runtime.passes.sealed_loops import MOST_ELEMENTS

if TYPE_CHECKING:
    from anabranch.runtime.native.value_emitter import ValueEmitter

DECLARATIONS = {
    "PyEval_SaveThread": "declare ptr @PyEval_SaveThread()",
    "PyEval_RestoreThread": "declare void @PyEval_RestoreThread(ptr)",
    "PyTuple_GetItem": "declare ptr @PyTuple_GetItem(ptr, i64)",
    "PyLong_FromVoidPtr": "declare ptr @PyLong_FromVoidPtr(ptr)",
    "PyObject_CallOneArg": "declare ptr @PyObject_CallOneArg(ptr, ptr)",
    "Py_DecRef": "declare void @Py_DecRef(ptr)",
    # Returns whether the function has raised. Python's lock is as it was, afterwards.
    "call_back": f"""define internal i1 @call_back(ptr %state, i64 %number, ptr %addresses) noinline nounwind {{
  %thread = load ptr, ptr %state
  %is.free = icmp ne ptr %thread, null
  br i1 %is.free, label %take, label %held
take:
  call void @PyEval_RestoreThread(ptr %thread)
  br label %held
held:
  %table.p = getelementptr {STATE}, ptr %state, i32 0, i32 {TABLE}
  %table = load ptr, ptr %table.p
  %function = call ptr @PyTuple_GetItem(ptr %table, i64 %number)
  %address = call ptr @PyLong_FromVoidPtr(ptr %addresses)
  %answer = call ptr @PyObject_CallOneArg(ptr %function, ptr %address)
  call void @Py_DecRef(ptr %address)
  %has.raised = icmp eq ptr %answer, null
  br i1 %has.raised, label %raised, label %fine
raised:
  %raised.p = getelementptr {STATE}, ptr %state, i32 0, i32 {RAISED}
  store i8 1, ptr %raised.p
  br label %called
fine:
  call void @Py_DecRef(ptr %answer)
  br label %called
called:
  br i1 %is.free, label %give, label %done
give:
  %again = call ptr @PyEval_SaveThread()
  store ptr %again, ptr %state
  br label %done
done:
  ret i1 %has.raised
}}""",
}


class HostCalls:
    """The calls of one function, which gets the state as `%signals`."""

    def __init__(self, code: Instructions) -> None:
        self._code = code
        self.callbacks: list[NativeCallback] = []  # the functions, in the order of their numbers

    def write(
        self,
        emitter: ValueEmitter,
        function: HostCallback,
        operands: Sequence[str],
        in_types: Sequence[ArrayType],
        outs: Sequence[ArrayType],
    ) -> list[str]:
        """Write a call; returns the names of the results. Where the function raises, all ends there."""
        code, memory = self._code, emitter.memory
        kinds = [tuple(buffer_type(type.shape, type.dtype) for type in types) for types in (in_types, outs)]
        callback = NativeCallback(function, *kinds)
        if callback not in self.callbacks:
            self.callbacks.append(callback)
        names = emitter.stores.settled(operands, in_types, memory.all_places())
        given = [
            name if is_memory(name) else memory.spilled(name, type) for name, type in zip(names, in_types, strict=True)
        ]
        made = [memory.place_of(memory.allocate(type)) for type in outs]
        places = [*map(memory.place_of, given), *made]
        addresses = code.reserve(f"[{len(places)} x ptr]")
        for number, place in enumerate(places):
            at = code.emit(f"getelementptr ptr, ptr {addresses}, i64 {number}")
            code.act(f"store ptr {memory.pointer(place)}, ptr {at}")
        index = self.callbacks.index(callback)
        raised = code.emit(f"call i1 @call_back(ptr %signals, i64 {index}, ptr {addresses})")
        go, stop = code.label("go"), code.label("stop")
        code.branch(raised, stop, go, unlikely=True)
        code.begin(stop)
        code.act("ret void")
        code.begin(go)
        results = [memory.written(place) for place in made]
        return [
            name if type.size > MOST_ELEMENTS else packed(memory.whole(name, type))
            for name, type in zip(results, outs, strict=True)
        ]
