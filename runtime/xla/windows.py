"""Windows: large arguments that a program reads where they are, at addresses that XLA does not take.

XLA takes memory that begins at a multiple of 64 bytes. NumPy's arrays begin at any multiple of 16, and views at any
element. So the program gets the buffer that begins with the line of 64 bytes in which the array begins, and where in it
that is. Fused into the loop that reads the array, the slice costs nothing. Other uses would make a copy of it first: an
argument that has one keeps its type, and is copied for a call where XLA does not take it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from anabranch.runtime._jaxlib import bindings
from anabranch.runtime.host.buffer_types import BufferType, window_type
from anabranch.runtime.host.staging import may_have_window

# With more uses than this the slices would make the program long.
_MOST_USES = 32

# Reductions over more elements than this become windowed ones, into which XLA fuses nothing.
_MOST_REDUCED = 32

# XLA fuses these with what makes their operands: they read each element by itself,
_ELEMENTWISE = set(
    "abs add and atan2 bitcast_convert cbrt ceil clamp compare complex convert cosine count_leading_zeros divide "  # noqa: SIM905
    "exponential exponential_minus_one floor imag is_finite log log_plus_one logistic maximum minimum multiply negate "
    "not or popcnt power real reduce_precision remainder round_nearest_afz round_nearest_even rsqrt select shift_left "
    "shift_right_arithmetic shift_right_logical sign sine sqrt subtract tan tanh xor".split()
)
# or read some of them, or put them elsewhere,
_MOVING = {"concatenate", "dynamic_slice", "dynamic_update_slice", "pad", "slice"}
# or are nothing by themselves: what uses their results is fused with them.
_TRANSPARENT = {"broadcast_in_dim", "optimization_barrier", "reshape", "reverse", "transpose"}
# What is read in these is read in place; all that a loop reads is read in each step.
_BRANCHES = {"stablehlo.case", "stablehlo.if"}


def read_in_place(function: Any, inputs: Sequence[BufferType]) -> dict[int, str | None]:
    """The large arguments of `main`, each with the name of an op that takes all of it at once, if there is one."""
    block = function.regions[0].blocks[0]
    found: dict[int, str | None] = {}
    for index, kind in enumerate(inputs):
        if may_have_window(kind):
            uses = list(block.arguments[index].uses)
            hindrances = (hindrance(use, function) for use in uses[:_MOST_USES])
            found[index] = next(filter(None, hindrances), "many ops" if len(uses) > _MOST_USES else None)
    return found


def windows_of(function: Any, inputs: Sequence[BufferType]) -> tuple[int, ...]:
    """The arguments of `main` that get windows: each stands here once for each of its uses, and one without at all."""
    found: list[int] = []
    for index, name in read_in_place(function, inputs).items():
        if name is None:
            found += [index] * max(1, len(list(function.regions[0].blocks[0].arguments[index].uses)))
    return tuple(found)


def hindrance(use: Any, function: Any) -> str | None:
    """The name of the op for which XLA would copy a slice that is used here, if there is one."""
    op = use.owner.operation
    around = op.parent
    while around.name in _BRANCHES:
        around = around.parent
    if around != function:
        return _name(around)
    name = _name(op)
    if name in _ELEMENTWISE or name in _MOVING or op.name == "func.return":
        return None
    if name in _TRANSPARENT and len(op.results) == 1:
        return next((found for after in op.results[0].uses if (found := hindrance(after, function))), None)
    if (name == "reduce" and _is_fused(op)) or (name == "while" and _is_changed(op, use.operand_number)):
        return None
    return name


def _name(op: Any) -> str:
    """The name of an op without its dialect's."""
    return str(op.name.rpartition(".")[2])


def _is_changed(loop: Any, number: int) -> bool:
    """Return whether the steps of a loop change what it begins with: XLA copies that in any case."""
    uses = list(loop.regions[1].blocks[0].arguments[number].uses)
    kept = [use for use in uses if use.operand_number == number and _name(use.owner.operation) == "return"]
    return not any(use.owner.operation.parent == loop for use in kept)


def _is_fused(reduction: Any) -> bool:
    """Return whether XLA computes a reduction in one loop with its operand."""
    shape = list(bindings().ir.RankedTensorType(reduction.operands[0].type).shape)
    axes = list(reduction.attributes["dimensions"])
    longest = [axis for axis, size in enumerate(shape) if size > 1]
    return longest[:1] != axes[:1] and math.prod(shape[axis] for axis in axes) <= _MOST_REDUCED


def add_windows(function: Any, inputs: Sequence[BufferType], windows: Sequence[int]) -> None:
    """Let `main` take windows of these arguments, and where in them the arguments begin after all its arguments."""
    ir = bindings().ir
    block, kind = function.regions[0].blocks[0], function.attributes["function_type"].value
    types = list(kind.inputs)
    with ir.Location.unknown():
        offset = ir.RankedTensorType.get([], ir.IntegerType.get_signless(32))
        types.append(ir.RankedTensorType.get([len(windows)], offset.element_type))
        offsets = block.add_argument(types[-1], ir.Location.unknown())
        for index in sorted(set(windows)):
            argument, tensor = block.arguments[index], ir.RankedTensorType(types[index])
            uses = list(argument.uses)
            types[index] = ir.RankedTensorType.get(window_type(inputs[index]).shape, tensor.element_type)
            argument.set_type(types[index])
            # XLA makes one of equal slices, and a function of one that is used at several places of a loop, in which
            # LLVM loads the offset at each step and vectorises nothing. So each use has an offset of its own.
            for place, use in zip((k for k, other in enumerate(windows) if other == index), uses, strict=False):
                with ir.InsertionPoint(use.owner):
                    use.owner.operands[use.operand_number] = _begun(argument, tensor, offsets, offset, place)
    function.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(types, kind.results))
    given = function.attributes.get("arg_attrs") or [ir.DictAttr.get({}) for _ in kind.inputs]
    function.attributes["arg_attrs"] = ir.ArrayAttr.get([*given, ir.DictAttr.get({})])


def _begun(window: Any, tensor: Any, offsets: Any, offset: Any, place: int) -> Any:
    """The array that begins in a window at the offset that stands in this place."""
    ir = bindings().ir

    def op(name: str, operands: list[Any], result: Any, **attributes: int) -> Any:
        numbers = {key: ir.DenseI64ArrayAttr.get([value]) for key, value in attributes.items()}
        return ir.Operation.create(f"stablehlo.{name}", [result], operands, numbers).result

    one = ir.RankedTensorType.get([1], offset.element_type)
    size = math.prod(tensor.shape)
    start = op("slice", [offsets], one, start_indices=place, limit_indices=place + 1, strides=1)
    start = op("reshape", [start], offset)
    flat = ir.RankedTensorType.get([size], tensor.element_type)
    return op("reshape", [op("dynamic_slice", [window, start], flat, slice_sizes=size)], tensor)
