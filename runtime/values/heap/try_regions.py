"""Bodies of try statements while they are traced.

What may fail at run time only sets the error code, and what follows is computed all the same. For a handler to find
what eager Python would have left, nothing after the failure may count: writes into arrays ask whether something has
failed, and what names and Python objects hold is remembered at each place that may fail.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.runtime.ir.program import Atom, Equation, Literal
from anabranch.runtime.tracing.builder import Builder, current
from anabranch.runtime.values import atoms
from anabranch.runtime.values.heap.snapshot import Heap, reachable


@frozen
class Point:
    """A place where something may have failed: the error code after it, and what objects held then."""

    heap: Heap
    code: Atom


class TryRegion:
    """The body of a try statement; `roots` lead to all that a handler may see."""

    __slots__ = ("again", "builder", "depth", "entry", "equations", "first", "kinds", "roots", "start", "written")

    def __init__(self, roots: Iterable[object], kinds: tuple[Callable[[], Any], ...] = ()) -> None:
        self.kinds = kinds  # each returns the classes of a handler
        self.builder = current()
        trace = self.builder.trace
        self.roots = (*roots, *(trace.failures.regions[-1].roots if trace.failures.regions else ()))
        self.written = trace.failures.error_code in self.builder.written
        self.entry = self.builder.read(trace.failures.error_code)
        self.first = len(trace.failures.numbered)
        self.start = len(self.builder.points)
        self.depth = len(trace.heap.snapshots)
        self.equations = len(self.builder.equations)
        # Failures that calls in here may end with whose numbers are in no equation: those from before that a handler
        # around has caught and that are raised again, and those of a function that calls itself.
        self.again: set[int] = set()

    def failed(self, builder: Builder) -> bool:
        """Return whether something in the region may have failed by now."""
        code = builder.trace.failures.error_code
        inside = itertools.takewhile(lambda around: around is not self.builder, builder.outwards())
        return any(code in around.written for around in inside) or self.builder.read(code) is not self.entry

    def note(self, builder: Builder) -> None:
        """Remember what objects hold now: something may just have failed."""
        trace = builder.trace
        known = builder.points[self.start if builder is self.builder else 0 :]
        heap = known[-1].heap if known else None
        if heap is None or heap.changed():
            heap = reachable(trace.heap, self.roots)
            trace.heap.snapshots.append(heap)
        builder.points.append(Point(heap, builder.read(trace.failures.error_code)))

    def has_seen(self, value: object) -> bool:
        """Return whether an object was there before the first branch or loop in the region that may fail."""
        return any(value in heap for heap in self.builder.trace.heap.snapshots[self.depth :][:1])

    def reaches(self, value: object) -> bool:
        """Return whether the handlers can find an object among what they see."""
        return value in Heap((*self.roots, *self.builder.trace.heap.roots))

    def numbers(self) -> list[int]:
        """The numbers of what may fail in the region, but for what only dropped traces of loops had."""
        trace = self.builder.trace
        used = literals(self.builder.equations[self.equations :])
        used |= _values([self.builder.read(trace.failures.error_code)])
        new = used.intersection(range(self.first + 1, len(trace.failures.numbered) + 1))
        return sorted(self.again | new)

    def take_points(self) -> list[Point]:
        """The points of the region, which are no concern of the regions around it."""
        points = self.builder.points[self.start :]
        del self.builder.points[self.start :]
        return points

    def leave(self) -> None:
        """All that failed has been handled: the error code is what it was before."""
        code = self.builder.trace.failures.error_code
        self.take_points()
        self.builder.write(code, self.entry)
        if not self.written:
            del self.builder.written[code]


def _values(found: Iterable[Atom]) -> set[int]:
    """The int32 constants among some atoms."""
    return {int(a.value) for a in found if isinstance(a, Literal) and a.value.dtype == np.int32 and not a.value.ndim}


def literals(equations: Iterable[Equation]) -> set[int]:
    """The int32 constants in equations, numbers of failures among them, and in the Programs in them."""
    used: set[int] = set()
    for equation in equations:
        used |= _values(equation.inputs)
        for program in equation.programs():
            used |= literals(program.equations) | _values(program.outputs)
    return used


def note(builder: Builder) -> None:
    """Tell the region around, if any, that something may just have failed."""
    if builder.trace.failures.regions:
        builder.trace.failures.regions[-1].note(builder)


def nothing_failed() -> Atom | None:
    """Return whether nothing has failed in the try statements around, as a bool scalar; None where that is sure."""
    builder = current()
    trace = builder.trace
    if not trace.failures.regions or not trace.failures.regions[0].failed(builder):
        return None
    fine = atoms.ufunc(np.equal, builder.read(trace.failures.error_code), atoms.literal(0, np.int32))
    return None if isinstance(fine, Literal) and fine.value else fine
