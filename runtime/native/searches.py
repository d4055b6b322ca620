"""Searches of sorted lines in memory: each begins where the one before has ended, as values are often in order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.program import Equation
from anabranch.runtime.native.affine import Affine, Span
from anabranch.runtime.native.element_loops import ElementLoops, check_size
from anabranch.runtime.native.instructions import Instructions
from anabranch.runtime.native.llvm_types import NotNativeError, value_type
from anabranch.runtime.native.value_emitter import ValueEmitter
from anabranch.runtime.native.values import is_lazy, is_memory, packed
from anabranch.runtime.passes.sealed_loops import MOST_ELEMENTS

_INT64 = np.dtype(np.int64)
# The operations that a search takes.
_WORK = 2**7
# Where a search takes no more steps, one near the hint is guessed too often.
_FEW_STEPS = 8
# Values in order lie beside the hint. Where one does not, the line is halved in the same number of steps as for others,
# without branches, which the processor would have to guess: so it makes several searches at once.
_SEARCH = """
define internal i64 @{name}(ptr %a, i64 %n, {type} %w, i64 %hint) nounwind {{
entry:
  %is.line = icmp sgt i64 %n, 0
  %highest = sub i64 %n, 8
  %is.long = icmp sgt i64 %highest, 0
  br i1 %is.long, label %look, label %far
look:
  %is.high = icmp sgt i64 %hint, %highest
  %most = select i1 %is.high, i64 %highest, i64 %hint, !unpredictable !11
  %is.low = icmp slt i64 %most, 1
  %h = select i1 %is.low, i64 1, i64 %most, !unpredictable !11
  %behind = call i1 @{name}at(ptr %a, i64 %h, i64 -1, {type} %w)
  %above = call i1 @{name}at(ptr %a, i64 %h, i64 0, {type} %w)
  %is.here = xor i1 %above, true
  %is.same = and i1 %behind, %is.here
  br i1 %is.same, label %same, label %beyond, !unpredictable !11
same:
  ret i64 %h
beyond:
  %far.above = call i1 @{name}at(ptr %a, i64 %h, i64 7, {type} %w)
  %is.ahead = xor i1 %far.above, true
  %is.around = and i1 %behind, %is.ahead
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
{halving}
  %low.is = call i1 @{name}at(ptr %a, i64 %low{steps}, i64 0, {type} %w)
  %is.one = and i1 %low.is, %is.line
  %rest = zext i1 %is.one to i64
  %found = add i64 %low{steps}, %rest
  ret i64 %found
}}
define internal i1 @{name}at(ptr %a, i64 %i, i64 %by, {type} %w) alwaysinline nounwind {{
  %at = add i64 %i, %by
  %p = getelementptr {type}, ptr %a, i64 %at
  %x = load {type}, ptr %p
  %is = call i1 @{name}before({type} %x, {type} %w)
  ret i1 %is
}}
define internal i1 @{name}before({type} %x, {type} %w) alwaysinline nounwind {{
  %is = {before}
  ret i1 %is
}}
"""
# A step, in which half of the places are left; where there is one, nothing changes.
_HALVING = """  %half{k} = lshr i64 %size{k}, 1
  %size{next} = sub i64 %size{k}, %half{k}
  %some{k} = call i64 @llvm.smax.i64(i64 %half{k}, i64 1)
  %away{k} = sub i64 %some{k}, 1
  %at{k} = add i64 %low{k}, %away{k}
  %p{k} = getelementptr {type}, ptr %a, i64 %at{k}
  %x{k} = load {type}, ptr %p{k}
  %is{k} = call i1 @{name}before({type} %x{k}, {type} %w)
  %middle{k} = add i64 %low{k}, %half{k}
  %low{next} = select i1 %is{k}, i64 %middle{k}, i64 %low{k}, !unpredictable !11"""
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
        memory.put(hint, _INT64, "0", "0")
        end = code.add("add", "i64", first, length)
        span = Span((positions.of(first), Affine(0)), (positions.of(end), Affine(out.size)))
        with loops.counted(first, end, span) as index:
            element = arrays.element(value, [index])
            begin = memory.load(memory.name(hint), _INT64, "0")
            found = code.emit(f"call i64 @{function}(ptr {pointer}, i64 {numbers}, {kind} {element}, i64 {begin})")
            memory.put(hint, _INT64, "0", found)
            if line_type.dtype.kind == "f" and equation.params["right"]:
                is_nan = code.add("fcmp uno", kind, element, element)
                found = code.emit(f"select i1 {is_nan}, i64 {count}, i64 {found}")
            memory.put(made, _INT64, positions.value(index), found)
    result = memory.written(made)
    return result if out.size > MOST_ELEMENTS else packed(memory.whole(result, out))


def _function(code: Instructions, line: ArrayType, right: bool) -> str:
    """The name of the function that searches for one value."""
    kind, steps = value_type(line.dtype), (line.size - 1).bit_length()
    name = f"search{steps}{line.dtype.name}{'right' if right else 'left'}"
    halving = ["  %low0 = add i64 0, 0", "  %size0 = call i64 @llvm.smax.i64(i64 %n, i64 1)"]
    halving += [_HALVING.format(k=k, next=k + 1, type=kind, name=name) for k in range(steps)]
    before, near = _BEFORE[line.dtype.kind, right].format(type=kind), "true" if steps > _FEW_STEPS else "false"
    return _defined(
        code, name, _SEARCH, type=kind, before=before, halving="\n".join(halving), steps=steps, has_near=near
    )


def _defined(code: Instructions, name: str, text: str, **parts: object) -> str:
    """The name of a function, whose text is among the module's."""
    text = text.format(name=name, **parts)
    if text not in code.globals:
        code.globals.append(text)
    return name
