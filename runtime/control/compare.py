"""Comparisons that are more than one operator method: chains, `in`, `is`."""

from __future__ import annotations

import collections
import functools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from anabranch.runtime import array as device
from anabranch.runtime.control import (
    boolean,
    branch_identity,
    each,
    folding,
    growing_items,
    iteration,
    node_reads,
    ordering,
    sets,
)
from anabranch.runtime.control.sources import Source
from anabranch.runtime.control.truth import truth
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.ir import Atom, Literal
from anabranch.runtime.trace import current, tracing
from anabranch.runtime.values import aliasing, atoms, checks, lookups, python_conversions, views, wrap
from anabranch.runtime.values.array import Array
from anabranch.runtime.values.choice import UNKNOWN, ChoiceValue, looked_up
from anabranch.runtime.values.containers import has_traced, own_method
from anabranch.runtime.values.items import MayGrow, is_grown
from anabranch.runtime.values.nodes import Reference
from anabranch.runtime.values.python_operands import kind_of
from anabranch.runtime.values.python_scalar import PythonScalar, is_python_scalar, python_scalar
from anabranch.runtime.values.scalar import NumPyScalar
from anabranch.runtime.values.sized import Sized
from anabranch.runtime.values.text import Text, refusal
from anabranch.runtime.values.traced import Traced


def compare(first: Any, *links: Any) -> Any:
    """`first OP a OP b …` with each operand evaluated once, and only as far as needed.

    `links` alternates operators (as text) and thunks of operands.
    """
    left, result = first, None
    operation, operand, *rest = links
    right = operand()
    result = _OPERATORS[operation](left, right)
    if not rest:
        return result
    return boolean.and_(result, lambda: compare(right, *rest))


def is_(a: Any, b: Any) -> Any:
    """`a is b`: identity; with a run-time alternative, whether it is the one."""
    for choice, other in ((a, b), (b, a)):
        if isinstance(choice, Reference) and not (isinstance(other, ChoiceValue) and not isinstance(other, Reference)):
            same = node_reads.is_(choice, other)
            return same if isinstance(same, bool) else _bool(same)
        if isinstance(choice, ChoiceValue) and not isinstance(choice, Reference):
            value = choice.without_undefined()
            if not isinstance(value, ChoiceValue):
                return is_(value, other)
            if is_python_scalar(other) and any(map(is_python_scalar, value.options)):
                return value.each(functools.partial(is_, other))  # which fails for that option alone
            result: Atom = atoms.literal(False)
            for i, option in enumerate(value.options):
                same = truth(is_(option, other))
                if same is not False:
                    chosen = value.chosen(i)
                    held = chosen if same is True else atoms.logical_and(chosen, same)
                    result = atoms.logical_or(result, held)
            return _bool(result)
    if isinstance(a, MayGrow) and isinstance(b, MayGrow) and a.home is not None and b.home is not None:
        return a is b or (a.home.table is b.home.table and a.home.index == b.home.index)
    if _is_bool(a) and _is_bool(b):
        # There is one True and one False: whether two bools are one object is whether they are equal.
        return a == b
    if isinstance(a, Array) and isinstance(b, Array):
        return _is_one_array(a, b)
    if (isinstance(a, PythonScalar) or isinstance(b, PythonScalar)) and is_python_scalar(a) and is_python_scalar(b):
        return _is_one_number(a, b)
    if a is not b and type(a) is type(b) and tracing() and {id(a), id(b)} & current().trace.merged.keys():
        raise _undecided(type(a).__name__)
    return a is b


def _undecided(kind: str) -> UnsupportedOperationError:
    return UnsupportedOperationError(
        f"whether this {kind} is that one is not known: a run-time branch or loop gave one or another, "
        "and what it gave was put together from their parts; compare with =="
    )


def _is_one_number(a: Any, b: Any) -> Any:
    """Return whether two Python numbers are one object: unequal ones are not, and equal small ints are.

    Python keeps one object for each small int. For other equal numbers it is not known, which is an error at run time.
    """
    kind = kind_of(a)
    if a is b or kind_of(b) is not kind:
        return a is b
    if isinstance(a, PythonScalar) and isinstance(b, PythonScalar) and a.atom is b.atom:
        return True
    equal = a == b
    unknown = wrap.as_atom(equal, np.bool_)
    if kind is int:
        large = atoms.logical_or(*(wrap.as_atom(x, np.bool_) for x in (a < _SMALL[0], a > _SMALL[1])))
        unknown = atoms.logical_and(unknown, large)
    checks.fail_if(unknown, _UNKNOWN_NUMBER)
    return equal


_SMALL = (-5, 256)
_UNKNOWN_NUMBER = checks.Telling(
    UnsupportedOperationError,
    "whether two equal numbers are one object is not known in compiled code, which has no objects for numbers; "
    "compare with ==",
)


def _is_one_array(a: Array, b: Array) -> Any:
    """Whether two arrays are one object: where a condition has chosen them, whether it has chosen the same."""
    unclear = current().trace.ambiguous if tracing() else {}
    if unclear and a.storage is b.storage and {id(a), id(b)} & current().trace.either.keys():
        known = [branch_identity.objects_of(current(), x) for x in (a, b)]
        if known[0] is not None and known[1] is not None:
            one_object: Atom = atoms.literal(a is b)
            for pred, one in known[0] if a is not b else ():
                for taken, other in known[1]:
                    if one is other:
                        one_object = atoms.logical_or(one_object, atoms.logical_and(pred, taken))
            return _bool(one_object)
    if {id(a), id(b)} & unclear.keys() and a.storage is b.storage and views.same(a.path, b.path):
        raise _undecided("ndarray")
    if a is b or (a.shape, a.dtype) != (b.shape, b.dtype):
        return a is b
    merged = current().trace.merged
    if {id(a), id(b)} & merged.keys():
        raise _undecided("ndarray")
    if not aliasing.memory(a.storage) & aliasing.memory(b.storage):
        return False
    result: Atom = atoms.literal(False)
    for chosen, one in _alternatives(a):
        for taken, other in _alternatives(b):
            if one is other and id(one) not in unclear:
                result = atoms.logical_or(result, atoms.logical_and(chosen, taken))
            elif {id(one), id(other)} & merged.keys() and aliasing.memory(one.storage) & aliasing.memory(other.storage):
                raise _undecided("ndarray")
            elif (one is not a or other is not b) and one.storage is other.storage and views.same(one.path, other.path):
                raise _undecided("ndarray")  # two handles on the way of what may be one object
    return _bool(result)


def _alternatives(array: Array) -> list[tuple[Atom, Array]]:
    """The arrays that one is, each with when it is that."""
    if id(array) in current().trace.either:
        options = branch_identity.objects_of(current(), array)
        if options is None:
            raise _undecided("ndarray")
        return [(atoms.logical_and(p, q), other) for p, one in options for q, other in _alternatives(one)]
    if id(array) not in current().trace.chosen:
        return [(atoms.literal(True), array)]
    if id(array) in current().trace.ambiguous:
        raise _undecided("ndarray")
    found: list[tuple[Atom, Array]] = []
    own: Atom = atoms.literal(True)
    for link in array.storage.links:
        if link.pred is None or link.form is not None:
            raise _undecided("ndarray")
        own = atoms.logical_and(own, atoms.logical_not(link.pred))
        found += [(atoms.logical_and(link.pred, p), other) for p, other in _alternatives(link.handle)]
    return [*found, (own, array)]


def _is_bool(value: Any) -> bool:
    return isinstance(value, bool) or (isinstance(value, PythonScalar) and value.python is bool)


def is_not(a: Any, b: Any) -> Any:
    """`a is not b`."""
    return boolean.not_(is_(a, b))


_SIZED: tuple[type[Any], ...] = (
    tuple, list, set, frozenset, collections.deque, type({}.keys()), type({}.values()), type({}.items()),
)  # fmt: skip


def in_(item: Any, container: Any) -> Any:
    """`item in container`, for containers of static size and for arrays."""
    if (found := _looked_up_in(item, container, _inside)) is not UNKNOWN:
        return found
    if isinstance(container, ChoiceValue):
        return container.through(lambda c: in_(item, c))
    if isinstance(item, Text) and isinstance(container, str):
        raise refusal(" by in")
    if isinstance(container, (Array, Sized)):
        return _bool(_any(container == item))
    if isinstance(container, NumPyScalar):
        raise TypeError(f"argument of type 'numpy.{container.dtype}' is not iterable")
    if isinstance(container, (range, iteration.Range)) and has_traced((item, container)) and _is_real(item):
        return _in_range(item, container)
    if isinstance(container, Source):
        return folding.contains(container, item)
    if isinstance(container, iteration.Countable) or (isinstance(container, range) and isinstance(item, Traced)):
        return folding.contains(each.Each(container, lambda one: one), item)
    if isinstance(container, (np.ndarray, device.Array)) and isinstance(item, Traced):
        return _bool(_any(container == item))
    if is_grown(container):
        return growing_items.contains(container, item)
    contains = own_method(container, "__contains__")
    if contains is not None:
        return _plain(contains(item))
    elements = container
    if isinstance(container, (sets.Members, set, frozenset)):
        if not isinstance(item, (ChoiceValue, Text)):
            sets.check_hashable(item)
        if isinstance(container, sets.Members):
            return _plain(container.contains(item))
    if isinstance(container, dict):
        elements = tuple(container)
    if isinstance(elements, _SIZED) and (has_traced(item) or has_traced(tuple(elements))):
        result: Any = False
        for element in elements:
            result = boolean.or_(result, _later(item, element))
        return _plain(result)
    return item in container


def _inside(container: Any, item: Any) -> bool:
    return item in container


def _outside(container: Any, item: Any) -> bool:
    return item not in container


def _looked_up_in(item: Any, container: Any, contains: Callable[[Any, Any], bool]) -> Any:
    """`item in container`, or its opposite, for one of a few texts in a container of constants."""
    if own_method(container, "__contains__") is not None:
        return UNKNOWN
    if isinstance(container, _LISTED) and not is_grown(container):
        members: tuple[Any, ...] = tuple(container) if lookups.is_choice(item) else ()
        if members and all(map(lookups.is_constant, members)):
            return looked_up(lambda one: contains(members, one), item)
        return UNKNOWN
    return looked_up(contains, container, item)


_LISTED: tuple[type[Any], ...] = (list, set, frozenset, dict, type({}.keys()), type({}.values()))


def not_in(item: Any, container: Any) -> Any:
    """`item not in container`."""
    if (found := _looked_up_in(item, container, _outside)) is not UNKNOWN:
        return found
    return boolean.not_(in_(item, container))


def _equal(item: Any, element: Any) -> Any:
    return ordering.equal(item, element)


def _later(item: Any, element: Any) -> Callable[[], Any]:
    return lambda: _equal(item, element)


def _plain(value: Any) -> Any:
    """The truth of a value as a Python bool, staged or not."""
    return boolean.not_(boolean.not_(value))


def _is_real(value: Any) -> bool:
    if isinstance(value, Traced):
        return value.abstract.dtype.kind in "biuf" and not value.abstract.shape
    return isinstance(value, (int, float, np.integer, np.floating, np.bool_))


def _in_range(item: Any, container: range | iteration.Range) -> Any:
    number = python_conversions.of_numpy(wrap.as_atom(item)) if isinstance(item, Traced) else item
    start, stop, step = container.start, container.stop, container.step
    if isinstance(step, int):
        low, high = (start, stop - 1) if step > 0 else (stop + 1, start)
        inside = boolean.and_(low <= number, lambda: number <= high)
    else:
        upwards = boolean.and_(step > 0, lambda: boolean.and_(start <= number, lambda: number < stop))
        inside = boolean.or_(
            upwards, lambda: boolean.and_(step < 0, lambda: boolean.and_(stop < number, lambda: number <= start))
        )
    return _plain(boolean.and_(inside, lambda: (number - start) % abs(step) == 0))


def _any(value: Any) -> Any:
    if isinstance(value, bool):
        return value
    atom = value.padded(False).atom if isinstance(value, Sized) else value.atom
    return atoms.op("reduce_any", atom, axes=tuple(range(len(atom.type.shape)))) if atom.type.shape else atom


def _bool(atom: Any) -> Any:
    return bool(atom.value) if isinstance(atom, Literal) else python_scalar(atom)


_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "<": functools.partial(ordering.compared, operator.lt),
    "<=": functools.partial(ordering.compared, operator.le),
    "==": functools.partial(ordering.compared, operator.eq),
    "!=": functools.partial(ordering.compared, operator.ne),
    ">": functools.partial(ordering.compared, operator.gt),
    ">=": functools.partial(ordering.compared, operator.ge),
    "in": in_,
    "not in": not_in,
    "is": is_,
    "is not": is_not,
}
