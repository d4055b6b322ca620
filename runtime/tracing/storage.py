"""The identity of arrays' memory, and values that are parts of an array."""

from __future__ import annotations

import weakref
from typing import Any

from anabranch.base.frozen import frozen
from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.program import Atom, Literal, Var


class OnDevice(str):
    """The reason that memory of an `anabranch.Array` cannot be written, in words for messages."""

    __slots__ = ()


class OnDeviceOutside(OnDevice):
    """The same of an `anabranch.Array` from outside of the function, which may be an argument, too."""

    __slots__ = ()


class OfLibrary(str):
    """The reason that memory of a library's object cannot be written, in words for messages."""

    __slots__ = ()


UNKNOWN: tuple[int, ...] = (-1,) * 65  # strides that are not known; no array has so many


@frozen
class Compact:
    """C order without the places that the storage has beyond the array's size."""

    extents: tuple[Any, ...] | None  # those that the array was made with; None where they are not known any more


@frozen
class AliasEdge:
    """Where `pred` holds, the owner and `handle` are the same memory; `pred` None means it is not known when.

    `form` is an `ElementForm` where the owner does not hold the elements in the same places.
    """

    pred: Atom | None
    handle: Any
    form: Any = None

    def to_owner(self) -> Atom:
        """The owner's value as the handle has it."""
        value: Atom = self.handle.atom if self.form is None else self.form.to_owner(self.handle)
        return value

    def to_handle(self, value: Atom) -> Atom:
        """The handle's value as the owner has it."""
        return value if self.form is None else self.form.to_handle(value, self.handle)


class Storage:
    """The identity of one array's memory. Two handles alias when they have the same storage."""

    __slots__ = ("__weakref__", "alias_edges", "dependents", "is_another", "readonly", "strides", "type")

    def __init__(self, type: ArrayType, readonly: str | None = None) -> None:
        self.type = type
        self.readonly = readonly
        # In bytes, where the array is not in C order: what is a view of it depends on them. `UNKNOWN`: not known.
        self.strides: tuple[int, ...] | Compact | None = None
        # Filled by `values.memory.aliasing`: what this storage may stand for, and which may stand for it, in order.
        self.alias_edges: list[AliasEdge] = []
        self.is_another = False  # whether one of the edges surely holds: it is no memory of its own
        self.dependents: weakref.WeakKeyDictionary[Storage, None] | None = None

    def may_be(self, other: Storage) -> bool:
        """Return whether both may be one memory, but for what the edges say."""
        return self is other

    def __reduce__(self) -> tuple[type[Storage], tuple[ArrayType]]:
        return Storage, (self.type,)


class ElsewhereStorage(Storage):
    """Memory that no builder holds: it is a part of a list's, which is read and written there."""

    __slots__ = ()

    def read(self) -> Atom:
        """The contents."""
        raise NotImplementedError

    def write(self, value: Atom) -> None:
        """Replace the contents."""
        raise NotImplementedError


class Watched:
    """An object of the trace, for as long as a name may lead to it.

    What is there when a branch or a loop begins or ends stays so: what comes of it there may be it as another object.
    """

    def __init__(self, target: Any) -> None:
        self._reference = weakref.ref(target)
        self._stays = False

    @property
    def is_alive(self) -> bool:
        """Return whether a name may lead to the target."""
        return self._stays or self._reference() is not None

    def settle(self) -> bool:
        """Let the target be alive from now on if it is alive; returns whether it is."""
        self._stays = self.is_alive
        return self._stays


class ConstantStorage(Storage):
    """The memory of an array that is known while tracing, and never written: an array of a static argument."""

    __slots__ = ("value",)

    def __init__(self, value: Literal) -> None:
        super().__init__(value.type, "static argument")
        self.value = value


@frozen(eq=False)
class Part(Var):
    """One of the parts, all of one type, that an atom has along its leading axes: the one at `place`, in C order.

    It becomes an equation in each builder that reads it. So a list may hold the parts of an array one by one, and what
    goes over the list, or makes an array of it, takes the whole.
    """

    whole: Atom
    place: int

    @property
    def index(self) -> tuple[int, ...]:
        """The same place, by axis."""
        shape = self.whole.type.shape
        index: list[int] = []
        place = self.place
        for n in reversed(shape[: len(shape) - len(self.type.shape)]):
            place, here = divmod(place, n)
            index.insert(0, here)
        return tuple(index)
