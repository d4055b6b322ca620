"""Loops whose steps do not wait for each other, as functions that several threads run, each on a share of the steps.

The threads are made for one loop and end with it: between loops there are none, so that a process may fork and end as
it likes. The thread of the call takes shares like the others, and all of them where no thread can be made.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from anabranch.runtime.native.signal_state import RAISED, STATE

if TYPE_CHECKING:
    from anabranch.runtime.native.instructions import Instructions

# Simple operations on elements of arrays, several at once, that take about as long as to make a thread and to wait for
# its end, several times.
_WORK_OF_THREAD = 2**22
_MOST_THREADS = 64
# Into how many parts each thread's share is split: one that begins late, or is interrupted, leaves parts to others.
_PARTS = 4
# What may be called by threads that Python does not know: it asks nothing of Python. SciPy's functions may warn.
_HARMLESS = re.compile(r"llvm\.|ufunc_loop\.\w+\.numpy\.|ask_in_share$|[a-z][a-z0-9]*$")

_RUN = "run_shares"
# A team has the function, its context, the end of the steps, the steps of a part, the first step that is left, and the
# state of the looks at signals, if there are any.
_TEAM = "{ ptr, ptr, i64, i64, i64, ptr }"
_MEMBERS = {"context": "ptr", "end": "i64", "part": "i64", "left": "i64", "signals": "ptr"}


def _member(name: str) -> str:
    return f"  %{name}.p = getelementptr {_TEAM}, ptr %team, i32 0, i32 {1 + [*_MEMBERS].index(name)}\n"


_CALLED = {
    "pthread_create": "i32 @pthread_create(ptr, ptr, ptr, ptr)",
    "pthread_join": "i32 @pthread_join(i64, ptr)",
    "sched_getaffinity": "i32 @sched_getaffinity(i32, i64, ptr)",
    "llvm.ctpop.i64": "i64 @llvm.ctpop.i64(i64)",
    "llvm.smin.i64": "i64 @llvm.smin.i64(i64, i64)",
    "llvm.smax.i64": "i64 @llvm.smax.i64(i64, i64)",
}
_READ = "".join(f"{_member(name)}  %{name} = load {type}, ptr %{name}.p\n" for name, type in _MEMBERS.items())
_WRITTEN = "".join(f"{_member(name)}  store {type} %{name}, ptr %{name}.p\n" for name, type in _MEMBERS.items())
_TAKE = f"""
define internal void @take_shares(ptr %team, i1 %is.caller) nounwind {{
entry:
  %share = load ptr, ptr %team
{_READ}  %asks = icmp ne ptr %signals, null
  br label %take
take:
  %at = atomicrmw add ptr %left.p, i64 %part monotonic
  %is.left = icmp slt i64 %at, %end
  br i1 %is.left, label %go, label %done
go:
  %after = add i64 %at, %part
  %stop = call i64 @llvm.smin.i64(i64 %after, i64 %end)
  call void %share(i64 %at, i64 %stop, i1 %is.caller, ptr %context)
  br i1 %asks, label %ask, label %take
ask:
  %is.over = call i1 @ask_in_share(ptr %signals, i1 %is.caller)
  br i1 %is.over, label %done, label %take
done:
  ret void
}}
"""
_OF_THREADS = ("pthread_create", "pthread_join", "sched_getaffinity", "llvm.ctpop.i64")
_THREADS = """
define internal i64 @count_processors() noinline nounwind {
entry:
  %set = alloca [128 x i64], align 8
  %found = call i32 @sched_getaffinity(i32 0, i64 1024, ptr %set)
  %is.unknown = icmp ne i32 %found, 0
  br i1 %is.unknown, label %one, label %word
word:
  %k = phi i64 [ 0, %entry ], [ %k.next, %word ]
  %count = phi i64 [ 0, %entry ], [ %count.next, %word ]
  %bits.p = getelementptr i64, ptr %set, i64 %k
  %bits = load i64, ptr %bits.p
  %ones = call i64 @llvm.ctpop.i64(i64 %bits)
  %count.next = add i64 %count, %ones
  %k.next = add i64 %k, 1
  %is.last = icmp eq i64 %k.next, 128
  br i1 %is.last, label %all, label %word
all:
  ret i64 %count.next
one:
  ret i64 1
}
define internal ptr @help(ptr %team) nounwind {
  call void @take_shares(ptr %team, i1 false)
  ret ptr null
}
define internal i32 @begin_thread(ptr %thread, ptr %team) {
  %failed = call i32 @pthread_create(ptr %thread, ptr null, ptr @help, ptr %team)
  ret i32 %failed
}
define internal void @end_thread(ptr %thread) {
  %number = load i64, ptr %thread
  call i32 @pthread_join(i64 %number, ptr null)
  ret void
}
"""
_WITHOUT_THREADS = """
define internal i64 @count_processors() {
  ret i64 1
}
define internal i32 @begin_thread(ptr %thread, ptr %team) {
  ret i32 1
}
define internal void @end_thread(ptr %thread) {
  ret void
}
"""
_RUNTIME = f"""
define internal void @{_RUN}(
    ptr %share, ptr %context, i64 %first, i64 %end, i64 %least, i64 %most, ptr %signals) noinline nounwind {{
entry:
  %team = alloca {_TEAM}
  %threads = alloca [{_MOST_THREADS} x i64]
  %steps = sub i64 %end, %first
  %worth = sdiv i64 %steps, %least
  %wanted = call i64 @llvm.smin.i64(i64 %worth, i64 %most)
  %is.worth = icmp sgt i64 %wanted, 1
  br i1 %is.worth, label %count, label %begin
count:
  %there = call i64 @count_processors()
  %had = call i64 @llvm.smin.i64(i64 %wanted, i64 %there)
  br label %begin
begin:
  %known = phi i64 [ 1, %entry ], [ %had, %count ]
  %number = call i64 @llvm.smax.i64(i64 %known, i64 1)
  %parts = mul i64 %number, {_PARTS}
  %size = sdiv i64 %steps, %parts
  %longest = mul i64 %least, {_PARTS}
  %bounded = call i64 @llvm.smin.i64(i64 %size, i64 %longest)
  %part = call i64 @llvm.smax.i64(i64 %bounded, i64 1)
  %left = add i64 %first, 0
  store ptr %share, ptr %team
{_WRITTEN}  %are.several = icmp sgt i64 %number, 1
  br i1 %are.several, label %create, label %begun
create:
  %k = phi i64 [ 1, %begin ], [ %k.next, %created ]
  %thread.p = getelementptr i64, ptr %threads, i64 %k
  %failed = call i32 @begin_thread(ptr %thread.p, ptr %team)
  %has.failed = icmp ne i32 %failed, 0
  br i1 %has.failed, label %begun, label %created
created:
  %k.next = add i64 %k, 1
  %is.last = icmp eq i64 %k.next, %number
  br i1 %is.last, label %begun, label %create
begun:
  %count.made = phi i64 [ 1, %begin ], [ %k, %create ], [ %k.next, %created ]
  call void @take_shares(ptr %team, i1 true)
  br label %join
join:
  %j = phi i64 [ 1, %begun ], [ %j.next, %joined ]
  %is.joined = icmp eq i64 %j, %count.made
  br i1 %is.joined, label %done, label %joined
joined:
  %other.p = getelementptr i64, ptr %threads, i64 %j
  call void @end_thread(ptr %other.p)
  %j.next = add i64 %j, 1
  br label %join
done:
  ret void
}}
"""
# Returns whether a handler has raised, which the thread of the call alone asks Python.
_ASK = f"""
define internal i1 @ask_in_share(ptr %state, i1 %is.caller) noinline nounwind {{
  %raised.p = getelementptr {STATE}, ptr %state, i32 0, i32 {RAISED}
  %raised.i = load atomic i8, ptr %raised.p monotonic, align 1
  %raised = icmp ne i8 %raised.i, 0
  %is.none = xor i1 %raised, true
  %asks = and i1 %is.none, %is.caller
  br i1 %asks, label %ask, label %known
ask:
  %answer = call i1 @ask(ptr %state)
  ret i1 %answer
known:
  ret i1 %raised
}}
"""
_ASKS_NOTHING = """
define internal i1 @ask_in_share(ptr %state, i1 %is.caller) noinline nounwind {
  ret i1 false
}
"""
_SIGNALS = "%signals"


def is_enough(work: float) -> bool:
    """Return whether so many operations are enough for several threads.

    What is written then does not depend on how many there are: nor do the results.
    """
    return work >= 2 * _WORK_OF_THREAD


class Share:
    """The steps of a loop from one bound to another as a function, and the call that has threads run it.

    Attributes
    ----------
    place : int
        That of the call in the code around it.
    bounds : tuple of str
        The names of the bounds of the whole loop there.
    names : tuple of str
        The names in the function: of the bounds of a share, and of the bool that the thread is that of the call.
    least : int
        How many steps are enough for a thread.
    lines, reserved : list of str
        The function's instructions.
    asks : bool
        Whether signals are looked at meanwhile.
    """

    def __init__(self, place: int, bounds: tuple[str, str], names: tuple[str, str, str], least: int) -> None:
        self.place, self.bounds, self.names, self.least = place, bounds, names, least
        self.lines: list[str] = []
        self.reserved: list[str] = []
        self.asks = False

    def taken(self) -> list[str]:
        """The names of what the function takes from the code around it."""
        text = "\n".join([*self.reserved, *self.lines])
        own = {*self.names, *_DEFINED.findall(text), *(f"%{label}" for label in _LABEL.findall(text)), "%entry"}
        return [name for name in dict.fromkeys(_NAME.findall(text)) if name not in own]

    def is_harmless(self) -> bool:
        """Return whether any thread may run the function."""
        return all(map(_HARMLESS.match, _CALLEE.findall("\n".join(self.lines))))


_NAME = re.compile(r"%[\w.]+")
_DEFINED = re.compile(r"^ *(%[\w.]+) =", re.MULTILINE)
_LABEL = re.compile(r"^([\w.]+):", re.MULTILINE)
_CALLEE = re.compile(r"\bcall [^@\n]*@([\w.]+)")
# The type of what an instruction makes.
_TYPE = re.compile(
    r"(?P<i1>[if]cmp |extractvalue .*, 1$)|(?P<ptr>alloca |getelementptr |inttoptr )|load (?:atomic )?(\w+),|phi (\w+) "
    r"|call (?:\w+ )*?(\w+) @|select i1 \S+, (\w+) |\w+ \S+ \S+ to (\w+)|(?:\w+ )+?(\w+) [^ ,]+(?:,|$)"
)


class Asked(Protocol):
    """The looks of a function at signals."""

    are_asked_for: bool


class Shares:
    """The shares of the loops of a function.

    Parameters
    ----------
    code
        The function under construction.
    most
        How many threads there are at most; 0 for as many as there are processors.

    Attributes
    ----------
    signals : Asked or None
        The looks at signals, where they can be answered.
    """

    def __init__(self, code: Instructions, most: int) -> None:
        self._code = code
        self._most = min(most or _MOST_THREADS, _MOST_THREADS)
        self.signals: Asked | None = None
        self._inside: Share | None = None
        self._all: list[Share] = []

    @property
    def caller(self) -> str:
        """The name of the bool that the thread is that of the call; empty where no share is being written."""
        return self._inside.names[2] if self._inside is not None else ""

    @property
    def is_open(self) -> bool:
        """Return whether a share is being written, which nobody shares."""
        return self._inside is not None

    def count(self) -> int:
        """How many lines their functions have."""
        return sum(len(share.lines) for share in self._all)

    @contextlib.contextmanager
    def over(self, first: str, end: str, work: float) -> Iterator[tuple[str, str]]:
        """Write a loop's steps as a function; yields the bounds of a share of them.

        Where a signal's handler has raised meanwhile the function around the loop ends.

        Parameters
        ----------
        first, end
            The names of the bounds of the loop.
        work
            How many operations a step takes.
        """
        code = self._code
        begin, stop, caller = code.fresh(), code.fresh(), code.fresh()
        share = Share(code.hold(), (first, end), (begin, stop, caller), max(round(_WORK_OF_THREAD / work), 1))
        share.asks = self.signals is not None
        outer, code.lines, code.reserved = (code.lines, code.reserved, code.block), share.lines, share.reserved
        code.block, self._inside = "entry", share
        yield begin, stop
        code.act("ret void")
        (code.lines, code.reserved, code.block), self._inside = outer, None
        self._all.append(share)
        if self.signals is not None:
            self.signals.are_asked_for = True
            self._leave_if_raised()

    def _leave_if_raised(self) -> None:
        """Write the end of the function where a handler has raised meanwhile."""
        code = self._code
        at = code.emit(f"getelementptr {STATE}, ptr {_SIGNALS}, i32 0, i32 {RAISED}")
        raised = code.add("icmp ne", "i8", code.emit(f"load i8, ptr {at}"), "0")
        ended, go = code.label("ended"), code.label("go")
        code.branch(raised, ended, go, unlikely=True)
        code.begin(ended)
        code.act("ret void")
        code.begin(go)

    def functions(self) -> list[str]:
        """The text of the functions, once all else has been written; writes their calls."""
        if not self._all:
            return []
        alone = self._most == 1
        called = [name for name in _CALLED if not (alone and name in _OF_THREADS)]
        self._code.declarations |= {name: f"declare {_CALLED[name]}" for name in called}
        made = [self._function(number, share) for number, share in enumerate(self._all)]
        asking = _ASK if any(share.asks for share in self._all) else _ASKS_NOTHING
        return [_TAKE, _WITHOUT_THREADS if alone else _THREADS, _RUNTIME, asking, *made]

    def _function(self, number: int, share: Share) -> str:
        code, taken = self._code, share.taken()
        arrays = {f"%{name}" for name in _OPERAND.findall(" ".join(taken))}
        own = {name for line in code.reserved for name in _DEFINED.findall(line)}
        types = _types([*code.reserved, *code.lines], taken)
        # Addresses that are made of others may be of the same memory.
        pointers = {name for name in taken if types[name] == "ptr"} - {_SIGNALS}
        apart = pointers if pointers <= arrays | own else set[str]()
        parameters = [f"{types[n]} {'noalias ' if n in apart else ''}{n}" for n in taken]
        context = f"{{ {', '.join(types[name] for name in taken)} }}"
        self._write_call(number, share, context, [(types[name], name) for name in taken])
        lines = []
        for place, name in enumerate(taken):
            lines += [
                f"  %p{place} = getelementptr {context}, ptr %context, i32 0, i32 {place}",
                f"  %x{place} = load {types[name]}, ptr %p{place}",
            ]
        values = [f"{types[n]} %x{place}" for place, n in enumerate(taken)]
        given = ", ".join(["i64 %first", "i64 %end", "i1 %is.caller", *values])
        begin, stop, caller = share.names
        bounds = [f"i64 {begin}", f"i64 {stop}", f"i1 {caller}"]
        return "\n".join(
            [
                f"define internal void @share{number}({', '.join([*bounds, *parameters])}) noinline nounwind {{",
                "entry:",
                *share.reserved,
                *share.lines,
                "}",
                f"define internal void @take{number}(i64 %first, i64 %end, i1 %is.caller, ptr %context) nounwind {{",
                *lines,
                f"  call void @share{number}({given})",
                "  ret void",
                "}",
            ]
        )

    def _write_call(self, number: int, share: Share, context: str, taken: Sequence[tuple[str, str]]) -> None:
        code = self._code
        address = code.reserve(context)
        lines = []
        for place, (type, name) in enumerate(taken):
            at = code.fresh()
            lines += [
                f"{at} = getelementptr {context}, ptr {address}, i32 0, i32 {place}",
                f"store {type} {name}, ptr {at}",
            ]
        most = self._most if share.is_harmless() else 1
        first, end = share.bounds
        numbers = f"i64 {first}, i64 {end}, i64 {share.least}, i64 {most}"
        signals = _SIGNALS if share.asks else "null"
        lines.append(f"call void @{_RUN}(ptr @take{number}, ptr {address}, {numbers}, ptr {signals})")
        code.fill(share.place, "\n  ".join(lines))


_OPERAND = re.compile(r"%([asr]\d+)\b")


def _types(lines: Sequence[str], names: Sequence[str]) -> Mapping[str, str]:
    """The types of values by their names: what is not made by these lines is the address of an array."""
    found = dict.fromkeys(names, "ptr")
    for line in "\n".join(lines).splitlines():
        name, is_made, text = line.strip().partition(" = ")
        if is_made and name in found:
            match = _TYPE.match(text.partition(", !dbg")[0])
            assert match is not None, text
            kind = match.lastgroup
            found[name] = kind if kind is not None else match[match.lastindex or 0]
    return found
