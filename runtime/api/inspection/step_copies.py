"""The arrays that each step of a loop copies: by XLA's optimised program, and by what is written as machine code."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from anabranch.base.shown_numbers import shown_bytes
from anabranch.runtime.api.inspection.columns import Column, Place, place_of
from anabranch.runtime.api.inspection.part import Part, Row, Table, named
from anabranch.runtime.api.inspection.user_statements import assigned_at, handed_on_in, writes_at
from anabranch.runtime.native.located_code import ArrayCopy

_COMPUTATION = re.compile(r"^(?:ENTRY )?%([\w.\-]+) \(")
_INSTRUCTION = re.compile(r"^\s*(?:ROOT )?%([\w.\-]+) = (\([^=]*\)|\S+) ([\w\-]+)\((.*)$")
_OPERAND = re.compile(r"%([\w.\-]+)")
_TYPE = re.compile(r"^(pred|[a-z]+\d+)\w*\[([\d,]*)\]")
_CALLED = re.compile(r"\b(?:calls|to_apply|body|true_computation|false_computation)=%([\w.\-]+)")
_SEVERAL = re.compile(r"\b(?:branch_computations|called_computations)=\{([^}]*)\}")
_BODY = re.compile(r"\bbody=%([\w.\-]+)")
_COMMENT = re.compile(r"/\*.*?\*/")
_INDEX = re.compile(r"\bindex=(\d+)")
_KEPT = "it is written to, and XLA keeps what it held before beside that"
_ELSEWHERE = "XLA makes it in other memory than that in which it goes from step to step"
_TRADED = "arrays change places from step to step"
_HANDED_ON = "the next step has it under another name"


class StepCopy(NamedTuple):
    """An array that each step of a loop copies."""

    place: Place | None  # the line for which it is copied
    loop: Place | None  # the loop's line
    names: tuple[str, ...]  # what that line assigns: the array is among these, where there are any
    nbytes: int
    times: int  # how many such copies there are in a step
    why: str


class _Instruction(NamedTuple):
    """An instruction of XLA's."""

    name: str
    type: str
    op: str
    rest: str
    place: Place | None

    @property
    def nbytes(self) -> int:
        """The bytes of an array; 0 of a number."""
        found = _TYPE.match(self.type)
        if found is None or not found[2]:
            return 0
        size = 1
        for length in found[2].split(","):
            size *= int(length)
        bits = re.search(r"\d+$", found[1])
        return size * (1 if bits is None else max(int(bits[0]) // 8, 1))

    def called(self) -> set[str]:
        """The computations that it runs."""
        several = [name for group in _SEVERAL.findall(self.rest) for name in _OPERAND.findall(group)]
        return {*_CALLED.findall(self.rest), *several}


def of_machine_code(copies: Iterable[ArrayCopy]) -> Iterator[StepCopy]:
    """The copies in loops of machine code."""
    found: dict[tuple[Place | None, Place | None, str], list[int]] = {}
    for copy in copies:
        found.setdefault((place_of(copy.source), place_of(copy.loop), copy.why), []).append(copy.nbytes)
    for (place, loop, why), sizes in found.items():
        yield _copy(place, loop, sizes, why)


def _copy(place: Place | None, loop: Place | None, sizes: Sequence[int], why: str) -> StepCopy:
    """The copies of one line; those of arrays that get other names are of the line that hands them on."""
    names: Sequence[str] = () if place is None else assigned_at(place)
    if why in (_TRADED, _HANDED_ON) and loop is not None:
        place, names = handed_on_in(loop) or (place, names)
    return StepCopy(place, loop, tuple(names), sum(sizes) // len(sizes), len(sizes), why)


def of_xla(hlo: Column) -> Iterator[StepCopy]:
    """The copies in the loops of XLA's program."""
    computations = _computations(hlo)
    loops = [i for body in computations.values() for i in body if i.op == "while"]
    bodies = {name: loop for loop in loops for name in _BODY.findall(loop.rest)}
    for name, loop in bodies.items():
        found: dict[tuple[Place | None, str], list[int]] = {}
        for instruction, within in _run_by(name, computations, set(bodies) - {name}):
            if instruction.op in ("copy", "copy-start") and instruction.nbytes:
                place = _place(instruction, within) or loop.place
                why = _TRADED if _is_traded(within) else _KEPT if place and writes_at(place) else _ELSEWHERE
                found.setdefault((place, why), []).append(instruction.nbytes)
        for (place, why), sizes in found.items():
            yield _copy(place, loop.place, sizes, why)


def _computations(hlo: Column) -> dict[str, list[_Instruction]]:
    found: dict[str, list[_Instruction]] = {}
    here: list[_Instruction] = []
    for line in hlo.lines:
        begun, made = _COMPUTATION.match(line.text), _INSTRUCTION.match(_COMMENT.sub("", line.text))
        if begun is not None:
            here = found.setdefault(begun[1], [])
        elif made is not None:
            here.append(_Instruction(made[1], made[2], made[3], made[4], line.place))
    return found


def _run_by(
    name: str, computations: dict[str, list[_Instruction]], others: set[str]
) -> Iterator[tuple[_Instruction, list[_Instruction]]]:
    """The instructions that a computation runs, each with those beside it; the bodies of other loops are theirs."""
    pending, seen = [name], {name, *others}
    while pending:
        within = computations.get(pending.pop(), [])
        for instruction in within:
            yield instruction, within
            more = instruction.called() - seen
            seen |= more
            pending += more


def _place(copy: _Instruction, within: list[_Instruction]) -> Place | None:
    """The line of a copy, or else of what uses it, or else of what makes what is copied."""
    if copy.place is not None:
        return copy.place
    users = [i.place for i in within if copy.name in _OPERAND.findall(i.rest)]
    makers = [i.place for i in within if i.name in _OPERAND.findall(copy.rest)]
    return next((place for place in (*users, *makers) if place is not None), None)


def _is_traded(within: list[_Instruction]) -> bool:
    """Return whether a step hands on an array that it was given in another's place."""
    by_name = {i.name: i for i in within}
    root = within[-1]
    for position, name in enumerate(_OPERAND.findall(root.rest.partition(")")[0])):
        made = by_name.get(name)
        if made is not None and made.op == "copy":
            made = by_name.get(next(iter(_OPERAND.findall(made.rest)), ""))
        found = _INDEX.search(made.rest) if made is not None and made.op == "get-tuple-element" else None
        if made is not None and found is not None and made.nbytes and int(found[1]) != position:
            return True
    return False


def copies_part(copies: Sequence[StepCopy]) -> Part:
    """The copies as a table."""
    rows = tuple(
        Row(
            (
                "" if copy.place is None else named(copy.place),
                ", ".join(copy.names),
                f"{copy.times} × {shown_bytes(copy.nbytes)}" if copy.times > 1 else shown_bytes(copy.nbytes),
                "" if copy.loop is None else f"the loop at {named(copy.loop)}",
                copy.why,
            ),
            copy.place,
        )
        for copy in copies
    )
    head = ("line", "array", "copied", "at each step of", "because")
    note = "" if rows else "no step of a loop copies an array"
    return Part("Copied at each step", (Table(rows, head),) if rows else (), note)
