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
    check_calls(expanded, (compressed("ABACABADABACABAE" * 2, 5), 5), ([], 5), ([0, 5], 5), ([0, 99], 5))


def test_the_program_does_not_grow_with_the_number_of_texts():
    program = jit(compressed, static_argnames="letters").trace(TEXT, 26).program
    assert sum(1 for _ in every_equation(program)) < 2000  # once twenty thousand


def joined_letters(codes):
    letters = {i: chr(65 + i) for i in range(40)}
    last = letters[codes[0]]
    text = last
    for k in codes[1:]:
        part = letters[k] if k in letters else last
        text += part
        last = part
    return text


def test_a_sum_of_one_of_many_letters_and_another():
    check_calls(joined_letters, ([3, 1, 4, 1, 5, 9, 2, 6, 50, 3, 5, 8, 9, 7, 9, 3, 2, 3],), ([7, 60],), ([2],))
    compiled = jit(joined_letters)
    assert [compiled([1, k, 3, 4] * 5) for k in (2, 7, 60)] == [joined_letters([1, k, 3, 4] * 5) for k in (2, 7, 60)]
    assert compiled.cache_info().misses == 1  # the codes are not known while tracing


def numbered_parts(codes):
    texts = {i: chr(65 + i) for i in range(3)}
    held = texts[codes[0]]
    for k in codes[1:]:
        part = texts[k] if k in texts else held
        texts[len(texts)] = held[0] + part[0]
        held = part
    return held, texts


def test_a_dict_that_gets_longer_by_its_length():
    check_calls(numbered_parts, ([0, 1, 3, 4, 2, 5, 9, 1, 3, 30, 2, 2, 7, 8, 1, 0, 4, 4, 5],))


def test_the_dict_is_a_table_where_its_loop_is_one():
    compiled = jit(numbered_parts)
    assert [compiled([1, k] * 30) for k in (2, 9)] == [numbered_parts([1, k] * 30) for k in (2, 9)]
    assert compiled.cache_info().misses == 1


def test_a_letter_of_a_text_or_another_letter_is_looked_for_in_texts():
    def f(s, i):
        letter = "abc"[i] if i < 3 else chr(i + 140)
        return letter in "abd", letter in s, letter not in s

    check_calls(f, ("abd", 1), ("abd", 2), ("aÑ", 69), ("", 5))


def test_a_letter_or_a_number_is_looked_for_in_a_text():
    def f(s, i):
        letter = "abc"[i] if i < 3 else i
        return letter in s

    check_calls(f, ("abd", 1), ("abd", 7))
