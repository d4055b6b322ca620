"""Slots of lists, deques, sets and dicts, and the base of all slots."""

from __future__ import annotations

import abc
import collections
import operator
from collections.abc import Callable, Iterable
from typing import Any

from anabranch.base.value import Value
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.values.containers import contents_of, own_dict, update
from anabranch.runtime.values.same_constants import are_same_keys, is_same_key


class Slot(abc.ABC):
    """One mutable object. Its contents are a container value: a tuple or a dict of its parts."""

    __slots__ = ("before", "target")

    def __init__(self, target: Value) -> None:
        self.target = target
        self.before = self.contents()

    @abc.abstractmethod
    def contents(self) -> Value:
        """A shallow copy of what the object holds."""

    @abc.abstractmethod
    def restore(self, contents: Value) -> None:
        """Make the object hold this."""

    def rewind(self) -> None:  # noqa: B027
        """Put an iterator back to where it was, which `restore` does not do."""

    def parts(self) -> Iterable[Value]:
        """The objects to walk to."""
        contents = self.before
        return contents.values() if isinstance(contents, dict) else contents

    @property
    def changed(self) -> bool:
        """Return whether the object holds other things than before."""
        return not self.same_contents(self.contents(), self.before)

    def condition(self, constant: Callable[[object], str]) -> str:
        """`not changed`, as a Python expression; `constant` returns the name of a value in it."""
        return f"not {constant(self)}.changed"

    @staticmethod
    def same_contents(now: Value, before: Value) -> bool:
        """Return whether two contents hold the same objects."""
        if isinstance(now, dict):
            return are_same_keys(now, before) and all(map(operator.is_, now.values(), before.values()))
        return len(now) == len(before) and all(map(operator.is_, now, before))


class FixedSlot(Slot):
    """An object that never changes: only the memory of the arrays that it holds does."""

    __slots__ = ()

    def contents(self) -> tuple[()]:
        return ()

    def restore(self, contents: Value) -> None:
        pass


class IteratorSlot(FixedSlot):
    """An iterator of the project's, which branches and loops that are staged do not move; what is attempted may."""

    __slots__ = ("_progress",)

    def __init__(self, target: Value) -> None:
        super().__init__(target)
        self._progress = target.progress_()

    def rewind(self) -> None:
        self.target.go_back_(self._progress)

    def parts(self) -> Iterable[Value]:
        """The objects that yielding its items may change."""
        found: tuple[Value, ...] = self.target.leads_to_()
        return found


class SequenceSlot(Slot):
    """A list or a deque, by the methods of the built-in class: a subclass may have changed them."""

    __slots__ = ()

    @property
    def _methods(self) -> type[list[Any]] | type[collections.deque[Any]]:
        return list if isinstance(self.target, list) else collections.deque

    @property
    def changed(self) -> bool:
        # Each branch looks at all lists that the function leads to: no copy is made to compare them.
        target, before, methods = self.target, self.before, self._methods
        return methods.__len__(target) != len(before) or not all(map(operator.is_, methods.__iter__(target), before))

    def contents(self) -> tuple[Value, ...]:
        return tuple(self._methods.__iter__(self.target))

    def restore(self, contents: Value) -> None:
        self._methods.clear(self.target)
        self._methods.extend(self.target, contents)


class SetSlot(Slot):
    """A set."""

    __slots__ = ()

    def contents(self) -> tuple[Value, ...]:
        return tuple(set.__iter__(self.target))

    def restore(self, contents: Value) -> None:
        """Members that stay are left in their places, since the order of a set depends on how it has come about."""
        target, members = self.target, list(contents)
        kept = {member: member for member in members}
        for member in self.contents():
            if member not in kept or not is_same_key(member, kept[member]):
                set.discard(target, member)
        for member in members:
            set.add(target, member)


class DictSlot(Slot):
    """A dict."""

    __slots__ = ()

    def contents(self) -> dict[Value, Value]:
        return contents_of(self.target)

    def restore(self, contents: Value) -> None:
        own_dict(self.target).clear(self.target)
        update(self.target, contents)


class DefaultDictSlot(DictSlot):
    """A defaultdict: the function that makes missing items is the same in each branch."""

    __slots__ = ("factory",)

    def __init__(self, target: Value) -> None:
        super().__init__(target)
        self.factory = target.default_factory

    @property
    def changed(self) -> bool:
        return self.target.default_factory is not self.factory or super().changed

    def parts(self) -> Iterable[Value]:
        return [*super().parts(), self.factory]

    def restore(self, contents: Value) -> None:
        if self.target.default_factory is not self.factory:
            self.target.default_factory = self.factory
            raise UnsupportedOperationError(
                "a defaultdict gets another default_factory, depending on a run-time condition"
            )
        super().restore(contents)
