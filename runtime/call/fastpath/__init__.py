"""The fast path of a call: Python code made for one signature and its executable.

`Leaves` describes any call; here one description becomes a function that only asks whether a call fits it, copies the
numbers and arrays to where the executable reads them, runs it and builds the result. What it has no code for, arguments
of another signature as well as what a plan does beyond computing, takes the general path.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable

from anabranch.runtime.call.execution import Execution, never
from anabranch.runtime.call.fastpath.codegen import CallForm as CallForm, UnsuitedError, Writer
from anabranch.runtime.call.fastpath.guard_args import ArgumentChecks
from anabranch.runtime.call.fastpath.native_run import NativeRunning
from anabranch.runtime.call.fastpath.run import Running
from anabranch.runtime.call.native_execution import NativeExecution
from anabranch.runtime.config import DEFAULT, settings, settings_or_none
from anabranch.runtime.guards.guards import Guards
from anabranch.runtime.signature.flatten_to_key import Leaves
from anabranch.runtime.tracing.builder import builder_or_none

# Calls of one signature may have a few forms: an argument by position or by name.
_MOST_ATTEMPTS = 3

_MOST_CONDITIONS = 100  # of guards, checked in line

# Those with a fast path.
_with_fast_path: weakref.WeakSet[Execution] = weakref.WeakSet()


def _forget() -> None:
    """A forked process has other executables and other memory for arguments than its parent."""
    for execution in _with_fast_path:
        execution.fast_path, execution.fast_path_attempts = never, 0
    _with_fast_path.clear()


os.register_at_fork(after_in_child=_forget)


def make_fast_path(name: str, execution: Execution, form: Callable[[], CallForm]) -> None:
    """Give an execution the fast path of calls such as this one, where there is one; it is tried a few times only.

    Parameters
    ----------
    name : str
        The function's, for tracebacks.
    execution : Execution
        What runs calls of that signature.
    form : callable
        Returns the form of the call.
    """
    if execution.fast_path_attempts >= _MOST_ATTEMPTS:
        return
    execution.fast_path_attempts += 1
    writer = Writer()
    try:
        body = _call(writer, execution, form())
    except UnsuitedError:
        return
    execution.fast_path = writer.function(name, body)
    if isinstance(execution, NativeExecution):
        execution.written = [line for line in body if line], writer.scope
        execution.tables_made = 0
    _with_fast_path.add(execution)


def _call(writer: Writer, execution: Execution, form: CallForm) -> list[str]:
    plan = execution.plan
    if plan.effects or plan.looks_at_callers or plan.result is None:
        raise UnsuitedError
    writer.scope |= {"builder": builder_or_none, "configured": settings_or_none}
    # Each `configure` block has an object of its own.
    now, chosen, default = map(writer.constant, (settings_or_none(), settings(), DEFAULT))
    writer.unless(f"(now := configured()) is {now} or (now or {default}) == {chosen}")
    writer.unless(
        f"len(args) == {form.positional} and {f'len(kwargs) == {form.named}' if form.named else 'not kwargs'}"
    )
    arguments = ArgumentChecks(writer, plan.known, plan.packs)
    leaves = Leaves(form.run_time_sequences)
    for place in form.places:
        arguments.argument(place.text(writer), leaves.key(place.value, ""), place.value)
    is_native = isinstance(execution, NativeExecution)
    if plan.draws and plan.capacities and not is_native:
        raise UnsuitedError  # a run that is done again begins with the states from before
    for array in plan.captured:
        arguments.captured(array)
    arguments.check_identities()
    arguments.check_sharing(plan.mutated, bool(plan.written or plan.slots), plan.guards.heap)
    asked = plan.guards.native_conditions if is_native else plan.guards.conditions
    held = " and ".join(["builder() is None", *_guards(writer, asked(writer.constant), plan.guards)])
    if "cell_contents" in held:
        writer.lines += [f"try: held = {held}", "except ValueError: return MISS"]
        held = "held"
    writer.unless(held)
    if isinstance(execution, NativeExecution):
        NativeRunning(writer, execution, arguments).write()
    else:
        Running(writer, execution, arguments).write()
    return writer.lines


def _guards(writer: Writer, conditions: list[str], guards: Guards) -> list[str]:
    return conditions if len(conditions) <= _MOST_CONDITIONS else [f"{writer.constant(guards.hold)}()"]
