"""A loop nest as LLVM instructions: its equations, branches and loops.

Arrays are written in place; one that is needed as it was before a write is copied first.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Collection, Sequence

import numpy as np

from anabranch.runtime.host.callbacks import HostCallback
from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.op import Op
from anabranch.runtime.ir.program import Atom, Equation, Literal, Program, Var
from anabranch.runtime.native.array_loops import accumulated, is_accumulation, is_scatter, is_window, reduced, scattered
from anabranch.runtime.native.array_ops import is_large_update, window_of
from anabranch.runtime.native.branches import branch_results, chosen, is_plain
from anabranch.runtime.native.carries import Carry, Exits, close_carries
from anabranch.runtime.native.durations import last_way, loop_ends, work_of
from anabranch.runtime.native.failures import FailureValues
from anabranch.runtime.native.host_calls import HostCalls
from anabranch.runtime.native.independent_steps import are_shared, shared_steps
from anabranch.runtime.native.instructions import ALL_AT_ONCE, Instructions
from anabranch.runtime.native.lazy_array import pieces_of, strided_view
from anabranch.runtime.native.library_ufuncs import LibraryUfuncs, takes_whole
from anabranch.runtime.native.linear_algebra import is_linear_algebra, solved
from anabranch.runtime.native.llvm_types import NotNativeError, is_lazy, is_memory, packed, value_types
from anabranch.runtime.native.memory import Memory
from anabranch.runtime.native.memory_flow import Steps
from anabranch.runtime.native.nest import Nest
from anabranch.runtime.native.obstacles import MANY_TO_SORT, is_long_sort, sorts_alone, sorts_rows
from anabranch.runtime.native.ordering import LastUses, ordered
from anabranch.runtime.native.powers import KeptPowers
from anabranch.runtime.native.products import Products
from anabranch.runtime.native.random_draws import drawn, has_sampler
from anabranch.runtime.native.random_seeds import is_seeded, seeded
from anabranch.runtime.native.scans import is_scan, scanned
from anabranch.runtime.native.searches import searched
from anabranch.runtime.native.short_forms import short_form
from anabranch.runtime.native.signals import MOST_ALONE, MOST_OF_NEST, MOST_UNSEEN, Signals, tick
from anabranch.runtime.native.small_arrays import in_memory
from anabranch.runtime.native.sorting import long_sort, sort_in_place, sorted_alone
from anabranch.runtime.native.stored_values import least_costs
from anabranch.runtime.native.traded_arrays import Origins
from anabranch.runtime.native.transforms import transformed
from anabranch.runtime.native.true_positions import packed_positions, packs_positions
from anabranch.runtime.native.value_emitter import ValueEmitter
from anabranch.runtime.native.wrapped_ends import ends_apart
from anabranch.runtime.ops.control import For
from anabranch.runtime.ops.dot_general import dot_general
from anabranch.runtime.ops.fourier import fft
from anabranch.runtime.ops.host_callback import progress_tick
from anabranch.runtime.ops.library_ufuncs import library_ufunc
from anabranch.runtime.ops.random_draws import random_draw
from anabranch.runtime.ops.search import search_sorted
from anabranch.runtime.ops.stablehlo_text import Body, Rule, Types
from anabranch.runtime.ops.stablehlo_writer import LoweringContext
from anabranch.runtime.ops.structured import Branches, Loop
from anabranch.runtime.ops.vector_lanes import window
from anabranch.runtime.passes.sealed_loops import MOST_ELEMENTS

# From so many operations for an element on it is written to memory before others are computed from it.
_MOST_COST = 100
# The same where its parts are computed in ways of their own, each of which any of its elements may ask for: what is
# computed from a stack is so in its pieces.
_MOST_IN_PARTS = 24
# A loop in another one of so many lines in all its steps has them written out, where none is a choice: a sum of a few
# products, with which LLVM then makes vectors of steps of the loop around it.
_MOST_WRITTEN_OUT = 512


class NativeEmitter(ValueEmitter):
    """Writes LLVM instructions in place of StableHLO.

    Parameters
    ----------
    code
        The function under construction.
    memory
        The arrays in memory.
    failures
        The values that tell of failures, where nothing else is seen after one.
    signals
        The looks at signals, where they can be answered.
    host_calls
        The calls of functions of this process, where they can be made.
    """

    def __init__(
        self,
        code: Instructions,
        memory: Memory,
        failures: FailureValues,
        signals: Signals | None = None,
        host_calls: HostCalls | None = None,
    ) -> None:
        super().__init__(code, memory)
        self._ufuncs, self._powers = LibraryUfuncs(self), KeptPowers(code)
        self._products = Products(self.arrays, self.reductions, self.stores)
        self._failures = failures
        self._signals, self._host_calls = signals, host_calls
        code.shares.signals = signals
        self._op: Op | None = None  # whose lowering is being written
        self._steps: int | None = None  # of that, where it is a counted loop
        self._loops = 0
        self._work = math.inf  # of that, at most, where it is a loop
        self._ends_apart = False
        self._works: dict[Equation, float] = {}
        self._loop_ends: dict[Atom, int] = {}
        self._unseen = 0.0  # the operations of loops in the step being written that look at no signals
        # Of the steps of loops being written: the lines that loops in them take more when all their steps are written
        # out, and the labels of such loops.
        self._written_out: list[list[int]] = [[0, 0]]
        self._origins = Origins()
        self._traded: list[int] = []  # the places of the loop's arrays that may change places from step to step
        self._nest: Nest | None = None
        self.kept: frozenset[int] = frozenset()

    def program(self, program: Program, arguments: Sequence[str]) -> list[str]:
        """Write a Program's equations, reads of an array before the writes to it; returns the names of its outputs."""
        env: dict[Var, str] = {}
        code, equations = self.code, ordered(program)
        uses = LastUses(equations, program.outputs)
        multiplied = {atom for equation in equations if equation.op is dot_general for atom in equation.inputs}
        costs = least_costs(equations, program.outputs)

        def bind(var: Var, name: str) -> None:
            env[var] = name
            if var in self._failures.failed:
                self.unlikely.add(name)
            self.memory.ranges.note(name, var)
            if self._nest is not None:
                self._nest.note(name, var)
            for place in self.arrays.reads(name):
                uses.note(place, var)

        def read(atom: Atom) -> str:
            return self.constant(atom.value, atom.type) if isinstance(atom, Literal) else env[atom]

        checks = contextlib.nullcontext() if self._nest is None else self._nest.names.program()
        with self.memory.ranges.scope(code.older()), checks:
            for var, name in zip(program.inputs, arguments, strict=True):
                bind(var, name)
            for place, equation in enumerate(equations):
                if self._nest is not None and self._nest.leaves(code, equation, program, read):
                    bind(equation.outputs[0], read(equation.inputs[2]))
                    continue
                if self._nest is not None and (moved := self._nest.moved_index(equation)):
                    bind(equation.outputs[0], moved)
                    continue
                known = self.memory.ranges.outside(equation.outputs[0]) if equation.op.pure else None
                if known is not None and known.low == known.high and _is_one_truth(equation):
                    # Few LLVM would find itself: where a negative index counts from the end, one that never is.
                    bind(equation.outputs[0], "true" if known.low else "false")
                    continue
                names = [read(a) for a in equation.inputs]
                results = self.equation(equation, names, uses.after(place))
                if self._nest is not None and len(results) == 1:
                    self._nest.names.note_result(equation, names, results[0])
                for name, var in zip(results, equation.outputs, strict=True):
                    kept = self.kept.union(uses.after(place))
                    is_operand = var in multiplied and uses.count(var) > 1
                    if is_lazy(name) and self._is_written(name, var.type, costs.get(var), is_operand):
                        (name,) = self.stores.settled([name], [var.type], kept)
                    elif is_lazy(name) and uses.count(var) > 1:
                        # What is read more than once would be computed more than once.
                        name = self.stores.at_once(name, var.type, kept)
                    bind(var, name)
            return [read(a) for a in program.outputs]

    def _is_written(self, name: str, type: ArrayType, least: int | None, is_operand: bool) -> bool:
        """Return whether a lazy array is written to memory before what is computed from it, and not only there.

        The library reads the operands of its products in memory, and others may as well.

        Parameters
        ----------
        least
            How many operations are so many that what reads the array should not do them.
        is_operand
            The array is one of a product, and something else.
        """
        array = self.arrays.of(name, type)
        if least is not None and array.cost >= least:
            return True
        if array.cost > (_MOST_COST if array.update is None or pieces_of(array) else _MOST_IN_PARTS):
            return True
        return is_operand and type.size > MOST_ELEMENTS and strided_view(array) is None

    def equation(self, equation: Equation, names: list[str], needed: Collection[int]) -> Sequence[str]:
        """Write an equation; returns the names of its results.

        Parameters
        ----------
        names
            Of the inputs.
        needed
            The arrays in memory that are needed afterwards as they are.
        """
        if self._nest is None and isinstance(equation.op, Loop):
            self._nest = Nest(equation, names, self._failures)
            with self.memory.ranges.refined(self._nest.ranges(equation, self.memory.ranges)):
                made = self._equation(equation, names, needed)
            self._nest = None
            return made
        return self._equation(equation, names, needed)

    def _equation(self, equation: Equation, names: list[str], needed: Collection[int]) -> Sequence[str]:
        in_types, out_types = [a.type for a in equation.inputs], [v.type for v in equation.outputs]
        kept = self.kept
        if isinstance(equation.op, Loop):
            names = in_memory(self.memory, equation, names)
            self._loop_ends.update(loop_ends(equation))
        last = last_way(equation, self._loop_ends) if isinstance(equation.op, Branches) else None
        if last is None and self._nest is not None and is_plain(equation, self._nest) and names[0].startswith("%"):
            return chosen(self, self._nest, equation, names)
        if isinstance(equation.op, Branches):
            self.kept = kept.union(needed)
            results = branch_results(self, equation, names, last)
            self.kept = kept
            return results
        if self._nest is not None and self._powers.may_keep(equation) and self._nest.names.is_asked_again(*names):
            return [self._powers.power(*names)]
        short = short_form(self, equation, names)
        if short is not None:
            return [short]
        if sorts_alone(equation):
            return [sorted_alone(self, equation, names[0])]
        if self._host_calls is not None and is_long_sort(equation):
            return long_sort(self, equation, names)
        if equation.op is random_draw and has_sampler(equation):
            *words, ticket, number = drawn(self, equation, self.elements(names[0], in_types[0]), names[1:])
            return [packed(words), ticket, number]
        if is_seeded(equation):
            return [packed(seeded(self.code, equation, names[0])), "0"]
        if equation.op is progress_tick:
            return tick(self.code, names)
        if equation.op is library_ufunc:
            return self._ufuncs.of_elements(equation, names)
        if takes_whole(equation):
            return [self._ufuncs.of_arrays(equation, names)]
        if is_accumulation(equation):
            return [accumulated(self, equation, names[0])]
        if is_scan(equation):
            return [scanned(self, equation, names[0])]
        if is_scatter(equation):
            return [scattered(self, equation, names, kept.union(needed))]
        if is_window(equation):
            return [reduced(self, equation, names, self.program)]
        if is_linear_algebra(equation):
            return solved(self, equation, names)
        if equation.op is search_sorted:
            return [searched(self, equation, names)]
        if packs_positions(equation):
            return packed_positions(self, equation, names[0])
        if equation.op is fft:
            return [transformed(self, equation, names[0])]
        if equation.op is dot_general:
            return [self._products.product(equation, names)]
        if equation.op is window and out_types[0].size > MOST_ELEMENTS:
            return [self.arrays.name(window_of(self.arrays, names, equation))]
        if isinstance(equation.op, Loop):
            names = self.stores.settled(names, in_types, kept.union(needed))
        if not is_large_update(equation):
            names = self.stores.unshared(equation, names, kept.union(needed))
        if isinstance(equation.op, Loop):
            slots = equation.op.slots(equation)
            for place in {s.operand for s in slots if s.is_carry and s.operand is not None}:
                if is_memory(names[place]) and self.memory.is_fixed(self.memory.number(names[place])):
                    names[place] = self.memory.copied(names[place], in_types[place], "a step may write to it")
            read_only = [names[s.operand] for s in slots if s.operand is not None and not s.is_carry]
            self.kept = kept.union(map(self.memory.number, filter(is_memory, read_only)))
        if not self.code.shares.is_open and are_shared(equation, self.memory.ranges.intervals, self._failures):
            results = shared_steps(self, equation, names)
            self.kept = kept
            return results
        ctx = LoweringContext(self, names, equation.inputs, in_types, out_types, equation.params)
        self._traded = self._origins.traded(equation, names) if isinstance(equation.op, Loop) else []
        self._work, self._ends_apart = self._work_of(equation), ends_apart(equation)
        self._op, self._steps = equation.op, equation.params["length"] if type(equation.op) is For else None
        nest = self._nest if isinstance(equation.op, Loop) else None
        with contextlib.nullcontext() if nest is None else nest.names.steps(equation, names):
            results = list(equation.op.lower(ctx))
        self.kept = kept
        return results

    def _work_of(self, equation: Equation) -> float:
        is_asked = self._signals is not None and isinstance(equation.op, Loop)
        return work_of(equation, self.memory.ranges.intervals, self._works) if is_asked else math.inf

    def callback(self, function: HostCallback, operands: Sequence[str], in_types: Types, outs: Types) -> list[str]:
        """Write a call of a function of this process."""
        if self._host_calls is None:
            raise NotNativeError("a call of a function of this process")
        return self._host_calls.write(self, function, operands, in_types, outs)

    def ascending(self, x: str, type: ArrayType, axis: int) -> str:
        """Integers sorted along an axis, in memory of their own."""
        length = type.shape[axis]
        rows = type.size // length
        if not sorts_rows(type.shape, axis) or type.size >= MANY_TO_SORT:
            raise NotNativeError(f"a sort of {type}")
        if is_lazy(x):
            (made,) = self.stores.settled([x], [type], self.memory.all_places())
        else:
            made = self.memory.copied(x, type, "it is sorted")
        place = self.memory.place_of(made)
        sort_in_place(self.code, self.memory.pointer(place), type.dtype, rows, length)
        return self.memory.written(place)

    def loop(self, state: Sequence[str], types: Types, test: Rule, step: Body) -> list[str]:
        """Write a loop: steps for as long as the test holds of the state; returns the last state."""
        code, op, loops, steps_known, work = self.code, self._op, self._loops, self._steps, self._work
        ends, self._ends_apart = self._ends_apart, False
        is_inner = code.shares.is_open or (self._nest is not None and self._nest.exits is not None)
        # An op may need a loop of its own.
        nest = self._nest if self._nest is not None and self._nest.exits is None else None
        head, body, end = (code.label(prefix) for prefix in ("head", "body", "end"))
        state = self.stores.settled(state, types, self.memory.all_places())
        before = code.block
        exits = Exits(end)
        failed = "" if nest is None else nest.failed_before(code)
        if failed:
            exits.skip(code, failed, head, list(state))
        else:
            code.jump(head)
        code.begin(head)
        steps, self._traded = Steps(self.memory, self.stores, state, types, self._traded), []
        carries = exits.carries = [
            Carry(code, name, [] if is_memory(name) else value_types(type), type.dtype)
            for name, type in zip(steps.entry, types, strict=True)
        ]
        if nest is not None:
            nest.exits = exits
        derived = code.hold()
        names = [carry.name for carry in carries]
        going_on = code.add("icmp slt", "i32", names[0], code.hidden("i32", str(steps_known))) if ends else test(names)
        over = code.label("over")
        code.branch(going_on, body, over)
        code.begin(body)
        start = len(code.lines)
        self._written_out.append([0, 0])
        unseen, self._unseen = self._unseen, 0.0
        after = steps.close(list(step(names)))
        self._loops += 1
        # A look takes as long as the step of a loop with no other one in it, of which many may be taken at a time.
        holds_others = self._loops > loops + 1
        is_long = nest is None or work > (MOST_OF_NEST if holds_others else MOST_ALONE)
        if is_inner and work <= MOST_UNSEEN:
            self._unseen = unseen + work
        else:
            is_asked = is_long and (holds_others or (nest is not None and type(op) is not For))
            if self._signals is not None and isinstance(op, Loop) and is_asked:
                self._signals.look(self._unseen, None if nest is None else steps_known)
            self._unseen = unseen
        close_carries(code, carries, after, (before, code.block), derived)
        steps.join(before, code.block)
        lines, labels = self._written_out.pop()
        size = len(code.lines) - start + lines
        is_short = steps_known is not None and steps_known * size <= _MOST_WRITTEN_OUT
        if is_inner and is_short and code.labels_since(start) == labels:
            # In the loop around it is no loop.
            self._loops = loops
            self._written_out[-1][0] += (steps_known or 0) * size - size
            self._written_out[-1][1] += labels + 4
            code.repeat(head, ALL_AT_ONCE)
        else:
            code.jump(head)
        code.begin(over)
        steps.end()
        tested = code.block
        code.jump(end)
        code.begin(end)
        if nest is not None:
            nest.exits = None
        return steps.results(exits.joined(code, tested))


def _is_one_truth(equation: Equation) -> bool:
    """Return whether an equation gives a bool and nothing else."""
    return len(equation.outputs) == 1 and equation.outputs[0].type == ArrayType((), np.dtype(bool))
