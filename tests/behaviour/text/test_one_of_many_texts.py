"""Texts that are one of many constants or one that a loop has made: they are taken for their characters, once."""

from __future__ import annotations

from anabranch import jit
from tests.equations import every_equation
from tests.equivalence import check_calls


def compressed(text, letters):
    codes = {chr(65 + i): i for i in range(letters)}
    held, made = "", []
    for c in text:
        longer = held + c
        if longer in codes:
            held = longer
        else:
            made.append(codes[held])
            codes[longer] = len(codes)
            held = c
    if held:
        made.append(codes[held])
    return made


def expanded(codes, letters):
    texts = {i: chr(65 + i) for i in range(letters)}
    if not codes:
        return ""
    held = texts[codes[0]]
    made = [held]
    for k in codes[1:]:
        if k in texts:
            part = texts[k]
        elif k == len(texts):
            part = held + held[0]
        else:
            raise ValueError(f"bad code: {k}")
        made.append(part)
        texts[len(texts)] = held + part[0]
        held = part
    return "".join(made)


TEXT = "TOBEORNOTTOBEORTOBEORNOT" * 2


def test_compressed():
    check_calls(compressed, (TEXT, 26), ("", 26), ("AB", 26), ("CCCC", 2))


def test_expanded():
    check_calls(expanded, (compressed(TEXT, 26), 26), ([], 26), ([0, 26], 26), ([0, 99], 26))


def test_the_program_does_not_grow_with_the_number_of_texts():
    program = jit(compressed, static_argnames="letters").trace(TEXT, 26).program
    assert sum(1 for _ in every_equation(program)) < 2000  # once twenty thousand
