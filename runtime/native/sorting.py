"""Numbers sorted in memory by NumPy's functions in C; many elements by calls of NumPy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anabranch.runtime.host import numpy_c_functions
from anabranch.runtime.host.callbacks import HostFunction
from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.program import Equation
from anabranch.runtime.native.affine import Affine, Span
from anabranch.runtime.native.element_loops import ElementLoops
from anabranch.runtime.native.instructions import Instructions
from anabranch.runtime.native.lazy_array import Axis, Update
from anabranch.runtime.native.llvm_types import constant, is_lazy, is_memory, part, value_type
from anabranch.runtime.native.value_emitter import ValueEmitter
from anabranch.runtime.ops import stable_positions
from anabranch.runtime.ops.op import INT64, scalar
from anabranch.runtime.ops.sorting import argsort, greatest, partition, partition_at, sort

_WORD = np.dtype(np.uint64)
# Rows that lie one behind the other.
_SORT = """
define internal void @{name}(ptr %a, i64 %rows, i64 %n) nounwind {{
entry:
  br label %row
row:
  %i = phi i64 [ 0, %entry ], [ %next, %row ]
  %start = mul i64 %i, %n
  %p = getelementptr {type}, ptr %a, i64 %start
  %is.done = call i32 @{sort}(ptr %p, i64 %n, ptr null)
  %next = add i64 %i, 1
  %is.left = icmp slt i64 %next, %rows
  br i1 %is.left, label %row, label %end
end:
  ret void
}}
"""
# The positions of elements that are equal are put in order, which NumPy's function does not do. Integers that are not
# far apart are sorted with their positions as words, which takes less time.
_ARGSORT = """
define internal void @{name}(ptr noalias %a, ptr noalias %out, i64 %rows, i64 %n, i64 %bits) nounwind optsize {{
entry:
  br label %row
row:
  %i = phi i64 [ 0, %entry ], [ %next, %done ]
  %start = mul i64 %i, %n
  %p = getelementptr {type}, ptr %a, i64 %start
  %q = getelementptr i64, ptr %out, i64 %start
  %are.two = icmp sgt i64 %n, 1
  br i1 %are.two, label %two, label %one
one:
  store i64 0, ptr %q
  br label %done
two:
{words}
fill.first:
  br label %fill
fill:
  %j = phi i64 [ 0, %fill.first ], [ %j.next, %fill ]
  %j.p = getelementptr i64, ptr %q, i64 %j
  store i64 %j, ptr %j.p
  %j.next = add i64 %j, 1
  %is.filled = icmp eq i64 %j.next, %n
  br i1 %is.filled, label %order, label %fill
order:
  %is.done = call i32 @{argsort}(ptr %p, ptr %q, i64 %n, ptr null)
  %first = call {type} @{name}at(ptr %p, ptr %q, i64 0)
  br label %look
look:
  %k = phi i64 [ 1, %order ], [ %k.next, %look ]
  %x = phi {type} [ %first, %order ], [ %y, %look ]
  %known = phi i1 [ false, %order ], [ %any, %look ]
  %y = call {type} @{name}at(ptr %p, ptr %q, i64 %k)
  %is.tie = call i1 @{name}tie({type} %x, {type} %y)
  %any = or i1 %known, %is.tie
  %k.next = add i64 %k, 1
  %is.looked = icmp eq i64 %k.next, %n
  br i1 %is.looked, label %looked, label %look
looked:
  br i1 %any, label %begin, label %done
begin:
  %from = phi i64 [ 0, %looked ], [ %end, %ended ]
  %w = call {type} @{name}at(ptr %p, ptr %q, i64 %from)
  br label %extend
extend:
  %last = phi i64 [ %from, %begin ], [ %end, %compare ]
  %end = add i64 %last, 1
  %is.inside = icmp slt i64 %end, %n
  br i1 %is.inside, label %compare, label %run
compare:
  %v = call {type} @{name}at(ptr %p, ptr %q, i64 %end)
  %is.same = call i1 @{name}tie({type} %w, {type} %v)
  br i1 %is.same, label %extend, label %run
run:
  %size = sub i64 %end, %from
  %are.several = icmp sgt i64 %size, 1
  br i1 %are.several, label %put, label %ended
put:
  %from.p = getelementptr i64, ptr %q, i64 %from
  call void @put_in_order(ptr %from.p, i64 %size, i64 %n)
  br label %ended
ended:
  %is.left = icmp slt i64 %end, %n
  br i1 %is.left, label %begin, label %done
done:
  %next = add i64 %i, 1
  %is.row = icmp slt i64 %next, %rows
  br i1 %is.row, label %row, label %end.rows
end.rows:
  ret void
}}
define internal {type} @{name}at(ptr %p, ptr %q, i64 %i) alwaysinline nounwind {{
  %at.p = getelementptr i64, ptr %q, i64 %i
  %at = load i64, ptr %at.p
  %x.p = getelementptr {type}, ptr %p, i64 %at
  %x = load {type}, ptr %x.p
  ret {type} %x
}}
define internal i1 @{name}tie({type} %x, {type} %y) alwaysinline nounwind {{
  {tie}
  ret i1 %is
}}
"""
# Positions below n in order. Where they are not few beside n, each is marked by a bit, and the bits are read in order.
_PUT_IN_ORDER = """
define internal void @put_in_order(ptr %q, i64 %size, i64 %n) nounwind optsize {{
entry:
  %few = lshr i64 %n, 8
  %least = call i64 @llvm.umax.i64(i64 %few, i64 64)
  %are.many = icmp ugt i64 %size, %least
  br i1 %are.many, label %many, label %sort
many:
  %n.up = add i64 %n, 63
  %words = lshr i64 %n.up, 6
  %marks = call ptr @calloc(i64 %words, i64 8)
  %is.there = icmp ne ptr %marks, null
  br i1 %is.there, label %mark, label %sort
sort:
  %is.put = call i32 @{sort}(ptr %q, i64 %size, ptr null)
  ret void
mark:
  %i = phi i64 [ 0, %many ], [ %i.next, %mark ]
  %i.p = getelementptr i64, ptr %q, i64 %i
  %at = load i64, ptr %i.p
  %at.word = lshr i64 %at, 6
  %at.p = getelementptr i64, ptr %marks, i64 %at.word
  %at.bit = and i64 %at, 63
  %bit = shl i64 1, %at.bit
  %others = load i64, ptr %at.p
  %marked = or i64 %others, %bit
  store i64 %marked, ptr %at.p
  %i.next = add i64 %i, 1
  %are.marked = icmp eq i64 %i.next, %size
  br i1 %are.marked, label %read, label %mark
read:
  %w = phi i64 [ 0, %mark ], [ %w.next, %read.on ]
  %k = phi i64 [ 0, %mark ], [ %k.on, %read.on ]
  %w.p = getelementptr i64, ptr %marks, i64 %w
  %word = load i64, ptr %w.p
  %first = shl i64 %w, 6
  %is.none = icmp eq i64 %word, 0
  br i1 %is.none, label %read.on, label %write
write:
  %left = phi i64 [ %word, %read ], [ %left.next, %write ]
  %k.at = phi i64 [ %k, %read ], [ %k.next, %write ]
  %place = call i64 @llvm.cttz.i64(i64 %left, i1 true)
  %position = or i64 %first, %place
  %k.p = getelementptr i64, ptr %q, i64 %k.at
  store i64 %position, ptr %k.p
  %k.next = add i64 %k.at, 1
  %lower = sub i64 %left, 1
  %left.next = and i64 %left, %lower
  %is.last = icmp eq i64 %left.next, 0
  br i1 %is.last, label %read.on, label %write
read.on:
  %k.on = phi i64 [ %k, %read ], [ %k.next, %write ]
  %w.next = add i64 %w, 1
  %are.read = icmp eq i64 %w.next, %words
  br i1 %are.read, label %free, label %read
free:
  call void @free(ptr %marks)
  ret void
}}
"""
_NO_WORDS = "  br label %fill.first"
_WORDS = """  br label %span
span:
  %s = phi i64 [ 0, %two ], [ %s.next, %span ]
  %low = phi {type} [ {greatest}, %two ], [ %lower, %span ]
  %high = phi {type} [ {least}, %two ], [ %higher, %span ]
  %e.p = getelementptr {type}, ptr %p, i64 %s
  %e = load {type}, ptr %e.p
  %lower = call {type} @llvm.{sign}min.{type}({type} %low, {type} %e)
  %higher = call {type} @llvm.{sign}max.{type}({type} %high, {type} %e)
  %s.next = add i64 %s, 1
  %is.spanned = icmp eq i64 %s.next, %n
  br i1 %is.spanned, label %spanned, label %span
spanned:
  %distance = sub {type} %higher, %lower
  %width = {to_word} %distance{as_word}
  %widest = lshr i64 -1, %bits
  %are.words = icmp ule i64 %width, %widest
  br i1 %are.words, label %words, label %fill.first
words:
  %u = phi i64 [ 0, %spanned ], [ %u.next, %words ]
  %u.p = getelementptr {type}, ptr %p, i64 %u
  %u.e = load {type}, ptr %u.p
  %u.away = sub {type} %u.e, %lower
  %u.word = {to_word} %u.away{as_word}
  %u.high = shl i64 %u.word, %bits
  %u.both = or i64 %u.high, %u
  %u.out = getelementptr i64, ptr %q, i64 %u
  store i64 %u.both, ptr %u.out
  %u.next = add i64 %u, 1
  %is.worded = icmp eq i64 %u.next, %n
  br i1 %is.worded, label %worded, label %words
worded:
  %is.sorted = call i32 @{words}(ptr %q, i64 %n, ptr null)
  %one.higher = shl i64 1, %bits
  %mask = sub i64 %one.higher, 1
  br label %unpack
unpack:
  %v.i = phi i64 [ 0, %worded ], [ %v.next, %unpack ]
  %v.p = getelementptr i64, ptr %q, i64 %v.i
  %v.word = load i64, ptr %v.p
  %v.at = and i64 %v.word, %mask
  store i64 %v.at, ptr %v.p
  %v.next = add i64 %v.i, 1
  %is.unpacked = icmp eq i64 %v.next, %n
  br i1 %is.unpacked, label %done, label %unpack"""
_OF_ORDER = {
    "llvm.umax.i64": "declare i64 @llvm.umax.i64(i64, i64)",
    "llvm.cttz.i64": "declare i64 @llvm.cttz.i64(i64, i1)",
    "calloc": "declare noalias ptr @calloc(i64, i64)",
    "free": "declare void @free(ptr)",
}
# Of two elements that are in order, a NaN has but NaNs behind it.
_TIE = "%is = icmp eq {type} %x, %y"
_TIE_OF_FLOATS = """%are.equal = fcmp oeq {type} %x, %y
  %are.nan = fcmp uno {type} %x, %x
  %is = or i1 %are.equal, %are.nan"""


def sort_in_place(code: Instructions, pointer: str, dtype: np.dtype, rows: int, length: int | str) -> None:
    """Sort each of the rows of an array, which lie one behind the other."""
    symbol = numpy_c_functions.sort_symbol(dtype)
    name = f"sort_{dtype.name}"
    kind = f"[2 x {value_type(part(dtype))}]" if dtype.kind == "c" else value_type(dtype)
    text = _SORT.format(name=name, type=kind, sort=symbol)
    if text not in code.globals:
        code.globals.append(text)
    code.declarations[symbol] = numpy_c_functions.SORT.format(symbol)
    code.act(f"call void @{name}(ptr {pointer}, i64 {rows}, i64 {length})")


def _positions_in_order(
    code: Instructions, source: str, target: str, dtype: np.dtype, rows: int, length: int | str, bits: int
) -> None:
    """Write the positions, of so many bits, that sort each of such rows, of equal elements the first one first."""
    kind, name = value_type(dtype), f"argsort_{dtype.name}"
    symbol, *others = numpy_c_functions.argsort_symbol(dtype), *map(numpy_c_functions.sort_symbol, (INT64, _WORD))
    tie, words = _TIE_OF_FLOATS.format(type=kind), _NO_WORDS
    if dtype.kind != "f":
        sign, bounds = "s" if dtype.kind == "i" else "u", np.iinfo(dtype)
        to_word, as_word = ("add i64", ", 0") if dtype.itemsize == _WORD.itemsize else (f"zext {kind}", " to i64")
        low, high = (constant(np.array(bound, dtype)) for bound in (bounds.min, bounds.max))
        tie, words = (
            _TIE.format(type=kind),
            _WORDS.format(
                type=kind, sign=sign, least=low, greatest=high, to_word=to_word, as_word=as_word, words=others[1]
            ),
        )
        for way in ("min", "max"):
            called = f"llvm.{sign}{way}.{kind}"
            code.declarations[called] = f"declare {kind} @{called}({kind}, {kind})"
    text = _ARGSORT.format(name=name, type=kind, argsort=symbol, tie=tie, words=words)
    code.globals += [part for part in (text, _PUT_IN_ORDER.format(sort=others[0])) if part not in code.globals]
    code.declarations[symbol] = numpy_c_functions.ARGSORT.format(symbol)
    code.declarations |= _OF_ORDER | {other: numpy_c_functions.SORT.format(other) for other in others}
    code.act(f"call void @{name}(ptr {source}, ptr {target}, i64 {rows}, i64 {length}, i64 {bits})")


def sorted_alone(emitter: ValueEmitter, equation: Equation, name: str) -> str:
    """The result of a sort, or of one for positions, that NumPy's functions in C make; one of the partitions, too."""
    memory, code, type, out = emitter.memory, emitter.code, equation.inputs[0].type, equation.outputs[0].type
    axis, rank = equation.params["axis"], len(type.shape)
    order = [*(i for i in range(rank) if i != axis), axis]
    row_type, is_last = ArrayType(tuple(type.shape[i] for i in order), type.dtype), axis == rank - 1
    memory.expect_whole(type.size)
    rows = name if is_last else emitter.transpose(name, type, order)
    is_values = equation.op in (sort, partition, partition_at)
    length: int | str = type.shape[axis]
    count = type.size // type.shape[axis]
    front = _front(emitter, name, type, is_values)
    if front is not None:
        rows, length = front
    if is_lazy(rows):
        (rows,) = emitter.stores.settled([rows], [row_type], memory.all_places())
    elif is_values or not is_memory(rows):
        rows = memory.copied(rows, row_type, "it is sorted") if is_memory(rows) else memory.spilled(rows, row_type)
    source = memory.place_of(rows)
    if is_values:
        sort_in_place(code, memory.pointer(source), type.dtype, count, length)
        made = source
    else:
        made = memory.place_of(memory.allocate(ArrayType(row_type.shape, out.dtype)))
        pointers, bits = (memory.pointer(source), memory.pointer(made)), (type.shape[axis] - 1).bit_length()
        _positions_in_order(code, *pointers, type.dtype, count, length, bits)
    if front is not None:
        # Behind them all are equal.
        span = Span((emitter.positions.of(front[1]), Affine(0)), (Affine(type.size),))
        with ElementLoops(emitter.arrays).counted(front[1], str(type.size), span) as index:
            at = emitter.positions.value(index)
            memory.put(made, out.dtype, at, constant(greatest(type.dtype)) if is_values else at)
    result = memory.written(made)
    if is_last:
        return result
    back = [order.index(i) for i in range(rank)]
    return emitter.transpose(result, ArrayType(row_type.shape, out.dtype), back)


def long_sort(emitter: ValueEmitter, equation: Equation, names: Sequence[str]) -> Sequence[str]:
    """The result of a sort of many elements, which NumPy makes; of a part of a vector where the rest is behind that."""
    types, outs = [x.type for x in equation.inputs], [out.type for out in equation.outputs]
    module = type(equation.op).__module__
    is_values = equation.op is sort
    front = _front(emitter, names[0], types[0], is_values) if is_values or equation.op is argsort else None
    if front is None:
        function = HostFunction(module, equation.op.name, tuple(equation.params.items()), len(types))
        return emitter.callback(function, names, types, outs)
    params = (("stable", equation.params["stable"]),) if is_values else ()
    module = module if is_values else stable_positions.__name__
    function = HostFunction(module, f"{equation.op.name}_front", params, 2)
    return emitter.callback(function, front, [*types, scalar(np.dtype(np.int64))], outs)


def _front(emitter: ValueEmitter, name: str, type: ArrayType, moves: bool) -> list[str] | None:
    """A vector with the elements at its front that are not behind all others, and their number, where that is known.

    Elsewhere than at its front they are only where they may be moved.
    """
    update = emitter.arrays.of(name, type).update if is_lazy(name) else None
    if update is None or len(type.shape) != 1 or update.axes != (Axis(Affine(0), 1, 0),):
        return None
    span = update.region.get(0)
    if span is None or span.step is not None or update.base.uniform != constant(greatest(type.dtype)):
        return None
    code, positions = emitter.code, emitter.positions
    first, end = positions.first(span), positions.end(span)
    if first != "0" and not moves:
        return None
    count = code.call("llvm.smax.i64", "i64", "i64", code.add("sub", "i64", end, first), "0")
    axes = (Axis(positions.of(first).times(-1), 1, 0),)
    moved = emitter.arrays.updated(Update(emitter.arrays.undefined(type), axes, update.value, update.region))
    return [emitter.arrays.name(moved), count]
