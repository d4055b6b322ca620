"""Python objects that a branch or a loop body changes: lists, dicts, attributes, closure cells.

Before a body is traced, a `Heap` remembers the contents of every mutable object that the body can reach through its
closure and its arguments. After it, what has changed is found by identity, put back, and carried like a local name.
"""

from __future__ import annotations

import functools
import operator
import types
import weakref
from collections.abc import Callable, Collection, Iterable
from typing import Any, Self, TypeVar

import numpy as np

from anabranch.base.by_identity import IdentityDict
from anabranch.base.signals import whole
from anabranch.base.value import Value
from anabranch.runtime.tracing.builder import current
from anabranch.runtime.tracing.state import Reachable
from anabranch.runtime.values.heap import opaque
from anabranch.runtime.values.heap.slots import FunctionSlot, ObjectSlot, Slot, SubclassSlot, slot_of
from anabranch.runtime.values.tracer import Tracer
from anabranch.runtime.values.union import UnionValue
from anabranch.runtime.values.user_classes import is_users_class

# Most values are of these classes, which is told sooner.
_ALONE = frozenset({str, int, float, bool, type(None)})
# And most that hold others, of these: what they hold is all there is to them.
_SIMPLE = frozenset[type]((tuple, list, dict, types.CellType))
_NO_PARTS = (str, bytes, int, float, complex, type(None), types.ModuleType, Tracer, np.generic)


def _is_without_parts(value: object) -> bool:
    try:
        return isinstance(value, _NO_PARTS)
    except ReferenceError:
        return True  # a proxy of an object that is no more


def _is_numpys(function: types.FunctionType) -> bool:
    """Return whether a function is NumPy's, or a form of one: it holds nothing that a program changes."""
    # Its `__module__` may be that of a function that it wraps.
    return f"{function.__globals__.get('__name__')}.".startswith(_NUMPYS)


_NUMPYS = ("numpy.", *(f"anabranch.runtime.{part}." for part in ("numpy", "values.arrays", "values.memory")))


class Heap:
    """The mutable objects that are reachable from some roots, and what they held."""

    def __init__(
        self, roots: Iterable[object], watch_arrays: bool = False, receiver: Callable[[], object] | None = None
    ) -> None:
        self.arrays: IdentityDict[np.ndarray, tuple[np.ndarray, np.ndarray]] = IdentityDict()
        self.classes: list[type] = []  # the user's, of instances or by themselves
        self.functions: list[types.FunctionType] = []
        self._watch_arrays = watch_arrays
        self._receiver = receiver  # returns the one object that is not kept alive
        # By identity: all that was seen is kept alive but for that object, with which the heap goes.
        self._slots: dict[int, Slot] = {}
        self._seen: dict[int, object] = {}
        self.extend(roots)

    @property
    def slots(self) -> Collection[Slot]:
        """The slots of all objects, in the order they were found."""
        return self._slots.values()

    def extend(self, roots: Iterable[Value]) -> None:
        """Remember what more roots lead to, as it is now."""
        pending = list(roots)
        while pending:
            value = pending.pop()
            if id(value) in self._seen or type(value) in _ALONE or _is_without_parts(value):
                continue
            if type(value).__module__ == "unittest.mock":
                continue  # it says that it is of another class, and has every attribute
            receives = self._receiver is not None and value is self._receiver()
            self._seen[id(value)] = self._receiver if receives else value
            if type(value) in _SIMPLE and not receives:
                if type(value) is tuple:
                    pending += value
                elif (slot := slot_of(value)) is not None:
                    self._slots[id(value)] = slot
                    pending += slot.parts()
                continue
            if isinstance(value, np.ndarray) and not opaque.is_opaque(value):
                if self._watch_arrays:
                    array = value.view(np.ndarray)
                    self.arrays[value] = (array, array.copy())
            elif isinstance(value, types.FunctionType):
                if _is_numpys(value):
                    continue
                self.functions.append(value)
                pending += value.__closure__ or ()
                pending += value.__defaults__ or ()
                pending += (value.__kwdefaults__ or {}).values()
                attached = self._slots[id(value)] = FunctionSlot(value)
                pending += attached.parts()
            elif isinstance(value, opaque.Remaining):
                if isinstance(value.iterator, types.GeneratorType):
                    pending += opaque.shared(value.iterator)
                pending += opaque.iterated_objects(value.iterator)
            elif isinstance(value, functools._lru_cache_wrapper):
                pending.append(value.__wrapped__)
            elif isinstance(value, weakref.ref):
                pending += self.referents(value)
            elif isinstance(value, types.MethodType):
                pending += (value.__self__, value.__func__)
            elif isinstance(value, types.BuiltinMethodType):
                pending.append(value.__self__)
            elif isinstance(value, functools.partial):
                pending += (value.func, *value.args, *value.keywords.values())
            elif isinstance(value, (tuple, frozenset)):
                native: Any = tuple if isinstance(value, tuple) else frozenset
                pending += native.__iter__(value)
                if is_users_class(type(value)):
                    pending.append(type(value))
            elif isinstance(value, UnionValue):
                pending.append(value.options)  # those of nodes of one structure are one tuple
            else:
                slot = slot_of(value)
                if receives:
                    slot = _of_receiver(slot)
                if isinstance(value, type) and is_users_class(value):
                    self.classes.append(value)
                if slot is not None:
                    self._slots[id(value)] = slot
                    pending += slot.parts()
                if isinstance(value, types.GeneratorType):
                    pending += opaque.shared(value)
                if is_users_class(type(value)):
                    pending.append(type(value))

    def with_more(self, roots: Iterable[Value], watch_arrays: bool) -> Heap:
        """Another heap, of what this one remembers and of what more roots lead to."""
        made = Heap((), watch_arrays)
        made.classes, made.functions = self.classes.copy(), self.functions.copy()
        made._slots, made._seen = self._slots.copy(), self._seen.copy()
        if watch_arrays:
            made.arrays = self.arrays.copy()
        made.extend(roots)
        return made

    def referents(self, reference: weakref.ref[Any]) -> tuple[Value, ...]:
        """The object that a weak reference leads to, which lives as long as the heap then."""
        return (reference(),)

    def exclude(self, values: Iterable[object]) -> None:
        """Remember nothing of these objects, nor of what only they lead to."""
        self._seen.update((id(v), v) for v in values)

    def changed(self) -> bool:
        """Return whether any object, or any watched array, holds other things now."""
        return self.has_changed_slots() or self.has_written_arrays()

    def has_changed_slots(self) -> bool:
        """Return whether any object holds other things now."""
        # Each call of a compiled function comes here: a generator would take as long as the checks.
        for slot in self._slots.values():  # noqa: SIM110
            if slot.changed:
                return True
        return False

    def has_written_arrays(self) -> bool:
        """Return whether any watched array holds other elements now."""
        return bool(self.arrays) and any(
            a.shape != b.shape or a.tobytes() != b.tobytes() for a, b in self.arrays.values()
        )

    def conditions(self, constant: Callable[[object], str]) -> list[str]:
        """`not changed`, as Python expressions."""
        if self.arrays:
            return [f"not {constant(self)}.changed()"]
        return [slot.condition(constant) for slot in self._slots.values()]

    def forget_array(self, array: object) -> None:
        """Watch this array no more: it is known in another way."""
        self.arrays.discard(array)

    def has_seen(self, value: object) -> bool:
        """Return whether the object was reached."""
        return id(value) in self._seen

    def changes(self) -> list[Slot]:
        """The slots whose objects hold other things now, in the order they were found."""
        return [s for s in self._slots.values() if s.changed]

    @whole
    def written_arrays(self) -> bool:
        """Return whether a watched array holds other elements now; they are put back."""
        written = [(a, b) for a, b in self.arrays.values() if a.tobytes() != b.tobytes()]
        for array, before in written:
            array[...] = before
        return bool(written)

    def restore(self) -> None:
        """Put everything back."""
        self.put_back(self.changes())

    @whole
    def put_back(self, changed: Iterable[Slot]) -> None:
        """Put back what these slots' objects held."""
        for slot in changed:
            slot.restore(slot.before)

    def rewind(self) -> None:
        """Put back the iterators that can be. In a branch or a loop they may not move, and `restore` is an error."""
        for slot in self._slots.values():
            slot.rewind()

    def is_of(self, other: Heap) -> bool:
        """Return whether another heap has slots of the same objects."""
        return self._slots.keys() == other._slots.keys()

    def __contains__(self, value: object) -> bool:
        return id(value) in self._slots

    def __getitem__(self, value: object) -> Slot:
        return self._slots[id(value)]


class RootsHeap(Heap):
    """The objects that the functions of a trace lead to: each branch and each loop would go over them anew."""

    def __init__(self) -> None:
        super().__init__((), watch_arrays=True)
        self._roots: list[Value] = []

    def is_as_now(self, roots: list[Value]) -> bool:
        """Return whether these roots begin with the ones seen here, and lead to what they led to."""
        is_longer = len(self._roots) <= len(roots) and all(map(operator.is_, self._roots, roots))
        return is_longer and not self.changed()

    def take(self, roots: list[Value]) -> None:
        """Remember what the roots that have been added lead to."""
        self.extend(roots[len(self._roots) :])
        self._roots = roots.copy()


def reachable(trace: Reachable, roots: Iterable[Value], watch_arrays: bool = False) -> Heap:
    """The heap of some roots and of those of the trace."""
    known = trace.known
    if not isinstance(known, RootsHeap) or not known.is_as_now(trace.roots):
        known = trace.known = RootsHeap()
    known.take(trace.roots)
    return known.with_more(roots, watch_arrays)


class _Receiver:
    """The instance whose method is compiled: what is compiled goes with it, and must not keep it."""

    __slots__ = ()
    _reference: weakref.ref[Any]

    @property
    def target(self) -> Value:
        return self._reference()

    @target.setter
    def target(self, value: object) -> None:
        self._reference = weakref.ref(value)  # type: ignore[misc] # a slot of the classes below


class _ReceiverObjectSlot(_Receiver, ObjectSlot):
    __slots__ = ("_reference",)


class _ReceiverSubclassSlot(_Receiver, SubclassSlot):
    __slots__ = ("_kind", "_reference")

    def __init__(self, items: Slot) -> None:
        self._kind = type(items)
        Slot.__init__(self, items.target)

    @property
    def items(self) -> Slot:  # type: ignore[override]
        return self._kind(self.target)


def _of_receiver(slot: Slot | None) -> Slot | None:
    """The slot without a strong reference to its object, where there is such a form."""
    if type(slot) is ObjectSlot:
        return _ReceiverObjectSlot(slot.target)
    return _ReceiverSubclassSlot(slot.items) if type(slot) is SubclassSlot else slot


T = TypeVar("T")
Errors = type[BaseException] | tuple[type[BaseException], ...]


class Attempt:
    """The state before an attempt: of the current builder, and of the objects that some roots or the trace lead to.

    As a context manager it undoes what its block has done where that raises one of the errors in `undone_by`; the error
    goes on.
    """

    __slots__ = ("_builder", "_undone_by", "heap", "start")

    def __init__(self, *roots: object, undone_by: Errors = ()) -> None:
        self._builder = current()
        self._undone_by = undone_by
        self.start = self._builder.checkpoint()
        self.heap = reachable(self._builder.trace.heap, roots)

    def undo(self) -> None:
        """Put everything back; what is attempted after that can be undone again."""
        self._builder.rollback(self.start)
        self.heap.rewind()
        self.heap.restore()

    @property
    def adds_equations(self) -> bool:
        """Return whether the builder has got equations since."""
        return len(self._builder.equations) > self.start.equations

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: types.TracebackType | None
    ) -> None:
        if isinstance(error, self._undone_by):
            self.undo()


def first_possible(roots: tuple[object, ...], cannot: Errors, *strategies: Callable[[], T]) -> T:
    """The result of the first strategy that works out; `cannot` is what those before the last one raise where not."""
    *others, last = strategies
    for strategy in others:
        trying = Attempt(*roots)
        try:
            return strategy()
        except cannot:
            trying.undo()
    return last()
