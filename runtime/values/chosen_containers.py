"""Values that are one of a few containers, some of which hold as many items as is known only at run time."""

from __future__ import annotations

import collections
from typing import TypeGuard

from anabranch.runtime.values.arrays.numpy_scalar import is_array
from anabranch.runtime.values.dynamic_lists.growable_list import is_dynamic_list
from anabranch.runtime.values.hashed import OfHashed
from anabranch.runtime.values.run_time_container import RunTimeContainer
from anabranch.runtime.values.union import UnionValue
from anabranch.runtime.values.user_classes import own_method


def is_choice(value: object) -> TypeGuard[UnionValue]:
    """Return whether it is one of a few lists, dicts, sets or views, of which the items are not known while tracing.

    Arrays, and arrays or numbers, that no single array can hold are such, too, and so are objects whose classes say in
    Python how to go over them. Numbers alone have no items.
    """
    return isinstance(value, UnionValue) and (
        (value.has_several_types and any(map(is_array, value.options)))
        or any(is_dynamic_list(o) or isinstance(o, (RunTimeContainer, OfHashed, tuple)) for o in value.options)
        or len({len(o) for o in value.options if isinstance(o, (list, collections.deque))}) > 1
        or is_one_of_iterables(value)
    )


def is_one_of_iterables(value: object) -> TypeGuard[UnionValue]:
    """Return whether it is one of a few objects, whose classes say in Python how to go over them."""
    return isinstance(value, UnionValue) and any(
        own_method(option, name) is not None for option in value.options for name in ("__iter__", "__getitem__")
    )
