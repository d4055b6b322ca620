"""Machine code with the user's lines, for those who want to read it: LLVM's text, and assembly."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from anabranch.base.deep_stack import deep
from anabranch.runtime.host.machine_code import NativeOptions, assembly
from anabranch.runtime.ir.program import Equation, Program, SourceLocation
from anabranch.runtime.native.emitter import NativeEmitter
from anabranch.runtime.native.instructions import Instructions
from anabranch.runtime.native.loops import NativeLoops
from anabranch.runtime.native.whole_program import NativeProgram, build
from anabranch.runtime.xla.native_code import NativeFunction

# The numbers of metadata: 0 is taken by the instructions' own.
_SCOPE, _FIRST = 4, 10
_DEBUG_INFO = f"""\
!llvm.dbg.cu = !{{!1}}
!llvm.module.flags = !{{!2, !7}}
!1 = distinct !DICompileUnit(language: DW_LANG_C, file: !3, isOptimized: true, emissionKind: LineTablesOnly)
!2 = !{{i32 2, !"Debug Info Version", i32 3}}
!3 = !DIFile(filename: "program", directory: "")
!{_SCOPE} = distinct !DISubprogram(name: "program", file: !3, line: 1, type: !5, unit: !1, spFlags: DISPFlagDefinition)
!5 = !DISubroutineType(types: !6)
!6 = !{{}}
!7 = !{{i32 7, !"Dwarf Version", i32 4}}
"""
_HEAD, _HEAD_END = "define internal void @", " nounwind {"
_MARK = re.compile(r", !dbg !(\d+)")
_LOC = re.compile(r"\s*\.loc\s+\d+\s+(\d+)")
# What says nothing of the code itself.
_DIRECTIVE = re.compile(r"\s*(\.(?!L)|#|\.L(func|tmp|debug|info|line|sec|cu)\w*:)")


class CodeLine(NamedTuple):
    """A line of code, and the user's that it came from."""

    text: str
    source: SourceLocation | None = None


class LocatedCode(NamedTuple):
    """The code of a function: as LLVM is given it, and as the processor is."""

    llvm: tuple[CodeLine, ...]
    assembly: tuple[CodeLine, ...]


def located_program(program: Program, options: NativeOptions) -> LocatedCode:
    """The code of a Program that has a native form, compiled anew with the places of its lines.

    Raises
    ------
    NotNativeError
        Where it has none.
    """
    written, places = marked_program(program, options)
    return _located(written.llvm, places)


def marked_program(program: Program, options: NativeOptions) -> tuple[NativeProgram, list[SourceLocation]]:
    """A Program's native form whose text has the numbers of places, and these.

    Raises
    ------
    NotNativeError
        Where it has none.
    """
    code = _LocatedInstructions(options.fastmath)
    with deep():
        return build(program, code, _LocatedEmitter), code.places


class LocatedLoops(NativeLoops):
    """The native forms of a Program's loops, with the places of their lines."""

    def __init__(self, program: Program, options: NativeOptions) -> None:
        super().__init__(program, options)
        self._written: dict[str, tuple[str, list[SourceLocation]]] = {}

    def begun(self) -> tuple[Instructions, type[NativeEmitter]]:
        """Empty instructions for the next loop, and the class that emits them."""
        return _LocatedInstructions(self._options.fastmath), _LocatedEmitter

    def finished(self, llvm: str, code: Instructions) -> NativeFunction:
        """The function as it is without the places."""
        assert isinstance(code, _LocatedInstructions)
        function = super().finished(_MARK.sub("", llvm), code)
        self._written.setdefault(function.name, (llvm, code.places))
        return function

    def codes(self) -> list[LocatedCode]:
        """The code of each function that was asked for, compiled anew."""
        return [_located(llvm, places) for llvm, places in self._written.values()]


def _located(text: str, places: Sequence[SourceLocation]) -> LocatedCode:
    lines = []
    for line in text.splitlines():
        found = _MARK.search(line)
        lines.append(CodeLine(_MARK.sub("", line), places[int(found[1]) - _FIRST] if found else None))
    return LocatedCode(tuple(lines), tuple(_assembly(text, places)))


def with_debug_info(llvm: str, places: Sequence[SourceLocation]) -> str:
    """A module that tells LLVM the places of its lines: each is a line of its own there, the first one the line 1."""
    head = next(line for line in llvm.splitlines() if line.startswith(_HEAD))
    marked = head.replace(_HEAD_END, f" nounwind !dbg !{_SCOPE} {{")
    spots = (f"!{_FIRST + k} = !DILocation(line: {k + 1}, scope: !{_SCOPE})" for k in range(len(places)))
    return "\n".join([llvm.replace(head, marked), _DEBUG_INFO, *spots, ""])


def _assembly(llvm: str, places: Sequence[SourceLocation]) -> Iterator[CodeLine]:
    here: SourceLocation | None = None
    for line in assembly(with_debug_info(llvm, places)).splitlines():
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

    def __init__(self, fastmath: Sequence[str] = ()) -> None:
        super().__init__(fastmath)
        self.places: list[SourceLocation] = []
        self._numbers: dict[tuple[str, int, int], int] = {}
        self.source: SourceLocation | None = None

    def _marked(self, text: str) -> str:
        if self.source is None:
            return text
        place = self.source.place
        if place not in self._numbers:
            self._numbers[place] = _FIRST + len(self.places)
            self.places.append(self.source)
        return f"{text}, !dbg !{self._numbers[place]}"

    def emit(self, text: str, callee: str = "", out: str = "", operands: str = "") -> str:
        return super().emit(self._marked(text), callee, out, operands)

    def act(self, text: str) -> None:
        super().act(self._marked(text))

    def fill(self, place: int, text: str) -> None:
        super().fill(place, self._marked(text))


class _LocatedEmitter(NativeEmitter):
    """Tells the instructions where they come from."""

    def equation(self, equation: Equation, names: list[str], needed: Collection[int]) -> Sequence[str]:
        code = self.code
        assert isinstance(code, _LocatedInstructions)
        before, code.source = code.source, equation.source or code.source
        results = super().equation(equation, names, needed)
        code.source = before
        return results
