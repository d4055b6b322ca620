"""Which loops of machine code LLVM has vectorised, and what stands in the way of the others, in plain words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from anabranch.runtime.api.inspection.columns import Place
from anabranch.runtime.api.inspection.user_statements import loops_around
from anabranch.runtime.host.llvm_pipeline import Remark, remarks
from anabranch.runtime.native.located_code import LocatedCode

_SOME = "instruction cannot be vectorized"
_CANNOT, _OUTER = "LLVM cannot be asked here", "no: only loops without others in them can be"
_WORDS = {
    "cannot prove it is safe to reorder floating-point operations": "a sum of floats depends on the order of its terms",
    "value that could not be identified as reduction is used outside the loop": "each step needs the one before",
    "could not determine number of loop iterations": "how many steps there are is known only in the loop",
    "uncountable loop": "how many steps there are is known only in the loop",
    "Control flow cannot be substituted": "a step may leave the loop, or branches",
    "library call cannot": "a step calls a library's function, which computes one value at a time",
    "early exit loop": "a step may leave the loop",
    "loop control flow is not understood by vectorizer": "a step may leave the loop, or branches in a way that LLVM "
    "has no vector form for",
    "call instruction cannot be vectorized": "a step calls a function that computes one value at a time",
    "the cost-model indicates that vectorization is not beneficial": "LLVM finds that it would be no faster",
    "cannot identify array bounds": "LLVM cannot tell whether what a step writes is read by others",
    "unsafe dependent memory operations in loop": "a step may read what another one has written",
    "Backward loop carried data dependence": "a step reads what the one before has written",
}


class Vectorised:
    """LLVM's remarks on loops.

    Parameters
    ----------
    of_loops, of_arrays : mapping, optional
        Its remarks on the loops that begin at each line, and on those that are there for all elements of an array; None
        where it cannot be asked.
    """

    def __init__(
        self, of_loops: Mapping[Place, Sequence[Remark]] | None, of_arrays: Mapping[Place, Sequence[Remark]]
    ) -> None:
        self._of_loops, self._of_arrays = of_loops, of_arrays

    @classmethod
    def of(cls, codes: Sequence[LocatedCode]) -> Vectorised:
        """LLVM's remarks on the loops of machine code."""
        said = remarks([code.module for code in codes])
        if said is None:
            return cls(None, {})
        loops: dict[Place, list[Remark]] = {}
        arrays: dict[Place, list[Remark]] = {}
        for code, rows in zip(codes, said, strict=True):
            for remark in rows:
                if 0 < remark.line <= len(code.places):
                    found = loops if remark.line in code.loops else arrays
                    found.setdefault(code.places[remark.line - 1].place[:2], []).append(remark)
        return cls(loops, arrays)

    def of_loop(self, place: Place, *, has_loops: bool) -> str:
        """The remark on a loop, which may have others in its steps."""
        if self._of_loops is None:
            return _CANNOT
        own = self._of_loops.get(place, ())
        widths = " or ".join(map(str, sorted({remark.width for remark in own if remark.width})))
        reasons = "; ".join(dict.fromkeys(_plain(reason) for remark in own for reason in _telling(remark)))
        if widths:
            return (
                f"in part, {widths} steps at once; else not: {reasons}" if reasons else f"yes: {widths} steps at once"
            )
        if reasons:
            return f"no: {reasons}"
        if has_loops:
            return _OUTER
        within = [r for at, rows in self._of_arrays.items() if at == place or place in loops_around(at) for r in rows]
        widths = " or ".join(map(str, sorted({remark.width for remark in within if remark.width})))
        if widths:
            return f"no, but what a step does to whole arrays is: {widths} elements at once"
        return "no: LLVM gives no reason" if own else "LLVM does not say"


def _telling(remark: Remark) -> Sequence[str]:
    """The reasons of a remark; that some instruction is not vectorised tells nothing beside others."""
    return [reason for reason in remark.reasons if not reason.startswith(_SOME)] or remark.reasons


def _plain(reason: str) -> str:
    """A reason in plain words."""
    return next((plain for words, plain in _WORDS.items() if words in reason), reason.split(". ")[0])
