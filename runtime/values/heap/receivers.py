"""The slots of the instance whose method is compiled."""

from __future__ import annotations

import weakref
from typing import Any

from anabranch.base.value import Value
from anabranch.runtime.values.heap.slots import ObjectSlot, Slot, SubclassSlot


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


def of_receiver(slot: Slot | None) -> Slot | None:
    """The slot without a strong reference to its object, where there is such a form."""
    if type(slot) is ObjectSlot:
        return _ReceiverObjectSlot(slot.target)
    return _ReceiverSubclassSlot(slot.items) if type(slot) is SubclassSlot else slot
