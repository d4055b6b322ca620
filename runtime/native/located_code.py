"""Machine code with the user's lines, for those who want to read it: LLVM's text, and assembly."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import NamedTuple

from anabranch.base.deep_stack import deep
from anabranch.runtime.host.machine_code import NativeOptions, assembly
from anabranch.runtime.ir.line_times import LineTimes
from anabranch.runtime.ir.program import Equation, Program, SourceLocation
from anabranch.runtime.native.emitter import NativeEmitter
from anabranch.runtime.native.instructions import Instructions, T
from anabranch.runtime.native.loops import NativeLoops
from anabranch.runtime.native.whole_program import NativeProgram, build
from anabranch.runtime.ops.stablehlo_text import Body, Rule, Types
from anabranch.runtime.xla.native_code import NativeFunction

# The numbers of metadata: 0 and those from 8 to 11 are taken by the instructions' own.
_SCOPE, _FIRST = 4, 12
_DEBUG_INFO = """\
!llvm.dbg.cu = !{!1}
!llvm.module.flags = !{!2, !7}
!1 = distinct !DICompileUnit(language: DW_LANG_C, file: !3, isOptimized: true, emissionKind: LineTablesOnly)
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DIFile(filename: "program", directory: "")
!5 = !DISubroutineType(types: !6)
!6 = !{}
!7 = !{i32 7, !"Dwarf Version", i32 4}
"""
_SUBPROGRAM = 'distinct !DISubprogram(name: "", file: !3, line: 1, type: !5, unit: !1, spFlags: DISPFlagDefinition)'
# The functions whose lines have places, which have other numbers in each.
_HEAD, _HEAD_END = re.compile(r"define internal void @(program|nest|share\d+)\("), " nounwind {"
_PLACE = re.compile(r"!dbg !(\d+)")
_NEXT_FUNCTION = 10_000_000
_MARK = re.compile(r", !dbg !(\d+)(?:, !llvm\.loop !(\d+))?")
_FIRST_LOOP = 1_000_000
_LOC = re.compile(r"\s*\.loc\s+\d+\s+(\d+)")
# The end of a step: of a loop of the Program's, or of one over the elements of an array.
_LOOP, _ANY_LOOP = "br label %head.", ("br label %head.", "br label %each.", "br label %chunks.")
# What says nothing of the code itself.
_DIRECTIVE = re.compile(r"\s*(\.(?!L)|#|\.L(func|tmp|debug|info|line|sec|cu)\w*:)")


class CodeLine(NamedTuple):
    """A line of code, and the user's that it came from."""

    text: str
    source: SourceLocation | None = None


class ArrayCopy(NamedTuple):
    """A copy of an array in a step of a loop: what it is made for, the innermost loop, its bytes, and why."""

    source: SourceLocation | None
    loop: SourceLocation | None
    nbytes: int
    why: str


class LocatedCode(NamedTuple):
    """The code of a function: as LLVM is given it, and as the processor is."""

    llvm: tuple[CodeLine, ...]
    assembly: tuple[CodeLine, ...]
    module: str  # LLVM's text with debug information, whose lines are the numbers of `places`, from 1 on
    places: Sequence[SourceLocation]
    # The numbers of those that are a loop's own; others may be of loops over the elements of arrays.
    loops: Collection[int]
    copies: Sequence[ArrayCopy]  # the arrays that loops copy at each step


def located_program(program: Program, options: NativeOptions, times: LineTimes) -> LocatedCode:
    """The code of a Program that has a native form, compiled anew with the places of its lines.

    `times` is told of each equation when it has been written. Raises `NotNativeError` where it has none.
    """
    code = _LocatedInstructions(options, times)
    times.begin()
    with deep():
        written = build(program, code, _LocatedEmitter)
    return _located(written.llvm, code)


def marked_program(program: Program, options: NativeOptions) -> tuple[NativeProgram, list[SourceLocation]]:
    """A Program's native form whose text has the numbers of places, and these.

    Raises `NotNativeError` where it has none.
    """
    code = _LocatedInstructions(options, LineTimes())
    with deep():
        return build(program, code, _LocatedEmitter), code.places


class LocatedLoops(NativeLoops):
    """The native forms of a Program's loops, with the places of their lines; `times` is told of each equation."""

    def __init__(self, program: Program, options: NativeOptions, times: LineTimes) -> None:
        super().__init__(program, options)
        self._times = times
        self._written: dict[str, tuple[str, _LocatedInstructions]] = {}

    def begun(self) -> tuple[Instructions, type[NativeEmitter]]:
        """Empty instructions for the next loop, and the class that emits them."""
        return _LocatedInstructions(self._options, self._times), _LocatedEmitter

    def finished(self, llvm: str, code: Instructions) -> NativeFunction:
        """The function as it is without the places."""
        assert isinstance(code, _LocatedInstructions)
        function = super().finished(_MARK.sub("", llvm), code)
        self._written.setdefault(function.name, (llvm, code))
        return function

    def codes(self) -> list[LocatedCode]:
        """The code of each function that was asked for, compiled anew."""
        return [_located(llvm, code) for llvm, code in self._written.values()]


def _located(text: str, code: _LocatedInstructions) -> LocatedCode:
    lines, places = [], code.places
    for line in text.splitlines():
        found = _MARK.search(line)
        lines.append(CodeLine(_MARK.sub("", line), places[int(found[1]) - _FIRST] if found else None))
    module = with_debug_info(text, places)
    return LocatedCode(
        tuple(lines), tuple(_assembly(module, places)), module, places, code.numbers_of_loops(), code.copies
    )


def with_debug_info(llvm: str, places: Sequence[SourceLocation]) -> str:
    """A module that tells LLVM the places of its lines: each is a line of its own there, the first one the line 1."""
    lines, functions, shift = [], 0, 0
    for line in llvm.splitlines():
        if _HEAD.match(line):
            shift, functions = functions * _NEXT_FUNCTION, functions + 1
            line = line.replace(_HEAD_END, f" nounwind !dbg !{_SCOPE} {{")
        lines.append(_moved(line, shift))
    text = "\n".join(lines)
    shifts = [k * _NEXT_FUNCTION for k in range(functions)]
    scopes = (f"!{_SCOPE + shift} = {_SUBPROGRAM}" for shift in shifts)
    spots = (
        f"!{_FIRST + k + shift} = !DILocation(line: {k + 1}, scope: !{_SCOPE + shift})"
        for shift in shifts
        for k in range(len(places))
    )
    # Where LLVM does not find a loop's own place it takes some other one.
    loops = (f"!{loop} = distinct !{{!{loop}, !{place}}}" for place, loop in _MARK.findall(text) if loop)
    return "\n".join([text, _DEBUG_INFO, *scopes, *spots, *loops, ""])


def _moved(line: str, shift: int) -> str:
    """A line with another number of its place."""
    return _PLACE.sub(lambda found: f"!dbg !{int(found[1]) + shift}", line)


def _assembly(module: str, places: Sequence[SourceLocation]) -> Iterator[CodeLine]:
    here: SourceLocation | None = None
    for line in assembly(module).splitlines():
        spot = _LOC.match(line)
        if spot is not None:
            number = int(spot[1])
            here = places[number - 1] if 0 < number <= len(places) else None
        elif line.strip().startswith(".section") and ".debug" in line:
            return
        elif line.strip() and not _DIRECTIVE.match(line):
            here = here if line.startswith(("\t", " ", ".")) else None  # else a function begins
            yield CodeLine(line.replace("\t", "    ").rstrip(), here)


class _LocatedInstructions(Instructions):
    """Instructions that carry the number of their place."""

    def __init__(self, options: NativeOptions, times: LineTimes) -> None:
        super().__init__(options.fastmath, options.threads)
        self.times = times
        self.loops: list[SourceLocation | None] = []  # the loops that are being written, the innermost last
        self.copies: list[ArrayCopy] = []  # those of arrays in loops
        self.places: list[SourceLocation] = []
        self._begun: set[str] = set()
        self._ends = 0  # of steps
        self._numbers: dict[tuple[tuple[str, int, int], bool], int] = {}
        self.source: SourceLocation | None = None  # where what is being written comes from

    def numbers_of_loops(self) -> list[int]:
        """The numbers of the places, from 1 on, where loops that are no loops over elements begin."""
        return [number - _FIRST + 1 for (_, is_loop), number in self._numbers.items() if is_loop]

    def _marked(self, text: str) -> str:
        if self.source is None:
            return text
        key = self.source.place, text.startswith(_LOOP)
        if key not in self._numbers:
            self._numbers[key] = _FIRST + len(self.places)
            self.places.append(self.source)
        mark = f"{text}, !dbg !{self._numbers[key]}"
        if not (text.startswith(_ANY_LOOP) and text.removeprefix("br label %") in self._begun):
            return mark
        self._ends += 1
        return f"{mark}, !llvm.loop !{_FIRST_LOOP + self._ends}"

    def begin(self, label: str) -> None:
        super().begin(label)
        self._begun.add(label)

    def repeat(self, label: str, how: str) -> None:
        """As other loops end, whose metadata says where they are."""
        self.jump(label)

    def emit(self, text: str, callee: str = "", out: str = "", operands: str = "") -> str:
        return super().emit(self._marked(text), callee, out, operands)

    def act(self, text: str) -> None:
        super().act(self._marked(text))

    def fill(self, place: int, text: str) -> None:
        super().fill(place, self._marked(text))

    def placed(self, make: Callable[[T], str]) -> Callable[[T], str]:
        source = self.source

        def placed(given: T) -> str:
            before, self.source = self.source, source or self.source
            made = make(given)
            self.source = before
            return made

        return placed

    def copy(self, target: str, source: str, size: int, why: str) -> None:
        super().copy(target, source, size, why)
        if self.loops:
            self.copies.append(ArrayCopy(self.source, self.loops[-1], size, why))

    @contextlib.contextmanager
    def discarded(self) -> Iterator[None]:
        before = len(self.copies)
        with super().discarded():
            yield
        del self.copies[before:]


class _LocatedEmitter(NativeEmitter):
    """Tells the instructions where they come from."""

    def equation(self, equation: Equation, names: list[str], needed: Collection[int]) -> Sequence[str]:
        code = self.code
        assert isinstance(code, _LocatedInstructions)
        before, code.source = code.source, equation.source or code.source
        code.times.tick(before)
        results = super().equation(equation, names, needed)
        code.times.tick(code.source)
        code.source = before
        return results

    def loop(self, state: Sequence[str], types: Types, test: Rule, step: Body) -> list[str]:
        code = self.code
        assert isinstance(code, _LocatedInstructions)
        code.loops.append(code.source)
        results = super().loop(state, types, test, step)
        code.loops.pop()
        return results
