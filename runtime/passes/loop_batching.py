"""Loop batching: products and transforms that no step of a loop waits for are computed for all steps at once.

`for i in range(n): out[i] = np.tanh(x[i] @ w)` has n products of a row with a matrix, and is one product of matrices.
What is computed from the index and from what no step changes has one more axis then, the first, for the steps. What is
left in the loop reads its row; where nothing but the writing of rows is left, all are written at once.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from anabranch.runtime.ir.op import Work
from anabranch.runtime.ir.program import Atom, Equation, Literal, Program, Var
from anabranch.runtime.ir.rewrite import Block, in_sub_programs, rewrite
from anabranch.runtime.ops.control import FOR
from anabranch.runtime.ops.indexing import dynamic_slice, dynamic_update_slice
from anabranch.runtime.ops.shape import reshape, transpose
from anabranch.runtime.ops.structured import Slot, constants
from anabranch.runtime.passes.def_use import known
from anabranch.runtime.passes.liveness import live_values
from anabranch.runtime.passes.step_batches import Batches, moved

# A loop of fewer steps stays.
_FEWEST = 4


@in_sub_programs
def batch_loops(program: Program) -> Program:
    """The Program in which such values are computed before the loops."""

    def batched(equation: Equation, block: Block) -> Sequence[Atom] | None:
        if equation.op is not FOR or not isinstance(equation.inputs[0], Literal):
            return None
        length = equation.params["length"]
        if length is None or length < _FEWEST or int(equation.inputs[0].value) != length:
            return None
        if not any(e.op.whole_work is Work.MUCH for e in equation.params["body"].equations):
            return None
        return _Batching(equation).run(block)

    return rewrite(program, batched)


class _Batching:
    """One loop whose steps are batched."""

    def __init__(self, loop: Equation) -> None:
        self.loop, self.body, self.slots = loop, loop.params["body"], FOR.slots(loop)
        first = constants(self.slots)
        given = dict(zip(self.body.inputs[:first], loop.inputs[1 : 1 + first], strict=True))
        self.index: Var = self.body.inputs[first]
        self.batches = Batches(given, self.index, loop.params["length"])
        live = live_values(self.body)
        self.equations = [e for e in self.body.equations if any(v in live for v in e.outputs)]
        for equation in self.equations:
            self.batches.add(equation)
        # Computed after the batches: the arrays of rows, and the loop that is left.
        self.after = Block()

    def run(self, block: Block) -> Sequence[Atom] | None:
        """The atoms that stand for the loop's results; None where it stays as it is."""
        if not any(self.batches.is_worth(v) for e in self.equations for v in e.outputs):
            return None
        results: dict[int | None, Atom] = {}
        writes: list[Equation] = []
        for slot in self.slots:
            write = self._write(slot)
            if write is not None:
                results[slot.result] = self._all_written(slot, write)
                writes.append(write)
        slots = [slot for slot in self.slots if slot.result not in results or slot.result is None]
        if any(slot.result is not None for slot in slots):
            loop = self._loop_of(slots, writes)
            self.after.append(loop)
            results.update(zip([s.result for s in slots if s.result is not None], loop.outputs, strict=True))
        block.equations += self.batches.needed([a for e in self.after.equations for a in e.inputs])
        block.equations += self.after.equations
        return [results[i] for i in range(len(self.loop.outputs))]

    def _write(self, slot: Slot) -> Equation | None:
        """The write, where a carry is an array of which each step does nothing but write a row of its own."""
        if not slot.is_carry or slot.formal is None or slot.yielded is None:
            return None
        carry, output = self.body.inputs[slot.formal], self.body.outputs[slot.yielded]
        readers = [e for e in self.equations if carry in e.inputs or output in e.inputs]
        if len(readers) != 1 or self.body.outputs.count(output) != 1 or carry in self.body.outputs:
            return None
        (write,) = readers
        is_write = write.op is dynamic_update_slice and write.inputs[0] is carry and output in write.outputs
        return write if is_write and self.batches.is_worth(write.inputs[1]) and self._place(write) else None

    def _place(self, write: Equation) -> tuple[int, int] | None:
        """The axis along which the steps write, and where they begin; None where the rows do not lie side by side."""
        target, row, *starts = write.inputs
        axes = [axis for axis, start in enumerate(starts) if not self.batches.is_invariant(start)]
        if len(axes) != 1 or row.type.shape[axes[0]] != 1:
            return None
        by, first = self.batches.lines.get(starts[axes[0]], (0, 0))
        fits = first >= 0 and first + self.batches.length <= target.type.shape[axes[0]]
        return (axes[0], first) if by == 1 and fits else None

    def _all_written(self, slot: Slot, write: Equation) -> Atom:
        """The array with the rows of all steps."""
        place = self._place(write)
        assert place is not None
        assert slot.operand is not None
        (axis, first), rows = place, self.batches.rows(write.inputs[1])
        shape = rows.type.shape
        part: Atom = self.after.emit(reshape, rows, shape=(*shape[: axis + 1], *shape[axis + 2 :]))
        if axis:
            part = self.after.emit(transpose, part, axes=moved(0, axis, len(part.type.shape)))
        starts = list(map(self.batches.before, write.inputs[2:]))
        starts[axis] = known([first])[0]
        array = self.loop.inputs[slot.operand]
        return self.after.emit(dynamic_update_slice, array, part, *starts, source=write.source)

    def _loop_of(self, slots: Sequence[Slot], writes: Sequence[Equation]) -> Equation:
        """The loop with these slots alone and without these writes, which reads the rows of its steps."""
        loop = FOR.with_slots(self.loop, slots)
        body: Program = loop.params["body"]
        left = [e for e in self.equations if e not in writes and not any(map(self.batches.is_worth, e.outputs))]
        read = dict.fromkeys(a for e in left for a in e.inputs) | dict.fromkeys(body.outputs)
        values = [a for a in read if isinstance(a, Var) and self.batches.is_worth(a)]
        inside, formals = Block(), [Var(self.batches.rows(v).type) for v in values]
        for value, formal in zip(values, formals, strict=True):
            zeros, shape = known([0] * len(value.type.shape)), value.type.shape
            row = inside.emit(dynamic_slice, formal, self.index, *zeros, sizes=(1, *shape))
            inside.names[value] = inside.emit(reshape, row, shape=shape)
        for equation in left:
            inside.append(dataclasses.replace(equation, inputs=tuple(map(inside.read, equation.inputs))))
        outputs = tuple(map(inside.read, body.outputs))
        changed = dataclasses.replace(body, equations=tuple(inside.equations), outputs=outputs)
        return FOR.with_operands(loop, list(map(self.batches.rows, values)), [(changed, formals)])
