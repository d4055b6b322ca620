"""Integers sorted in memory, by Shell's sort, a function of machine code for each dtype; many elements by NumPy's."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anabranch.runtime.host.callbacks import HostFunction
from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.program import Equation
from anabranch.runtime.native.affine import Affine
from anabranch.runtime.native.instructions import Instructions
from anabranch.runtime.native.lazy_array import Axis, Update
from anabranch.runtime.native.llvm_types import constant, value_type
from anabranch.runtime.native.value_emitter import ValueEmitter
from anabranch.runtime.native.values import is_lazy
from anabranch.runtime.ops.checks import scalar
from anabranch.runtime.ops.sorting import greatest, sort

# Each pass leaves elements that are `gap` apart in order; equal integers cannot be told apart.
_SORT = """
define internal void @{name}(ptr %a, i64 %n) {{
entry:
  br label %pass
pass:
  %wider = phi i64 [ %n, %entry ], [ %gap, %passed ]
  %five = mul i64 %wider, 5
  %less = sub i64 %five, 1
  %part = sdiv i64 %less, 11
  %gap = call i64 @llvm.smax.i64(i64 %part, i64 1)
  br label %next
next:
  %i = phi i64 [ %gap, %pass ], [ %after, %placed ]
  %after = add i64 %i, 1
  %is.one = icmp slt i64 %i, %n
  br i1 %is.one, label %take, label %passed
take:
  %x.p = getelementptr {type}, ptr %a, i64 %i
  %x = load {type}, ptr %x.p
  br label %look
look:
  %j = phi i64 [ %i, %take ], [ %k, %move ]
  %j.p = getelementptr {type}, ptr %a, i64 %j
  %k = sub i64 %j, %gap
  %is.inside = icmp sge i64 %k, 0
  br i1 %is.inside, label %compare, label %placed
compare:
  %y.p = getelementptr {type}, ptr %a, i64 %k
  %y = load {type}, ptr %y.p
  %is.greater = icmp {greater} {type} %y, %x
  br i1 %is.greater, label %move, label %placed
move:
  store {type} %y, ptr %j.p
  br label %look
placed:
  store {type} %x, ptr %j.p
  br label %next
passed:
  %is.last = icmp eq i64 %gap, 1
  br i1 %is.last, label %end, label %pass
end:
  ret void
}}
define internal void @{name}_rows(ptr %a, i64 %rows, i64 %n) {{
entry:
  br label %next
next:
  %row = phi i64 [ 0, %entry ], [ %after, %one ]
  %is.one = icmp slt i64 %row, %rows
  br i1 %is.one, label %one, label %end
one:
  %start = mul i64 %row, %n
  %x.p = getelementptr {type}, ptr %a, i64 %start
  call void @{name}(ptr %x.p, i64 %n)
  %after = add i64 %row, 1
  br label %next
end:
  ret void
}}
"""


def sort_in_place(code: Instructions, pointer: str, dtype: np.dtype, rows: int, length: int) -> None:
    """Sort each of the rows of an array of integers, which lie one behind the other."""
    type = value_type(dtype)
    name = f"sort_{dtype.name}"
    text = _SORT.format(name=name, type=type, greater="sgt" if dtype.kind == "i" else "ugt")
    if text not in code.globals:
        code.globals.append(text)
    code.declarations["llvm.smax.i64"] = "declare i64 @llvm.smax.i64(i64, i64)"
    code.act(f"call void @{name}_rows(ptr {pointer}, i64 {rows}, i64 {length})")


def long_sort(emitter: ValueEmitter, equation: Equation, name: str) -> Sequence[str]:
    """The result of a sort of many elements, which NumPy makes; of a part of a vector where the rest is behind that."""
    types, outs = [equation.inputs[0].type], [out.type for out in equation.outputs]
    module = type(equation.op).__module__
    front = _front(emitter, name, types[0]) if equation.op is sort else None
    if front is None:
        function = HostFunction(module, equation.op.name, tuple(equation.params.items()), 1)
        return emitter.callback(function, [name], types, outs)
    function = HostFunction(module, "sort_front", (("stable", equation.params["stable"]),), 2)
    return emitter.callback(function, front, [*types, scalar(np.dtype(np.int64))], outs)


def _front(emitter: ValueEmitter, name: str, type: ArrayType) -> list[str] | None:
    """A vector with the elements at its front that are not behind all others, and their number, where that is known."""
    update = emitter.arrays.of(name, type).update if is_lazy(name) else None
    if update is None or len(type.shape) != 1 or update.axes != (Axis(Affine(0), 1, 0),):
        return None
    span = update.region.get(0)
    if span is None or span.step is not None or update.base.uniform != constant(greatest(type.dtype)):
        return None
    code, positions = emitter.code, emitter.positions
    first, end = positions.first(span), positions.end(span)
    count = code.call("llvm.smax.i64", "i64", "i64", code.add("sub", "i64", end, first), "0")
    axes = (Axis(positions.of(first).times(-1), 1, 0),)
    moved = emitter.arrays.updated(Update(emitter.arrays.undefined(type), axes, update.value, update.region))
    return [emitter.arrays.name(moved), count]
