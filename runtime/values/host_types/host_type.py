"""The base of what stands for an object of such a type, and its structure: the arrays that it is made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NoReturn

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.values import containers
from anabranch.runtime.values.attributes import StandIn
from anabranch.runtime.values.heap.slots import FixedSlot, Slot


class HostTyped(StandIn):
    """The base of stand-ins: immutable shells around traced arrays, which are the memory of the object."""

    def __anabranch_structure__(self) -> containers.Structure:
        raise NotImplementedError

    def __anabranch_slot__(self) -> Slot:
        return FixedSlot(self)

    def __anabranch_value__(self) -> NoReturn:
        raise self._refusal("this function of NumPy's")

    def __array__(self, *_: object, **__: object) -> NoReturn:
        raise self._refusal("code that is not compiled")

    @property
    def key_(self) -> Value:
        """The number by which it is found as a key of a dict; None for what has no hash."""
        return None

    def same_key_(self, other: Value) -> Value:
        """Return whether another value is the same key."""
        raise NotImplementedError

    def __anabranch_number__(self, kind: type) -> Value:
        """The object as a Python number of a kind."""
        return kind(self)

    def _item_of_loop(self, index: Value) -> Value:
        """An item of those that a loop goes over."""
        return self[index]  # type: ignore[index]

    @property
    def _item_count(self) -> Value:
        """The number of items that a loop goes over; None where it goes over none, or over fields."""
        return None

    def _refusal(self, what: str) -> UnsupportedOperationError:
        """The error for what is not staged of such an object."""
        raise NotImplementedError

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Value, **kwargs: Value) -> Value:
        rule = self._functions.get(ufunc)
        if rule is None or method != "__call__" or kwargs:
            raise self._refusal(f"numpy.{ufunc.__name__}{'' if method == '__call__' else '.' + method}")
        return rule(*inputs)

    def __array_function__(
        self,
        function: Callable[..., object],
        types: Iterable[type],
        args: tuple[Value, ...],
        kwargs: Mapping[str, Value],
    ) -> Value:
        rule = self._functions.get(function) or self._unstaged(function)
        return rule(*args, **kwargs)

    def _unstaged(self, function: Callable[..., object]) -> Callable[..., Any]:
        """The rule of a function that has none of its own.

        Raises `UnsupportedOperationError` where there is none: what the host makes of the object may be other memory
        than the caller's.
        """
        raise self._refusal(f"numpy.{function.__name__}")

    @property
    def _functions(self) -> Mapping[Any, Callable[..., Any]]:
        """The functions of NumPy's that take such an object, with their rules."""
        return {}


@frozen
class HostStructure(containers.Structure):
    """The structure of an object that the caller has another form of."""

    mutable = False
    flat = True
    is_of_arrays = True

    def is_form_of(self, other: containers.Structure | None) -> bool:
        """Return whether an object of the other structure lies in arrays of the same dtypes."""
        return other == self


def override(args: Iterable[object], kwargs: Mapping[str, object]) -> HostTyped | None:
    """The first argument of a function of NumPy's that says itself what the function does with it."""
    for value in (*args, *kwargs.values()) if kwargs else args:
        if isinstance(value, HostTyped):
            return value
        if isinstance(value, (list, tuple)):
            inner = override(value, {})
            if inner is not None:
                return inner
    return None
