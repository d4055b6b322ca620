"""The positions at which a mask is true: those of eight elements at a time, moved together in a register."""

from __future__ import annotations

from anabranch.runtime.host.library_ufuncs import has_wide_loops
from anabranch.runtime.ir.program import Equation
from anabranch.runtime.native.value_emitter import ValueEmitter
from anabranch.runtime.native.values import is_lazy, is_memory
from anabranch.runtime.ops.positions import true_positions

# The least number of elements for which that is worth a function.
_LEAST = 64
# What is written of a register behind the positions is 0, and lies within the array: there are no more than elements
# that have been looked at.
_CALLED = {
    "llvm.experimental.vector.compress.v8i64": "<8 x i64> @{}(<8 x i64>, <8 x i1>, <8 x i64>)",
    "llvm.ctpop.i8": "i8 @{}(i8)",
    "llvm.memset.p0.i64": "void @{}(ptr, i8, i64, i1)",
}
_FUNCTION = """
define internal void @true_positions(ptr noalias %mask, i64 %n, ptr noalias %out) noinline nounwind {
entry:
  %whole = and i64 %n, -8
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %found = phi i64 [ 0, %entry ], [ %after, %body ]
  %is.left = icmp slt i64 %i, %whole
  br i1 %is.left, label %body, label %rest
body:
  %bytes.p = getelementptr i8, ptr %mask, i64 %i
  %bytes = load <8 x i8>, ptr %bytes.p, align 1
  %bits = trunc <8 x i8> %bytes to <8 x i1>
  %first = insertelement <8 x i64> poison, i64 %i, i64 0
  %all = shufflevector <8 x i64> %first, <8 x i64> poison, <8 x i32> zeroinitializer
  %at = add <8 x i64> %all, <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>
  %packed = call <8 x i64> @llvm.experimental.vector.compress.v8i64(
      <8 x i64> %at, <8 x i1> %bits, <8 x i64> zeroinitializer)
  %packed.p = getelementptr i64, ptr %out, i64 %found
  store <8 x i64> %packed, ptr %packed.p, align 8
  %byte = bitcast <8 x i1> %bits to i8
  %few = call i8 @llvm.ctpop.i8(i8 %byte)
  %count = zext i8 %few to i64
  %after = add i64 %found, %count
  %next = add i64 %i, 8
  br label %head
rest:
  %j = phi i64 [ %i, %head ], [ %j.next, %one ]
  %known = phi i64 [ %found, %head ], [ %known.next, %one ]
  %is.one = icmp slt i64 %j, %n
  br i1 %is.one, label %one, label %done
one:
  %byte.p = getelementptr i8, ptr %mask, i64 %j
  %bit = load i8, ptr %byte.p
  %is = trunc i8 %bit to i1
  %place = select i1 %is, i64 %j, i64 0
  %place.p = getelementptr i64, ptr %out, i64 %known
  store i64 %place, ptr %place.p
  %more = zext i1 %is to i64
  %known.next = add i64 %known, %more
  %j.next = add i64 %j, 1
  br label %rest
done:
  %end = getelementptr i64, ptr %out, i64 %known
  %left = sub i64 %n, %known
  %left.bytes = shl i64 %left, 3
  call void @llvm.memset.p0.i64(ptr %end, i8 0, i64 %left.bytes, i1 false)
  ret void
}
"""


def packs_positions(equation: Equation) -> bool:
    """Return whether an equation finds many positions, and the processor can move them so."""
    return equation.op is true_positions and equation.inputs[0].type.size >= _LEAST and has_wide_loops()


def packed_positions(emitter: ValueEmitter, equation: Equation, name: str) -> str:
    """The result of a `true_positions`, in memory of its own."""
    memory, code, mask, out = emitter.memory, emitter.code, equation.inputs[0].type, equation.outputs[0].type
    memory.expect_whole(out.size)
    if is_lazy(name):
        (name,) = emitter.stores.settled([name], [mask], memory.all_places())
    elif not is_memory(name):
        name = memory.spilled(name, mask)
    if _FUNCTION not in code.globals:
        code.globals.append(_FUNCTION)
    made = memory.place_of(memory.allocate(out))
    source = memory.pointer(memory.place_of(name))
    code.declarations |= {called: f"declare {form.format(called)}" for called, form in _CALLED.items()}
    code.act(f"call void @true_positions(ptr {source}, i64 {mask.size}, ptr {memory.pointer(made)})")
    return memory.written(made)
