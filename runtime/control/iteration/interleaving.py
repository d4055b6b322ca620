"""Items that are all made before the first is used: allowed where nothing tells that from Python's taking turns."""

from __future__ import annotations

from anabranch.base.value import Value
from anabranch.runtime.ir.program import Atom, Literal
from anabranch.runtime.tracing.builder import current
from anabranch.runtime.tracing.storage import Storage
from anabranch.runtime.values.heap.snapshot import reachable


class Interleaving:
    """The reads and changes of code that makes items, and then of code that uses them: neither may see the other's.

    `roots` are the objects by which the code that makes the items reaches what it reads and changes.
    """

    def __init__(self, roots: tuple[Value, ...]) -> None:
        self._builder = builder = current()
        self._trace = trace = builder.trace
        self._roots = roots
        self._all = reachable(trace.heap, roots)
        self._first = len(builder.equations)
        self._contents = dict(builder.env)
        self._printed = builder.read(trace.output.counter)

    def end_of_making(self) -> str | None:
        """Why the items cannot be made before they are used, where that is known by now."""
        builder, trace = self._builder, self._trace
        if self._all.has_changed_slots() or any(map(self._is_written, builder.written)):
            return "changes objects or arrays"
        if builder.read(trace.output.counter) is not self._printed:
            return "prints"
        used = {atom for equation in builder.equations[self._first :] for atom in equation.inputs}
        self._read = {s: a for s, a in builder.env.items() if isinstance(a, Literal) or a in used}
        self._all = reachable(trace.heap, self._roots)
        return None

    def end_of_use(self) -> str | None:
        """Why the items could not be made before they were used."""
        contents: dict[Storage, Atom] = self._builder.env
        codes = (self._trace.failures.error_code, *self._trace.failures.details.values(), self._trace.output.counter)
        written = any(contents.get(s) is not a for s, a in self._read.items() if s not in codes)
        return "reads what the loop over it changes" if written or self._all.has_changed_slots() else None

    def _is_written(self, storage: Storage) -> bool:
        failures = self._trace.failures
        if storage in (failures.error_code, *failures.details.values()):
            return False  # what is raised is raised when the items have been used
        before = self._contents.get(storage)
        if before is None:
            return self._builder.outer_has(storage)
        return self._builder.env[storage] is not before
