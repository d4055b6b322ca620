"""Searches of sorted lines in memory, for many values at a time.

Values are often in order: each search begins where the one before has ended. Where the first of eight does not lie near
there, the line is halved for all eight at once, so that the processor need not wait for each element that it looks at.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.program import Equation
from anabranch.runtime.native.affine import Affine, Span
from anabranch.runtime.native.element_loops import ElementLoops, check_size
from anabranch.runtime.native.instructions import Instructions
from anabranch.runtime.native.llvm_types import NotNativeError, is_lazy, is_memory, packed, value_type
from anabranch.runtime.native.value_emitter import ValueEmitter
from anabranch.runtime.passes.sealed_loops import MOST_ELEMENTS

_INT64 = np.dtype(np.int64)
# The operations that a search takes.
_WORK = 2**7
# Where a search takes no more steps, one near the hint is guessed too often.
_FEW_STEPS = 8
# How many values are computed before they are searched for.
_CHUNK = 256
_TOGETHER = range(8)
# Values in order lie beside the hint. Where one does not, the line is halved in the same number of steps as for others,
# without branches, which the processor would have to guess.
_SEARCH = """
define internal i64 @{name}(ptr noalias %a, i64 %n, i64 %count, ptr noalias %values, i64 %m, ptr noalias %out,
    i64 %hint) noinline nounwind optsize {{
entry:
  %places = alloca [8 x i64], align 64
  %last = sub i64 %m, 1
  %is.line = icmp sgt i64 %n, 0
  %longest = call i64 @llvm.smax.i64(i64 %n, i64 1)
  br label %block
block:
  %i = phi i64 [ 0, %entry ], [ %next, %alone ]
  %h = phi i64 [ %hint, %entry ], [ %found, %alone ]
  %w.p = getelementptr {type}, ptr %values, i64 %i
  %w = load {type}, ptr %w.p
  %i.eight = add i64 %i, 8
  %end = call i64 @llvm.smin.i64(i64 %i.eight, i64 %m)
  %end.p = getelementptr {type}, ptr %values, i64 %end
  %z.p = getelementptr {type}, ptr %end.p, i64 -1
  %z = load {type}, ptr %z.p
  %is.near = call i1 @{name}near(ptr %a, i64 %n, {type} %w, i64 %h)
  %is.near.too = call i1 @{name}near(ptr %a, i64 %n, {type} %z, i64 %h)
  %are.near = or i1 %is.near.too, {has_near}
  %is.expected = and i1 %is.near, %are.near
  %is.last = icmp eq i64 %i, %last
  %is.alone = or i1 %is.expected, %is.last
  br i1 %is.alone, label %each, label %together
each:
  %j = phi i64 [ %i, %block ], [ %i, %halved ], [ %next, %put ]
  %from = phi i64 [ %h, %block ], [ %h, %halved ], [ %found, %put ]
  %v.p = getelementptr {type}, ptr %values, i64 %j
  %v = load {type}, ptr %v.p
  br i1 %is.alone, label %one, label %last.step
one:
  %found.alone = call i64 @{name}one(ptr %a, i64 %n, {type} %v, i64 %from)
  br label %put
last.step:
  %lane = sub i64 %j, %i
  %low.p = getelementptr i64, ptr %places, i64 %lane
  %low = load i64, ptr %low.p
  %low.is = call i1 @{name}at(ptr %a, i64 %low, i64 0, {type} %v)
  %is.one = and i1 %low.is, %is.line
  %rest = zext i1 %is.one to i64
  %found.low = add i64 %low, %rest
  br label %put
put:
  %found = phi i64 [ %found.alone, %one ], [ %found.low, %last.step ]
  call void @{name}put(ptr %out, i64 %j, {type} %v, i64 %found, i64 %count)
  %next = add i64 %j, 1
  %are.more = icmp slt i64 %next, %end
  br i1 %are.more, label %each, label %alone
alone:
  %is.rest = icmp slt i64 %next, %m
  br i1 %is.rest, label %block, label %done
together:
{values}
  br label %halve
halve:
  %size = phi i64 [ %longest, %together ], [ %size.next, %halve ]
{lows}
  %half = lshr i64 %size, 1
  %size.next = sub i64 %size, %half
  %some = call i64 @llvm.smax.i64(i64 %half, i64 1)
  %away = sub i64 %some, 1
  %middle.p = getelementptr {type}, ptr %a, i64 %away
{halving}
  %is.halved = icmp sgt i64 %size.next, 1
  br i1 %is.halved, label %halve, label %halved
halved:
{founds}
  br label %each
done:
  ret i64 %found
}}
define internal i1 @{name}near(ptr %a, i64 %n, {type} %w, i64 %hint) alwaysinline nounwind {{
  %highest = sub i64 %n, {reach}
  %is.long = icmp sgt i64 %highest, 0
  br i1 %is.long, label %look, label %far
look:
  %most = call i64 @llvm.smin.i64(i64 %hint, i64 %highest)
  %h = call i64 @llvm.smax.i64(i64 %most, i64 1)
  %behind = call i1 @{name}at(ptr %a, i64 %h, i64 -1, {type} %w)
  %far.above = call i1 @{name}at(ptr %a, i64 %h, i64 {away}, {type} %w)
  %is.ahead = xor i1 %far.above, true
  %is.around = and i1 %behind, %is.ahead
  ret i1 %is.around
far:
  ret i1 false
}}
define internal i64 @{name}one(ptr %a, i64 %n, {type} %w, i64 %hint) nounwind optsize {{
entry:
  %highest = sub i64 %n, {reach}
  %is.long = icmp sgt i64 %highest, 0
  br i1 %is.long, label %look, label %far
look:
  %most = call i64 @llvm.smin.i64(i64 %hint, i64 %highest)
  %h = call i64 @llvm.smax.i64(i64 %most, i64 1)
  %behind = call i1 @{name}at(ptr %a, i64 %h, i64 -1, {type} %w)
  %above = call i1 @{name}at(ptr %a, i64 %h, i64 0, {type} %w)
  %is.here = xor i1 %above, true
  %is.same = and i1 %behind, %is.here
  br i1 %is.same, label %same, label %beyond, !unpredictable !11
same:
  ret i64 %h
beyond:
  %is.around = call i1 @{name}near(ptr %a, i64 %n, {type} %w, i64 %hint)
  %is.near = and i1 %is.around, {has_near}
  br i1 %is.near, label %near, label %far, !unpredictable !11
near:
  %fourth.is = call i1 @{name}at(ptr %a, i64 %h, i64 3, {type} %w)
  %fourth = add i64 %h, 4
  %near.four = select i1 %fourth.is, i64 %fourth, i64 %h, !unpredictable !11
  %second.is = call i1 @{name}at(ptr %a, i64 %near.four, i64 1, {type} %w)
  %second = add i64 %near.four, 2
  %near.two = select i1 %second.is, i64 %second, i64 %near.four, !unpredictable !11
  %near.is = call i1 @{name}at(ptr %a, i64 %near.two, i64 0, {type} %w)
  %near.one = zext i1 %near.is to i64
  %near.found = add i64 %near.two, %near.one
  ret i64 %near.found
far:
  %is.line = icmp sgt i64 %n, 0
  %longest = call i64 @llvm.smax.i64(i64 %n, i64 1)
  br label %halve
halve:
  %size = phi i64 [ %longest, %far ], [ %size.next, %halve ]
  %low = phi i64 [ 0, %far ], [ %low.next, %halve ]
  %half = lshr i64 %size, 1
  %size.next = sub i64 %size, %half
  %some = call i64 @llvm.smax.i64(i64 %half, i64 1)
  %away = sub i64 %some, 1
  %is = call i1 @{name}at(ptr %a, i64 %low, i64 %away, {type} %w)
  %middle = add i64 %low, %half
  %low.next = select i1 %is, i64 %middle, i64 %low, !unpredictable !11
  %is.halved = icmp sgt i64 %size.next, 1
  br i1 %is.halved, label %halve, label %halved
halved:
  %low.is = call i1 @{name}at(ptr %a, i64 %low.next, i64 0, {type} %w)
  %is.one = and i1 %low.is, %is.line
  %rest = zext i1 %is.one to i64
  %found = add i64 %low.next, %rest
  ret i64 %found
}}
define internal void @{name}put(ptr %out, i64 %i, {type} %w, i64 %found, i64 %count) alwaysinline nounwind {{
  {placed}
  %p = getelementptr i64, ptr %out, i64 %i
  store i64 %place, ptr %p
  ret void
}}
define internal i1 @{name}at(ptr %a, i64 %i, i64 %by, {type} %w) alwaysinline nounwind {{
  %at = add i64 %i, %by
  %p = getelementptr {type}, ptr %a, i64 %at
  %x = load {type}, ptr %p
  %is = {before}
  ret i1 %is
}}
"""
# The parts of a search for eight values that are there for each of them. Where there are fewer, there is room for them.
_VALUES = """  %i{k} = add i64 %i, {k}
  %p{k} = getelementptr {type}, ptr %values, i64 %i{k}
  %w{k} = load {type}, ptr %p{k}"""
_LOWS = "  %low{k} = phi i64 [ 0, %together ], [ %low.next{k}, %halve ]"
# A step, in which half of the places are left; where there is one, nothing changes.
_HALVING = """  %is{k} = call i1 @{name}at(ptr %middle.p, i64 %low{k}, i64 0, {type} %w{k})
  %middle{k} = add i64 %low{k}, %half
  %low.next{k} = select i1 %is{k}, i64 %middle{k}, i64 %low{k}, !unpredictable !11"""
_FOUNDS = """  %low.p{k} = getelementptr i64, ptr %places, i64 {k}
  store i64 %low.next{k}, ptr %low.p{k}"""
# The place of a value: NaN stands behind all numbers, and to the right of that line's own.
_PLACED = "%place = add i64 %found, 0"
_PLACED_RIGHT = """%is.nan = fcmp uno {type} %w, %w
  %place = select i1 %is.nan, i64 %count, i64 %found"""
# Whether an element that is no NaN comes before a value: it is less, or no greater. NaN is greater than every number.
_BEFORE = {
    ("i", False): "icmp slt {type} %x, %w",
    ("i", True): "icmp sle {type} %x, %w",
    ("u", False): "icmp ult {type} %x, %w",
    ("u", True): "icmp ule {type} %x, %w",
    ("f", False): "fcmp ult {type} %x, %w",
    ("f", True): "fcmp ule {type} %x, %w",
}
# How many elements of a line of floats come before the NaNs at its end.
_NUMBERS = """
define internal i64 @{name}(ptr %a, i64 %n) noinline optsize nounwind {{
entry:
  br label %look
look:
  %left = phi i64 [ %n, %entry ], [ %at, %here ]
  %is.left = icmp sgt i64 %left, 0
  br i1 %is.left, label %here, label %done
here:
  %at = sub i64 %left, 1
  %p = getelementptr {type}, ptr %a, i64 %at
  %x = load {type}, ptr %p
  %is = fcmp uno {type} %x, %x
  br i1 %is, label %look, label %done
done:
  ret i64 %left
}}
"""


def searched(emitter: ValueEmitter, equation: Equation, names: Sequence[str]) -> str:
    """The result of a `search_sorted`, in memory of its own."""
    memory, arrays, positions, code = emitter.memory, emitter.arrays, emitter.positions, emitter.code
    (line_type, type, _), out = [atom.type for atom in equation.inputs], equation.outputs[0].type
    if line_type.dtype.itemsize < 4 and line_type.dtype.kind == "f":
        raise NotNativeError(f"a search in {line_type}")
    function = _function(code, line_type, equation.params["right"])
    line = names[0]
    if is_lazy(line):
        (line,) = emitter.stores.settled([line], [line_type], memory.all_places())
    elif not is_memory(line):
        line = memory.spilled(line, line_type)
    values = arrays.of(names[1], type)
    flat = arrays.flat_forms([values])
    if flat is None and len(type.shape) != 1:
        (name,) = emitter.stores.settled([names[1]], [type], memory.all_places())
        flat = [arrays.flat(arrays.of(name, type))]
    value = values if flat is None else flat[0]
    check_size(memory, value, {})
    made = memory.place_of(memory.allocate(out))
    count = code.call("llvm.smax.i64", "i64", "i64", names[2], "0")
    count = code.call("llvm.smin.i64", "i64", "i64", count, str(line_type.size))
    kind, pointer = value_type(line_type.dtype), memory.pointer(memory.place_of(line))
    numbers = count
    if line_type.dtype.kind == "f":
        counts = _defined(code, f"numbers{line_type.dtype.name}", _NUMBERS, type=kind)
        numbers = code.emit(f"call i64 @{counts}(ptr {pointer}, i64 {count})")
    loops = ElementLoops(arrays)
    with loops.parts(out.size, loops.work([value]) + _WORK) as (first, length):
        hint = memory.place_of(memory.add(code.reserve("[8 x i8]")))
        lanes = len(_TOGETHER)
        some = -(-min(_CHUNK, out.size) // lanes) * lanes * line_type.dtype.itemsize
        chunk = memory.place_of(memory.add(code.reserve(f"[{some} x i8]")))
        memory.put(hint, _INT64, "0", "0")
        end = code.add("add", "i64", first, length)
        with loops.chunks(first, end, _CHUNK) as (begin, stop):
            span = Span((positions.of(begin), Affine(0)), (positions.of(stop), Affine(out.size)))
            with loops.counted(begin, stop, span) as index:
                at = code.add("sub", "i64", positions.value(index), begin)
                memory.put(chunk, line_type.dtype, at, arrays.element(value, [index]))
            target = code.emit(f"getelementptr i64, ptr {memory.pointer(made)}, i64 {begin}")
            places = f"ptr {memory.pointer(chunk)}, i64 {code.add('sub', 'i64', stop, begin)}, ptr {target}"
            before = memory.load(memory.name(hint), _INT64, "0")
            after = code.emit(
                f"call i64 @{function}(ptr {pointer}, i64 {numbers}, i64 {count}, {places}, i64 {before})"
            )
            memory.put(hint, _INT64, "0", after)
    result = memory.written(made)
    return result if out.size > MOST_ELEMENTS else packed(memory.whole(result, out))


def _function(code: Instructions, line: ArrayType, right: bool) -> str:
    """The name of the function that searches for values."""
    kind, dtype = value_type(line.dtype), line.dtype
    is_long = (line.size - 1).bit_length() > _FEW_STEPS
    name = f"search{'long' if is_long else 'short'}{dtype.name}{'right' if right else 'left'}"
    rows = {"values": _VALUES, "lows": _LOWS, "halving": _HALVING, "founds": _FOUNDS}
    each = {key: "\n".join(row.format(k=k, name=name, type=kind) for k in _TOGETHER) for key, row in rows.items()}
    before = _BEFORE[dtype.kind, right].format(type=kind)
    placed = (_PLACED_RIGHT if right and dtype.kind == "f" else _PLACED).format(type=kind)
    # The values of a few steps are in order where the first and the last of eight lie at one place.
    has_near, reach = ("true", 8) if is_long else ("false", 1)
    code.declarations |= {f"llvm.{x}.i64": f"declare i64 @llvm.{x}.i64(i64, i64)" for x in ("smin", "smax")}
    return _defined(
        code,
        name,
        _SEARCH,
        type=kind,
        before=before,
        placed=placed,
        has_near=has_near,
        reach=reach,
        away=reach - 1,
        **each,
    )


def _defined(code: Instructions, name: str, text: str, **parts: object) -> str:
    """The name of a function, whose text is among the module's."""
    text = text.format(name=name, **parts)
    if text not in code.globals:
        code.globals.append(text)
    return name
