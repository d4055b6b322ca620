"""Numba's typed `List` and `Dict`: Python's own."""

from __future__ import annotations

from typing import Any

from anabranch.runtime.api.options import JitOptions
from anabranch.runtime.control.call import call


class _OfBuiltIn(type):
    """The class of names for a built-in container: calls make one, and it is an instance."""

    __anabranch_function__: Any
    __anabranch_options__ = JitOptions()

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        return call(cls.__anabranch_function__, *args)

    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, cls.__anabranch_function__)

    def __getitem__(cls, types: Any) -> Any:
        return cls


class List(metaclass=_OfBuiltIn):
    """A list of Python's."""

    __anabranch_function__ = list

    @staticmethod
    def empty_list(item_type: Any, allocated: int = 0) -> Any:
        """An empty list; its items are of the type of what is put in."""
        return call(list)


class Dict(metaclass=_OfBuiltIn):
    """A dict of Python's."""

    __anabranch_function__ = dict

    @staticmethod
    def empty(key_type: Any, value_type: Any, n_keys: int = 0) -> Any:
        """An empty dict; its keys and values are of the types of what is put in."""
        return call(dict)
