"""A rewritten function: what the rewriting makes, what the disk keeps, and what is bound to a user's closure."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator
from enum import Enum
from typing import Any

from anabranch.base.code_objects import codes
from anabranch.base.frozen import frozen

Counterpart = Callable[[object], str | None]


@frozen
class Rewritten:
    """The rewritten form of one function's code; it serves every closure of that code.

    Attributes
    ----------
    source : str
        The text, as compiled: a factory function that takes `ab` and the free variables.
    filename : str
        The made-up name under which `linecache` has the text.
    first_line : int
        Line of the user's file where the function begins.
    code : types.CodeType
        The code of the user's function, rewritten; its positions are those of the user's file.
    """

    source: str
    filename: str
    first_line: int
    code: types.CodeType
    ab: str
    headers: tuple[tuple[str, str], ...]

    def line_pairs(self) -> Iterator[tuple[int, int]]:
        """Lines of the text with the user's lines that they stand for: the same instructions, compiled twice."""
        module = compile(self.source, self.filename, "exec")
        own = next((c for c in codes(module) if c.co_name == self.code.co_name), None)
        if own is None:
            return
        for one, other in zip(codes(own), codes(self.code), strict=False):
            if len(one.co_code) == len(other.co_code):  # the names of inner ones are the user's
                for (here, *_), (there, *_) in zip(one.co_positions(), other.co_positions(), strict=True):
                    if here is not None and there is not None:
                        yield here, there

    def bind(
        self, function: types.FunctionType, ab: object, outside: Callable[[Any], object] = lambda value: value
    ) -> types.FunctionType:
        """The rewritten form of `function`, with its globals, cells, defaults and attributes.

        Parameters
        ----------
        function : function
            The function that was rewritten, or another closure of the same code.
        ab : object
            What the rewritten text calls: an object with the attributes of the vocabulary.
        outside : callable
            Gives what stands for an array that the function reads from its closure or, where `counterpart` answered
            "ab.outside", from its globals.
        """
        cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
        for name, cell in cells.items():
            value = _content(cell)
            standing = outside(value)
            if standing is not value:
                cells[name] = types.CellType(standing)
        cells.setdefault(self.ab, types.CellType(ab))
        for name, text in self.headers:
            if name not in self.code.co_freevars:
                continue
            if text.split(".")[1:2] == ["outside"]:
                cells[name] = types.CellType(outside(function.__globals__[name]))
            else:
                cells[name] = types.CellType(_value(text, ab))
        closure = tuple(cells[name] for name in self.code.co_freevars)
        bound = types.FunctionType(self.code, function.__globals__, function.__name__, function.__defaults__, closure)
        bound.__kwdefaults__ = function.__kwdefaults__
        bound.__annotations__ = function.__annotations__
        bound.__doc__ = function.__doc__
        bound.__qualname__ = function.__qualname__
        bound.__module__ = function.__module__
        bound.__dict__.update(function.__dict__)
        return bound


@frozen
class StepHelpers:
    """The functions that the steps of a generator function call.

    Attributes
    ----------
    deliver : callable
        Takes the number of a yield, its value, and the values that the next step needs; a step returns what it returns.
    delegate : callable
        The same for a `yield from`, with what it yields from.
    sequence : callable
        Takes what a loop goes over, and returns what has a length and items by place.
    bounds : callable
        Takes a range, and returns its start, stop and step.
    index : callable
        `operator.index`.
    length : callable
        `len`.
    """

    deliver: Callable[[int, Any, tuple[Any, ...]], Any]
    delegate: Callable[[int, Any, tuple[Any, ...]], Any]
    sequence: Callable[[Any], Any]
    bounds: Callable[[Any], Any]
    index: Callable[[Any], Any]
    length: Callable[[Any], Any]

    def listed(self) -> tuple[object, ...]:
        """All of them, in the order of `StepNames.outside`."""
        return self.deliver, self.delegate, self.sequence, self.bounds, self.index, self.length


class Resumed(Enum):
    """The yield behind which a step of a generator function begins.

    With `YIELD` an item was given out; with `YIELD_FROM` an iterator has to give all of its items first; with
    `ITERATOR` an iterator is made, which is asked for an item with the `ITEM` of the next number.
    """

    YIELD = "yield"
    YIELD_FROM = "yield from"
    ITERATOR = "iterator"
    ITEM = "item"


@frozen
class GeneratorStep:
    """A plain function that runs from one yield of a generator function to the next.

    Attributes
    ----------
    function : function
        Rewritten as others are.
    parameters : tuple of str
        What it takes: what it is told, then parameters of the generator function and, last, `gives`.
    gives : tuple of str
        The names whose values the step before it has handed on.
    told : int
        How many of the parameters are what it is told: the value that was sent in, or the item that an iterator has
        given; and whether the iterator has ended.
    kind : Resumed
    """

    function: types.FunctionType
    parameters: tuple[str, ...]
    gives: tuple[str, ...]
    told: int
    kind: Resumed


@frozen
class KnownNames:
    """The meanings of names in the source of a generator function: Python's own functions, generator functions."""

    builtin: frozenset[str]
    generators: frozenset[str]


@frozen
class StepOf:
    """The number of a step of a generator function, and what names stood for when it was made."""

    number: int
    known: KnownNames


def _content(cell: types.CellType) -> Any:
    """Return what a cell holds; the cell itself when it is empty."""
    try:
        return cell.cell_contents
    except ValueError:
        return cell


def _value(text: str, ab: object) -> object:
    """Return what a dotted header text stands for."""
    found: Any = ab
    for part in text.split(".")[1:]:
        found = getattr(found, part)
    return found
