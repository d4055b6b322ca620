"""A whole Program as one function of machine code, which Python calls without XLA."""

from __future__ import annotations

import hashlib
import math
import types
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from anabranch.base.deep_stack import deep
from anabranch.runtime.host import blas
from anabranch.runtime.host.buffer_types import BufferType, buffer_type
from anabranch.runtime.host.callbacks import NativeCallback
from anabranch.runtime.host.machine_code import HAS_THREADS, NativeOptions
from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.program import Equation, Program
from anabranch.runtime.native.array_loops import is_accumulation, is_scatter
from anabranch.runtime.native.caller_arrays import InputLayout, Output, Outputs, input_layouts, with_input_layouts
from anabranch.runtime.native.durations import most_work
from anabranch.runtime.native.emitter import NativeEmitter
from anabranch.runtime.native.failures import FailureValues
from anabranch.runtime.native.guarded_writes import guarded
from anabranch.runtime.native.host_calls import HostCalls
from anabranch.runtime.native.instructions import Instructions
from anabranch.runtime.native.joined_tests import with_joined_tests
from anabranch.runtime.native.known_values import KnownValues
from anabranch.runtime.native.library_products import LETTERS
from anabranch.runtime.native.library_ufuncs import is_quick, takes_whole
from anabranch.runtime.native.linear_algebra import is_linear_algebra
from anabranch.runtime.native.llvm_types import NotNativeError, is_memory
from anabranch.runtime.native.memory import MOST_WHOLE, Memory
from anabranch.runtime.native.obstacles import sorts_alone
from anabranch.runtime.native.python_entry import RETURNED, Lock, PythonEntry, is_kept
from anabranch.runtime.native.signals import Signals
from anabranch.runtime.native.sunk_transposes import with_sunk_transposes
from anabranch.runtime.native.wrapped_ends import with_wrapped_ends
from anabranch.runtime.ops.dot_general import Contraction, dot_general
from anabranch.runtime.ops.indexing import gather
from anabranch.runtime.ops.op import PartOp
from anabranch.runtime.ops.shape import concatenate
from anabranch.runtime.ops.structured import Branches, Loop, has_loops
from anabranch.runtime.ops.vector_functions import is_faster
from anabranch.runtime.passes.range_analysis import value_ranges
from anabranch.runtime.passes.sealed_loops import MOST_ELEMENTS

# What takes LLVM long: so many lines take about a second.
_MOST_LINES = 20_000
# How many operations on elements of arrays as wholes take no longer than XLA takes with its call, and what a function
# of a mathematical library counts, which XLA computes on several elements at once.
_MOST_WORK, _LIBRARYS_WORK = 2**21, 256
# Rows of so many elements are short, and XLA makes one row of several: it takes less time for so many operations, in
# all and in one step of a loop.
_NARROW, _MOST_NARROW, _MOST_NARROW_IN_STEP = 16, 2**20, 2**17
# How many of them take as long as XLA's update of one element at a place that an array says, of which it makes one
# after the other, in five times the time that machine code takes, or as its accumulation of one.
_UPDATES_WORK = 16
# How many multiplications of a library's product take as long as an operation on elements, and what XLA's threads,
# which wait beside it, take from it.
_PRODUCTS_IN_TURN = 16
# How many multiplications of a product, updates, operations, or sorted elements take so long that other threads may run
# meanwhile. A process that forks while a thread is in BLAS may hang, as with NumPy: a thread that forks has Python's
# lock.
_LONG_PRODUCT, _LONG_UPDATE, _LONG_WORK, _LONG_FACTORING, _LONG_SORT = 2**22, 2**16, 2**18, 2**12, 2**13
# How many operations without a loop take so long that signals are to be answered meanwhile.
_VERY_LONG_WORK = 2**30
_NONE: Mapping[int, int] = types.MappingProxyType({})
_NO_STRIDES: Mapping[int, tuple[int, ...]] = types.MappingProxyType({})
_NO_LAYOUTS: Mapping[int, InputLayout] = types.MappingProxyType({})
# Of all arrays that are no results.
_MOST_BYTES_ON_STACK = 2**16


class NativeProgram(NamedTuple):
    """The function of a Program."""

    name: str  # it depends on the code alone
    llvm: str  # the code as a module of LLVM's in text
    inputs: tuple[BufferType, ...]  # what it takes first: the Program's inputs
    arrays: tuple[BufferType, ...]  # what it takes after them: arrays of any contents, which it writes to
    numbers: tuple[BufferType, ...]  # what it returns
    # The inputs that these arrays begin as copies of; such an input itself may be given in place of one.
    begins: tuple[int | None, ...]
    outputs: tuple[int, ...]  # the Program's outputs among these arrays and numbers
    # The functions of this process that it calls. It takes the tuple of them as its last argument, if there are any.
    callbacks: tuple[NativeCallback, ...] = ()
    is_guarded: bool = False  # where it fails it has not written to such an input that is given itself
    layouts: Mapping[int, InputLayout] = _NO_LAYOUTS  # the inputs that it takes in another layout than C order


def native_program(
    program: Program,
    options: NativeOptions,
    contents: Mapping[int, int] = _NONE,
    strides: Mapping[int, tuple[int, ...]] = _NO_STRIDES,
) -> NativeProgram | None:
    """The function of a Program; None where it has no native form, or one that XLA's is better than.

    `contents` says of which inputs some outputs are the new contents, `strides` how some lie in memory.
    """
    layouts = input_layouts(program, strides)
    program = with_input_layouts(program, layouts)
    try:
        with deep():
            code = Instructions(options.fastmath, options.threads)
            return build(with_sunk_transposes(program), code, NativeEmitter, contents, layouts)
    except NotNativeError:
        return None


def build(
    program: Program,
    code: Instructions,
    kind: type[NativeEmitter],
    contents: Mapping[int, int] = _NONE,
    layouts: Mapping[int, InputLayout] = _NO_LAYOUTS,
) -> NativeProgram:
    """The function of a Program, written as `code` by an emitter of this kind.

    New contents of an input are computed in its place, where nothing fails or asks for what it held after that. Raises
    `NotNativeError` where it has no native form, or XLA's is better.
    """
    if not all(type.size for type in program.out_types):
        raise NotNativeError("an array without elements")
    program = with_joined_tests(with_wrapped_ends(program))
    ranges = value_ranges(program)
    memory = Memory(code, KnownValues(ranges), _most_whole(program))
    operands = [memory.operand(type) for type in program.in_types]
    work = most_work(program, ranges)
    is_long = work > (_LONG_WORK if has_loops(program.equations) else _VERY_LONG_WORK)
    signals = Signals(code) if is_long else None
    host_calls = HostCalls(code)
    written = guarded(program)
    is_guarded, program = written is not None, written or program
    emitter = kind(code, memory, FailureValues(program), signals, host_calls)
    names, may_fail = emitter.program(program, operands), bool(program.outputs[program.groups.failures])
    wanted = {
        names[k]: memory.number(operands[i])
        for k, i in contents.items()
        if is_memory(operands[i])
        and program.out_types[k] == program.in_types[i]
        and names.count(names[k]) == 1
        and (is_kept(program.in_types[i].nbytes) or not may_fail)
    }
    results = emitter.stores.settled(names, program.out_types, (), wanted=wanted)
    own = [_own(memory, name, type, operands) for name, type in zip(results, program.out_types, strict=True)]
    settled = Outputs(memory, operands, program.in_types, own, program.out_types)
    code.act("ret void")
    if code.may_stop:
        raise NotNativeError("a progress bar")
    arrays = _passed(code, settled)
    lines = len(code.lines) + code.shares.count()
    if lines > _MOST_LINES:
        raise NotNativeError(f"a function of {lines} lines")
    places = [arrays.index(settled.arrays[place]) for place in settled.places if place is not None]
    kinds = dict(zip(places, program.out_types, strict=True))
    outputs = range(len(places))
    failures = outputs[program.groups.failures]
    numbers = [places[k] for k in outputs[program.groups.results] if _is_number(program.out_types[k])]
    passed = [k for k in range(len(arrays)) if k not in numbers]
    llvm = PythonEntry(
        code,
        program.in_types,
        arrays,
        passed=passed,
        numbers=numbers,
        error_code=places[failures[0]] if failures else None,
        lock=_lock(program, signals, host_calls),
        calls_back=bool(host_calls.callbacks),
        layouts=layouts,
    ).module()
    return NativeProgram(
        f"anabranch_program_{hashlib.sha256(llvm.encode()).hexdigest()[:24]}",
        llvm,
        tuple([_buffer(type, layouts.get(i)) for i, type in enumerate(program.in_types)]),
        tuple([_buffer(kinds.get(k, arrays[k].type)) for k in passed]),
        tuple([_buffer(kinds[k]) for k in numbers]),
        tuple([arrays[k].operand for k in passed]),
        tuple(map([*passed, *numbers].index, places)),
        tuple(host_calls.callbacks),
        is_guarded and not (signals is not None and signals.are_asked_for),
        layouts,
    )


def _is_number(type: ArrayType) -> bool:
    """Return whether a result is returned as a number of Python's, which holds all that it says."""
    return not type.shape and type.dtype in RETURNED


def _most_whole(program: Program) -> float:
    """The most elements of an array that is computed as a whole.

    Raises `NotNativeError` where XLA is better at the Program.
    """
    if sum(_array_work(program, _is_narrow)) > _MOST_NARROW or _narrow_steps(program) > _MOST_NARROW_IN_STEP:
        raise NotNativeError("operations on many elements of short rows of arrays")
    sizes, own = _array_work(program), _own_work(program)
    # What stands in loops is not among them.
    if own and not has_loops(program.equations) and sum(sizes) <= own:
        return math.inf
    most: float = max(MOST_WHOLE, _steps_product(program))
    if HAS_THREADS:
        most, sizes = math.inf, _long_work(program)
    if sum(sizes) > _MOST_WORK or max(sizes, default=0) > most:
        raise NotNativeError(f"{sum(sizes)} operations on elements of arrays as wholes")
    return most


def _steps_product(program: Program, is_step: bool = False) -> int:
    """How many operations on elements take as long as the largest product that a loop makes in each step.

    Where no array has more elements, the products take the time, and XLA's threads would not help with these.
    """
    found = 0
    for equation in program.equations:
        if is_step and _is_librarys(equation):
            contraction = Contraction.of(equation)
            # A product with a vector takes as long as reading the matrix.
            size = max(atom.type.size for atom in equation.inputs)
            found = max(found, size, contraction.work * math.prod(contraction.stack) // _PRODUCTS_IN_TURN)
        is_inside = is_step or isinstance(equation.op, Loop)
        found = max(found, *(_steps_product(inner, is_inside) for inner in equation.programs()), 0)
    return found


def _is_librarys(equation: Equation) -> bool:
    """Return whether a library makes a product."""
    return equation.op is dot_general and equation.outputs[0].type.dtype.char in LETTERS and blas.is_there()


def _own_work(program: Program) -> int:
    """How many operations on elements take as long as what machine code alone does better, outside of loops."""
    found = 0
    for equation in program.equations:
        if isinstance(equation.op, Branches):
            found += sum(map(_own_work, equation.programs()))
        elif is_scatter(equation):
            found += _UPDATES_WORK * equation.inputs[2].type.size
        elif is_accumulation(equation):
            found += _UPDATES_WORK * equation.outputs[0].type.size
        elif _is_librarys(equation):
            contraction = Contraction.of(equation)
            found += contraction.work * math.prod(contraction.stack) // _PRODUCTS_IN_TURN
    return found


def _narrow_steps(program: Program) -> int:
    """The most operations on elements of short rows that a step of a loop makes."""
    found = 0
    for equation in program.equations:
        for inner in equation.programs():
            step = sum(_array_work(inner, _is_narrow)) if isinstance(equation.op, Loop) else 0
            found = max(found, step, _narrow_steps(inner))
    return found


def _is_narrow(equation: Equation) -> bool:
    """Return whether what an equation makes or reads are stacks of rows so short that each is a loop of few steps."""
    if equation.op.is_elementwise and len({atom.type.shape for atom in (*equation.inputs, *equation.outputs)}) == 1:
        return False
    atoms = [*equation.inputs, *equation.outputs]
    if equation.op is gather:
        del atoms[1]  # the parts of each position are computed where it is asked for
    # An axis of one element is no loop.
    shapes = [[n for n in atom.type.shape if n != 1] for atom in atoms]
    return any(len(shape) > 2 and shape[-1] <= _NARROW for shape in shapes)


def _long_work(program: Program) -> list[int]:
    """Those of `_array_work` that XLA does in less time than several threads of machine code's own.

    There is none beside what XLA would call NumPy for: it computes what is needed before and after that twice.
    """
    if any(is_faster(equation.op.name, equation.inputs[0].type) for equation in program.equations if equation.inputs):
        return []
    return _array_work(program, lambda equation: takes_whole(equation) and not is_quick(equation))


def _array_work(program: Program, counts: Callable[[Equation], bool] = lambda _: True) -> list[int]:
    """The numbers of operations outside of loops on elements of arrays as wholes, which XLA does on all processors."""
    found: list[int] = []
    multiplied = {atom for equation in program.equations if equation.op is dot_general for atom in equation.inputs}
    positions = {equation.inputs[1] for equation in program.equations if equation.op is gather}
    for equation in program.equations:
        if isinstance(equation.op, Branches):
            # What only one branch does may never be done: the search for an index that is out of bounds.
            found += min([_array_work(inner, counts) for inner in equation.programs()], key=sum)
            continue
        if not counts(equation):
            continue
        # A library's products take no longer than XLA's.
        in_place = isinstance(equation.op, Loop) or equation.op.update is not None or equation.op.is_view
        in_place = in_place or equation.op is dot_general
        in_place = in_place or (equation.op is concatenate and equation.outputs[0] in positions)
        # They read parts of arrays where they are.
        in_place = in_place or (isinstance(equation.op, PartOp) and equation.outputs[0] in multiplied)
        if not in_place and any(a.type.size > 1 for a in equation.inputs):
            read = () if isinstance(equation.op, PartOp) else equation.inputs
            size = max(x.type.size for x in (*read, *equation.outputs))
            if size > MOST_ELEMENTS:
                found += [size] * (_LIBRARYS_WORK if takes_whole(equation) else 1)
    return found


def _own(memory: Memory, name: str, type: ArrayType, operands: Sequence[str]) -> str:
    """The name of a result that is no operand: those are the caller's."""
    is_operand = is_memory(name) and memory.number(name) < len(operands)
    is_callers = is_operand and memory.is_current(operands[memory.number(name)])
    return memory.copied(name, type, "it is a result") if is_callers else name


def _passed(code: Instructions, settled: Outputs) -> list[Output]:
    """The arrays that a call passes: small ones that are no results are on the stack, as far as that is bounded."""
    passed, used = [], 0
    for place, array in enumerate(settled.arrays):
        used += array.type.nbytes
        if place in settled.places or array.operand is not None or used > _MOST_BYTES_ON_STACK:
            passed.append(array)
            used -= array.type.nbytes
        else:
            code.reserved.append(f"  {array.pointer} = alloca [{array.type.nbytes} x i8], align 64")
    return passed


def _lock(program: Program, signals: Signals | None, host_calls: HostCalls) -> Lock:
    if host_calls.callbacks and (signals is None or not signals.are_asked_for):
        return Lock.HELD
    if signals is not None:
        return Lock.ASKED_FOR if signals.are_asked_for else Lock.FREE
    return Lock.FREE if _takes_long(program) else Lock.HELD


def _takes_long(program: Program) -> bool:
    """Return whether what stands outside of loops may take longer than another thread should wait."""
    if any(map(_is_long, program.equations)):
        return True
    multiplies = any(equation.op is dot_general for equation in program.equations)
    return not multiplies and sum(_array_work(program)) >= _LONG_WORK


def _is_long(equation: Equation) -> bool:
    if equation.op is dot_general:
        return Contraction.of(equation).work >= _LONG_PRODUCT
    if is_linear_algebra(equation):
        return equation.inputs[0].type.size >= _LONG_FACTORING
    if sorts_alone(equation):
        return equation.inputs[0].type.size >= _LONG_SORT
    return equation.op.update is not None and equation.inputs[equation.op.update].type.size >= _LONG_UPDATE


def _buffer(type: ArrayType, layout: InputLayout | None = None) -> BufferType:
    return buffer_type(type.shape if layout is None else layout.shape, type.dtype)
