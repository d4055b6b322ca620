"""LLVM instructions under construction, as text."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from anabranch.runtime.native.shares import Shares

T = TypeVar("T")

# How often a branch goes either way that hardly ever goes the first one.
UNLIKELY = "!0"
METADATA = """!0 = !{!"branch_weights", i32 1, i32 1048576}
!8 = !{!"llvm.loop.unroll.count", i32 2}
!9 = !{!"llvm.loop.unroll.full"}
!10 = !{!"llvm.loop.unroll.disable"}
!11 = !{}"""
TWO_AT_A_TIME, ALL_AT_ONCE, ONE_BY_ONE = "!8", "!9", "!10"
_FIRST_LOOP = 2_000_000

_ARITHMETIC = ("fadd", "fsub", "fmul", "fdiv", "frem")
_FLOATS = ("float", "double")
# LLVM's flags for what reductions combine: sums in any order, and extremes of which a zero has either sign.
_IN_ANY_ORDER = {"fadd": "reassoc", "llvm.maximum": "nsz", "llvm.minimum": "nsz"}

# LLVM's strength reduction tries all orders of a sum of which a part is the loop's counter: of as many terms as a
# hash of the counter has, that takes seconds. A mask of ones that LLVM does not know ends such a sum for it.
_LONGEST_SUM = 8
_SUMS = ("add", "sub", "mul", "shl")


class Instructions:
    """The blocks of one LLVM function, in the order of their text.

    Parameters
    ----------
    fastmath
        LLVM's flags for the arithmetic of floats.
    threads
        How many there are at most; 0 for as many as there are processors.
    """

    def __init__(self, fastmath: Sequence[str] = (), threads: int = 1) -> None:
        self.lines: list[str] = []
        self.declarations: dict[str, str] = {}  # what is called, with its declaration
        self.globals: list[str] = []  # constants in memory
        self.reserved: list[str] = []  # the instructions that begin the function: memory on the stack
        # The addresses, made of others, of arrays that share no memory with those of other names in the same step.
        self.apart: set[str] = set()
        self.hints: list[str] = []  # the metadata of those loops of which more than one step is taken at a time
        self.shares = Shares(self, threads)  # the loops that several threads run
        # Whether the function may end early, without results, which it says by a byte at the address `%stopped`.
        self.may_stop = False
        self.truths: dict[str, str] = {}  # the ints that a bool says of that they are not 0, by the bool's name
        self.truth_of: dict[str, str] = {}  # the bools, by the int's name
        self.block = "entry"  # the label of the block that is being written
        self._count = 0
        self._terms: dict[str, int] = {}
        self._hidden: dict[tuple[str, str], str] = {}
        self._beginning = self.reserved  # of the function itself, also while a share is written
        self._flags = tuple(fastmath)
        self._is_any_order = False

    @property
    def is_exact(self) -> bool:
        """Return whether the arithmetic of floats is as written."""
        return not self._flags

    def fresh(self, prefix: str = "%v") -> str:
        """A new name."""
        self._count += 1
        return f"{prefix}{self._count}"

    def older(self) -> Callable[[str], bool]:
        """A test of names: whether they are of values that have been made until now."""
        count = self._count
        return lambda name: not name.startswith("%v") or int(name[2:]) <= count

    def emit(self, text: str, callee: str = "", out: str = "", operands: str = "") -> str:
        """Write an instruction that has a result, and declare what it calls; returns the result's name."""
        if callee:
            self.declarations[callee] = f"declare {out} @{callee}({operands})"
        name = self.fresh()
        self.lines.append(f"  {name} = {text}")
        return name

    @contextlib.contextmanager
    def combining_in_any_order(self) -> Iterator[None]:
        """Write sums and extremes of floats of which LLVM may change the order."""
        self._is_any_order = True
        yield
        self._is_any_order = False

    def _flags_of(self, op: str) -> str:
        """The flags of an operation on floats, each followed by a space."""
        own = _IN_ANY_ORDER.get(op, "") if self._is_any_order else ""
        return "".join(f"{flag} " for flag in dict.fromkeys((*self._flags, own)) if flag)

    def add(self, op: str, type: str, x: str, y: str) -> str:
        """Write an instruction of two operands of one type."""
        flags = self._flags_of(op) if op in _ARITHMETIC else ""
        name = self.emit(f"{op} {flags}{type} {x}, {y}")
        if op == "icmp ne" and y == "0":
            self.truths[name], self.truth_of[x] = x, name
        if op in _SUMS:
            terms = 1 + max(self._terms.get(x, 0), self._terms.get(y, 0))
            if terms > _LONGEST_SUM:
                return self.emit(f"and {type} {name}, {self.hidden(type, '-1')}")
            self._terms[name] = terms
        return name

    def hidden(self, type: str, value: str) -> str:
        """A constant that LLVM can't know."""
        if (type, value) not in self._hidden:
            symbol = f"@hidden{len(self._hidden)}"
            self.globals.append(f"{symbol} = internal externally_initialized global {type} {value}")
            self._hidden[type, value] = self.fresh()
            self._beginning.append(f"  {self._hidden[type, value]} = load {type}, ptr {symbol}")
        return self._hidden[type, value]

    def call(self, name: str, out: str, type: str, *operands: str) -> str:
        """Write the call of a function without effects, of operands of one type."""
        arguments = ", ".join(f"{type} {x}" for x in operands)
        flags = self._flags_of(name.rpartition(".")[0]) if out in _FLOATS else ""
        return self.emit(f"call {flags}{out} @{name}({arguments})", name, out, ", ".join([type] * len(operands)))

    def act(self, text: str) -> None:
        """Write an instruction without a result."""
        self.lines.append(f"  {text}")

    def label(self, prefix: str) -> str:
        """A new label."""
        return self.fresh(prefix + ".")

    def begin(self, label: str) -> None:
        """Begin a block."""
        self.lines.append(f"{label}:")
        self.block = label

    def labels_since(self, place: int) -> int:
        """The number of blocks that begin from a line on."""
        return sum(line.endswith(":") and not line.startswith(" ") for line in self.lines[place:])

    def jump(self, label: str) -> None:
        """End the block."""
        self.act(f"br label %{label}")

    def repeat(self, label: str, how: str) -> None:
        """End the block by going on with a loop, whose steps are taken two at a time, all at once, or one by one."""
        number = f"!{_FIRST_LOOP + len(self.hints)}"
        self.hints.append(f"{number} = distinct !{{{number}, {how}}}")
        self.act(f"br label %{label}, !llvm.loop {number}")

    def leave_if(self, pred: str, *last: str) -> None:
        """Return from the function where a truth is so, after these instructions; hardly ever."""
        ended, go = self.label("ended"), self.label("go")
        self.branch(pred, ended, go, unlikely=True)
        self.begin(ended)
        for text in last:
            self.act(text)
        self.act("ret void")
        self.begin(go)

    def branch(self, pred: str, on_true: str, on_false: str, *, unlikely: bool = False) -> None:
        """End the block by a bool, which hardly ever holds where it is `unlikely`."""
        weights = f", !prof {UNLIKELY}" if unlikely else ""
        self.act(f"br i1 {pred}, label %{on_true}, label %{on_false}{weights}")

    def hold(self) -> int:
        """Keep a place for an instruction that is known later; returns it."""
        self.lines.append("")
        return len(self.lines) - 1

    def fill(self, place: int, text: str) -> None:
        """Write the instruction that a place was kept for."""
        self.lines[place] = f"  {text}"

    def reserve(self, type: str) -> str:
        """The address of memory on the stack."""
        name = self.fresh()
        self.reserved.append(f"  {name} = alloca {type}, align 64")
        return name

    def copy(self, target: str, source: str, size: int, why: str) -> None:
        """Copy bytes between arrays that do not overlap; `why` is for those who show the code."""
        self.act(self.copying(target, source, size))

    def copying(self, target: str, source: str, size: int) -> str:
        """The instruction that copies."""
        self.declarations["llvm.memcpy.p0.p0.i64"] = "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)"
        return f"call void @llvm.memcpy.p0.p0.i64(ptr {target}, ptr {source}, i64 {size}, i1 false)"

    def clear(self, target: str, size: int) -> None:
        """Write zeros to bytes."""
        self.declarations["llvm.memset.p0.i64"] = "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)"
        self.act(f"call void @llvm.memset.p0.i64(ptr {target}, i8 0, i64 {size}, i1 false)")

    def placed(self, make: Callable[[T], str]) -> Callable[[T], str]:
        """A function that writes an element later on, as a part of what is written now."""
        return make

    @contextlib.contextmanager
    def discarded(self) -> Iterator[None]:
        """Write instructions that are dropped again."""
        outer, block, self.lines = self.lines, self.block, []
        yield
        self.lines, self.block = outer, block

    @contextlib.contextmanager
    def inserting(self, place: int) -> Iterator[None]:
        """Write the instructions of the block to a place that was kept, after those that are there."""
        outer, self.lines = self.lines, []
        yield
        outer[place] = "\n".join([outer[place], *self.lines])
        self.lines = outer
