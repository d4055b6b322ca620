"""The codes of a text that is known only at run time, in an array: as the elements of arrays of texts are kept."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.control.texts.text_operations import known_characters
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.control_of_atoms import counted
from anabranch.runtime.values.dynamic_shapes import size_arithmetic

_CODES, _INT64 = np.dtype(np.uint32), np.dtype(np.int64)
_MOST = 4096


def codes(text: Value) -> Value:
    """The codes of the characters, with 0 behind the last one; the array is as long as the text may be."""
    characters = known_characters(text, " by an array of texts")
    most = max(size_arithmetic.interval_of(characters.length).high, 1)
    if most > _MOST:
        raise UnsupportedOperationError(
            "a text of any length becomes an element of an array of texts; make it of bounded length, by a slice: "
            "text[:100]"
        )
    size, zero = size_arithmetic.atom_of(characters.length), atoms.literal(0, _CODES)

    def step(place: Atom, carries: Sequence[Atom], rows: Sequence[Atom]) -> tuple[list[Atom], list[Atom]]:
        code = atoms.convert(characters.code(place), _CODES)
        return [], [atoms.select(atoms.ufunc(np.less, place, size), code, zero)]

    (made,) = counted(atoms.literal(most, _INT64), most, step, [])
    return wrap.array_of(made)
