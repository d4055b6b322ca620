"""Lists and deques that may come to have a length known only at run time.

In a function that turned out to have such lists, a list display is rewritten to `ab.growing([...])`, which is the list
and no more until a branch or a loop gives it another length on one way than on another. From then on its elements are
`Items`, and what stands in the list itself refuses whatever is not staged.
"""

from __future__ import annotations

import copy
import math
import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Self

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.control import subscript
from anabranch.runtime.control.boolean import differs
from anabranch.runtime.control.columnar import array_lists
from anabranch.runtime.control.containers import container_methods
from anabranch.runtime.control.dynamic_lists import (
    deep_copies,
    dynamic_list_methods as staged,
    item_access,
)
from anabranch.runtime.control.dynamic_lists.dynamic_list_contents import MARKER, GrowableContents
from anabranch.runtime.control.staging import unpacking
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.tracing.builder import current, tracing
from anabranch.runtime.tracing.container_state import MANY
from anabranch.runtime.tracing.source_frames import is_in_place, place
from anabranch.runtime.values import wrap
from anabranch.runtime.values.arrays.numpy_scalar import NumPyScalar, is_array
from anabranch.runtime.values.attributes import name_in_messages
from anabranch.runtime.values.comparisons import Compared
from anabranch.runtime.values.containers import has_traced
from anabranch.runtime.values.dynamic_lists.growable_list import Growable, is_dynamic_list, is_fixed
from anabranch.runtime.values.dynamic_lists.item_kinds import with_tuples_in_arenas
from anabranch.runtime.values.dynamic_lists.items import Items
from anabranch.runtime.values.dynamic_lists.list_as_array import as_array
from anabranch.runtime.values.memory import item_memory
from anabranch.runtime.values.python_numbers.python_scalar import PythonScalar
from anabranch.runtime.values.static_requests import is_of_run_time
from anabranch.runtime.values.tracer import Tracer
from anabranch.runtime.values.union import UnionValue
from anabranch.runtime.values.user_classes import is_users_class


def _has_traced_bounds(key: object) -> bool:
    return isinstance(key, slice) and any(isinstance(k, Tracer) for k in (key.start, key.stop, key.step))


class GrowableMethods(Compared, GrowableContents):
    """The methods that lists and deques that grow have in common."""

    __slots__ = ()

    def __iter__(self) -> Iterator[Value]:
        if self.items is None:
            return self._steps(self.native.__iter__(self), math.inf)
        if isinstance(self.items.length, int):
            if tracing():
                current().trace.lists.demand_growth_for(self.items.length)
            return self._elements()
        expected = unpacking.targets() if tracing() else None
        if expected is None:
            unpacking.demand_growth()
            return self._plain("an iteration")
        return iter(self.unpacked_(expected))

    def unpacked_(self, count: int) -> tuple[Value, ...]:
        """The items of a list of run-time length, which must be so many."""
        assert self.items is not None
        unpacking.check_length(self.items.length, count)
        return tuple([self[place] for place in range(count)])

    def __reversed__(self) -> Iterator[Value]:
        items: Iterator[Value] = reversed(list(self)) if self.items is not None else self.native.__reversed__(self)
        return self._steps(items, len(self)) if self.items is None else items

    def _elements(self) -> Iterator[Value]:
        position = 0
        while position < len(self):
            yield self[position]
            position += 1

    def _steps(self, items: Iterator[Value], most: float) -> Iterator[Value]:
        """The items that an iterator of the built-in class gives, at most so many, while their number stays known."""
        given = 0
        for item in items:
            if item is MARKER:
                break
            yield item
            given += 1
        # The marker is one item: an iterator that is further on does not come to it.
        if self.items is not None and given < most:
            self._plain("an iteration over a list that grows in it")

    def __hash__(self) -> int:
        raise TypeError(f"unhashable type: '{name_in_messages(self.native)}'")

    def __repr__(self) -> str:
        if is_fixed(self):
            return repr(self.native(self._elements()))
        return self.native.__repr__(self) if self.items is None else "<a list of run-time length>"

    # ---- elements ----------------------------------------------------------------------------------------------------

    def __getitem__(self, key: Value) -> Value:
        if is_fixed(self) and isinstance(key, slice) and not has_traced((key.start, key.stop, key.step)):
            return self._part(range(len(self))[key])
        if self.items is not None or _has_traced_bounds(key):
            return item_access.get(self, key)
        if isinstance(key, slice):
            return self.made(self.native.__getitem__(self, key))
        return subscript.Indexed(self)[key] if isinstance(key, Tracer) else self.native.__getitem__(self, key)

    def _part(self, places: range) -> Self:
        assert self.items is not None
        return self.made(self.items.at(places) if places else self._contents())

    def __setitem__(self, key: Value, value: Value) -> None:
        if is_fixed(self) and (isinstance(key, slice) or not array_lists.fits(value)):
            self.separate()
        if isinstance(key, slice) and tracing():
            value = staged.collected(value, listed)
        if self.items is not None or _has_traced_bounds(key) or (isinstance(key, slice) and is_dynamic_list(value)):
            item_access.set_(self, key, value)
        elif isinstance(key, Tracer):
            subscript.Indexed(self)[key] = value
        else:
            self.native.__setitem__(self, key, value)

    def __delitem__(self, key: object) -> None:
        if is_fixed(self) and not has_traced(key):
            self.separate()
        if self.items is not None or isinstance(key, Tracer) or _has_traced_bounds(key):
            item_access.delete(self, key)
        else:
            self.native.__delitem__(self, key)

    def append(self, value: Value) -> None:
        """As `list.append`."""
        if is_fixed(self) and not array_lists.fits(value):
            self.separate()
        if self.items is None:
            self.native.append(self, with_tuples_in_arenas(value) if tracing() else value)
        else:
            self.become(self.items.pushed(value))

    def extend(self, values: Iterable[Value]) -> None:
        """As `list.extend`."""
        if self.items is not None and is_fixed(self) and isinstance(values, Growable) and is_fixed(values):
            assert values.items is not None
            self.become(self.items.followed_by(values.items))
        else:
            staged.extend(self, values, listed)

    def __iadd__(self, values: Value) -> Self:
        if isinstance(values, UnionValue) and any(map(_has_operators, values.options)):
            return values.through(self.__iadd__)  # type: ignore[no-any-return]
        is_asked = _has_operators(values) or isinstance(values, (NumPyScalar, np.generic))
        found = self._of_other("__radd__", values) if is_asked else NotImplemented
        if found is not NotImplemented:
            return found  # type: ignore[no-any-return]
        self.extend(values)
        return self

    def pop(self, *place: object) -> Value:
        """As `list.pop`."""
        if self.items is None and not has_traced(place):
            return self.native.pop(self, *place)
        if len(place) > (self.native is list):
            return self.native().pop(*place)  # raises what Python raises
        return item_access.pop(self, *place)

    def insert(self, place: Value, value: Value) -> None:
        """As `list.insert`."""
        if is_fixed(self) and not array_lists.fits(value):
            self.separate()
        if self.items is None and not isinstance(place, Tracer):
            self.native.insert(self, place, value)
        else:
            item_access.insert(self, place, value)

    def clear(self) -> None:
        """As `list.clear`."""
        self.become(self._contents() if self.items is None or is_fixed(self) else self.items.cut(0))

    def copy(self) -> Self:
        """As `list.copy`."""
        return self.made(self.contents())

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, Value]) -> Self:
        contents = self.contents()
        if not isinstance(contents, Items):
            return self.made([copy.deepcopy(v, memo) for v in contents])
        if not deep_copies.lies_in_arenas(contents):
            return self.copy()
        made = self.made([])
        deep_copies.append_copies(made, self)
        return made

    def reverse(self) -> None:
        """As `list.reverse`."""
        if self.items is None:
            self.native.reverse(self)
        else:
            self.become(item_access.reversed_items(self.items))

    def index(self, *args: Value) -> Value:
        """As `list.index`."""
        return staged.index(self, *args) if self.items is not None else self._staged_method("index")(*args)

    def count(self, value: object) -> Value:
        """As `list.count`."""
        return staged.count(self, value) if self.items is not None else self._staged_method("count")(value)

    def remove(self, value: object) -> None:
        """As `list.remove`."""
        if self.items is None and not (has_traced(value) or has_traced(self)):
            self.native.remove(self, value)
        else:
            staged.remove(self, value)

    def _staged_method(self, name: str) -> Callable[..., Any]:
        """The method of the built-in class, staged where run-time values take part."""
        method: Callable[..., Any] = container_methods.staged(getattr(super(), name))
        return method

    # ---- with others -------------------------------------------------------------------------------------------------

    def __add__(self, other: Value) -> Value:
        if not isinstance(other, self.native):
            found = self._of_other("__radd__", other)
            return self.native().__add__(other) if found is NotImplemented else found  # or raises what Python raises
        made = self.copy()
        made.extend(other)
        return placed(made)

    def _of_other(self, name: str, other: object) -> Value:
        """The result of an operator of the other operand's class; NotImplemented where it has none."""
        reflected = getattr(type(other), name, None)
        return NotImplemented if reflected is None else reflected(other, self)

    def __radd__(self, other: object) -> Value:
        if not isinstance(other, self.native):
            return NotImplemented
        if is_in_place():
            # Of an exact list Python asks this one first, which would make a new list of both.
            if is_dynamic_list(self):
                current().trace.lists.demand_growth()
            other.extend(self)
            return other
        made = self.made(tuple(other))
        made.extend(self)
        return placed(made)

    def __mul__(self, times: Value) -> Value:
        found = self._of_other("__rmul__", times) if _has_operators(times) else NotImplemented
        if found is not NotImplemented:
            return found
        if isinstance(times, PythonScalar):
            is_count = times.python in (int, bool)
        elif isinstance(times, (NumPyScalar, np.generic)):
            is_count = np.dtype(times.dtype).kind in "iu"
        else:
            is_count = hasattr(times, "__index__")
        return placed(self._repeated(times)) if is_count else [] * times  # which raises what it does with any list

    __rmul__ = __mul__

    def __imul__(self, times: Value) -> Self:
        made = self * times
        if isinstance(made, type(self)):
            self.clear()
            self.extend(made)
            return self
        return made  # type: ignore[no-any-return] # what an array makes of it

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Value, **kwargs: Value) -> Value:
        # NumPy's numbers leave it to lists alone to be repeated, and make an array of what is of another class.
        if ufunc is np.multiply and len(inputs) == 2 and isinstance(inputs[0], np.generic) and not kwargs:
            return self * inputs[0]
        plain = [x.native(x) if isinstance(x, GrowableContents) else x for x in inputs]
        return getattr(ufunc, method)(*plain, **kwargs)

    def as_indices_(self) -> Value:
        """The indices that the list stands for as a key of an array."""
        return wrap.numpy_operand(self) if self.items is None else as_array(self.items, of_nothing=np.dtype(np.int64))

    def _repeated(self, times: Value) -> Value:
        count = None if self.items is None else self.items.length
        is_long = type(count) is int and type(times) is int and count * times > MANY
        if is_long or (isinstance(times, Tracer) and is_of_run_time(times)):
            made = self.made(())
            staged.append_times(made, self, times)
            return made
        if is_fixed(self) and type(times) is int:
            return self.made(self._contents(self.native.__mul__(self.native(self._elements()), times)))
        if self.items is not None:
            if type(self.items.length) is int and type(times) is int:
                return self.made(tuple(self) * times)
            made = self.made(())
            staged.append_times(made, self, times)
            return made
        return self.made(self.native.__mul__(self, times))

    def _compared(self, operation: Callable[[Any, Any], Any], other: object) -> Value:
        if not isinstance(other, self.native):
            return NotImplemented
        if operation is operator.ne:
            return differs(self, other)
        if self.items is None and not is_dynamic_list(other):
            return getattr(self.native, f"__{operation.__name__}__")(self, other)
        return staged.compared(operation, *(staged.items_of(self, one) for one in (self, other)))

    def __contains__(self, value: object) -> bool:
        if is_fixed(self):
            return value in self.native(self._elements())
        if self.items is not None:
            self._plain("in")
        found: bool = self.native.__contains__(self, value)
        return found


def _has_operators(value: object) -> bool:
    """Return whether Python asks an object what it makes of a list before the list is lengthened or repeated."""
    return is_array(value) or is_users_class(type(value))


class GrowableList(GrowableMethods, list[Any]):  # type: ignore[misc]
    """A list that may grow."""

    __slots__ = ("_items", "origins", "row_binding", "site")
    native = list

    def sort(self, *, key: Callable[[Any], object] | None = None, reverse: bool = False) -> None:
        """As `list.sort`."""
        if is_fixed(self) and len(self) <= _FEW:
            self.separate()
        if self.items is None:
            container_methods.staged(super().sort)(key=key, reverse=reverse)
        else:
            staged.sort(self, key, reverse, listed)


def placed(made: Value) -> Value:
    """A new list, in the arena of the place that has made it, if it has one."""
    if not isinstance(made, GrowableList) or not tracing():
        return made
    arenas = current().trace.lists.arenas
    arena = arenas.get(place()) if arenas else None
    if arena is None:
        made.origins |= {place()}
        return made
    return arena.holding(made)


def places_in_order(keys: Sequence[Value]) -> Atom:
    """The places of keys in order, by their own `<`: an int64 vector; equal keys stay as they are."""
    made = GrowableList(keys)
    found = staged.in_order(made, listed)(made.as_items()).with_dynamic_length()
    return item_memory.fitted(found.buffers[0], len(keys))


def growing(values: object) -> Value:
    """The list as one that may grow; outside of tracing, itself."""
    return noted(GrowableList(values)) if tracing() and type(values) is list else values


def noted(made: Value) -> Value:
    """A list or deque that the trace has made."""
    current().trace.identity.created.add(made)
    array_lists.note_allocation(made, place())
    return made


def listed(source: Value) -> Value:
    """The list of what a comprehension or an iterable yields."""
    if is_dynamic_list(source) and source.native is list:
        return source.copy()
    made = growing([])
    staged.append_each(made, source)
    return made


# So many run-time values are compared one by one to be sorted.
_FEW = 32
