"""The parts of a call that it shares with others that trace the same: its arguments' types, sharing, constants.

Of each run-time argument nothing is in a signature but its type, the interval of an int, how an array lies in its
memory, and which arguments are, or share the memory of, one another. A call is traced on `StandIns`, inputs of a
Program of their own, of which nothing else can be known either.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any

import numpy as np

from anabranch.base.by_identity import IdentityDict
from anabranch.base.value import Value
from anabranch.runtime.ir.program import Atom, Literal, Var
from anabranch.runtime.tracing.builder import Builder
from anabranch.runtime.tracing.state import Identity
from anabranch.runtime.tracing.storage import ElsewhereStorage, Part, Storage
from anabranch.runtime.values.arrays.numpy_scalar import NumPyScalar
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.python_numbers.exact_ints import Computed
from anabranch.runtime.values.python_numbers.python_scalar import PythonScalar, python_scalar

_CONSTANTS = (bool, int, str, bytes, type(None), type(Ellipsis), np.dtype)
_NUMBERS = (float, complex)


class NoSignatureError(Exception):
    """An argument or a result of which more may matter than a signature says."""


class CallSignature:
    """The arguments of one call.

    Raises `NoSignatureError` where an argument is something else than an array, a number, a constant, a function
    without a closure, or a tuple of these.
    """

    def __init__(self, builder: Builder, args: tuple[object, ...], kwargs: Mapping[str, object]) -> None:
        self.atoms: dict[Var, int] = {}  # the run-time numbers, in order of appearance
        self.storages: dict[Storage, int] = {}  # the memory of arrays, in order of appearance
        # The arrays with their numbers, in order of appearance.
        self.arrays: IdentityDict[TracedArray, int] = IdentityDict()
        # For numbers of Python's, another value and how much they are more.
        self.affine: dict[Atom, tuple[Atom, int]] = {}
        self._builder = builder
        self._identity = builder.trace.identity
        # Equal for calls that trace the same.
        self.key: Hashable = (*map(self._key, args), *((name, self._key(value)) for name, value in kwargs.items()))
        # Of two positions inline code may know how far they are apart, which makes the length of a slice static.
        if sum(var.type.dtype.kind in "iu" for var in self.atoms) > 1:
            raise NoSignatureError

    @property
    def operands(self) -> list[Atom]:
        """The values of the run-time arguments, numbers first."""
        return [*self.atoms, *map(self._builder.read, self.storages)]

    def _key(self, value: Any) -> Hashable:
        kind = type(value)
        if kind in _CONSTANTS:
            return kind, value
        if kind in _NUMBERS:
            return kind, repr(value)
        if kind is tuple:
            return kind, *map(self._key, value)
        if kind is TracedArray:
            return self._key_of_array(value)
        if _is_more_than_int64(value):
            raise NoSignatureError
        if isinstance(value, PythonScalar):
            self.affine[value.atom] = value.affine
            return kind, self._place(value.atom), value.interval
        if isinstance(value, NumPyScalar) and not is_noted(self._identity, value):
            return kind, self._place(value.atom), value.atom.type
        if isinstance(value, np.generic):
            return kind, value.dtype, value.tobytes()
        if isinstance(value, type) or (kind is types.FunctionType and value.__closure__ is None):
            return kind, value
        raise NoSignatureError

    def _place(self, atom: Atom) -> int:
        if not isinstance(atom, Var) or isinstance(atom, Part):
            raise NoSignatureError
        return self.atoms.setdefault(atom, len(self.atoms))

    def _key_of_array(self, array: TracedArray) -> Hashable:
        storage = array.storage
        held = self._builder.read(storage)
        # What is known of memory that is a constant, or the part of another array, would be lost.
        if isinstance(held, (Literal, Part)) or is_linked(storage):
            raise NoSignatureError
        if not is_plain(array) or is_noted(self._identity, array):
            raise NoSignatureError
        number = self.storages.setdefault(storage, len(self.storages))
        laid_out = (storage.type, storage.strides, type(storage.readonly), storage.readonly)
        seen = (array.path, array.readonly, array.is_view, self.arrays.setdefault(array, len(self.arrays)))
        return TracedArray, number, laid_out, seen


def is_plain(array: TracedArray) -> bool:
    """Return whether it is known while tracing where in its memory an array lies, and how."""
    static = all(step.static for step in array.path) and not isinstance(array.storage, ElsewhereStorage)
    return static and (array.storage.strides is None or isinstance(array.storage.strides, tuple))


def is_linked(storage: Storage) -> bool:
    """Return whether memory may be that of other arrays, or theirs may be it."""
    return bool(storage.alias_edges or storage.dependents)


def is_noted(identity: Identity, value: object) -> bool:
    """Return whether a value may be one of several objects."""
    return value in identity.merged or value in identity.chosen


class StandIns:
    """The arguments of a call as inputs of a builder of its own."""

    def __init__(self, signature: CallSignature, builder: Builder) -> None:
        # The inputs, by the numbers that they stand for.
        self.atoms = {atom: builder.formal(atom.type) for atom in signature.atoms}
        self.storages: dict[Storage, Storage] = {}  # the memory, by the memory that it stands for
        for storage in signature.storages:
            made = builder.new_storage(builder.formal(storage.type))
            made.readonly = storage.readonly
            made.strides = storage.strides
            self.storages[storage] = made
        self.arrays: IdentityDict[TracedArray, TracedArray] = IdentityDict()  # the arrays, by those that they stand for
        for array in signature.arrays:
            self.arrays[array] = stand_in = TracedArray(self.storages[array.storage], array.path, array.readonly)
            stand_in.is_view = array.is_view

    def of(self, value: Any) -> Value:
        """The key that stands for an argument."""
        if type(value) is tuple:
            return tuple(map(self.of, value))
        if type(value) is TracedArray:
            return self.arrays[value]
        if isinstance(value, PythonScalar) and isinstance(value.atom, Var):
            return python_scalar(self.atoms[value.atom], value.interval)
        if isinstance(value, NumPyScalar) and isinstance(value.atom, Var):
            return NumPyScalar(self.atoms[value.atom])
        return value


class ResultForm:
    """The result of a recorded call, from which those of others are made.

    Parameters
    ----------
    value
        What the recorded call has returned.
    stand_ins : StandIns
    builder : Builder
        Of the recorded call.

    Raises
    ------
    NoSignatureError
        Where the result is something else than a fresh array, a part of an argument, a number, a constant, or a tuple
        of these.
    """

    def __init__(self, value: Value, stand_ins: StandIns, builder: Builder) -> None:
        self.value = value
        self._places = IdentityDict((array, i) for i, array in enumerate(stand_ins.arrays.values()))
        self._given = {storage: i for i, storage in enumerate(stand_ins.storages.values())}
        self._made: dict[Storage, Atom] = {}
        self._identity = builder.trace.identity
        self._builder = builder
        self.atoms: list[Atom] = list(self._needed(value))  # what has to be known of another call, to make its result

    def _needed(self, value: Any) -> Iterable[Atom]:
        kind = type(value)
        if kind in _CONSTANTS or kind in _NUMBERS or isinstance(value, np.generic):
            return
        if is_noted(self._identity, value):
            raise NoSignatureError
        if kind is tuple:
            for part in value:
                yield from self._needed(part)
        elif kind is TracedArray:
            storage = value.storage
            if not is_plain(value) or is_linked(storage):
                raise NoSignatureError
            if storage not in self._given:
                if storage not in self._builder.env or self._builder.outer_has(storage):
                    raise NoSignatureError
                self._made[storage] = self._builder.read(storage)
                yield self._made[storage]
        elif isinstance(value, PythonScalar):
            if _is_more_than_int64(value):
                raise NoSignatureError
            yield value.atom
            yield value.affine[0]
        elif isinstance(value, NumPyScalar):
            yield value.atom
        else:
            raise NoSignatureError

    def build(self, signature: CallSignature, builder: Builder, read: Callable[[Atom], Atom]) -> Value:
        """The result of another call; `read` returns its value for one of the recorded call."""
        arrays, given = list(signature.arrays), list(signature.storages)
        storages = {storage: given[place] for storage, place in self._given.items()}
        for storage, atom in self._made.items():
            storages[storage] = made = builder.new_storage(read(atom))
            made.readonly = storage.readonly
            made.strides = storage.strides
        views: IdentityDict[TracedArray, TracedArray] = IdentityDict()

        def made_of(value: Any) -> Value:
            if type(value) is tuple:
                return tuple(map(made_of, value))
            if type(value) is TracedArray:
                if value in self._places:
                    return arrays[self._places[value]]
                if value not in views:
                    views[value] = made = TracedArray(storages[value.storage], value.path, value.readonly)
                    made.is_view = value.is_view
                return views[value]
            if isinstance(value, PythonScalar):
                base, offset = value.affine
                first, more = signature.affine.get(read(base), (read(base), 0))
                return python_scalar(read(value.atom), value.interval, (first, more + offset))
            return NumPyScalar(read(value.atom)) if isinstance(value, NumPyScalar) else value

        return made_of(self.value)


def _is_more_than_int64(value: Value) -> bool:
    """Return whether it is an int that may be meant to be beyond int64; sums and differences, as of indices, are not.

    Of these the int64 is handed on, whose check counts then.
    """
    exact = value.exact_ if isinstance(value, PythonScalar) else None
    return exact is not None and not (isinstance(exact, Computed) and exact.function in (np.add, np.subtract))
