"""The count of a progress bar, which the host looks at while machine code runs, and which stops it."""

from __future__ import annotations

from collections.abc import Sequence

from anabranch.runtime.native.instructions import Instructions


def tick(code: Instructions, operands: Sequence[str]) -> list[str]:
    """Store the count where the host reads it, after a failure where nobody does; leave the function if that is asked.

    What calls the function gives it the address `%stopped` then.
    """
    number, failed, count, address = operands
    target = place = code.emit(f"inttoptr i64 {address} to ptr")
    if failed != "0":
        test = code.add("icmp eq", "i32", failed, "0")
        target = code.emit(f"select i1 {test}, ptr {target}, ptr {code.reserve('i64')}")
    code.act(f"store atomic i64 {count}, ptr {target} monotonic, align 8")
    word = code.emit(f"getelementptr i8, ptr {place}, i64 8")
    asked = code.add("icmp ne", "i64", code.emit(f"load atomic i64, ptr {word} monotonic, align 8"), "0")
    code.leave_if(asked, "store i8 1, ptr %stopped")
    code.may_stop = True
    return [number, count]
