"""Sources that go with functions to another process.

A pickler that takes functions by value, as cloudpickle does, may take the name of the file from their code: the other
process could then neither read the source nor name the user's line.
"""

from __future__ import annotations

import contextlib
import linecache
import types
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

from anabranch.base.by_identity import IdentitySet
from anabranch.base.code_objects import codes
from anabranch.transpile.errors import NoSourceError
from anabranch.transpile.source import find_source

# Of each function, by its qualified name and first line: the file, the number of the first line, and the lines.
Carried: TypeAlias = Mapping[tuple[str, int], tuple[str, int, tuple[str, ...]]]


def carried_sources(function: Callable[..., Any]) -> Carried:
    """The sources of a function, and of those of its module that it uses."""
    found: dict[tuple[str, int], tuple[str, int, tuple[str, ...]]] = {}
    for one in _reached(function):
        with contextlib.suppress(NoSourceError):
            source = find_source(one)
            last = source.first_line + source.text.count("\n")
            lines = tuple([source.line(number) for number in range(source.first_line, last + 1)])
            found[_key(one.__code__)] = source.filename, source.first_line, lines
    return found


def restore_sources(function: Callable[..., Any], carried: Carried) -> None:
    """Give code that lost it the name of its file, under which its lines are found."""
    for one in _reached(function):
        code = one.__code__
        place = carried.get(_key(code))
        if place is not None and not linecache.getlines(code.co_filename):
            one.__code__ = _named(code, _known_name(*place))


def _key(code: types.CodeType) -> tuple[str, int]:
    return code.co_qualname, code.co_firstlineno


def _reached(function: Callable[..., Any]) -> Iterator[types.FunctionType]:
    """The function, and those of its module that it can reach by names of the module and of enclosing functions."""
    module = getattr(function, "__module__", None)
    seen: IdentitySet[Any] = IdentitySet()
    pending: list[Any] = [function]
    while pending:
        one = pending.pop()
        one = getattr(one, "__anabranch_function__", one)
        if getattr(one, "__module__", None) != module or not seen.admit(one):
            continue
        if isinstance(one, type):
            pending += [getattr(member, "__func__", member) for member in vars(one).values()]
        elif isinstance(one, types.FunctionType):
            yield one
            names = {name for code in codes(one.__code__) for name in code.co_names}
            pending += [one.__globals__[name] for name in sorted(names & one.__globals__.keys())]
            for cell in one.__closure__ or ():
                with contextlib.suppress(ValueError):  # not bound yet
                    pending.append(cell.cell_contents)


def _known_name(filename: str, first: int, lines: tuple[str, ...]) -> str:
    """The name of the file, which is another one where a file of that name has other lines here."""
    here = [line.rstrip("\r\n") for line in linecache.getlines(filename)]
    if not here:
        here = [""] * (first - 1)
    elif tuple(here[first - 1 : first - 1 + len(lines)]) == lines:
        return filename
    elif not _is_added(filename):
        return _known_name(f"<{filename} of another process>", first, lines)
    here += [""] * (first - 1 + len(lines) - len(here))
    here[first - 1 : first - 1 + len(lines)] = lines
    # Without a time: such an entry is kept although there is no such file.
    linecache.cache[filename] = sum(map(len, here)), None, [line + "\n" for line in here], filename
    return filename


def _is_added(filename: str) -> bool:
    """Return whether the lines of a file are known from here."""
    entry = linecache.cache.get(filename)
    return entry is not None and len(entry) == 4 and entry[1] is None


def _named(code: types.CodeType, filename: str) -> types.CodeType:
    """The code, and that of functions within it, under another file's name."""
    constants = tuple([_named(c, filename) if isinstance(c, types.CodeType) else c for c in code.co_consts])
    return code.replace(co_filename=filename, co_consts=constants)
