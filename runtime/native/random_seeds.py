"""Seeds of PCG64 in machine code: what `numpy.random.SeedSequence` makes of an int, and the state of its generator."""

from __future__ import annotations

from collections.abc import Iterator

from anabranch.runtime.host.generator_state import pcg64_factor
from anabranch.runtime.ir.program import Equation
from anabranch.runtime.native.instructions import Instructions
from anabranch.runtime.native.llvm_types import value_type
from anabranch.runtime.ops.random_draws import random_seed

# Of `SeedSequence`, which NumPy promises to keep: where its constants begin, by what each is multiplied to be the next
# one, what two words are mixed with, and how many there are in its pool.
_TO_POOL, _FROM_POOL = (0x43B0D7E5, 0x931E8875), (0x8B51F9DD, 0x58F38DED)
_MIXED = (0xCA01F9DD, 0x4973F715)
_POOL = 4
_FUNCTION = "pcg64_seeded"


def is_seeded(equation: Equation) -> bool:
    """Return whether machine code makes the generator of a seed: PCG64 of an int that is not negative."""
    if equation.op is not random_seed or not equation.params["is_checked"]:
        return False
    kind, (seed,) = equation.params["kind"], equation.inputs
    return kind.algorithm == "PCG64" and seed.type.dtype.kind in "iu" and not seed.type.shape


def seeded(code: Instructions, equation: Equation, seed: str) -> list[str]:
    """Write the making of a generator; returns the words of its state."""
    text = "\n".join([f"define internal void @{_FUNCTION}(i64 %seed, ptr %state) {{", *_body(), "}"])
    if text not in code.globals:
        code.globals.append(text)
    dtype = equation.inputs[0].type.dtype
    if dtype.itemsize < 8:
        seed = code.emit(f"{'zext' if dtype.kind == 'u' else 'sext'} {value_type(dtype)} {seed} to i64")
    state = code.reserve("[4 x i64]")
    code.act(f"call void @{_FUNCTION}(i64 {seed}, ptr {state})")
    addresses = [code.emit(f"getelementptr i64, ptr {state}, i64 {k}") for k in range(4)]
    return [*[code.emit(f"load i64, ptr {address}") for address in addresses], "0", "0"]


class _Hash:
    """Lines that hash words, with the constants that follow each other."""

    def __init__(self, name: str, first: int, factor: int) -> None:
        self._name, self._constant, self._factor = name, first, factor
        self._count = 0

    def of(self, word: str, lines: list[str]) -> str:
        """The name of the hash of a word."""
        name, before = f"%{self._name}{self._count}", self._constant
        self._count += 1
        self._constant = before * self._factor % 2**32
        lines += [
            f"  {name}.x = xor i32 {word}, {before}",
            f"  {name}.m = mul i32 {name}.x, {self._constant}",
            *_folded(name, f"{name}.m"),
        ]
        return name


def _folded(name: str, word: str) -> list[str]:
    """Lines that mix the high half of a word into its low half."""
    return [f"  {name}.h = lshr i32 {word}, 16", f"  {name} = xor i32 {word}, {name}.h"]


def _body() -> Iterator[str]:
    """The lines of the function, which writes the state and the increment, the low half of each first."""
    lines = ["  %low = trunc i64 %seed to i32", "  %upper = lshr i64 %seed, 32", "  %high = trunc i64 %upper to i32"]
    hashed = _Hash("in", *_TO_POOL)
    pool = [hashed.of(word, lines) for word in ("%low", "%high", "0", "0")]
    for source in range(_POOL):
        for target in range(_POOL):
            if source != target:
                name, other = f"%mix{source}.{target}", hashed.of(pool[source], lines)
                lines += [
                    f"  {name}.a = mul i32 {pool[target]}, {_MIXED[0]}",
                    f"  {name}.b = mul i32 {other}, {_MIXED[1]}",
                    f"  {name}.d = sub i32 {name}.a, {name}.b",
                    *_folded(name, f"{name}.d"),
                ]
                pool[target] = name
    drawn = _Hash("out", *_FROM_POOL)
    words = [drawn.of(pool[k % _POOL], lines) for k in range(8)]
    # Two words are a number of 64 bits with the low one first, two of these one of 128 with the high one first.
    for k, word in enumerate(words):
        lines.append(f"  %wide{k} = zext i32 {word} to i128")
    for name, places in (("start", (2, 3, 0, 1)), ("sequence", (6, 7, 4, 5))):
        total = f"%wide{places[0]}"
        for bits, place in zip((32, 64, 96), places[1:], strict=True):
            lines += [
                f"  %{name}.s{bits} = shl i128 %wide{place}, {bits}",
                f"  %{name}.{bits} = or i128 {total}, %{name}.s{bits}",
            ]
            total = f"%{name}.{bits}"
    lines += [
        "  %twice = shl i128 %sequence.96, 1",
        "  %increment = or i128 %twice, 1",
        "  %begun = add i128 %increment, %start.96",
        f"  %product = mul i128 %begun, {pcg64_factor()}",
        "  %next = add i128 %product, %increment",
        "  store i128 %next, ptr %state, align 8",
        "  %increment.p = getelementptr i64, ptr %state, i64 2",
        "  store i128 %increment, ptr %increment.p, align 8",
        "  ret void",
    ]
    yield from lines
