"""Parts of what a trace keeps for the layers above, by protocols: it knows none of their classes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.ir.program import Atom, Program

if TYPE_CHECKING:
    from anabranch.runtime.tracing.builder import Builder


class TryRegion(Protocol):
    """The body of a try statement in progress."""

    roots: tuple[Any, ...]  # objects that lead to all that a handler may see
    first: int  # how many failures were numbered before it
    again: set[int]  # those from before that are raised again in it
    kinds: tuple[Callable[[], Any], ...]  # each returns the classes of a handler

    def has_seen(self, value: object) -> bool:
        """Return whether an object was there before the first branch or loop in the region that may fail."""

    def reaches(self, value: object) -> bool:
        """Return whether the handlers can find an object among what they see."""

    def note(self, builder: Builder) -> None:
        """Remember what objects hold now: something may just have failed."""

    def failed(self, builder: Builder) -> bool:
        """Return whether something in the region may have failed by now."""


class Body(Protocol):
    """Code out of which no StopIteration comes, such as that of a generator."""

    depth: int  # how many try statements are around it

    def instead(self, error: StopIteration) -> BaseException:
        """Return what is raised at run time in place of a StopIteration."""


class RowTable(Protocol):
    """Elements of some lists of one length, side by side, as long as `builder` builds."""

    @property
    def builder(self) -> Builder: ...

    @property
    def owners(self) -> tuple[Any, ...]: ...

    @property
    def dead(self) -> bool: ...

    def dissolve(self, wanted: Callable[[Any], bool]) -> None:
        """Let the rows hold their elements by themselves, those that are wanted."""

    def finish(self) -> None:
        """Let the rows hold parts of the table: the function has ended."""


class TailLoop(Protocol):
    """A function whose calls of itself at its end are steps of one loop; `first` are the arguments of the first."""

    @property
    def function(self) -> object: ...

    @property
    def first(self) -> tuple[Any, ...]: ...


class Recursion(Protocol):
    """A function whose body is being traced by itself, with the calls that it makes of itself as equations."""

    def again(self, function: Any, args: tuple[Value, ...], kwargs: Mapping[str, Value]) -> Value:
        """A call that it makes of itself."""


class Recording(Protocol):
    """A call that was traced once, for others of the same signature."""

    @property
    def program(self) -> Program: ...


class Slot(Protocol):
    """A part of the heap that may be changed; `target` is the object whose part it is."""

    @property
    def target(self) -> Value: ...


class Lent(Protocol):
    """The earlier contents of the containers that stand for one of the items of a list."""

    def changed(self) -> bool: ...

    @property
    def slots(self) -> Iterable[Slot]: ...


@frozen
class UnionOperations:
    """The functions by which unions leave to control flow, and to tables, what their own class cannot do."""

    # `decide(union, operation)` is the operation on the chosen option, in a branch for each.
    decide: Callable[[Any, Callable[[Any], Any]], Value]
    # `compute(function, operands, place)` is a function of numbers of which the one at a place is a union, if it cannot
    # fail; `NotImplemented` where it may.
    compute: Callable[[Callable[..., Any], tuple[Any, ...], int], Value]
    # `merge(union)` is one array of run-time size for arrays of several sizes; None where there is none.
    merge: Callable[[Any], Value]
    # `look_up(function, *operands)` is the result of a function without effects, from a table; `UNKNOWN` where there is
    # none.
    look_up: Callable[..., Value]
    method: Callable[[str, Any], Value]  # `method(name, union)` is a method of one of a few texts
    # `one_tuple(layouts)` is the layout of one of several tuples as one whose length is known only at run time.
    one_tuple: Callable[[Any], Any]
    # `iterate(union)` has the items of what is one of several lists or tuples; None where each has its own.
    iterate: Callable[[Any], list[Any] | None]


@frozen
class TextOperations:
    """The functions by which run-time texts leave to control flow what needs their characters."""

    parts: Callable[[Any], Value]  # `parts(items)` is a new list of the texts that `str.join` is given
    # `compare(operation, a, b)` is a comparison of two values of which one is such a text.
    compare: Callable[[Callable[[Any, Any], object], Any, Any], Value]
    # `item(text, key)` is the character, or the part of the text, that the key leads to.
    item: Callable[[Any, Any], Value]
    truth: Callable[[Any], Atom]  # `truth(text)` is whether there are characters: a bool scalar
    # `method(name, text, *args)` is a method of `str` that returns no text; `NotImplemented` where it has no such form.
    method: Callable[..., Value]
    # `codes(text)` is an array of the codes of the characters, with 0 behind the last; as long as the text may be.
    codes: Callable[[Any], Value]
    spell: Callable[[Any], Value]  # `spell(text)` is a text as one whose characters lie in memory
    # `spelled_layout(layouts)` is the layout of one of several texts as such a text; None where there is none.
    spelled_layout: Callable[[Any], Any]
    add: Callable[[Any, Any], Value]  # `add(first, second)` is the sum of two texts of which one is such a text
    # `join(separator, texts)` is `separator.join(texts)` of a list of run-time length, as such a text; None where the
    # characters of its items are not known.
    join: Callable[[Any, Any], Value]
    # `places_in_order(keys)` is the places, in order, of keys with such texts: an int64 vector.
    places_in_order: Callable[[Any], Atom]
    # `check_case(name, text)` has checked that compiled code can change the case of a text by this method.
    check_case: Callable[[str, Any], None]
