"""Loops that look now and then whether a signal has come, or a progress bar wants them to stop."""

from __future__ import annotations

from collections.abc import Sequence

from anabranch.runtime.native.instructions import Instructions
from anabranch.runtime.native.signal_state import RAISED, STATE, TICKS

# How many steps pass between two looks at the clock, and how many of its ticks between two questions to Python: a tenth
# of a second, or less, on the processors of today.
_STEPS = 1 << 12
# How many operations a step takes that counts as one, and a loop in another one that need not look.
_STEP, MOST_UNSEEN = 1 << 12, 1 << 17
# How many operations a loop that stands in no other one takes at most if it need not look: in which there is no other,
# and with those in it.
MOST_ALONE, MOST_OF_NEST = 1 << 27, 1 << 25
_TICKS = 1 << 27

# Returns whether a handler has raised. Python's lock is free before and after.
ASK = f"""
declare i64 @llvm.readcyclecounter()
declare i32 @PyErr_CheckSignals()
define internal i1 @ask(ptr %state) noinline nounwind {{
  %last.p = getelementptr {STATE}, ptr %state, i32 0, i32 {TICKS}
  %last = load i64, ptr %last.p
  %now = call i64 @llvm.readcyclecounter()
  %ticks = sub i64 %now, %last
  %soon = icmp ult i64 %ticks, {_TICKS}
  br i1 %soon, label %go, label %look
go:
  ret i1 false
look:
  store i64 %now, ptr %last.p
  %thread = load ptr, ptr %state
  call void @PyEval_RestoreThread(ptr %thread)
  %found = call i32 @PyErr_CheckSignals()
  %again = call ptr @PyEval_SaveThread()
  store ptr %again, ptr %state
  %raised = icmp ne i32 %found, 0
  br i1 %raised, label %stop, label %go
stop:
  %raised.p = getelementptr {STATE}, ptr %state, i32 0, i32 {RAISED}
  store i8 1, ptr %raised.p
  ret i1 true
}}
"""


class Signals:
    """The looks of one function, which gets the state as `%signals`."""

    def __init__(self, code: Instructions) -> None:
        self._code = code
        self._counter = ""
        self._reserved: list[str] = []  # the beginning of the function that has the counter
        self.are_asked_for = False  # whether there is any

    def look(self, work: float = 0, most: int | None = None) -> None:
        """Write the look at the end of a step; where a handler has raised the function ends, and has no results.

        A step in which loops of so much `work` do not look counts as several; where there are so few steps, `most`,
        that it is never time, nothing is written.
        """
        if most is not None and most * (1 + int(work) // _STEP) < _STEPS:
            return
        code = self._code
        self.are_asked_for = True
        if self._reserved is not code.reserved:
            self._reserved = code.reserved
            self._counter = code.reserve("i64")
            code.reserved.append(f"  store i64 0, ptr {self._counter}")
        steps = 1 + int(work) // _STEP
        before = code.emit(f"load i64, ptr {self._counter}")
        count = code.add("add", "i64", before, str(steps))
        code.act(f"store i64 {count}, ptr {self._counter}")
        if steps == 1:
            is_time = code.add("icmp eq", "i64", code.add("and", "i64", count, str(_STEPS - 1)), "0")
        else:
            is_time = code.add("icmp ugt", "i64", code.add("xor", "i64", before, count), str(_STEPS - 1))
        ask, go, stop = code.label("ask"), code.label("go"), code.label("stop")
        code.branch(is_time, ask, go, unlikely=True)
        code.begin(ask)
        caller = code.shares.caller
        answer = f"call i1 @ask_in_share(ptr %signals, i1 {caller})" if caller else "call i1 @ask(ptr %signals)"
        code.branch(code.emit(answer), stop, go, unlikely=True)
        code.begin(stop)
        code.act("ret void")
        code.begin(go)


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
