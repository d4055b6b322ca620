"""Suggestions of what to write otherwise, where a function is slow, or is compiled often, and that can be helped."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from anabranch.base.frozen import frozen
from anabranch.runtime.api.inspection.columns import Place
from anabranch.runtime.api.inspection.loop_verdicts import MACHINE, PYTHON, UNROLLED, XLA, LoopVerdict
from anabranch.runtime.api.inspection.part import Part, Row, Table, named
from anabranch.runtime.api.inspection.step_copies import StepCopy
from anabranch.runtime.api.inspection.user_statements import asks_for_copies, loops_around
from anabranch.runtime.api.memory_cache import Entry
from anabranch.runtime.tracing.decision_log import Decision

# What an unrolled loop may add, and what a copy may take, before anything is said of it.
_FEW_EQUATIONS, _FEW_BYTES = 64, 1024
_COST = re.compile(r"(\d+) steps?, (\d+) equations?(?:: (.*))?", re.DOTALL)
_CHANGE = re.compile(r"([\w.\[\]']+) is (.+?), was (.+?)(?=, [\w.\[\]']+ is |$)")
_CHANGED = "since then this has changed: "
_ROOM = re.compile(r"(\d+) elements, as a run has needed")


class Suggestion(NamedTuple):
    """A suggestion of what to write otherwise."""

    place: Place | None  # the user's line
    what: str
    why: str
    write: str  # what to write instead


@frozen
class Evidence:
    """The facts about a function on some arguments."""

    decisions: Sequence[Decision]
    loops: Sequence[LoopVerdict]
    copies: Sequence[StepCopy]
    entries: Sequence[Entry]  # what was compiled of it, the first one first


def suggestions(found: Evidence) -> tuple[Suggestion, ...]:
    """The suggestions, by line; those of no line come first."""
    made = [
        *_unrolled(found.loops),
        *_not_machine_code(found.loops),
        *_not_vectorised(found.loops),
        *_copied(found.copies),
        *_on_the_host(found),
        *_compiled_again(found),
        *_too_little_room(found.decisions),
    ]
    return tuple(sorted(dict.fromkeys(made), key=lambda s: s.place or ("", 0)))


# ---- loops ----------------------------------------------------------------------------------------------------------

# What is said of a name that is one thing before a step and another after it.
_ADVICE = (
    (
        re.compile("elements before a step|size of a container|hold more"),
        "fill an array: make it before the loop, as by `out = np.empty(n)`, and set `out[i]` in it",
    ),
    (
        re.compile("types? (?:before|after)|other type"),
        "give each name one type before the loop: `s = 0.0`, not `s = 0`",
    ),
)


def _unrolled(loops: Iterable[LoopVerdict]) -> Iterator[Suggestion]:
    for loop in loops:
        cost = _COST.search(loop.why)
        if loop.made not in (UNROLLED, PYTHON) or cost is None or int(cost[2]) < _FEW_EQUATIONS:
            continue
        what = f"unrolled {cost[1]} times, which makes {cost[2]} equations"
        if loop.made == PYTHON:
            write = "let an argument, or an array, give what the condition looks at: then it is one loop"
            yield Suggestion(loop.place, what, "its condition is known while tracing", write)
            continue
        why, _, own = (cost[3] or "").partition("; ")
        write = next((text for words, text in _ADVICE if words.search(why)), own)  # else as the reason itself says
        if write:
            yield Suggestion(loop.place, what, why, write)


_OBSTACLES = (
    ("an array that is written in a step", "read an array before the step writes to it, or write into another one"),
    ("an array as it was before", "read an array before the step writes to it, or write into another one"),
    ("a sort of", "sort before the loop, where what is sorted does not change in it"),
    ("native_loops", "leave native_loops on"),
    ("llvmlite", "install llvmlite"),
)


def _not_machine_code(loops: Iterable[LoopVerdict]) -> Iterator[Suggestion]:
    for loop in loops:
        if loop.made == XLA:
            write = next((write for words, write in _OBSTACLES if words in loop.why), "")
            if write:
                yield Suggestion(
                    loop.place, "a loop of XLA's, whose every step costs a microsecond and more", loop.why, write
                )


def _not_vectorised(loops: Iterable[LoopVerdict]) -> Iterator[Suggestion]:
    for loop in loops:
        if loop.made == MACHINE and "order of its terms" in loop.vectorised:
            why = "a sum of floats is added up in Python's order"
            write = '`jit(f, fastmath=("reassoc",))`, if the last digits may differ from Python\'s'
            yield Suggestion(loop.place, "not vectorised", why, write)


def _copied(copies: Iterable[StepCopy]) -> Iterator[Suggestion]:
    for copy in copies:
        write = next((write for words, write in _COPIES if words in copy.why), "")
        is_asked_for = copy.loop is not None and asks_for_copies(copy.loop)
        if write and not is_asked_for and copy.nbytes * copy.times >= _FEW_BYTES:
            array = " and ".join(copy.names) or "an array"
            yield Suggestion(copy.place, f"{array}: copied at each step", copy.why, write)


_COPIES = (
    ("under another name", "make both arrays before the loop, and let their names change places: `x, y = y, x`"),
    ("change places", "do two steps in one, the second with the names the other way round"),
    ("what it held before", "read what a step needs of it before the step writes to it, or write into another array"),
    ("branches", "change the array in place in the branches, `x[:] = …`, in place of choosing between arrays"),
)


def _on_the_host(found: Evidence) -> Iterator[Suggestion]:
    loops = {loop.place: loop.made for loop in found.loops}
    for decision in found.decisions:
        if decision.kind != "host" or not decision.line:
            continue
        place = decision.file, decision.line
        around = [loop for loop in loops_around(place) if loops.get(loop) in (XLA, MACHINE)]
        if around:
            what = f"{decision.what} is called on the host at each step of the loop at {named(around[-1])}"
            write = "call it before or after the loop, on an array of all values at once"
            yield Suggestion(place, what, "each such call goes through Python", write)


# ---- compilations ---------------------------------------------------------------------------------------------------


def _compiled_again(found: Evidence) -> Iterator[Suggestion]:
    needed = {d.what: d for d in found.decisions if d.kind == "specialised"}
    changes: Counter[tuple[str, str]] = Counter()
    for entry in found.entries:
        _, again, changed = entry.why.partition(_CHANGED)
        if again:
            write = f"pass {changed.split()[0]} as an argument, where it changes often"
            yield Suggestion(None, "compiled again", f"what it reads from outside has changed: {changed}", write)
        if "had made room" in entry.why:
            yield Suggestion(None, "compiled again", entry.why, "give more room: `jit(f, cache_size=…)`")
        if "the closest differs" in entry.why:
            text = entry.why.partition(": ")[2]
            changes.update((name, _kind(now, was)) for name, now, was in _CHANGE.findall(text))
    for (name, kind), count in changes.items():
        if count < 2:
            continue
        decision = needed.get(name)
        place = (decision.file, decision.line) if decision is not None and decision.line else None
        why, write = _KINDS[kind]
        reason = why if decision is None else f"{why}: {decision.why}"
        yield Suggestion(place, f"compiled {count + 1} times", f"{name} {reason}", write.format(name=name))


_KINDS = {
    "value": (
        "is compiled in with its value",
        "let no size or structure depend on {name}, or call it with few different values",
    ),
    "shape": ("comes in ever new shapes", "pad {name} to one shape, or pass parts of equal size"),
    "type": ("comes in several types", "pass {name} as one type"),
}


def _kind(now: str, was: str) -> str:
    if now.startswith("static"):
        return "value"
    same = now.partition("[")[0] == was.partition("[")[0]
    return "shape" if "[" in now and same else "type"


def _too_little_room(decisions: Iterable[Decision]) -> Iterator[Suggestion]:
    for decision in decisions:
        room = _ROOM.match(decision.why) if decision.kind == "capacity" else None
        if room is not None:
            place = (decision.file, decision.line) if decision.line else None
            what = f"compiled again, until `{decision.what}` had room for {room[1]} elements"
            write = f"begin with as many: `jit(f, capacity={room[1]})`"
            yield Suggestion(place, what, "its size is known only at run time, and nothing bounds it", write)


def suggestions_part(found: Sequence[Suggestion]) -> Part:
    """The suggestions as a table."""
    rows = tuple(Row(("" if s.place is None else named(s.place), s.what, s.why, s.write), s.place) for s in found)
    head = ("line", "what", "because", "write")
    return Part(
        f"Suggestions: {len(rows)}", (Table(rows, head),) if rows else (), "" if rows else "there is nothing to suggest"
    )
