"""The count of a progress bar, which the host looks at while machine code runs."""

from __future__ import annotations

from collections.abc import Sequence

from anabranch.runtime.native.instructions import Instructions


def tick(code: Instructions, operands: Sequence[str]) -> list[str]:
    """Store the count where the host reads it; after a failure, where nobody does."""
    number, failed, count, address = operands
    target = code.emit(f"inttoptr i64 {address} to ptr")
    if failed != "0":
        test = code.add("icmp eq", "i32", failed, "0")
        target = code.emit(f"select i1 {test}, ptr {target}, ptr {code.reserve('i64')}")
    code.act(f"store atomic i64 {count}, ptr {target} monotonic, align 8")
    return [number, count]
