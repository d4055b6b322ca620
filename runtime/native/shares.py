"""Loops whose steps do not wait for each other, as functions that several threads run, each on a share of the steps.

The threads are made for one loop and end with it: between loops there are none, so that a process may fork and end as
it likes. The thread of the call takes shares like the others, and all of them where no thread can be made.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from anabranch.runtime.native.llvm_types import of_size
from anabranch.runtime.native.share_runtime import MOST_THREADS, RUN, declarations, runtime
from anabranch.runtime.native.signal_state import RAISED, STATE

if TYPE_CHECKING:
    from anabranch.runtime.native.instructions import Instructions

# Simple operations on elements of arrays, several at once, that take about as long as to make a thread and to wait for
# its end, several times.
_WORK_OF_THREAD = 12_000_000
# What may be called by threads that Python does not know: it asks nothing of Python. SciPy's functions may warn.
_HARMLESS = re.compile(r"llvm\.|ufunc_loop\.\w+\.numpy\.|ask_in_share$|[a-z][a-z0-9]*$")
_SIGNALS = "%signals"


def is_enough(work: float) -> bool:
    """Return whether so many operations are enough for several threads.

    What is written then does not depend on how many there are: nor do the results.
    """
    return work >= 2 * _WORK_OF_THREAD


class Share:
    """The steps of a loop from one bound to another as a function, and the call that has threads run it."""

    def __init__(self, place: int, bounds: tuple[str, str], names: tuple[str, str, str], least: int) -> None:
        # `place`: that of the call in the code around it.
        # `bounds`: the names of the bounds of the whole loop there.
        # `names`: the names in the function: of the bounds of a share, and of the bool that the thread is that of the
        # call.
        # `least`: how many steps are enough for a thread.
        self.place, self.bounds, self.names, self.least = place, bounds, names, least
        # The function's instructions.
        self.lines: list[str] = []
        self.reserved: list[str] = []
        self.asks = False  # whether signals are looked at meanwhile

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
    """

    def __init__(self, code: Instructions, most: int) -> None:
        self._code = code
        self._most = min(most or MOST_THREADS, MOST_THREADS)
        self.signals: Asked | None = None  # the looks at signals, where they can be answered
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
        """The number of lines that the functions of all shares have."""
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
        code.leave_if(code.add("icmp ne", "i8", code.emit(f"load i8, ptr {at}"), "0"))

    def functions(self, sizes: Mapping[str, int]) -> list[str]:
        """The text of the functions, once all else has been written; writes their calls.

        `sizes`: the bytes of the arrays that the function around them is given, by the names of their addresses.
        """
        if not self._all:
            return []
        has_threads, asks = self._most > 1, any(share.asks for share in self._all)
        self._code.declarations |= declarations(has_threads)
        made = [self._function(number, share, sizes) for number, share in enumerate(self._all)]
        return [*runtime(has_threads, asks), *made]

    def _function(self, number: int, share: Share, sizes: Mapping[str, int]) -> str:
        code = self._code
        # What LLVM knows of values that are made of constants it finds where they are made.
        constants = _made_of_constants([*code.reserved, *code.lines], share.taken())
        share.reserved += constants
        taken = share.taken()
        own = {name for line in code.reserved for name in _DEFINED.findall(line)} | code.apart
        types = _types([*code.reserved, *code.lines], taken)
        # Addresses that are made of others may be of the same memory.
        pointers = {name for name in taken if types[name] == "ptr"} - {_SIGNALS}
        apart = pointers if pointers <= sizes.keys() | own else set[str]()
        sized = {n: of_size(sizes[n]) for n in taken if n in sizes}
        parameters = [f"{types[n]}{' noalias' if n in apart else ''}{sized.get(n, '')} {n}" for n in taken]
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
        first, end = share.bounds
        # What LLVM knows of a counter that goes from one number to another.
        known = f" range(i64 {first}, {int(end) + 1})" if first.isdigit() and end.isdigit() else ""
        bounds = [f"i64{known} {begin}", f"i64{known} {stop}", f"i1 {caller}"]
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
        lines.append(f"call void @{RUN}(ptr @take{number}, ptr {address}, {numbers}, ptr {signals})")
        code.fill(share.place, "\n  ".join(lines))


def _made_of_constants(lines: Sequence[str], names: Sequence[str]) -> list[str]:
    """The instructions that make those of these values that depend on constants alone, each after its operands."""
    made = {}
    for line in "\n".join(lines).splitlines():
        name, is_made, text = line.strip().partition(" = ")
        if is_made:
            made[name] = text.partition(", !dbg")[0]
    found: dict[str, bool] = {}
    order: list[str] = []

    def is_constant(name: str) -> bool:
        if name not in found:
            text = made.get(name, "load")
            found[name] = not _IMPURE.match(text) and all(map(is_constant, _NAME.findall(text)))
            if found[name]:
                order.append(name)
        return found[name]

    for name in names:
        is_constant(name)
    return [f"  {name} = {made[name]}" for name in order]


_IMPURE = re.compile(r"(load|phi|call|alloca|getelementptr|inttoptr)\b")


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
