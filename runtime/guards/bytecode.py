"""Global names in a function's byte code, found without `dis`, which takes longer than a trace."""

from __future__ import annotations

import dis
import inspect
import types
from collections.abc import Iterator

from anabranch.base.code_objects import codes

_EXTENDED = dis.opmap["EXTENDED_ARG"]
_LOAD = dis.opmap["LOAD_GLOBAL"]
_IMPORT = dis.opmap["IMPORT_NAME"]
_CHANGE = (dis.opmap["STORE_GLOBAL"], dis.opmap["DELETE_GLOBAL"])


def read_globals(code: types.CodeType) -> set[str]:
    """The global and built-in names that a function, or one inside it, reads."""
    # The lowest bit says whether a call follows.
    return {code.co_names[i >> 1] for code in codes(code) for i in _arguments(code, _LOAD)}


def looked_up(code: types.CodeType) -> set[str]:
    """The names that a function may look up among its globals, and no attribute's.

    Class bodies look all of theirs up there; texts stand for `globals()["name"]`.
    """
    found = read_globals(code) | assigned_globals(code)
    for part in codes(code):
        found.update(c for c in part.co_consts if type(c) is str and c.isidentifier())
        if not part.co_flags & inspect.CO_OPTIMIZED:
            found.update(part.co_names)
    return found


def assigned_globals(code: types.CodeType) -> set[str]:
    """The global names that a function, or one inside it, assigns or deletes."""
    return {code.co_names[i] for code in codes(code) for opcode in _CHANGE for i in _arguments(code, opcode)}


def imported(code: types.CodeType) -> set[str]:
    """The names of the modules that a function, or one inside it, imports; relative ones without their dots."""
    return {code.co_names[i] for code in codes(code) for i in _arguments(code, _IMPORT)}


def _arguments(code: types.CodeType, opcode: int) -> Iterator[int]:
    """The arguments of all instructions of a kind.

    An instruction is two bytes; those before it may hold the higher bytes of its argument.
    """
    opcodes, low = code.co_code[::2], code.co_code[1::2]
    place = opcodes.find(opcode)
    while place >= 0:
        argument, shift, before = low[place], 8, place - 1
        while before >= 0 and opcodes[before] == _EXTENDED:
            argument |= low[before] << shift
            shift, before = shift + 8, before - 1
        yield argument
        place = opcodes.find(opcode, place + 1)
