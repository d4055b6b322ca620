"""Checks of ndarrays in machine code: what class, dtype, shape and layout they have."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from anabranch.runtime.host.object_layout import (
    ADDRESS,
    AXES,
    CONTIGUOUS,
    DTYPE,
    FLAGS,
    NDARRAY,
    ORDINARY,
    SIZES,
    STRIDES,
    TYPE,
    dtype_symbol,
)
from anabranch.runtime.ir.array_type import ArrayType


class ArrayChecks:
    """The text of checks of arguments, after which goes on what is written next."""

    def __init__(self, missed: str) -> None:
        """Write checks that go to the label `missed` where an array is not as expected."""
        self.lines: list[str] = []
        self.symbols: set[str] = set()  # the objects of NumPy's whose addresses it reads
        self._missed = missed
        self._numbers = itertools.count()

    def check(self, place: int, type: ArrayType, strides: tuple[int, ...] | None = None) -> None:
        """Write the check that the argument at a place is an ordinary array of a type, or one with these strides."""
        dtype = dtype_symbol(type.dtype)
        self.symbols |= {NDARRAY, dtype}
        array = self._word("ptr", "%args", 8 * place)
        self._expect([("ptr", self._word("ptr", array, TYPE), f"@{NDARRAY}")])
        flags = self._new(f"and i32 {self._word('i32', array, FLAGS)}, {ORDINARY}")
        wanted = ORDINARY if strides is None else ORDINARY & ~CONTIGUOUS
        self._expect(
            [
                ("ptr", self._word("ptr", array, DTYPE), f"@{dtype}"),
                ("i32", self._word("i32", array, AXES), str(len(type.shape))),
                ("i32", flags, str(wanted)),
            ]
        )
        for offset, words in ((SIZES, type.shape), (STRIDES, strides or ())):
            first = self._word("ptr", array, offset)
            self._expect([("i64", self._word("i64", first, 8 * axis), str(n)) for axis, n in enumerate(words)])

    def disjoint(self, output: int, operand: int, others: Sequence[int], types: Sequence[ArrayType]) -> None:
        """Write the check that an operand that is given in place of an output, too, shares no memory with others."""
        given, array = self._word("ptr", "%args", 8 * output), self._word("ptr", "%args", 8 * operand)
        is_in_place = self._new(f"icmp eq ptr {given}, {array}")
        first, last = self._ends(array, types[operand])
        for place in others:
            other = self._word("ptr", "%args", 8 * place)
            begin, end = self._ends(other, types[place])
            is_same = self._new(f"icmp eq ptr {other}, {array}")
            apart = [self._new(f"icmp ule i64 {last}, {begin}"), self._new(f"icmp ule i64 {end}, {first}")]
            fine = self._new(f"or i1 {self._new(f'or i1 {apart[0]}, {apart[1]}')}, {is_same}")
            is_written = self._new(f"and i1 {is_in_place}, {self._new(f'xor i1 {fine}, true')}")
            self._expect([("i1", is_written, "false")])

    def _ends(self, array: str, type: ArrayType) -> tuple[str, str]:
        """The addresses at which an array's memory begins and ends."""
        begin = self._word("i64", array, ADDRESS)
        return begin, self._new(f"add i64 {begin}, {type.nbytes}")

    def _expect(self, words: Sequence[tuple[str, str, str]]) -> None:
        """Write a test of words, given with their types and what they should be."""
        found = "true"
        for kind, word, wanted in words:
            found = self._new(f"and i1 {found}, {self._new(f'icmp eq {kind} {word}, {wanted}')}")
        label = f"fits{next(self._numbers)}"
        self.lines += [f"  br i1 {found}, label %{label}, label %{self._missed}", f"{label}:"]

    def _word(self, kind: str, base: str, offset: int) -> str:
        return self._new(f"load {kind}, ptr {self._new(f'getelementptr i8, ptr {base}, i64 {offset}')}")

    def _new(self, text: str) -> str:
        name = f"%k{next(self._numbers)}"
        self.lines.append(f"  {name} = {text}")
        return name
