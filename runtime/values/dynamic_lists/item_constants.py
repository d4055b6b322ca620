"""Python's own numbers as elements of a list: memory for all of them at once, however many there are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anabranch.runtime.ir.program import Atom
from anabranch.runtime.values import atoms
from anabranch.runtime.values.abstract import Kind, python_abstract
from anabranch.runtime.values.memory import item_memory
from anabranch.runtime.values.pytrees import layout as layouts

_NUMBERS = (bool, int, float, complex)
# A list of more kinds of elements than this stays one of separate elements.
MOST_KINDS = 4


def _kind(cls: type) -> layouts.Layout:
    return layouts.Constant(None) if cls is type(None) else layouts.Leaf(python_abstract(cls))


def kinds_of(values: Sequence[object]) -> list[layouts.Layout] | None:
    """The kinds of elements, in order, where all are Python's own numbers or None; None for any others."""
    classes = dict.fromkeys(map(type, values))
    if not all(cls in _NUMBERS or cls is type(None) for cls in classes):
        return None
    if int in classes and any(type(v) is int and not -(2**63) <= v < 2**63 for v in values):
        return None
    return [_kind(cls) for cls in classes]


def is_plain(kind: layouts.Layout) -> bool:
    """Return whether an element of this layout has no identity but by numbers: a number, None, or a tuple of such."""
    match kind:
        case layouts.Constant(value):
            abstract = layouts.numeric(kind)
            return value is None if abstract is None else abstract.kind in (Kind.PYTHON, Kind.SCALAR)
        case layouts.Leaf(abstract):
            return abstract.kind in (Kind.PYTHON, Kind.SCALAR)
        case layouts.Node(structure, children):
            plain = structure.cls is tuple or hasattr(structure.cls, "_fields")
            plain = plain or structure.refers or structure.is_in_arena
            return plain and bool(children) and all(map(is_plain, children))
        case layouts.Union(options):
            return all(map(is_plain, options))


def memory_of(values: Sequence[object], variants: Sequence[layouts.Layout]) -> list[Atom] | None:
    """The tags (of several kinds) and the memory of Python's own numbers; None for any other elements."""
    found = kinds_of(values)
    if not values or found is None or not all(kind in variants for kind in found):
        return None
    which = {cls: variants.index(_kind(cls)) for cls in dict.fromkeys(map(type, values))}
    memory: list[Atom] = []
    if len(variants) > 1:
        memory.append(_vector(np.fromiter((which[type(v)] for v in values), np.int32, len(values))))
    classes = {place: cls for cls, place in which.items()}
    for place, kind in enumerate(variants):
        cls = classes.get(place)
        for type_ in layouts.leaf_types(kind):
            if cls is None:
                memory.append(item_memory.zeros((len(values), *type_.shape), type_.dtype))
            else:
                line = (v if type(v) is cls else 0 for v in values)
                memory.append(_vector(np.fromiter(line, type_.dtype, len(values))))
    return memory


def _vector(values: np.ndarray) -> Atom:
    """A constant, computed from less where it can be."""
    n = len(values)
    if values.tobytes() == np.full(n, values[0]).tobytes():
        return item_memory.filled((n,), values.dtype, values[0])
    if values.dtype == np.int64 and n > 2:
        step = int(values[1]) - int(values[0])
        if abs(step) < 2**31 and abs(int(values[0])) < 2**31 and bool((np.diff(values) == step).all()):
            line = item_memory.iota(n)
            scaled = atoms.ufunc(np.multiply, line, item_memory.filled((n,), np.int64, step)) if step != 1 else line
            start = int(values[0])
            return atoms.ufunc(np.add, scaled, item_memory.filled((n,), np.int64, start)) if start else scaled
    return atoms.literal(values)
