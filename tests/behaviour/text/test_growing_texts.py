"""Texts that loops and recursion make longer, and texts known only at run time that are taken apart."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import jit
from tests.program_table import Program, Table

case = Table()
NUMBERS = np.array([3, 1, 12, 3, 5, 1])
IN_XLA = ("longer_by_steps", "run_lengths", "parts")


@case((13,), (0,), (1000,))
def longer_by_steps(n):
    bits, line, left = "", "", n
    while left > 0:
        bits = "01"[left % 2] + bits
        line += "X"
        left //= 2
    return bits or "0", line, len(line), line[1:3], f"<{bits}>", bits == "1101"


@case((NUMBERS,))
def run_lengths(numbers):
    text, out, i = "".join("AB"[x % 2] for x in numbers), "", 0
    while i < len(text):
        j = i
        while j < len(text) and text[j] == text[i]:
            j += 1
        out += text[i] + str(j - i)
        i = j
    return out


@case((NUMBERS,))
def longest_run(numbers):
    best = run = ""
    for c in "".join("ACGT"[x % 4] for x in numbers):
        run = run + c if run and c == run[-1] else c
        if len(run) > len(best):
            best = run
    return best, best in ("CC", "AA")


@case((np.array([[0, 1], [0, 2], [0, 1]]), ["a", "b", "c", "d"]))
def made_of_other_items(pairs, names):
    nodes = list(names)
    for i, j in pairs:
        nodes[i] = f"({nodes[i]},{nodes[j]})"
        nodes.pop(j)
    return nodes


@case((13,), (0,))
def by_recursion(n):
    def digits(k):
        return "" if k == 0 else digits(k // 2) + str(k % 2)

    return digits(n)


@case((np.array([5, 6, 6, 7, 7, 9]),))
def up_a_tree(parents):
    links, codes = {}, {}
    for i, p in enumerate(parents):
        links[i] = (p, i % 2)
    for i in range(len(parents)):
        code, j = "", i
        while j in links:
            j, bit = links[j]
            code = str(bit) + code
        codes[i] = code
    return codes, sum(len(code) for code in codes.values())


@case((1221,), (-35,))
def backwards(n):
    text, back = str(n), ""
    for c in text:
        back = c + back
    return back == text, back


@case((NUMBERS,))
def parts(numbers):
    text = "-".join(str(x) for x in numbers)
    pieces = text.split("-")
    words = f"  {numbers[0]} and\t{numbers[2]}\n".split()
    return pieces, len(pieces), [int(p) for p in pieces], words, words[-1] == "12", text.split("12")[1], text.split("x")


@case((NUMBERS,))
def stripped(numbers):
    found = []
    for x in numbers:
        text = f" \t{x} \n"
        short = text.strip()
        found.append((len(short), short == "3", short.startswith("1"), text.lstrip() == short, text.rstrip()[-1]))
        found.append((len(text.rstrip()), short.strip("1") == "2", "", text.lstrip(), text.strip(" ") == short))
    return found[::2], found[1::2]


@case((NUMBERS,))
def partitioned(numbers):
    found = []
    for x in numbers:
        key, sign, value = f"a{x}=b{x * 2}".partition("=")
        head, none, tail = f"{x}".partition("2")
        found.append((key, sign, len(key), value == "b6", head, none == "", len(tail)))
    return found


@pytest.mark.parametrize("program", case.programs)
def test_texts(program: Program) -> None:
    program.check()


@pytest.mark.parametrize("program", case.named(IN_XLA))
def test_texts_without_native_loops(program: Program) -> None:
    program.check_in_xla()


def test_an_empty_separator_is_refused() -> None:
    with pytest.raises(ValueError, match="empty separator"):
        jit(lambda n: str(n).split(""))(3)
