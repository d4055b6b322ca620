"""Calls of one function again and again: the body is traced once for each signature, and its equations are copied.

From its fourth call on, a function's body is traced in a builder of its own, on arguments of which only their types are
known. The recording counts for others where that was all the call depended on, and all that it did: it has read
nothing but its arguments and arrays from outside, has written nothing that was there before, has called nothing on the
host, and returns numbers, new arrays, or parts of its arguments. Then tracing a further call with an equal signature
would add the same equations. Failures in it are new ones for each call: they name the frames that this call came
through.
"""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.config import settings
from anabranch.runtime.control.calls.call_signature import (
    CallSignature,
    NoSignatureError,
    ResultForm,
    StandIns,
    is_linked,
)
from anabranch.runtime.control.calls.user_functions import is_user_function
from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.program import Atom, Equation, Literal, Program, Var
from anabranch.runtime.ir.rewrite import substitute
from anabranch.runtime.ops.check import CHECKS
from anabranch.runtime.tracing.builder import Builder, Trace, building
from anabranch.runtime.tracing.call_state import Active
from anabranch.runtime.tracing.failures import Failure
from anabranch.runtime.tracing.storage import Part, Storage
from anabranch.runtime.values.failures.run_time_checks import user_frames
from anabranch.runtime.values.heap.snapshot import Attempt, Heap

FREQUENT = 3  # calls that are traced before one is recorded
_SMALL = 8  # equations; passes see the most of few, and they are traced as fast as they are copied
_SIGNATURES = 8  # that are recorded of one function; one that has more is hardly called with the same again
_MOST = 8  # of the user's frames around a call; a failure shows sixteen at most
_DEEPEST = 64  # of such frames that are looked at, with those of blocks
_NUMBER = ArrayType((), np.dtype(np.int32))


@frozen
class Recording:
    """One call that was traced by itself."""

    # Its inputs are the arguments' numbers and memory, then memory from outside; its outputs are what the result needs,
    # then what that memory holds after the call.
    program: Program
    read: tuple[Storage, ...]  # the memory from outside
    written: tuple[Storage, ...]  # that of it which says what has failed
    arrays: tuple[Storage, ...]  # that of it which arrays have
    result: ResultForm
    failures: tuple[Failure, ...]  # those in it, with the frames within the call alone
    first: int  # how many failures were numbered before it
    held: Heap  # what the caller's objects held


def replayed(
    call: Callable[..., Value],
    builder: Builder,
    active: Active,
    function: Any,
    args: tuple[Value, ...],
    kwargs: Mapping[str, Value],
) -> tuple[Value] | None:
    """The result, in a tuple, of a call of a function that is called often; None where it is to be traced.

    `call(function, *args, **kwargs)` traces one.
    """
    if active.recordings is None or not _may_be_recorded(builder.trace, function):
        return None
    try:
        signature = CallSignature(builder, args, kwargs)
    except NoSignatureError:
        return None
    # What a failure is depends on the generator that it is in.
    around = type(builder.trace.failures.body)
    key = (
        getattr(function, "__anabranch_function__", function),
        settings(),
        *np.geterr().values(),
        around,
        signature.key,
    )
    recording: Any = active.recordings.get(key)
    if not builder.trace.outside.is_unchanged():
        return None
    if recording is None:
        if len(active.recordings) == _SIGNATURES:
            return None
        recordings, active.recordings = active.recordings, None
        recording = _recorded(builder, signature, lambda of: call(function, *map(of, args), **_each(of, kwargs)))
        if recording is None or len(recording.program.equations) < _SMALL:
            return None
        active.recordings = recordings
        recordings[key] = recording
        return (_emitted(builder, recording, signature, {}),)
    if recording.held.has_changed_slots():
        return None
    frames = user_frames(_DEEPEST) if recording.failures else ()
    if len(frames) > _MOST or not all(map(_is_general, map(builder.read, recording.arrays))):
        return None
    numbered = builder.trace.failures.numbered
    numbers = {recording.first + i: len(numbered) + i for i in range(1, len(recording.failures) + 1)}
    numbered += [Failure(f.make, f.reconstruct, (*frames, *f.frames), f.details) for f in recording.failures]
    return (_emitted(builder, recording, signature, numbers),)


def _each(of: Callable[[Value], Value], kwargs: Mapping[str, Value]) -> dict[str, Value]:
    return {name: of(value) for name, value in kwargs.items()}


def _is_general(atom: Atom) -> bool:
    """Return whether no more is known of a value than its type."""
    return not isinstance(atom, (Literal, Part))


def _may_be_recorded(trace: Trace, function: Any) -> bool:
    function = getattr(function, "__anabranch_function__", function)
    if type(function) is not types.FunctionType or function.__closure__ is not None or not is_user_function(function):
        return False
    # A handler sees what was done before a failure; who asks for decisions wants each call's.
    is_seen = trace.failures.regions or trace.failures.refused or trace.explanation.decisions is not None
    return not (is_seen or trace.lists.may_grow)


def _recorded(
    builder: Builder, signature: CallSignature, run: Callable[[Callable[[Value], Value]], Value]
) -> Recording | None:
    """A call traced by itself; None where more than its arguments matters, or more than its result."""
    trace, numbered = builder.trace, builder.trace.failures.numbered
    frames, first, before = user_frames(_DEEPEST), len(numbered), _noticed(trace)
    if len(frames) > _MOST or len(set(frames)) < len(frames):
        return None
    attempt, held = Attempt(), Heap(trace.identity.callers_objects)
    inner = Builder(trace, builder)
    inner.depth = builder.depth  # a call is no condition
    stand_ins = StandIns(signature, inner)
    try:
        with building(inner):
            result = ResultForm(run(stand_ins.of), stand_ins, inner)
            failures = numbered[first:]
            is_closed = trace.outside.is_unchanged() and not held.has_changed_slots() and before == _noticed(trace)
            program = _program(inner, stand_ins, signature, result) if is_closed else None
    except Exception:  # what it is, is said where the call is traced as others are
        program = None
    if (
        program is None
        or not all(f.frames[: len(frames)] == frames for f in failures)
        or _has_other_numbers(program, range(first + 1, first + len(failures) + 1))
    ):
        attempt.undo()
        del numbered[first:]
        return None
    within = tuple(Failure(f.make, f.reconstruct, f.frames[len(frames) :], f.details) for f in failures)
    read = tuple(inner.storage_inputs)
    written = tuple(inner.outer_writes())
    arrays = tuple(s for s in read if s in trace.identity.callers_memory)
    return Recording(program, read, written, arrays, result, within, first, held)


def _noticed(trace: Trace) -> tuple[object, ...]:
    """The parts of a trace beside its equations that a call may have changed, where that matters to others."""
    lists, text = trace.lists, trace.text
    lengths = (lists.in_arrays, len(lists.tables), lists.wants_growth, lists.wants_known, lists.has_heads)
    asked = (trace.requests.refusals, len(trace.requests.restaged), len(trace.failures.caught))
    return *lengths, lists.has_copies, text.has_codes, *asked, len(trace.identity.graphs), trace.calls.host_calls


def _program(inner: Builder, stand_ins: StandIns, signature: CallSignature, result: ResultForm) -> Program | None:
    """The Program of a call that has been traced; None where it is not closed."""
    trace = inner.trace
    codes = {trace.failures.error_code, *trace.failures.details.values()}
    written = inner.outer_writes()
    if inner.captures or inner.points or inner.copied or inner.lent or inner.frozen_storages:
        return None
    if not codes.issuperset(written) or any(s in inner.written for s in stand_ins.storages.values()):
        return None
    for storage in inner.storage_inputs:
        if storage not in codes and (storage not in trace.identity.callers_memory or is_linked(storage)):
            return None
    if any(stand_in.shape != array.shape for array, stand_in in stand_ins.arrays.items()):
        return None
    outputs = (*result.atoms, *map(inner.read, written))
    if any(isinstance(a, Part) or not (isinstance(a, Literal) or a in inner.known) for a in outputs):
        return None
    return inner.program((*inner.formals, *inner.storage_inputs.values()), outputs, "call")


def _emitted(builder: Builder, recording: Recording, signature: CallSignature, numbers: Mapping[int, int]) -> Value:
    """Add the equations of a recorded call to a builder, with other numbers of failures; returns the result."""
    program = recording.program
    operands = [builder.resolve(a) for a in (*signature.operands, *map(builder.read, recording.read))]
    names: dict[Atom, Atom] = dict(zip(program.inputs, operands, strict=True))
    for equation in _copies(program.equations, names, numbers):
        builder.equations.append(equation)
        builder.known.update(equation.outputs)
    outputs = [names.get(a, a) for a in program.outputs]
    for storage, atom in zip(recording.written, outputs[len(recording.result.atoms) :], strict=True):
        builder.write(storage, atom)
    return recording.result.build(signature, builder, lambda atom: names.get(atom, atom))


def _copies(equations: Iterable[Equation], names: dict[Atom, Atom], numbers: Mapping[int, int]) -> Iterator[Equation]:
    """Equations with variables of their own, which `names` has in the end, and other numbers of failures."""

    def copied(program: Program) -> Program:
        inner: dict[Atom, Atom] = {v: Var(v.type) for v in program.inputs}
        made = tuple(_copies(program.equations, inner, numbers))
        inputs = tuple([v for v in map(inner.get, program.inputs) if isinstance(v, Var)])
        return dataclasses.replace(
            program, inputs=inputs, equations=made, outputs=tuple([inner.get(a, a) for a in program.outputs])
        )

    for equation in equations:
        outputs = tuple([Var(v.type) for v in equation.outputs])
        made = substitute(equation, names)
        if numbers and equation.op in CHECKS and isinstance(number := equation.inputs[2], Literal):
            now = Literal(np.array(numbers.get(int(number.value), int(number.value)), np.int32))
            made = dataclasses.replace(made, inputs=(*made.inputs[:2], now, *made.inputs[3:]))
        yield dataclasses.replace(made.with_programs(copied), outputs=outputs)
        names.update(zip(equation.outputs, outputs, strict=True))


def _has_other_numbers(program: Program, numbers: range) -> bool:
    """Return whether failures' numbers stand elsewhere than in checks, as in what handlers ask."""
    for equation in program.equations:
        for place, atom in enumerate(equation.inputs):
            is_number = isinstance(atom, Literal) and atom.type == _NUMBER and int(atom.value) in numbers
            if is_number and not (equation.op in CHECKS and place == 2):
                return True
        if any(_has_other_numbers(inner, numbers) for inner in equation.programs()):
            return True
    return any(isinstance(a, Literal) and a.type == _NUMBER and int(a.value) in numbers for a in program.outputs)
