"""Operators that Python cannot do on run-time values: their functions are rewritten again, with these as calls.

Rewritten code keeps `items[i]` and `a == b`, which arrays and numbers do by themselves. Where one of them turns out to
index a list with a run-time value, or to compare containers that hold some, tracing starts again with such operators
of that function staged.
"""

from __future__ import annotations

import dis
import enum
import sys
import types

from anabranch import transpile
from anabranch.base.by_identity import ByIdentity
from anabranch.runtime.tracing.builder import current
from anabranch.runtime.tracing.restarts import Restart
from anabranch.runtime.tracing.source_frames import OWN_SPEED, standard, users_frame

_KINDS = {
    "BINARY_SLICE": "subscript", "BINARY_SUBSCR": "subscript", "STORE_SLICE": "subscript",
    "STORE_SUBSCR": "subscript", "DELETE_SUBSCR": "subscript", "COMPARE_OP": "compare",
    "DICT_UPDATE": "table",  # {**mapping}
}  # fmt: skip
# Where comprehensions ask what they go over, and whether they keep an item; a length is asked for; `[*items]`.
_OF_LISTS = ("GET_ITER", "CALL", "CALL_FUNCTION_EX", "TO_BOOL", "LIST_EXTEND")
# Of a COMPARE_OP of Python 3.13: it asks for the truth of its result, too, as the condition of a comprehension does.
_TO_BOOL = 16


def stage_current_operator() -> None:
    """Raise `Restart` when the user's code that runs now stands at an operator that can be staged and is not yet."""
    frame = users_frame()
    if frame is not None and frame.f_code is enum.EnumMeta.__getitem__.__code__:  # a member by its name
        frame = frame.f_back
    if frame is None or frame.f_code.co_filename.startswith("<") or standard(frame.f_code.co_filename):
        return
    if str(frame.f_globals.get("__name__")).split(".")[0] in OWN_SPEED:
        return
    asked = current().trace.requests.restaged
    for kind in _kinds(frame.f_code, frame.f_lasti):
        one = ByIdentity(frame.f_code), kind
        if transpile.stage_operators(frame.f_code, kind) or one in asked:
            # NumPy, which asks an index in two ways, lets only the second exception through.
            asked.add(one)
            raise Restart
    if dis.opname[frame.f_code.co_code[frame.f_lasti]] == "LIST_EXTEND":  # [*items]
        current().trace.lists.demand_growth()
    if dis.opname[frame.f_code.co_code[frame.f_lasti]] in ("STORE_SLICE", "STORE_SUBSCR"):
        current().trace.constants.are_written = True  # by a key that is written out, which stays as it is


def stage_with_statements() -> None:
    """Raise `Restart` where the with statements of the user's code that runs now can be staged and are not yet."""
    frame = users_frame()
    if frame is not None and transpile.stage_operators(frame.f_code, "with"):
        raise Restart


def _kinds(code: types.CodeType, at: int) -> tuple[str, ...]:
    """The kinds of operators that the instruction may be, in the order in which they are to be staged."""
    name, argument = dis.opname[code.co_code[at]], code.co_code[at + 1]
    if name == "BINARY_OP" and dis._nb_ops[argument][1] == "[]":  # type: ignore[attr-defined]
        return ("subscript",)
    if name == "COMPARE_OP" and sys.version_info >= (3, 13) and argument & _TO_BOOL:
        return ("list", "compare")
    if name in _OF_LISTS or ("JUMP" in name and "IF" in name):
        return ("list",)
    return (_KINDS[name],) if name in _KINDS else ()
