"""`str.join` of lists and generators whose length is known only at run time."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import UnsupportedOperationError, jit
from tests.program_table import Program, Table

case = Table()
A = np.array([1, -1, -2, 3, 0, 2])
NONE = np.array([-1, -1])


def steps(a):
    parts = []
    i = len(a) - 1
    while i >= 0:
        if a[i] > 0:
            parts.append("up")
        elif a[i] < -1:
            parts.append(f"down {a[i]}")
            i -= 1
        i -= 1
    return parts


@case((A,), (NONE,))
def of_a_list(a):
    return ", ".join(steps(a)), "".join(steps(a))


@case((A,), (NONE,))
def turned_round(a):
    parts = steps(a)
    parts.reverse()
    return "-".join(parts), "-".join(parts[::-1]), "-".join(reversed(parts))


@case((A,), (NONE,))
def of_a_generator(a):
    return ",".join(str(x) for x in a if x > 0), " ".join([str(i) for i, x in enumerate(a) if x > 0])


@case((A, 2), (A, 0))
def of_a_range(a, n):
    return "".join(str(a[i]) for i in range(n)), "|".join(map(str, range(n)))


@case((A,), (NONE,))
def in_other_texts(a):
    text = "".join(steps(a))
    return f"<{text}>", text + "!", text.upper()


@case((A,), (NONE,))
def changed_afterwards(a):
    parts = steps(a)
    text = "".join(parts)
    parts.append("end")
    return text, parts


@case((A,), (NONE,))
def of_numbers(a):
    found = []
    for x in a:
        if x > 0:
            found.append(x)
    return "".join(found)


@case((A, 3), (A, 0))
def traceback(a, n):
    ways = []
    i = n
    while i > 0:
        ways.append("M" if a[i] > 0 else "D")
        i -= 1
    return n, "".join(reversed(ways))


@case(("GATTACA", "GCATGCU", 1, -1), ("AC", "", 1, -1))
def of_characters_beside_characters_that_are_compared(a, b, match, mismatch):
    top, i, j = [], len(a), len(b)
    while i > 0 or j > 0:
        score = match if i > 0 and j > 0 and a[i - 1] == b[j - 1] else mismatch
        if i > 0:
            i -= 1
            top.append(a[i] if score > 0 else "-")
        if j > 0:
            j -= 1
    return i, j, "".join(reversed(top))


@case((A,), (NONE,))
def looked_into(a):
    text = " ".join(steps(a))
    shown = len(text), text[:2], text[::-1], text == "up", text < "down", bool(text), "w" in text, text.count("up")
    return *shown, text.find("p", 3), text.split(), text.split(" ", 1), text.isalpha(), [c for c in text if c > "n"]


@case((A,), (NONE,))
def as_keys(a):
    text = "-".join(steps(a))
    words = {word: len(word) for word in text.split("-")}
    return {text: 1}, {text, "up"}, text in {text}, words, {"up": 1}.get(text, 0)


@case((A,), (NONE,))
def put_in_order(a):
    text = "".join(str(x) for x in a if x > 0)
    return "".join(sorted(text)), sorted(text, reverse=True), sum(int(c) for c in text), text == text[::-1]


@pytest.mark.parametrize("program", case.programs)
def test_as_in_eager_python(program: Program) -> None:
    program.check()


def test_texts_beside_numbers_are_refused():
    def f(a):
        parts = []
        for x in a[a > 0]:
            if x > 1:
                parts.append(x)
            else:
                parts.append("none")
        return "".join(parts)

    with pytest.raises(UnsupportedOperationError, match="whose items are not all texts"):
        jit(f)(np.arange(6) % 3)
