"""The case of the characters of a text in which any can be: tables of all of Unicode's letters, by pages."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np

from anabranch.runtime.control.texts.characters import Characters
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.values import atoms
from anabranch.runtime.values.control_of_atoms import repeated
from anabranch.runtime.values.dynamic_shapes import size_arithmetic
from anabranch.runtime.values.failures import run_time_checks

_INT64 = np.dtype(np.int64)
_PAGE_BITS = 7
_END = 0x20000  # no letter from here on has a case
# For a character that becomes several, or of which those around it decide what it becomes.
_SEVERAL = -_END
_FINAL_SIGMA = frozenset({"lower", "swapcase"})


class Cased(Characters):
    """The characters of a text after `str.lower` or the like, of which each becomes one: `check` asks for that."""

    letters = ""

    def __init__(self, before: Characters, method: str) -> None:
        self._before, self.length = before, before.length
        self._pages, self._steps = _table(method)

    def code(self, place: Atom) -> Atom:
        code = self._before.code(place)
        return atoms.ufunc(np.add, code, self._step(code))

    def _step(self, code: Atom) -> Atom:
        """The number that is added to a code."""
        bits = atoms.literal(_PAGE_BITS, _INT64)
        number = atoms.ufunc(np.minimum, atoms.ufunc(np.right_shift, code, bits), _constant(self._pages.size - 1))
        first = atoms.ufunc(np.left_shift, atoms.taken(number, self._pages), bits)
        within = atoms.ufunc(np.bitwise_and, code, _constant(2**_PAGE_BITS - 1))
        return atoms.taken(atoms.ufunc(np.add, first, within), self._steps)

    def has_several(self) -> Atom:
        """Return whether a letter becomes several, or is one of which those around it decide what it becomes."""
        size = size_arithmetic.atom_of(self.length)

        def goes_on(carries: Sequence[Atom]) -> Atom:
            return atoms.ufunc(np.less, carries[0], size)

        def step(carries: Sequence[Atom]) -> list[Atom]:
            place, found = carries
            here = atoms.ufunc(np.equal, self._step(self._before.code(place)), _constant(_SEVERAL))
            return [atoms.ufunc(np.add, place, _constant(1)), atoms.logical_or(found, here)]

        return repeated(goes_on, step, [_constant(0), atoms.literal(False)])[1]


def check(method: str, before: Characters) -> None:
    """Refuse, at run time, a text of which not each letter becomes one other, whatever is around it."""
    if not before.letters:
        run_time_checks.fail_if(Cased(before, method).has_several(), lambda _: _refusal(method))


def _constant(number: int) -> Atom:
    return atoms.literal(number, _INT64)


def _refusal(method: str) -> UnsupportedOperationError:
    return UnsupportedOperationError(
        f"str.{method} of a text with a letter that becomes several, or another one at the end of a word, is not "
        "supported in compiled code"
    )


@functools.cache
def _table(method: str) -> tuple[np.ndarray, np.ndarray]:
    """For each page of codes the number of its row among the different ones; and these, what is added to each code."""
    images = map(getattr(str, method), map(chr, range(_END)))
    codes = np.array([ord(image) if len(image) == 1 else -1 for image in images])
    steps = np.where(codes < 0, _SEVERAL, codes - np.arange(_END))
    if method in _FINAL_SIGMA:
        steps[ord("Σ")] = _SEVERAL
    behind = np.zeros((1, 2**_PAGE_BITS), np.int64)
    rows, pages = np.unique(np.concatenate([steps.reshape(-1, 2**_PAGE_BITS), behind]), axis=0, return_inverse=True)
    return pages.reshape(-1).astype(np.int64), rows.reshape(-1)
