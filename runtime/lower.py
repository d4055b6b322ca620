"""A Program as the text of a StableHLO module."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from anabranch.base.deep_stack import deep
from anabranch.runtime.host.callbacks import HostCallback
from anabranch.runtime.host.machine_code import NativeOptions
from anabranch.runtime.ir.line_times import LineTimes
from anabranch.runtime.ir.program import Equation, Program, SourceLocation
from anabranch.runtime.native.loops import LoopForm, NativeLoops
from anabranch.runtime.ops.stablehlo_text import tensor
from anabranch.runtime.ops.stablehlo_writer import Emitter


class Module(NamedTuple):
    """The text of a module, the functions of this process that it calls, and the forms of its loops."""

    text: str
    callbacks: tuple[HostCallback, ...]
    loops: tuple[LoopForm, ...] = ()


class LazyModule:
    """A module that is lowered when somebody asks for it."""

    def __init__(self, lowered: Callable[[], Module]) -> None:
        self._lowered = lowered

    @functools.cached_property
    def made(self) -> Module:
        """The module."""
        return self._lowered()


def lower(program: Program) -> str:
    """The StableHLO module whose `main` computes the Program without host functions, in MLIR's generic form."""
    return module(program, calls_host=False).text


def module(
    program: Program,
    aliases: Mapping[int, int] | None = None,
    *,
    calls_host: bool = True,
    is_asynchronous: bool = False,
    native: NativeOptions | None = None,
) -> Module:
    """The module, for Programs that have effects on the host.

    Parameters
    ----------
    aliases
        Inputs whose memory an output takes over, with the outputs' numbers.
    calls_host
        Whether NumPy on the host may compute what it is faster at; effects are called in any case.
    is_asynchronous
        Whether the program runs on while its caller does, unless it calls the host.
    native
        How loops over single elements become calls of machine code; None where they may not.
    """
    native_form = None if native is None else NativeLoops(program, native, is_asynchronous=is_asynchronous)
    made = _module(program, Emitter(calls_host, is_asynchronous, native_form), aliases or {}, {})
    return made if native_form is None else made._replace(loops=tuple(native_form.forms))


def located(
    program: Program,
    aliases: Mapping[int, int],
    names: Mapping[int, str],
    *,
    is_asynchronous: bool = False,
    loops: NativeLoops | None = None,
    times: LineTimes | None = None,
) -> str:
    """The text of the same module with the user's lines, and with the names of inputs; `loops` are machine code.

    `times` is told of each equation when it has been written.
    """
    emitter = _LocatedEmitter(True, is_asynchronous, loops)
    emitter.times = times
    lines = _module(program, emitter, aliases, names).text.splitlines()
    # What has no place would get one in this very text.
    return "\n".join(f"{line} loc(unknown)" if _lacks_place(line) else line for line in lines) + "\n"


class _LocatedEmitter(Emitter):
    """An emitter that writes the user's line beside each op."""

    times: LineTimes | None = None

    def located(self, start: int, equation: Equation) -> None:
        """Write the location after each op that has none yet; an op with regions has it after the last."""
        if self.times is not None:
            self.times.tick(equation.source)
        if equation.source is None:
            return
        place = _written(equation.source)
        self.lines[start:] = [_with_place(text, place) for text in self.lines[start:]]

    def _function(self, signature: str, lines: Sequence[str]) -> str:
        """A function's own lines are those of the equation that is being emitted."""
        before, lines = len(self.functions), "\n".join(lines).split("\n")
        name = super()._function(signature, [_PLACE.sub("", text) for text in lines])
        source = self._under_way[-1].equation.source
        if len(self.functions) > before and source is not None:
            # Functions are one where they do the same, wherever they come from; the numbers of their names are new.
            head, *body, end = self.functions[-1]
            found = [_PLACE.search(text) for text in lines]
            places = [_written(source) if one is None else one[0] for one in found]
            located = [_with_place(text, place) for text, place in zip(body, places, strict=True)]
            self.functions[-1] = [head, *located, end]
        return name


_PLACE = re.compile(r' loc\("(?:[^"\\]|\\.)*":\d+:\d+\)$')


def _written(source: SourceLocation) -> str:
    file, line, column = source.place
    return f" loc({json.dumps(file)}:{line}:{column})"


def _with_place(text: str, place: str) -> str:
    """A line with a place, where it takes one and has none."""
    return text + place if text.endswith((")", ">")) and " loc(" not in text else text


def _lacks_place(line: str) -> bool:
    return line.strip() in ("}", "return") or (line.endswith((")", ">")) and " loc(" not in line)


def _module(program: Program, emitter: Emitter, aliases: Mapping[int, int], names: Mapping[int, str]) -> Module:
    arguments = [f"%arg{i}" for i in range(len(program.inputs))]
    with deep():
        results = emitter.program(program, arguments)
    binders = []
    for i, (name, type) in enumerate(zip(arguments, program.in_types, strict=True)):
        alias = f" {{tf.aliasing_output = {aliases[i]} : i32}}" if i in aliases else ""
        place = f" loc({json.dumps(names[i])})" if i in names else ""
        binders.append(f"{name}: {tensor(type)}{alias}{place}")
    outs = ", ".join(map(tensor, program.out_types))
    lines = [f"module @{program.name} {{", f"  func.func public @main({', '.join(binders)}) -> ({outs}) {{"]
    lines += ["    " + line for line in emitter.lines]
    lines += [f"    return {', '.join(results)} : {outs}" if results else "    return", "  }"]
    lines += ["  " + line for function in emitter.functions for line in function]
    lines.append("}")
    return Module("\n".join(lines) + "\n", tuple(emitter.callbacks))
