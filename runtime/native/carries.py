"""The carries of a loop in registers, as the phis of LLVM."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anabranch.runtime.native.instructions import Instructions
from anabranch.runtime.native.llvm_types import flat, packed


class Carry:
    """One carry; of those in memory there is nothing but the name."""

    def __init__(self, code: Instructions, initial: str, kinds: Sequence[str], dtype: np.dtype) -> None:
        self.initial = flat(initial) if kinds else []
        self.kinds = kinds
        self.dtype = dtype
        self.places = [code.hold() for _ in kinds]
        self.phis = [code.fresh() for _ in kinds]
        self.name = packed(self.phis, dtype) if kinds else initial  # of the value in a step


def close_carries(
    code: Instructions, carries: Sequence[Carry], after: Sequence[str], blocks: tuple[str, str], derived: int
) -> None:
    """Write the phis of a loop's carries.

    A bool that says of an int carry in each step that it is not 0 is computed from that one: LLVM learns from the test
    of it what the int is in the step, which it does not from a phi of its own. So does the error code of a loop that
    ends when it is set.

    Parameters
    ----------
    after
        Their names at the end of a step.
    blocks
        The one before the loop, and the last one of a step.
    derived
        The place kept after the phis.
    """
    before, latch = blocks
    ints: dict[tuple[str, str], tuple[str, str]] = {}
    rows = []
    for carry, last in zip(carries, after, strict=True):
        rows += list(
            zip(carry.places, carry.phis, carry.kinds, carry.initial, flat(last) if carry.kinds else (), strict=True)
        )
    for _, phi, kind, first, last in rows:
        if kind != "i1":
            ints.setdefault((_truth(code, first), last), (phi, kind))
    computed = []
    for place, phi, kind, first, last in rows:
        source = ints.get((first, code.truths.get(last, ""))) if kind == "i1" else None
        if source is None:
            code.fill(place, f"{phi} = phi {kind} [ {first}, %{before} ], [ {last}, %{latch} ]")
        else:
            computed.append(f"{phi} = icmp ne {source[1]} {source[0]}, 0")
    if computed:
        code.fill(derived, "\n  ".join(computed))


def _truth(code: Instructions, name: str) -> str:
    """The name of the bool that says of an int that it is not 0, where there is one."""
    if name.lstrip("-").isdigit():
        return "true" if int(name) else "false"
    return code.truth_of.get(name, "")


class Exits:
    """The ways out of the outermost loop of a nest, past its test."""

    def __init__(self, label: str) -> None:
        self.label = label  # of the block after the loop
        self.carries: list[Carry] = []
        self._ways: list[tuple[str, list[str]]] = []

    def leave(self, code: Instructions, values: list[str]) -> None:
        """End the block: the loop is over, with these carries."""
        self._ways.append((code.block, values))
        code.jump(self.label)

    def skip(self, code: Instructions, failed: str, head: str, initial: list[str]) -> None:
        """End the block before the loop, which does not run where something has failed."""
        self._ways.append((code.block, initial))
        code.branch(failed, self.label, head, unlikely=True)

    def joined(self, code: Instructions, tested: str) -> list[str]:
        """The names of the carries after the loop, whose test stands in the block `tested`."""
        found = []
        for place, carry in enumerate(self.carries):
            names = [carry.name, *(values[place] for _, values in self._ways)]
            if not carry.kinds or len(set(names)) == 1:
                found.append(carry.name)
                continue
            blocks = [tested, *(block for block, _ in self._ways)]
            made = []
            for kind, *row in zip(carry.kinds, *map(flat, names), strict=True):
                pairs = ", ".join(f"[ {x}, %{block} ]" for x, block in zip(row, blocks, strict=True))
                made.append(code.emit(f"phi {kind} {pairs}"))
            found.append(packed(made, carry.dtype))
        return found
