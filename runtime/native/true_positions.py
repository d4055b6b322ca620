"""The positions at which a mask is true: few in 64 elements one by one, many by eight, moved together in a register."""

from __future__ import annotations

from anabranch.runtime.host.library_ufuncs import has_wide_loops
from anabranch.runtime.ir.program import Equation
from anabranch.runtime.native.llvm_types import is_lazy, is_memory
from anabranch.runtime.native.value_emitter import ValueEmitter
from anabranch.runtime.ops.positions import counted_positions, true_positions

# The least number of elements for which that is worth a function.
_LEAST = 64
# So many of 64 elements are found one by one in less time than all are looked at.
_FEW = 8
# What is written of a register behind the positions lies within the array: there are no more than elements that have
# been looked at.
_CALLED = {
    "llvm.experimental.vector.compress.v8i64": "<8 x i64> @{}(<8 x i64>, <8 x i1>, <8 x i64>)",
    "llvm.ctpop.i8": "i8 @{}(i8)",
    "llvm.ctpop.i64": "i64 @{}(i64)",
    "llvm.cttz.i64": "i64 @{}(i64, i1 immarg)",
    "llvm.masked.load.v64i8.p0": "<64 x i8> @{}(ptr, i32 immarg, <64 x i1>, <64 x i8>)",
    "llvm.memset.p0.i64": "void @{}(ptr, i8, i64, i1)",
}
_FUNCTION = f"""
define internal i64 @true_positions(ptr noalias %mask, i64 %n, ptr noalias %out, i1 %filled) noinline optsize {{
entry:
  br label %body
body:
  %i = phi i64 [ 0, %entry ], [ %next, %step ]
  %known = phi i64 [ 0, %entry ], [ %after, %step ]
  %left = sub i64 %n, %i
  %is.last = icmp slt i64 %left, 64
  %bit.left = shl i64 1, %left
  %bits.left = sub i64 %bit.left, 1
  %here = select i1 %is.last, i64 %bits.left, i64 -1
  %lanes.here = bitcast i64 %here to <64 x i1>
  %bytes.p = getelementptr i8, ptr %mask, i64 %i
  %bytes = call <64 x i8> @llvm.masked.load.v64i8.p0(
      ptr %bytes.p, i32 1, <64 x i1> %lanes.here, <64 x i8> zeroinitializer)
  %bits = icmp ne <64 x i8> %bytes, zeroinitializer
  %word = bitcast <64 x i1> %bits to i64
  %all = call i64 @llvm.ctpop.i64(i64 %word)
  %is.little = icmp ule i64 %all, {_FEW}
  %are.few = or i1 %is.little, %is.last
  br i1 %are.few, label %few, label %many
few:
  %is.any = icmp ne i64 %word, 0
  br i1 %is.any, label %single, label %step
single:
  %others = phi i64 [ %word, %few ], [ %others.next, %single ]
  %found = phi i64 [ %known, %few ], [ %found.next, %single ]
  %bit = call i64 @llvm.cttz.i64(i64 %others, i1 true)
  %place = add i64 %i, %bit
  %place.p = getelementptr i64, ptr %out, i64 %found
  store i64 %place, ptr %place.p
  %found.next = add i64 %found, 1
  %one.less = sub i64 %others, 1
  %others.next = and i64 %others, %one.less
  %is.other = icmp ne i64 %others.next, 0
  br i1 %is.other, label %single, label %step
many:
  %k = phi i64 [ 0, %body ], [ %k.next, %many ]
  %met = phi i64 [ %known, %body ], [ %met.next, %many ]
  %shifted = lshr i64 %word, %k
  %eight = trunc i64 %shifted to i8
  %lanes = bitcast i8 %eight to <8 x i1>
  %from = add i64 %i, %k
  %first = insertelement <8 x i64> poison, i64 %from, i64 0
  %same = shufflevector <8 x i64> %first, <8 x i64> poison, <8 x i32> zeroinitializer
  %at = add <8 x i64> %same, <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>
  %packed = call <8 x i64> @llvm.experimental.vector.compress.v8i64(
      <8 x i64> %at, <8 x i1> %lanes, <8 x i64> poison)
  %packed.p = getelementptr i64, ptr %out, i64 %met
  store <8 x i64> %packed, ptr %packed.p, align 8
  %ones = call i8 @llvm.ctpop.i8(i8 %eight)
  %count = zext i8 %ones to i64
  %met.next = add i64 %met, %count
  %k.next = add i64 %k, 8
  %are.more = icmp ult i64 %k.next, 64
  br i1 %are.more, label %many, label %step
step:
  %after = phi i64 [ %known, %few ], [ %found.next, %single ], [ %met.next, %many ]
  %next = add i64 %i, 64
  %is.left = icmp slt i64 %next, %n
  br i1 %is.left, label %body, label %end
end:
  br i1 %filled, label %fill, label %done
fill:
  %end.p = getelementptr i64, ptr %out, i64 %after
  %behind = sub i64 %n, %after
  %behind.bytes = shl i64 %behind, 3
  call void @llvm.memset.p0.i64(ptr %end.p, i8 0, i64 %behind.bytes, i1 false)
  br label %done
done:
  ret i64 %after
}}
"""


def packs_positions(equation: Equation) -> bool:
    """Return whether an equation finds many positions, and the processor can move them so."""
    is_finding = equation.op in (true_positions, counted_positions)
    return is_finding and equation.inputs[0].type.size >= _LEAST and has_wide_loops()


def packed_positions(emitter: ValueEmitter, equation: Equation, name: str) -> list[str]:
    """The results of such an equation, the positions in memory of their own."""
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
    filled = "true" if equation.op is true_positions else "false"
    found = code.emit(
        f"call i64 @true_positions(ptr {source}, i64 {mask.size}, ptr {memory.pointer(made)}, i1 {filled})"
    )
    return [memory.written(made), found][: len(equation.outputs)]
