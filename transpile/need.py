"""Whether a function has anything to rewrite, told from its byte code alone."""

from __future__ import annotations

import dis
import types

# Parts of the names of instructions that come from a construct that some pass takes.
_SIGNS = (
    "JUMP", "CALL", "FOR_ITER", "SEND", "CONTAINS_OP", "IS_OP", "UNARY_NOT", "TO_BOOL", "DELETE_FAST", "DELETE_DEREF",
    "WITH", "IMPORT", "YIELD", "GENERATOR", "AWAIT", "ASYNC", "EXCEPT", "EXC_INFO", "RAISE_VARARGS", "RERAISE", "MATCH",
    "STORE_GLOBAL", "DELETE_GLOBAL", "BUILD_CLASS", "FORMAT_",
)  # fmt: skip


def code_needs_rewriting(code: types.CodeType) -> bool:
    """Whether the code, or that of a function inside it, has a construct, a call, a text or a `del`."""
    if "__class__" in code.co_names:
        return True
    for instruction in dis.get_instructions(code):
        name = instruction.opname
        if any(sign in name for sign in _SIGNS):
            return True
        if instruction.argrepr in ("%", "%=") and any(isinstance(c, str) and "%" in c for c in code.co_consts):
            return True
    return any(code_needs_rewriting(c) for c in code.co_consts if isinstance(c, types.CodeType))
