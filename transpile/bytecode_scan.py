"""Answers of a function's byte code: is there anything to rewrite in it, and does it make lists longer in loops."""

from __future__ import annotations

import dis
import types

from anabranch.base.code_objects import codes
from anabranch.transpile.hidden_attributes import HIDDEN

# Parts of the names of instructions that come from a construct that some pass takes.
_SIGNS = (
    "JUMP", "CALL", "FOR_ITER", "SEND", "CONTAINS_OP", "IS_OP", "UNARY_NOT", "TO_BOOL", "DELETE_FAST", "DELETE_DEREF",
    "WITH", "IMPORT", "YIELD", "GENERATOR", "AWAIT", "ASYNC", "EXCEPT", "EXC_INFO", "RAISE_VARARGS", "RERAISE", "MATCH",
    "STORE_GLOBAL", "DELETE_GLOBAL", "BUILD_CLASS", "FORMAT_",
)  # fmt: skip
# What is looked up by name and makes arrays without a call.
_NAMES = frozenset(("__class__", "r_", "c_", "mgrid", "ogrid"))

# Parts of the names of instructions that operators, displays, subscripts and unpackings become.
_OPERATOR_SIGNS = (
    "BINARY_",
    "BUILD_",
    "COMPARE_",
    "UNARY_",
    "UNPACK_",
    "SUBSCR",
    "SLICE",
    "LIST_",
    "SET_",
    "DICT_",
    "MAP_",
)
_OPERATORS = frozenset(
    code for name, code in dis.opmap.items() if code < 256 and any(sign in name for sign in _OPERATOR_SIGNS)
)

_GROWING = frozenset(("append", "extend", "insert"))
# What writes objects out tells a list of a class of its own from others.
_WRITING = frozenset(("dump", "dumps"))

_SIGNED = frozenset(code for name, code in dis.opmap.items() if code < 256 and any(sign in name for sign in _SIGNS))

_BACKWARD = frozenset(code for name, code in dis.opmap.items() if "JUMP_BACKWARD" in name)


def code_needs_rewriting(code: types.CodeType) -> bool:
    """Return whether the code, or that of a function inside it, has anything that some pass takes."""
    # An instruction is two bytes, its number and its argument.
    if not _NAMES.isdisjoint(code.co_names) or not _SIGNED.isdisjoint(code.co_code[::2]):
        return True
    has_format = any(isinstance(c, str) and "%" in c for c in code.co_consts)
    if has_format and any(instruction.argrepr in ("%", "%=") for instruction in dis.get_instructions(code)):
        return True
    if not HIDDEN.isdisjoint(code.co_names) and any(map(_is_hidden, dis.get_instructions(code))):
        return True
    return any(code_needs_rewriting(c) for c in code.co_consts if isinstance(c, types.CodeType))


def has_operators(code: types.CodeType) -> bool:
    """Return whether the code, or that of a function inside it, has operators, displays or unpackings at all."""
    if any(instruction.opcode in _OPERATORS for instruction in dis.get_instructions(code)):
        return True
    return any(has_operators(c) for c in code.co_consts if isinstance(c, types.CodeType))


def grows_in_loops(code: types.CodeType) -> bool:
    """Return whether the code, or that of a function inside it, has a loop and what makes a list longer."""
    every = list(codes(code))
    return all(map(_WRITING.isdisjoint, (c.co_names for c in every))) and any(map(_grows, every))


def _grows(code: types.CodeType) -> bool:
    return not _GROWING.isdisjoint(code.co_names) and any(i.opcode in _BACKWARD for i in dis.get_instructions(code))


def _is_hidden(instruction: dis.Instruction) -> bool:
    """Return whether an instruction reads, sets or deletes an attribute that stand-ins have for themselves."""
    return instruction.opname in ("LOAD_ATTR", "STORE_ATTR", "DELETE_ATTR") and instruction.argval in HIDDEN
