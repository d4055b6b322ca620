"""Searches of sorted lines in memory: each begins where the one before has ended, as values are often in order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anabranch.runtime.ir.program import Equation
from anabranch.runtime.native.affine import Affine, Span
from anabranch.runtime.native.element_loops import ElementLoops, check_size, work_of
from anabranch.runtime.native.instructions import Instructions
from anabranch.runtime.native.llvm_types import NotNativeError, value_type
from anabranch.runtime.native.value_emitter import ValueEmitter
from anabranch.runtime.native.values import is_lazy, is_memory, packed
from anabranch.runtime.passes.sealed_loops import MOST_ELEMENTS

_INT64 = np.dtype(np.int64)
# The operations that a search takes.
_WORK = 2**7
# Where the value is among the elements beside the hint, only these are searched.
_SEARCH = """
define internal i64 @{name}(ptr %a, i64 %n, {type} %w, i64 %hint) noinline nounwind {{
entry:
  %is.first = icmp eq i64 %hint, 0
  br i1 %is.first, label %after, label %look
look:
  %last.at = sub i64 %hint, 1
  %last.p = getelementptr {type}, ptr %a, i64 %last.at
  %last = load {type}, ptr %last.p
  %last.is = call i1 @{name}before({type} %last, {type} %w)
  br i1 %last.is, label %after, label %before
after:
  %is.end = icmp sge i64 %hint, %n
  br i1 %is.end, label %same, label %here
here:
  %here.p = getelementptr {type}, ptr %a, i64 %hint
  %here.x = load {type}, ptr %here.p
  %here.is = call i1 @{name}before({type} %here.x, {type} %w)
  br i1 %here.is, label %further, label %same
same:
  ret i64 %hint
further:
  %next = add i64 %hint, 1
  %left = sub i64 %n, %next
  %is.long = icmp sgt i64 %left, 16
  br i1 %is.long, label %near.after, label %search
near.after:
  %above.at = add i64 %hint, 3
  %above.p = getelementptr {type}, ptr %a, i64 %above.at
  %above = load {type}, ptr %above.p
  %above.is = call i1 @{name}before({type} %above, {type} %w)
  %above.left = select i1 %above.is, i64 %left, i64 2
  br label %search
before:
  %is.far = icmp sgt i64 %hint, 17
  br i1 %is.far, label %near.before, label %search
near.before:
  %below.at = sub i64 %hint, 17
  %below.p = getelementptr {type}, ptr %a, i64 %below.at
  %below = load {type}, ptr %below.p
  %below.is = call i1 @{name}before({type} %below, {type} %w)
  %below.first = sub i64 %hint, 16
  %below.start = select i1 %below.is, i64 %below.first, i64 0
  %below.left = sub i64 %hint, %below.start
  br label %search
search:
  %first = phi i64 [ %next, %further ], [ %next, %near.after ], [ 0, %before ], [ %below.start, %near.before ]
  %length = phi i64 [ %left, %further ], [ %above.left, %near.after ], [ %hint, %before ], [ %below.left, %near.before ]
  br label %halve
halve:
  %base = phi i64 [ %first, %search ], [ %base.next, %probe ]
  %size = phi i64 [ %length, %search ], [ %size.next, %probe ]
  %is.left = icmp sgt i64 %size, 0
  br i1 %is.left, label %probe, label %done
probe:
  %more = add i64 %size, 1
  %half = lshr i64 %more, 1
  %end = add i64 %base, %half
  %at = sub i64 %end, 1
  %p = getelementptr {type}, ptr %a, i64 %at
  %x = load {type}, ptr %p
  %is = call i1 @{name}before({type} %x, {type} %w)
  %base.next = select i1 %is, i64 %end, i64 %base
  %less = sub i64 %half, 1
  %rest = sub i64 %size, %half
  %size.next = select i1 %is, i64 %rest, i64 %less
  br label %halve
done:
  ret i64 %base
}}
define internal i1 @{name}before({type} %x, {type} %w) alwaysinline nounwind {{
{before}
}}
"""
# Whether an element comes before a value: it is less, or no greater. NaN is greater than every number.
_BEFORE = {
    ("i", False): "  %is = icmp slt {type} %x, %w\n  ret i1 %is",
    ("i", True): "  %is = icmp sle {type} %x, %w\n  ret i1 %is",
    ("u", False): "  %is = icmp ult {type} %x, %w\n  ret i1 %is",
    ("u", True): "  %is = icmp ule {type} %x, %w\n  ret i1 %is",
    ("f", False): """  %less = fcmp olt {type} %x, %w
  %nan = fcmp uno {type} %w, %w
  %number = fcmp ord {type} %x, %x
  %behind = and i1 %nan, %number
  %is = or i1 %less, %behind
  ret i1 %is""",
    ("f", True): """  %less = fcmp olt {type} %w, %x
  %nan = fcmp uno {type} %x, %x
  %number = fcmp ord {type} %w, %w
  %behind = and i1 %nan, %number
  %above = or i1 %less, %behind
  %is = xor i1 %above, true
  ret i1 %is""",
}


def searched(emitter: ValueEmitter, equation: Equation, names: Sequence[str]) -> str:
    """The result of a `search_sorted`, in memory of its own."""
    memory, arrays, positions, code = emitter.memory, emitter.arrays, emitter.positions, emitter.code
    (line_type, type, _), out = [atom.type for atom in equation.inputs], equation.outputs[0].type
    if line_type.dtype.itemsize < 4 and line_type.dtype.kind == "f":
        raise NotNativeError(f"a search in {line_type}")
    function = _function(code, line_type.dtype, equation.params["right"])
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
    loops = ElementLoops(arrays)
    with loops.parts(out.size, work_of(value) + _WORK) as (first, length):
        hint = memory.place_of(memory.add(code.reserve("[8 x i8]")))
        memory.put(hint, _INT64, "0", "0")
        end = code.add("add", "i64", first, length)
        span = Span((positions.of(first), Affine(0)), (positions.of(end), Affine(out.size)))
        with loops.counted(first, end, span) as index:
            element = arrays.element(value, [index])
            kind = value_type(line_type.dtype)
            begin = memory.load(memory.name(hint), _INT64, "0")
            pointer = memory.pointer(memory.place_of(line))
            found = code.emit(f"call i64 @{function}(ptr {pointer}, i64 {count}, {kind} {element}, i64 {begin})")
            memory.put(hint, _INT64, "0", found)
            memory.put(made, _INT64, positions.value(index), found)
    result = memory.written(made)
    return result if out.size > MOST_ELEMENTS else packed(memory.whole(result, out))


def _function(code: Instructions, dtype: np.dtype, right: bool) -> str:
    """The name of the function that searches for one value."""
    name = f"search{dtype.name}{'right' if right else 'left'}"
    kind = value_type(dtype)
    text = _SEARCH.format(name=name, type=kind, before=_BEFORE[dtype.kind, right].format(type=kind))
    if text not in code.globals:
        code.globals.append(text)
    return name
