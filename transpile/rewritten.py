"""The door: functions in, rewritten functions out, each rewritten once."""

from __future__ import annotations

import threading
import types
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from anabranch.transpile.need import code_needs_rewriting

Counterpart = Callable[[object], str | None]

_lock = threading.RLock()
# By identity of the code: code objects of different files can be equal. An entry goes when its code does.
_known: dict[tuple[int, int, int, bool], Rewritten] = {}
_made: weakref.WeakSet[types.CodeType] = weakref.WeakSet()


@dataclass(frozen=True, slots=True)
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

    def bind(
        self, function: types.FunctionType, ab: object, outside: Callable[[Any], Any] = lambda value: value
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


def _content(cell: types.CellType) -> Any:
    """What a cell holds; the cell itself when it is empty."""
    try:
        return cell.cell_contents
    except ValueError:
        return cell


def rewrite(function: types.FunctionType, counterpart: Counterpart, generator: bool = False) -> Rewritten:
    """The rewritten form of `function`.

    Parameters
    ----------
    function : function
        A plain Python function or lambda with source.
    counterpart : callable
        Given the value of a global or builtin that the function reads, the text of its staged counterpart
        ("ab.numpy", "ab.builtins.min"), "" for a function that is called as it is, or None.
    generator : bool
        For a generator function: give a function that hands each value to its first parameter, which answers whether
        it wants no more, instead of refusing the yields.

    Returns
    -------
    Rewritten
        The same one for every function with the same code and globals.

    Raises
    ------
    NoSourceError
        When the function has no source text.
    UnsupportedConstructError
        When something in it can't be rewritten; it lists everything.
    """
    code = getattr(function, "__code__", None)
    key = (id(code), id(getattr(function, "__globals__", None)), id(counterpart), generator)
    with _lock:
        found = _known.get(key)
        if found is None:
            found = _rewrite(function, counterpart, generator)
            _known[key] = found
            weakref.finalize(function.__code__, _known.pop, key, None)
            for made in _codes(found.code):
                _made.add(made)
        return found


def _rewrite(function: types.FunctionType, counterpart: Counterpart, generator: bool) -> Rewritten:
    # The lazy door: libcst takes longer to import than everything else together.
    from anabranch.transpile.rewriter import rewrite_function  # noqa: PLC0415

    result = rewrite_function(function, counterpart, generator)
    headers = tuple(result.headers.items())
    return Rewritten(result.text, result.filename, result.first_line, result.code, result.ab, headers)


def is_rewritten(code: types.CodeType) -> bool:
    """Whether `code` is that of a rewritten function, or of a function inside one."""
    return code in _made


def needs_rewriting(function: types.FunctionType) -> bool:
    """Whether `function` has anything to rewrite: a construct, a call, a `del`. Never imports libcst."""
    code = function.__code__
    return not is_rewritten(code) and code_needs_rewriting(code)


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _codes(constant)


def _value(text: str, ab: Any) -> object:
    """What a dotted header text stands for."""
    found: Any = ab
    for part in text.split(".")[1:]:
        found = getattr(found, part)
    return found
