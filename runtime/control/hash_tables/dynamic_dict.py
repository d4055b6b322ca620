"""Dicts whose keys are known only at run time, and their kin of `collections`."""

from __future__ import annotations

import collections
import operator
import sys
from collections.abc import Callable
from typing import Any, Self

import numpy as np

from anabranch.base.grammar import a
from anabranch.base.value import Value
from anabranch.runtime.control import boolean, subscript
from anabranch.runtime.control.containers import container_order, generator_reductions
from anabranch.runtime.control.dynamic_lists import dynamic_list
from anabranch.runtime.control.generator_expression import GeneratorExpression, for_each
from anabranch.runtime.control.hash_tables import shared_items
from anabranch.runtime.control.hash_tables.counter_operators import CounterOperators, holds_for_each
from anabranch.runtime.control.hash_tables.hash_table import HashTable
from anabranch.runtime.control.hash_tables.key_views import DictItems, Keys
from anabranch.runtime.control.hash_tables.views import Values, element
from anabranch.runtime.control.if_ import if_
from anabranch.runtime.control.sequences.countable_ranges import Range
from anabranch.runtime.control.staging.run_time_keys import become_updated_table
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.tracing.builder import current
from anabranch.runtime.tracing.container_state import ArgumentSite
from anabranch.runtime.tracing.source_frames import standard
from anabranch.runtime.values import wrap
from anabranch.runtime.values.dynamic_lists.growable_list import is_dynamic_list
from anabranch.runtime.values.dynamic_shapes import capacity_requests
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.pytrees import layout as layouts
from anabranch.runtime.values.union import UnionValue

_NONE: Any = object()


class DynamicDict(HashTable):
    """A dict."""

    __slots__ = ()
    names_ = ("keys", "values", "index")
    native: type[Any] = dict

    @property
    def values_(self) -> Any:
        """The list of the values, in the order of the keys."""
        return self.parts_[1]

    def begun_(self, contents: dict[Any, Any]) -> Self:
        """The dict with what it holds at its beginning."""
        for value in contents.values():
            _note_table(value)
        self.start_(list(contents), list(contents.values()))
        return self

    def written_(self) -> Any:
        made = self.bare_((self.request_, self.extra_))
        made.parts_ = self.parts_
        return made

    def as_dict_(self) -> DynamicDict:
        """The same items in a dict of no other class, which may compare in another way."""
        made: DynamicDict = DynamicDict.bare_((self.request_, None))
        made.parts_ = self.parts_
        return made

    # ---- items -------------------------------------------------------------------------------------------------------

    def __getitem__(self, key: Value) -> Value:
        if standard(sys._getframe(1).f_code.co_filename):
            self.plain_()  # such code would catch the KeyError itself, as that of ChainMap does
        place = self.place_of_(key)
        self.refuse_(place < 0, key)
        return element(self.values_, place)

    def __setitem__(self, key: Value, value: Value) -> None:
        self._share(value)
        place = self.place_of_(key)

        def put(table: DynamicDict = self) -> None:
            table.values_.become(table.values_.as_items().with_item(place, value))

        def add(table: DynamicDict = self) -> None:
            table.insert_(key, value)

        if_(place < 0, add, put)

    def insert_(self, key: Value, value: Value) -> None:
        """Add a key that is not there, with its value."""
        self._share(value)
        self.add_new_(key)
        self.values_.append(value)

    def _share(self, value: Value) -> None:
        """Have a value that a dict of the caller's gets be the same object there and elsewhere."""
        _note_table(value)
        if not self.request_.place.frames:
            shared_items.share(value)

    def __delitem__(self, key: Value) -> None:
        place = self.place_of_(key)
        self.refuse_(place < 0, key)
        self.remove_at_(place)

    # ---- methods -----------------------------------------------------------------------------------------------------

    def get(self, key: Value, default: Value = None) -> Value:
        """As `dict.get`."""
        place = self.place_of_(key)

        def found(table: DynamicDict = self) -> Value:
            return element(table.values_, place)

        return if_(place < 0, lambda: default, found)

    def setdefault(self, key: Value, default: Value = None) -> Value:
        """As `dict.setdefault`."""

        def add(table: DynamicDict = self) -> None:
            table.insert_(key, default)

        if_(self.place_of_(key) < 0, add, lambda: None)
        return element(self.values_, self.place_of_(key))

    def pop(self, key: Value, default: Value = _NONE) -> Value:
        """As `dict.pop`."""
        place = self.place_of_(key)

        def found(table: DynamicDict = self) -> Value:
            value = element(table.values_, place)
            table.remove_at_(place)
            return value

        if default is _NONE:
            self.refuse_(place < 0, key)
            return found()
        return if_(place < 0, lambda: default, found)

    def keys(self) -> Keys:
        """As `dict.keys`."""
        become_updated_table()  # a plain dict asks for the keys of what is merged into it
        return Keys(self)

    def values(self) -> Values:
        """As `dict.values`."""
        return Values(self)

    def items(self) -> DictItems:
        """As `dict.items`."""
        return DictItems(self)

    def update(self, *args: Value, **kwargs: Value) -> None:
        """As `dict.update`."""
        for other in (*args, kwargs):
            for_each_item(other, self.__setitem__, self)

    def popitem(self) -> Value:
        """As `dict.popitem`."""
        return self._popped("popitem(): dictionary is empty", self.last_place_)

    def _popped(self, text: str, place_of: Callable[[], Value]) -> Value:
        """The item at a place, which is taken out; a `KeyError` says the text where there is none."""
        empty = wrap.as_atom(self.count_ == 0, np.bool_)
        run_time_checks.fail_if(empty, lambda _: KeyError(text))
        place = place_of()
        item = (self.key_at_(place), element(self.values_, place))
        self.remove_at_(place)
        return item

    def last_place_(self) -> Value:
        """The place of the last item, of which there is one."""
        return self.count_ - 1

    def copy(self) -> Self:
        """As `dict.copy`."""
        made: Self = self.copied_(type(self), self.extra_)
        return made

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, Value]) -> Self:
        if any(isinstance(kind, layouts.Node) for kind in self.values_.as_items().structure.variants):
            raise UnsupportedOperationError(
                "copy.deepcopy of a dict whose keys are known only at run time and whose values are no numbers or "
                "texts is not supported; write how they are copied: {key: list(value) for key, value in d.items()}"
            )
        return self.__copy__()

    def copied_(self, cls: type[Any], extra: Any) -> Any:
        """A dict of a class, or of another, with the same items."""
        made = cls.bare_((self.request_, extra))
        made.parts_ = (self.keys_.copy(), self.values_.copy(), self.parts_[2])
        return made

    def __or__(self, other: Value) -> Value:
        if not isinstance(other, (dict, DynamicDict)):
            return NotImplemented
        return self._merged(self, other)

    def __ror__(self, other: Value) -> Value:
        return self._merged(other, self) if isinstance(other, dict) else NotImplemented

    def _merged(self, left: Value, right: Value) -> Value:
        """`left | right`, of which one is this dict: of the class of the first that is more than a dict."""
        cls, extra = next(filter(None, map(_joining, (left, right))), (DynamicDict, None))
        request = capacity_requests.at(f"the {cls.native.__name__}")
        known = isinstance(left, dict)
        made = cls.bare_((request, extra)).begun_(left) if known else left.copied_(cls, extra).resized_(request)
        made.update(right)
        return self.placed_(made)

    @staticmethod
    def placed_(made: Any) -> Any:
        """A new dict, in the arena of the place that has made it, if it has one."""
        raise NotImplementedError

    def __ior__(self, other: Value) -> Self:
        self.update(other)
        return self

    def clear(self) -> None:
        """As `dict.clear`."""
        for part in self.lists_:
            part.clear()
        self._set_index(self._no_entries())

    def __eq__(self, other: object) -> Value:
        if isinstance(other, dict):
            other = DynamicDict.bare_((self.request_, None)).begun_(other)
        if not isinstance(other, DynamicDict):
            return NotImplemented

        def same(pair: Value, other: DynamicDict = other) -> Value:
            key, value = pair
            place = other.place_of_(key)
            return boolean.and_(place >= 0, lambda: container_order.equal(element(other.values_, place), value))

        return boolean.and_(
            self.count_ == other.count_,
            lambda: generator_reductions.quantified(GeneratorExpression(self.items(), same), until=False),
        )

    __ne__ = boolean.differs

    __hash__ = HashTable.__hash__


def _note_table(value: Value) -> None:
    """Note a dict or set that becomes an item: where others of these lie in an arena it had better lie there, too."""
    if isinstance(value, HashTable):
        current().trace.lists.copied_sites |= value.origins


class DynamicDefaultDict(DynamicDict):
    """A `collections.defaultdict`; `extra` has its factory."""

    __slots__ = ()
    native = collections.defaultdict

    @property
    def default_factory(self) -> Any:
        """As `defaultdict.default_factory`."""
        return self.extra_[0]

    @default_factory.setter
    def default_factory(self, factory: Any) -> None:
        trace = current().trace
        is_shared = self.arena_ is not None or isinstance(trace.tables.made.get(self), ArgumentSite)
        if factory is not None or is_shared or current().parent is not None or trace.failures.regions:
            raise UnsupportedOperationError(
                "the default_factory of a defaultdict whose keys are known only at run time is set, which is supported "
                "for None, outside of branches, loops and try statements, where the function has made the dict"
            )
        self.extra_ = (None, *self.extra_[1:])

    def __getitem__(self, key: Value) -> Value:
        if self.extra_[0] is None:
            return super().__getitem__(key)

        def add(table: DynamicDict = self, factory: Callable[[], Any] = self.extra_[0]) -> None:
            table.insert_(key, factory())

        if_(self.place_of_(key) < 0, add, lambda: None)
        return element(self.values_, self.place_of_(key))


class DynamicCounter(CounterOperators, DynamicDict):
    """A `collections.Counter`."""

    __slots__ = ()
    native = collections.Counter

    def __getitem__(self, key: Value) -> Value:
        return self.get(key, 0)

    def __delitem__(self, key: Value) -> None:
        place = self.place_of_(key)

        def found(table: DynamicDict = self) -> None:
            table.remove_at_(place)

        if_(place < 0, lambda: None, found)

    def update(self, *args: Value, **kwargs: Value) -> None:
        """As `Counter.update`: counts are added."""
        for other in (*args, kwargs):
            self._count(other, 1)

    def subtract(self, *args: Value, **kwargs: Value) -> None:
        """As `Counter.subtract`."""
        for other in (*args, kwargs):
            self._count(other, -1)

    def _count(self, other: Value, sign: int) -> None:
        if isinstance(other, (dict, DynamicDict)):
            for_each_item(other, lambda key, n: self._add(key, n if sign > 0 else -n), self)
            return

        def add(key: Value, table: DynamicCounter = self) -> None:
            table._add(key, sign)

        for_each(other, add)

    def _add(self, key: Value, n: Value) -> None:
        self[key] = self[key] + n

    def __eq__(self, other: object) -> Value:
        """As `Counter.__eq__`: a key that is not there counts as zero."""
        right = self.counter_of_(other)
        return super().__eq__(other) if right is None else holds_for_each(self, right, operator.eq)

    __hash__ = HashTable.__hash__

    def counter_of_(self, other: Value) -> Any:
        if isinstance(other, collections.Counter):
            return DynamicCounter.bare_((self.request_, None)).begun_(dict(other))
        return other if isinstance(other, DynamicCounter) else None

    def empty_(self) -> Any:
        return DynamicCounter.bare_((capacity_requests.at("the Counter"), None)).begun_({})

    def elements(self) -> Value:
        """As `Counter.elements`."""

        def repeated(pair: Value) -> GeneratorExpression:
            return GeneratorExpression(Range(0, pair[1], 1), lambda _: pair[0])

        return GeneratorExpression(self.items(), repeated, nested=True)

    def total(self) -> Value:
        """As `Counter.total`."""
        return generator_reductions.total(GeneratorExpression(self.values()), 0)

    def most_common(self, n: Value = None) -> Value:
        """As `Counter.most_common`."""
        items = dynamic_list.listed(self.items())
        items.sort(key=lambda pair: pair[1], reverse=True)
        return items if n is None else items[: if_(n < 0, lambda: 0, lambda: n)]


# The classes whose operator | gives one of them, whichever operand it is, by those that they stand for.
JOINING: dict[type, type[DynamicDict]] = {collections.defaultdict: DynamicDefaultDict}


def _joining(mapping: Value) -> tuple[type[DynamicDict], Any] | None:
    """The class that what a mapping is joined with by | becomes, and what one of it is made with; None for a dict."""
    if isinstance(mapping, DynamicDict):
        cls = JOINING.get(mapping.native)
        return None if cls is None else (cls, mapping.extra_)
    if not isinstance(mapping, tuple(JOINING)):
        return None
    if type(mapping) not in JOINING:
        raise UnsupportedOperationError(
            f"{a(type(mapping).__name__)} | a dict whose keys are known only at run time is not supported; use update()"
        )
    return JOINING[type(mapping)], (mapping.default_factory,) if hasattr(mapping, "default_factory") else None


def for_each_item(source: Value, consume: Callable[[Any, Any], Any], *changed: Any) -> None:
    """Call a function, which changes some objects, with each key of a mapping, or of pairs, and its value."""
    if isinstance(source, UnionValue):
        source.through(lambda one: for_each_item(one, consume, *changed))
        return
    if isinstance(source, dict):
        for key, value in source.items():
            consume(key, value)
    elif not isinstance(source, DynamicDict) and hasattr(source, "keys"):
        for_each(source.keys(), lambda key: consume(key, subscript.at(source)[key]))
    else:

        def each(pair: Value, changed: tuple[Any, ...] = changed) -> None:
            key, value = pair.unpacked_(2) if is_dynamic_list(pair) else pair
            consume(key, value)

        for_each(source.items() if isinstance(source, DynamicDict) else source, each)
