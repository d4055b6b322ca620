"""`f.explain`: what became of a function on some arguments, and why."""

from __future__ import annotations

import builtins
import dataclasses
import types
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from anabranch.base.coloured import coloured
from anabranch.base.frozen import frozen
from anabranch.base.html_text import element, table, text
from anabranch.runtime import lower as lowering
from anabranch.runtime.api.stages import Lowered, Traced
from anabranch.runtime.api.stages.lowered import NativeForm
from anabranch.runtime.call import cache_miss
from anabranch.runtime.call.call_spec import CallSpec
from anabranch.runtime.call.native_execution import leaves_in_place
from anabranch.runtime.call.plan import Plan
from anabranch.runtime.guards.guards import Guards
from anabranch.runtime.host.buffer_types import ALIGNMENT
from anabranch.runtime.host.callbacks import HostFunction
from anabranch.runtime.host.generator_state import OutsideGenerator
from anabranch.runtime.host.staging import may_have_window
from anabranch.runtime.native.whole_program import NativeProgram
from anabranch.runtime.ops.random_draws import random_draw, random_seed
from anabranch.runtime.signature.argument_layouts import argument_names
from anabranch.runtime.signature.flatten_to_key import SignatureKey
from anabranch.runtime.tracing.capacity import Overflowed
from anabranch.runtime.tracing.decision_log import Decision
from anabranch.runtime.xla import mlir_module

_TITLES = {
    "argument": "Static arguments",
    "specialised": "Arguments that had to be known",
    "rewritten": "Functions",
    "staged": "Staged",
    "unrolled": "Unrolled",
    "decided": "Decided while tracing",
    "capacity": "Capacities for sizes known only at run time",
    "array": "Arrays from outside",
    "generator": "Random generators from outside",
    "large": "Large arguments",
    "written": "Written back",
    "host": "Called on the host",
    "effect": "Effects",
    "guarded": "Guarded: compiled again when one changes",
    "executable": "Executable",
}


@frozen
class Explanation:
    """The decisions made for a function on some arguments, and why; `str` of it is a report."""

    function: str
    signature: str  # the arguments' names and types
    decisions: tuple[Decision, ...]  # what was decided of each, by kind and by line

    def by_kind(self) -> dict[str, list[Decision]]:
        """The decisions under their kinds, in the order of the report."""
        found = {kind: [d for d in self.decisions if d.kind == kind] for kind in _TITLES}
        return {kind: rows for kind, rows in found.items() if rows}

    def as_dict(self) -> dict[str, Any]:
        """The same of plain values: `function`, `signature`, and a list of dicts under each kind."""
        rows = {kind: [dataclasses.asdict(d) for d in decisions] for kind, decisions in self.by_kind().items()}
        return {"function": self.function, "signature": self.signature, **rows}

    def __str__(self) -> str:
        lines = [f"{self.function}({self.signature})"]
        for kind, decisions in self.by_kind().items():
            lines += ["", _TITLES[kind], *(f"  {_row(d)}" for d in decisions)]
        return "\n".join(lines)

    def titled(self) -> dict[str, list[Decision]]:
        """The decisions under the titles of the report."""
        return {_TITLES[kind]: decisions for kind, decisions in self.by_kind().items()}

    def __rich__(self) -> Any:
        """The report in colours, for terminals."""
        return coloured(self, {r"(?m)^\S.*$": "bold", r"(?m)^  [^:\n]*\.py:\d+": "cyan"})

    def _repr_html_(self) -> str:
        """The report as tables, for notebooks."""
        tables = [table([(d.place, d.what, d.why) for d in rows], title=title) for title, rows in self.titled().items()]
        return element("div", element("code", text(f"{self.function}({self.signature})")), *tables)


def _row(decision: Decision) -> str:
    place = decision.place
    return f"{place + ': ' if place else ''}{decision.what}: {decision.why}"


def explanation(
    traced: Traced,
    key: SignatureKey,
    names: tuple[str, ...],
    noted: Sequence[Decision],
    cached: str,
    named: frozenset[str],
) -> Explanation:
    """The explanation of a trace.

    Parameters
    ----------
    key : object
        The signature.
    names : tuple of str
        The positional parameters.
    noted : sequence of Decision
        What was decided while tracing.
    cached : str
        Where the executable is, or "" where it would have to be compiled.
    named : frozenset of str
        What was named as static.
    """
    plan, calling, lowered = traced.plan, traced.calling, traced.lower()
    form = lowered.native_form()
    native = None if form is None else form.code
    decisions = [
        *_arguments(key, names, plan, named),
        *noted,
        *_capacities(plan),
        *_arrays(plan),
        *_large(lowered, native),
        *_writes(plan, calling, form),
        *_effects(plan),
        *_guarded(plan.guards),
        *_executable(traced, lowered, native, cached),
    ]
    return Explanation(calling.fun_name, cache_miss.signature(key, names), tuple(decisions))


def _arguments(key: SignatureKey, names: tuple[str, ...], plan: Plan, named: frozenset[str]) -> Iterator[Decision]:
    known = {name for need in plan.needs for name in need.names}
    positional, by_name, *_ = key
    parts = zip(argument_names(names, len(positional)), positional, strict=True)
    for name, part in (*parts, *by_name):
        for leaf, shown in cache_miss.leaves(name, part):
            if shown.startswith("static ") and leaf not in known:
                value = shown.removeprefix("static ")
                yield Decision("argument", leaf, f"{value}, {'as it was named' if leaf in named else 'by itself'}")
    for need in plan.needs:
        file, line = need.place[:2] if need.place is not None else ("", 0)
        yield Decision(
            "specialised", ", ".join(need.names), f"{need.what.partition(' (')[0]} is needed {need.where}", file, line
        )


def _capacities(plan: Plan) -> Iterator[Decision]:
    for capacity in plan.capacities:
        why = "as a run has needed" if capacity.learned else "at first; a run that needs more is done again"
        file, line = capacity.place.frames[-1][:2] if capacity.place.frames else ("", 0)
        yield Decision("capacity", capacity.place.expression, f"{capacity.size} elements, {why}", file, line)


def _arrays(plan: Plan) -> Iterator[Decision]:
    for array in plan.captured:
        held = array.generator if isinstance(array, OutsideGenerator) else array
        known = [name for _, name, value in plan.guards.names.values() if value is held]
        if isinstance(array, OutsideGenerator):
            what = f"global {known[0]}" if known else f"a {array.kind.name}"
            yield Decision("generator", what, "its state is an input, and is written back: each call draws new numbers")
            continue
        what = f"global {known[0]}" if known else "an array of a closure or an object"
        shape = ",".join(map(str, array.shape))
        yield Decision("array", what, f"{array.dtype}[{shape}] is an input: its contents are those at each call")


_COPIED = "its new contents are copied into the caller's array after the run"


def _large(lowered: Lowered, native: NativeProgram | None) -> Iterator[Decision]:
    """Yield which of the large arguments are copied for calls, and why."""
    if lowered.plan.on_device:
        return
    names = lowered.calling.leaf_names()
    places = [held if isinstance(held, int) else held[0] for held in lowered.plan.held(len(names))]
    found: Mapping[int, str | None]
    if native is not None:
        found = {i: None for i, kind in enumerate(native.inputs) if may_have_window(kind)}
    else:
        found = mlir_module.large_arguments(lowered.text)
    for index, op in found.items():
        what = names[places[index]] if index < len(places) else "an array from outside"
        if op is None:
            yield Decision("large", what, "read where it is; an array that is not contiguous is copied")
        else:
            why = f"`{op}` takes all of it at once"
            yield Decision("large", what, f"copied, unless it begins at a multiple of {ALIGNMENT} bytes: {why}")


def _writes(plan: Plan, calling: CallSpec, form: NativeForm | None) -> Iterator[Decision]:
    names = calling.arguments.leaf_names()
    in_place = set() if form is None else leaves_in_place(form.plan, form.code)
    for write in plan.writes:
        what = names[write.leaf] if write.leaf < len(names) else "an array from outside"
        if write.part is not None:
            what += f"[{', '.join(f'{a}:{b}' if step == 1 else f'{a}:{b}:{step}' for a, b, step in write.part)}]"
        elif write.starts:
            what = f"a part of {what}"
        is_guarded = form is not None and form.code.is_guarded
        how = f"is written to where it is, {_why(plan, is_guarded)}" if write.leaf in in_place else _COPIED
        yield Decision("written", what, how)
    if plan.written:
        yield Decision(
            "written", "lists, dicts and objects among the arguments", "get their new contents after the run"
        )
    for slot in plan.slots:
        yield Decision("written", f"a {type(slot.target).__name__} from outside", "gets its new contents after the run")


def _why(plan: Plan, is_guarded: bool) -> str:
    fails = plan.program.outputs[plan.program.groups.failures]
    if fails and is_guarded:
        return "after all that can fail"
    return "and put back if the run fails" if fails else "as nothing can fail"


def _effects(plan: Plan) -> Iterator[Decision]:
    if plan.effects:
        yield Decision("effect", _count(len(plan.effects), "print, log or warning"), "done at the end of the call")
    elif plan.looks_at_callers:
        yield Decision("effect", "prints, logs and warnings", "call back while the program runs")
    raising = sum(not isinstance(f.make, Overflowed) for f in plan.failures)
    if raising:
        yield Decision("effect", _count(raising, "place"), "may raise an exception at run time")


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} times a {what}"


def _guarded(guards: Guards) -> Iterator[Decision]:
    found = [
        name
        for scope, name, value in guards.names.values()
        if not isinstance(value, (type, types.ModuleType)) and not str(scope.get("__name__")).startswith(_OWN)
    ]
    read = sorted({name for name in found if not name.startswith("__") and not hasattr(builtins, name)})
    if read:
        yield Decision("guarded", ", ".join(read), "read from outside")


_OWN = ("anabranch.", "numpy")


def _executable(traced: Traced, lowered: Lowered, native: NativeProgram | None, cached: str) -> Iterator[Decision]:
    size = sum(1 for _ in lowered.program.equations)
    yield Decision("executable", "Program", f"{len(traced.program.equations)} equations, {size} after optimising")
    outlined = lowered.text.count("func.func private @native_")
    if outlined:
        what = f"{_count(outlined, 'native function')}, where a step touches little memory"
        yield Decision("executable", "loops", what)
    for form in lowering.module(lowered.program, native=traced.native).loops:
        file, line = form.source.place[:2] if form.source is not None else ("", 0)
        verdict = f"not machine code, for {form.obstacle}" if form.obstacle else "machine code"
        yield Decision("executable", "loop", verdict, file, line)
    functions = [c for c in lowered.callbacks if isinstance(c, HostFunction)]
    draws = sorted({dict(f.params)["call"].method for f in functions if f.name == random_draw.name})
    if draws:
        yield Decision("executable", "random numbers", f"{', '.join(draws)}: drawn by the generator's own methods")
    names = sorted({f.name for f in functions} - {random_draw.name, random_seed.name})
    if names:
        yield Decision("executable", "host functions", f"{', '.join(names)}: computed by NumPy, which is faster there")
    if native is not None:
        yield Decision("executable", "function", "machine code as a whole, which Python calls without XLA")
    compiler = "XLA" if native is None else "LLVM"
    yield Decision("executable", compiler, cached or "this signature is not compiled yet")
