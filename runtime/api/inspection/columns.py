"""The texts that a function goes through, each line with the user's line that it came from."""

from __future__ import annotations

import dataclasses
import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

from anabranch.base.frozen import frozen
from anabranch.runtime import lower as lowering
from anabranch.runtime.api.stages import Compiled, Lowered
from anabranch.runtime.call.native_execution import NativeExecution
from anabranch.runtime.ir.line_times import LineTimes
from anabranch.runtime.ir.program import Program, SourceLocation
from anabranch.runtime.native.located_code import LocatedCode, LocatedLoops

Place: TypeAlias = tuple[str, int]  # file and line

_STABLEHLO_PLACE = re.compile(r' loc\("((?:[^"\\]|\\.)*)":(\d+):\d+\)$')
_LOC = re.compile(r" loc\([^()]*\)")
_HLO_PLACE = re.compile(r'source_file="-" source_line=(\d+)')
_METADATA = re.compile(r", metadata=\{[^}]*\}")


class InspectedLine(NamedTuple):
    """A line of a text; its number there where that is not its place in the column."""

    text: str
    place: Place | None = None
    number: int | None = None


@frozen
class Column:
    """One of the texts."""

    name: str  # a word, which ids are made of
    title: str
    note: str  # what the reader should know of it
    lines: tuple[InspectedLine, ...]

    def cut(self, most: int) -> Column:
        """The same with its first lines alone, where there are more."""
        return self if len(self.lines) <= most else dataclasses.replace(self, lines=self.lines[:most])

    def counts(self) -> Counter[Place]:
        """How many of the lines came from each line of the user's."""
        return Counter(line.place for line in self.lines if line.place is not None)


def place_of(source: SourceLocation | None) -> Place | None:
    """The file and the line."""
    return None if source is None else source.place[:2]


def program_column(program: Program, optimised: Program) -> Column:
    """The Program as it was traced."""
    lines = tuple(InspectedLine(line.text, place_of(line.source)) for line in program.lines())
    counts = f"{_count(program)} equations, {_count(optimised)} when optimised"
    return Column("program", "Program", counts, lines)


def _count(program: Program) -> int:
    return sum(1 + sum(map(_count, equation.programs())) for equation in program.equations)


def stablehlo_column(
    lowered: Lowered, loops: LocatedLoops | None, times: LineTimes | None, *, is_native: bool
) -> Column:
    """The module that XLA gets, in which `loops` are machine code; `times` is told of each equation."""
    names, on_device = lowered.calling.leaf_names(), lowered.plan.on_device
    located = lowering.located(
        lowered.program, lowered.donation.aliases, names, is_asynchronous=on_device, loops=loops, times=times
    )
    lines = []
    for text in located.splitlines():
        found = _STABLEHLO_PLACE.search(text)
        place = (found[1], int(found[2])) if found else None
        lines.append(InspectedLine(_LOC.sub("", _STABLEHLO_PLACE.sub("", text)), place))
    lines = _with_heads(lines)
    size = f"{len(lowered.text) / 1024:.1f} KiB"
    note = f"{size}; not used: the function is machine code as a whole" if is_native else size
    return Column("stablehlo", "StableHLO", note, tuple(lines))


def _with_heads(lines: list[InspectedLine]) -> list[InspectedLine]:
    """An op with regions has its place where it ends; so have the lines on which it and its regions begin."""
    made, under_way = list(lines), list[list[int]]()
    for number, line in enumerate(lines):
        text = line.text.strip()
        if under_way and text.startswith(("}, {", "^")):
            under_way[-1].append(number)
        elif under_way and text.startswith("})"):
            for head in under_way.pop():
                made[head] = made[head]._replace(place=line.place)
        elif text.endswith("({"):
            under_way.append([number])
    return made


def code_columns(compiled: Compiled, stablehlo: Column, codes: Sequence[LocatedCode]) -> Iterable[Column]:
    """The compiled code: XLA's optimised HLO, with the loops that are LLVM's code; or LLVM's code alone."""
    execution = compiled.execution
    if isinstance(execution, NativeExecution):
        yield from _of_llvm("", codes)
        return
    yield _hlo_column(execution.executable.hlo_text(), stablehlo.lines)
    if codes:
        yield from _of_llvm("of the loops that XLA calls, ", codes)


def _of_llvm(what: str, codes: Iterable[LocatedCode]) -> Iterator[Column]:
    llvm = itertools.chain.from_iterable(code.llvm for code in codes)
    machine = itertools.chain.from_iterable(code.assembly for code in codes)
    for name, title, note, lines in (
        ("llvm", "LLVM", "before LLVM optimises it", llvm),
        ("assembly", "assembly", "for this processor", machine),
    ):
        yield Column(name, title, what + note, tuple(InspectedLine(c.text, place_of(c.source)) for c in lines))


def _hlo_column(text: str, stablehlo: Sequence[InspectedLine]) -> Column:
    """XLA says of each instruction which line of the module it came from."""
    lines = []
    for line in text.splitlines():
        found = _HLO_PLACE.search(line)
        number = int(found[1]) - 1 if found else len(stablehlo)
        place = stablehlo[number].place if number < len(stablehlo) else None
        lines.append(InspectedLine(_METADATA.sub("", line), place))
    return Column("hlo", "optimised HLO", "what XLA made of it", tuple(lines))
