"""One call profiled: of machine code by samples, of XLA's programs by the times of their ops."""

from __future__ import annotations

import copy
import ctypes
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from anabranch.runtime._jaxlib import op_times
from anabranch.runtime.api.inspection.columns import Column, Place, code_columns, stablehlo_column
from anabranch.runtime.api.inspection.memory_use import MemoryUse
from anabranch.runtime.api.inspection.profile import LineTime, Profile
from anabranch.runtime.api.stages import Compiled, Lowered
from anabranch.runtime.call.native_execution import NativeCode, NativeExecution
from anabranch.runtime.errors import UnsupportedValueError
from anabranch.runtime.host import sampler
from anabranch.runtime.host.machine_code import NativeOptions, compile_llvm
from anabranch.runtime.host.python_function import ENTRY, python_function
from anabranch.runtime.native.line_table import line_table
from anabranch.runtime.native.located_code import marked_program, with_debug_info

# Runs a call on these arguments, by an execution in place of its own.
Run = Callable[[tuple[Any, ...], dict[str, Any]], object]
_NAME = re.compile(r"^\s*(?:ROOT )?%([\w.\-]+) = ")
_CALLS = re.compile(r"\bcalls=%([\w.\-]+)")
_COMPUTATION = re.compile(r"^(?:ENTRY )?%([\w.\-]+) \(")
# Their ops are told of, too.
_AROUND = re.compile(r"= .*? (while|conditional|call)\(")


class Repeated:
    """Calls of a function with the same arguments, for so many seconds.

    Parameters
    ----------
    args, kwargs
    seconds : float
    are_changed : bool
        Whether the function changes its arguments: then each call gets copies.
    """

    def __init__(self, args: tuple[Any, ...], kwargs: dict[str, Any], seconds: float, *, are_changed: bool) -> None:
        self._given, self._seconds, self._are_changed = (args, kwargs), seconds, are_changed
        # `spent`: the seconds of all of them.
        # `elapsed`: the same with the copies.
        self.calls, self.spent, self.elapsed = 0, 0.0, 0.0

    def __call__(self, run: Run) -> None:
        """Call, once at least."""
        args, kwargs = self._given
        begin = time.perf_counter()
        while not self.calls or self.elapsed < self._seconds:
            if self._are_changed:
                args, kwargs = copy.deepcopy(self._given)
            start = time.perf_counter()
            run(args, kwargs)
            now = time.perf_counter()
            self.spent += now - start
            self.elapsed = now - begin
            self.calls += 1


def profile(
    lowered: Lowered,
    compiled: Compiled,
    signature: str,
    run: Run,
    run_by: Callable[[NativeExecution], Run],
    calls: Repeated,
    memory: MemoryUse,
) -> Profile:
    """The profile of a call.

    Parameters
    ----------
    lowered, compiled
    signature : str
    run : callable
        Calls the function.
    run_by : callable
        The same by another execution of its Program.
    calls : Repeated
        How it is called.
    memory : MemoryUse
    """
    execution = compiled.execution
    if isinstance(execution, NativeExecution) and lowered.native is not None:
        shares, measured = _sampled(lowered, lowered.native, execution, run_by, calls)
    else:
        shares, measured = _traced(lowered, compiled, run, calls)
    lines = tuple(LineTime(place, share) for place, share in sorted(shares.items()))
    return Profile(lowered.fun_name, signature, calls.calls, calls.spent / calls.calls, lines, measured, memory)


def _sampled(
    lowered: Lowered,
    options: NativeOptions,
    execution: NativeExecution,
    run_by: Callable[[NativeExecution], Run],
    calls: Repeated,
) -> tuple[Mapping[Place, float], str]:
    """The shares of lines among the samples of machine code, which is compiled anew with its places."""
    obstacle = sampler.obstacle()
    if obstacle:
        raise UnsupportedValueError(
            f"machine code can't be profiled here: {obstacle}; jit(f, native_loops=False) has XLA compile the function"
        )
    form = lowered.native_form()
    written, places = marked_program(lowered.program if form is None else form.program, options)
    text = with_debug_info(written.llvm, places)
    code = compile_llvm(text)
    table = line_table(code, "program", ENTRY)
    function = python_function(f"{written.name}.profiled", code, text)
    made = NativeExecution(
        execution.plan, NativeCode(written, function, was_loaded=False), lambda: execution.executable
    )
    run = run_by(made)
    with sampler.sampling(_address(function) + table.offset, table.size) as samples:
        calls(run)
    found: Counter[Place] = Counter()
    for sample in samples:
        line = table.line(sample) if sample >= 0 else 0
        if line:
            found[places[line - 1].place[:2]] += 1
    # Samples are of the copies between calls, too. On a busy machine there are fewer of them, evenly.
    within = sum(found.values())
    each = calls.elapsed / max(len(samples), 1)
    scale = min(each / calls.spent, 1.0 / max(within, 1))
    shares = {place: scale * count for place, count in found.items()}
    return shares, f"{within} samples of machine code"


def _address(function: Any) -> int:
    """The address of the code of one of Python's built-in functions."""
    read = ctypes.pythonapi.PyCFunction_GetFunction
    read.restype, read.argtypes = ctypes.c_void_p, [ctypes.py_object]
    return int(read(function))


def _traced(lowered: Lowered, compiled: Compiled, run: Run, calls: Repeated) -> tuple[Mapping[Place, float], str]:
    """The shares of lines by XLA's own times of its ops, which XLA says the places of."""
    hlo = next(iter(code_columns(compiled, stablehlo_column(lowered, None, None, is_native=False), ())))
    places = dict(_places(hlo))
    with op_times() as times:
        calls(run)
    found: dict[Place, float] = {}
    for name, seconds in times.items():
        place = places.get(name)
        if place is not None:
            found[place] = found.get(place, 0.0) + seconds
    # Several threads may compute an op at once.
    whole = max(sum(found.values()), calls.spent)
    return {place: seconds / whole for place, seconds in found.items()}, f"XLA's times of {len(times)} ops"


def _places(hlo: Column) -> Iterator[tuple[str, Place]]:
    """The ops that compute something, with their places; a fusion may have that of what it fuses."""
    last: dict[str, Place] = {}
    computation = ""
    for line in hlo.lines:
        begun, name = _COMPUTATION.match(line.text), _NAME.match(line.text)
        if begun is not None:
            computation = begun[1]
        if name is None or _AROUND.search(line.text):
            continue
        fused = _CALLS.search(line.text)
        place = line.place or (last.get(fused[1]) if fused is not None else None)
        if place is not None:
            last[computation] = place
            yield name[1], place
