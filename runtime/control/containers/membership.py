"""`in` and `not in`, for containers that hold run-time values and for run-time values that are looked for."""

from __future__ import annotations

import collections
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.control import boolean, generator_expression
from anabranch.runtime.control.containers import container_order, generator_reductions
from anabranch.runtime.control.iteration.push_iterator import PushIterator
from anabranch.runtime.control.iteration.user_iterators import iterated
from anabranch.runtime.control.sequences import countable, countable_ranges
from anabranch.runtime.control.texts import text_operations
from anabranch.runtime.device import array as device
from anabranch.runtime.errors import ConcretizationError, UnsupportedOperationError
from anabranch.runtime.tracing.builder import current, tracing
from anabranch.runtime.values import atoms, text_tables, wrap
from anabranch.runtime.values.arrays.dynamic_array import DynamicArray
from anabranch.runtime.values.arrays.numpy_scalar import NumPyScalar
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.containers import has_traced, is_hashed_object
from anabranch.runtime.values.dynamic_lists.growable_list import is_dynamic_list
from anabranch.runtime.values.hashed import Hashed
from anabranch.runtime.values.host_types.host_type import HostTyped
from anabranch.runtime.values.host_types.text_arrays import TracedTexts
from anabranch.runtime.values.lazy_text import Text
from anabranch.runtime.values.python_numbers import python_conversions
from anabranch.runtime.values.python_numbers.python_scalar import PythonScalar, python_scalar
from anabranch.runtime.values.run_time_container import RunTimeContainer
from anabranch.runtime.values.tracer import Tracer
from anabranch.runtime.values.union import UnionValue
from anabranch.runtime.values.union_operations import UNKNOWN, looked_up
from anabranch.runtime.values.user_classes import own_method

_SIZED: tuple[type[Any], ...] = (
    tuple, list, set, frozenset, collections.deque, type({}.keys()), type({}.values()), type({}.items()),
)  # fmt: skip


def in_(item: Value, container: Value) -> Value:
    """`item in container`, for containers of static size and for arrays."""
    if (found := _looked_up_in(item, container, _inside)) is not UNKNOWN:
        return found
    if isinstance(container, UnionValue):
        return container.through(lambda c: in_(item, c))
    if isinstance(container, Text) or (isinstance(item, (Text, UnionValue)) and isinstance(container, str)):
        return text_operations.contains(container, item)
    if isinstance(container, (TracedArray, DynamicArray, TracedTexts)):
        return python_scalar(_any(container == item))
    if isinstance(container, NumPyScalar):
        raise TypeError(f"argument of type 'numpy.{container.dtype}' is not iterable")
    if isinstance(container, (range, countable_ranges.Range)) and has_traced((item, container)) and _is_real(item):
        return _in_range(item, container)
    if isinstance(container, PushIterator):
        return generator_reductions.contains(container, item)
    if isinstance(container, countable.Countable) or (isinstance(container, range) and isinstance(item, Tracer)):
        return generator_reductions.contains(generator_expression.GeneratorExpression(container), item)
    if isinstance(container, (np.ndarray, device.Array)) and isinstance(item, Tracer):
        return python_scalar(_any(container == item))
    if _is_of(container, (set, frozenset)) and _is_of(item, (set,)) and has_traced((item, container)):
        raise UnsupportedOperationError(
            "a set is looked for in a set, one of them of members known only at run time; look for frozenset(...)"
        )
    if isinstance(container, RunTimeContainer):
        return container.contains_(item)
    if is_dynamic_list(container):
        matches = generator_expression.GeneratorExpression(container, lambda one: container_order.equal(item, one))
        return generator_reductions.quantified(matches, until=True)
    contains = own_method(container, "__contains__")
    if contains is not None:
        return _plain(contains(item))
    if not hasattr(type(container), "__contains__") and isinstance(items := iterated(container), PushIterator):
        return generator_reductions.contains(items, item)
    elements, same = container, container_order.equal
    if isinstance(container, (Members, set, frozenset, dict)):
        item = hashable(item)
        if not isinstance(item, (UnionValue, Text)):
            check_hashable(item)
        if isinstance(container, Members):
            return _plain(container.contains(item))
        same = container_order.same_key
    if isinstance(container, dict):
        elements = tuple(container)
    if isinstance(elements, _SIZED) and (has_traced(item) or has_traced(tuple(elements))):
        result: Any = False
        for element in elements:
            result = boolean.or_(result, lambda element=element: same(item, element))  # type: ignore[misc]
        return _plain(result)
    try:
        return item in container
    except ConcretizationError:
        if tracing() and isinstance(container, Iterator):
            current().trace.want_going_on(container)  # how far the search takes it is known only at run time
        raise


def _is_of(value: Value, natives: tuple[type, ...]) -> bool:
    return isinstance(value, natives) or (isinstance(value, RunTimeContainer) and value.native in natives)


def _inside(container: Value, item: Value) -> bool:
    return item in container


def _outside(container: Value, item: Value) -> bool:
    return item not in container


def _looked_up_in(item: Value, container: Value, contains: Callable[[Any, Any], bool]) -> Value:
    """`item in container`, or its opposite, for one of a few texts in a container of constants."""
    if own_method(container, "__contains__") is not None:
        return UNKNOWN
    if isinstance(container, _LISTED) and not is_dynamic_list(container):
        members: tuple[Any, ...] = tuple(container) if text_tables.is_choice(item) else ()
        if members and all(map(text_tables.is_constant, members)):
            return looked_up(lambda one: contains(members, one), item)
        return UNKNOWN
    return looked_up(contains, container, item)


_LISTED: tuple[type[Any], ...] = (list, set, frozenset, dict, type({}.keys()), type({}.values()))


def not_in(item: object, container: object) -> Value:
    """`item not in container`."""
    if (found := _looked_up_in(item, container, _outside)) is not UNKNOWN:
        return found
    return boolean.not_(in_(item, container))


def _plain(value: object) -> Value:
    """The truth of a value as a Python bool, staged or not."""
    return boolean.not_(boolean.not_(value))


def _is_real(value: object) -> bool:
    if isinstance(value, Tracer):
        return value.abstract.dtype.kind in "biuf" and not value.abstract.shape
    return isinstance(value, (int, float, np.integer, np.floating, np.bool_))


def _in_range(item: Value, container: range | countable_ranges.Range) -> Value:
    number = python_conversions.of_numpy(wrap.as_atom(item)) if isinstance(item, Tracer) else item
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


def _any(value: Value) -> Value:
    if isinstance(value, bool):
        return value
    atom = value.padded(False).atom if isinstance(value, DynamicArray) else value.atom
    return atoms.any_of(atom)


@dataclass(frozen=True, slots=True, eq=False)
class Members:
    """The possible members of a set, each with whether it is one."""

    items: tuple[tuple[Any, Any], ...]

    def contains(self, item: object) -> Value:
        """`item in self`, plain or traced."""
        result: Any = False
        for element, present in self.items:
            result = boolean.or_(result, _later(item, element, present))
        return result

    def where(self, condition: Callable[[Any], object]) -> Members:
        """The members for which a condition holds."""
        return Members(tuple((e, boolean.and_(held, lambda e=e: condition(e))) for e, held in self.items))  # type: ignore[misc]


def check_hashable(item: object) -> None:
    """Raise TypeError for what no set can hold."""
    if isinstance(item, tuple):
        for part in item:
            check_hashable(part)
    elif isinstance(item, (TracedArray, DynamicArray)):
        hash(np.zeros(0))  # raises
    elif not _has_hash(item):
        hash(item)


def hashable(item: Value) -> Value:
    """The options of a value that have a hash, after the check that it is one of these."""
    if isinstance(item, UnionValue):
        item = item.without_undefined()
    if isinstance(item, UnionValue):
        return item.excluding(_unhashable)
    if type(item) is tuple and any(isinstance(part, (UnionValue, tuple)) for part in item):
        return tuple(map(hashable, item))
    return item


def _unhashable(item: object) -> TypeError | None:
    """The exception that Python raises for what no set can hold."""
    try:
        check_hashable(item)
    except ConcretizationError:
        return None
    except TypeError as error:
        return error
    return None


def _has_hash(item: object) -> bool:
    """Return whether a value known only at run time has a hash."""
    if isinstance(item, HostTyped):
        return item.key_ is not None
    if isinstance(item, (PythonScalar, NumPyScalar, Text)) or (is_hashed_object(item) and has_traced(item)):
        return True
    return isinstance(item, Hashed) and item.native is frozenset


def _later(item: object, element: object, present: object) -> Callable[[], Any]:
    return lambda: boolean.and_(present, lambda: container_order.same_key(item, element))
