"""Integers sorted in memory: Shell's sort, a function of machine code for each dtype."""

from __future__ import annotations

import numpy as np

from anabranch.runtime.native.instructions import Instructions
from anabranch.runtime.native.llvm_types import value_type

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
"""


def sort_in_place(code: Instructions, pointer: str, dtype: np.dtype, rows: int, length: int) -> None:
    """Sort each of the rows of an array of integers, which lie one behind the other."""
    type = value_type(dtype)
    name = f"sort_{dtype.name}"
    text = _SORT.format(name=name, type=type, greater="sgt" if dtype.kind == "i" else "ugt")
    if text not in code.globals:
        code.globals.append(text)
    code.declarations["llvm.smax.i64"] = "declare i64 @llvm.smax.i64(i64, i64)"
    for row in range(rows):
        start = code.emit(f"getelementptr {type}, ptr {pointer}, i64 {row * length}")
        code.act(f"call void @{name}(ptr {start}, i64 {length})")
