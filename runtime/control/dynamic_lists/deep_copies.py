"""`copy.deepcopy` of lists of run-time length whose items lie in arenas: each item is copied there."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.control import generator_expression
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.values import atoms
from anabranch.runtime.values.arena_contents import InArenaStructure, in_arenas
from anabranch.runtime.values.dynamic_lists.items import Items
from anabranch.runtime.values.dynamic_shapes import size_arithmetic
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.memory.item_memory import iota
from anabranch.runtime.values.pytrees import layout as layouts


def lies_in_arenas(items: Items) -> bool:
    """Return whether something of an element lies in an arena."""
    return any(map(in_arenas, items.structure.variants))


def append_copies(made: Any, owner: Any) -> None:
    """Append a deep copy of each element of one list to another.

    Raises `UnsupportedOperationError` where elements, or what they hold, could be one object, which would have one
    copy: while tracing where that is not known, at run time where elements are.
    """
    items = owner.as_items()
    match items.structure.variants:
        case (layouts.Node(InArenaStructure(extra=arena)),):
            check_held(arena)
            _check_apart(items)
        case _:
            raise UnsupportedOperationError(_SHARED)

    def append_copy(value: Value, made: Any = made) -> None:
        made.append(copy.deepcopy(value))

    generator_expression.for_each(owner, append_copy)


def check_held(arena: Any) -> None:
    """Refuse the copy of something in an arena that holds what may be held elsewhere, too.

    Raises `UnsupportedOperationError` where it does.
    """
    kinds = [kind for column in arena.columns for kind in column.as_items().structure.variants]
    if not all(isinstance(kind, (layouts.Leaf, layouts.Constant)) for kind in kinds):
        raise UnsupportedOperationError(_SHARED)


_SHARED = (
    "copy.deepcopy of a list of run-time length whose items hold lists, arrays or objects that change, or are of "
    "several kinds: whether two of them hold the same one is not known; write how an item is copied: [copied(item) for "
    "item in items]"
)


def _check_apart(items: Items) -> None:
    """Raise at run time where two elements are one."""
    (numbers,) = items.buffers
    valid = size_arithmetic.window(numbers.type.shape, 0, 0, items.length)
    (count,) = numbers.type.shape
    below = atoms.ufunc(np.subtract, atoms.broadcast_to(atoms.literal(-1, np.int64), (count,)), iota(count))
    known: Atom = atoms.op("sort", atoms.select(valid, atoms.convert(numbers, np.int64), below), axis=0, stable=False)
    same = atoms.ufunc(np.equal, atoms.cut(known, 1, count), atoms.cut(known, 0, count - 1))
    run_time_checks.fail_if(atoms.any_of(same), lambda _: UnsupportedOperationError(_SHARED))
