"""The hash of a text as a key: of its characters, whether it is known while tracing or not."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anabranch.runtime.control.texts.characters import Characters
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.values import atoms
from anabranch.runtime.values.control_of_atoms import repeated
from anabranch.runtime.values.dynamic_shapes import size_arithmetic

_UINT64 = np.dtype(np.uint64)
_START, _PRIME, _GOLDEN = 0xCBF29CE484222325, 0x100000001B3, 0x9E3779B97F4A7C15


def of_known(text: str) -> int:
    """The hash of a text that is known while tracing, as an unsigned number of 64 bits."""
    whole = _START
    for character in text:
        whole = (whole ^ ord(character)) * _PRIME % 2**64
    return whole * _GOLDEN % 2**64


def of_characters(text: Characters) -> Atom:
    """The same hash of a text that is known only at run time, an uint64."""
    size = size_arithmetic.atom_of(text.length)

    def goes_on(carries: Sequence[Atom]) -> Atom:
        return atoms.ufunc(np.less, carries[0], size)

    def step(carries: Sequence[Atom]) -> list[Atom]:
        place, whole = carries
        code = atoms.convert(text.code(place), _UINT64)
        mixed = atoms.ufunc(np.multiply, atoms.ufunc(np.bitwise_xor, whole, code), atoms.literal(_PRIME, _UINT64))
        return [atoms.ufunc(np.add, place, atoms.literal(1, np.int64)), mixed]

    whole = repeated(goes_on, step, [atoms.literal(0, np.int64), atoms.literal(_START, _UINT64)])[1]
    return atoms.ufunc(np.multiply, whole, atoms.literal(_GOLDEN, _UINT64))
