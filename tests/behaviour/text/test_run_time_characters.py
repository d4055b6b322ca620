"""Characters of texts that are known only at run time: compared, counted, taken apart, and as keys."""

from __future__ import annotations

from collections import defaultdict
from itertools import groupby

import numpy as np
import pytest

from anabranch import ConcretizationError, UnsupportedOperationError, jit
from tests.program_table import Program, Table

case = Table()
NUMBERS = np.array([3, -12, 120, 0, -7, 7, -(2**63), 2**63 - 1])


@case((NUMBERS,))
def compared(numbers):
    found = []
    best = ""
    for v in numbers:
        s = str(v)
        found.append((s == "3", s != "-7", s < "12", s >= "12", s == s[::-1], s > f"{v + 1 - 1}", v == s, s is None))
        if s > best:
            best = s
    return found, best


@case((NUMBERS,))
def lengths_and_parts(numbers):
    found = []
    for v in numbers:
        s = f"<{v}>"
        found.append((len(s), s[0] == "<", s[1], s[-2], s[1:-1] == str(v), s[2:3] == "1", s[::2] == "<>", s[5:2:-1]))
    return found


@case((NUMBERS,))
def searched(numbers):
    found = []
    for v in numbers:
        s = str(v)
        found.append(("2" in s, "12" in s, s.find("0"), s.startswith("-"), s.endswith("7"), s.count("2"), s.isdigit()))
        found.append(
            ("", s in "120", s in ("3", "0"), s in f"{v:8}", f"{v:8}" in s, s.isalpha(), s.find("20"), s.find("x"))
        )
    return found[::2], found[1::2]


@case((NUMBERS,))
def gone_over(numbers):
    found = []
    for v in numbers:
        total = 0
        for i, c in enumerate(str(v)):
            if c == "-":
                total += 1000
            elif c in "12":
                total += int(c) * i
            else:
                total += ord(c)
        found.append((total, sum(int(c) ** 2 for c in str(v % 1000)), max(c for c in str(v)), len(set(str(v % 100)))))
    return found


@case((NUMBERS,))
def in_other_bases(numbers):
    found = []
    for v in numbers:
        b, h = bin(v), hex(v)
        found.append((b.count("1"), len(b), h[-1], oct(v) == "0o3", f"{v:b}" == b[2:], h == "-0xc", f"{v:x}"[0]))
        found.append((f"{v:06d}"[1], f"{v:#012x}"[3], f"{v:70b}"[3], len(f"{v:070b}"), f"{v:5}"[0], f"{v:070b}"[3]))
    return found[::2], found[1::2]


@case((NUMBERS,))
def back_to_numbers(numbers):
    found = []
    for v in numbers:
        half = v // 4
        found.append((int(str(v)), int("1" + str(abs(v) % 1000)), int(bin(abs(half))[2:], 2), int(hex(half), 16)))
        try:
            found.append((int(f"{v}-"), 0, 0, 0))
        except ValueError:
            found.append((0, 0, 0, 1))
    return found


@case((3,), (-3,), (2**40,))
def no_number(n):
    k = 0
    for i in range(2):
        k += int(str(n + i) + ("-" if n < 0 else ""))
    return k


@case((NUMBERS, 2**62), (NUMBERS[:3], 5), int64_overflow=True)
def beyond_an_int(numbers, n):
    total = 0
    for v in numbers:
        total = max(total, len(str(v)) + int(f"{n}{n}"[: len(str(v)) - 1 + 1]))
    return total


@case((NUMBERS[:6],))
def as_keys(numbers):
    counts, known, seen = {}, {"3": 5, "-12": 6, "0": 1}, set()
    total = 0
    for v in numbers:
        s = str(v % 5)
        counts[s] = counts.get(s, 0) + 1
        total += known.get(str(v), 100)
        if str(v) in known:
            total += known[str(v)] * 1000
        if s in seen:
            total += 10**6
        seen.add(s)
    return counts, total, len(seen)


@case((NUMBERS[:6],))
def keys_of_a_default_dict(numbers):
    counts = defaultdict(int)
    for v in numbers:
        counts[f"n{v % 3}"] += 2
    return counts


@case((np.array([1, 2]),), (np.array([1, 30]),))
def missing_key(numbers):
    known = {"1": 5, "2": 6}
    return sum(known[str(v)] for v in numbers)


@case((np.array([72, 101, 108, 30, 0x10FFFF, 55555]), 3), (np.array([-1]), 1), (np.array([2**40]), 1))
def codes(numbers, k):
    out = []
    for c in numbers:
        if 65 <= c <= 90:
            c = (c - 65 + k) % 26 + 65
        out.append(chr(c))
    text = "".join(out)
    return text, text[0], text[1:3], text == "Kel", len(text), ord(text[1]), "l" in text, [ord(c) for c in out]


@case(("hello", 3), ("", 0), ("zzz", -40))
def shifted(text, k):
    out = []
    for c in text:
        out.append(chr((ord(c) - 97 + k) % 26 + 97))
    word = "".join(out)
    return word == "khoor", word, len(word), word.upper(), word.replace("k", "x") == "xhoor", word.zfill(7)


@case((NUMBERS[:6],))
def one_of_two(numbers):
    found, counts = [], {}
    for v in numbers:
        name = str(v) if v > 0 else "neg"
        total = 0
        for c in name:
            total += ord(c) if c == "n" else 1
        counts[name] = counts.get(name, 0) + 1
        found.append((total, name == "neg", name[0], len(name), "e" in name, (name, v) < ("3", 3)))
    return found, counts


@case((NUMBERS[:3],))
def as_sort_keys(numbers):
    return sorted(numbers.tolist(), key=lambda v: str(v % 1000)), min(numbers.tolist(), key=str)


@case((5,), (0,))
def made_of_others(n):
    found = []
    for i in range(n):
        s = "ab" * i + "-".join([str(i), f"{i * i}"])
        found.append((len(s), s[-1], s.upper()[0], s.ljust(9, ".")[-1], s.rjust(5)[0] == " ", bool(s[3:]), s.islower))
    return [row[:-1] for row in found]


@case((1, 2), (20, 1))
def branches(n, m):
    k = 0
    for i in range(n, n + 3):
        match str(i):
            case "2" | "21":
                k += 1
            case "22":
                k += 10
            case _:
                k += 100
        if str(i)[m:]:
            k += 1000
    return k


@case((1,), (7,))
def raises_on_its_characters(n):
    k = 0
    for i in range(n):
        k += ord(str(i * i)) + (1 if str(i)[i // 5] == "0" else 0)
    return k


@case((NUMBERS[:4],))
def lists_of_characters(numbers):
    found = []
    for v in numbers:
        s = str(v)
        found.append((list(s), "".join(sorted(s)), [*s, "x"], min(s), [(k, len(list(g))) for k, g in groupby(s)]))
    return found


@case((NUMBERS[:4],))
def places_of_parts(numbers):
    found = []
    for v in numbers:
        s = f"{v}-{v}--1"
        found.append((s.rfind("-1"), s.index("-"), s.count("--"), s.rpartition("-"), s.rpartition("2")))
    return found


@case((NUMBERS[:2],))
def lines_and_numbers_between_spaces(numbers):
    text = "\n".join(f"{v} {-v}" for v in numbers.tolist())
    ended = text + "\n"
    mixed = f"a\r\nb{numbers[0]}\rc\n\nd\x0b"
    return text.splitlines(), ended.splitlines(), mixed.splitlines(), [int(word) for word in text.split()]


@case((NUMBERS[:4],), (NUMBERS[3:5],))
def texts_that_join_lists_of_run_time_length(numbers):
    lines = []
    for v in numbers:
        if v > -9:
            lines.append(f"{v:<4}|{'#' * int(v % 4):>3}|")
    text = "\n".join(lines)
    return text.count("#"), len(text), text.splitlines(), text.find("|")


@case((np.array([3, 1, 3, 2]),))
def parts_of_a_text_that_repeats_others(numbers):
    counts = {}
    for v in numbers.tolist():
        counts[v] = counts.get(v, 0) + 1
    text = "\n".join(f"{k}: {'*' * counts[k]}" for k in sorted(counts))
    return text.split("\n")


@case((NUMBERS[:2],), (NUMBERS[1:3],), (NUMBERS[3:5],))
def characters_of_one_of_a_few_texts(numbers):
    word = ["apple", "kiwi", "fig"][int(numbers[0]) % 3]
    return sorted(word), list(word), [c for c in word if c > "f"], set(word) & set("kiwi")


LINES = np.array(["1.5,2", " 3 ,-4e2", "x,2", "3,44,5", "", "inf,1", "1_0,0"])


@case((LINES[:2],), (LINES[5:],), (LINES,))
def floats_of_parts(lines):
    return [[float(part) for part in line.split(",")] for line in lines]


@case((LINES,))
def floats_of_parts_that_may_say_none(lines):
    found, bad = [], 0
    for number, line in enumerate(lines):
        try:
            first, second = map(float, line.split(","))
        except ValueError:
            bad += 1
            continue
        found.append((number, first, second))
    return found, bad


@case((np.array(["1+2j;3", "4"]),), (np.array(["1+2j;", "4"]),))
def complex_numbers_of_parts(lines):
    return [complex(part) for line in lines for part in line.split(";")]


WORDS = np.array(["The", "the", "CAT", "éTÉ", "ǅ", "Привет", "", "x1 Y2", "DŽ"])


@case((WORDS,), (WORDS[:0],), (np.array([f"Word {n % 3}" for n in range(40)]),))
def counted_by_case(words):
    count = defaultdict(int)
    for word in words:
        count[word.lower()] += 1
        if word.upper() == "THE":
            count["THE"] += 1
    return dict(count), {word.casefold(): len(word.swapcase()) for word in words}


@case((WORDS,), (WORDS[2:5],))
def cased_and_compared(words):
    found = []
    for word in words:
        lower, upper, capital = word.lower(), word.upper(), word.capitalize()
        found.append((lower == word, upper < word, capital == word, lower + upper == word, capital[:2] == "Th"))
        found.append((lower, upper, capital, lower.upper() == upper, len(capital)))
    return found, sorted(words, key=lambda word: (word.lower(), word))


@case((WORDS,), (np.array(["THE", "the", "1A", "1a", "1", "ǅa", "ª", "ÉT"]),))
def in_one_case(words):
    return [(word.isupper(), word.islower(), word[:1].isupper(), word[1:].islower()) for word in words]


@case((np.array(["1,5", "2,25", ","]),), (LINES,))
def one_character_for_another(lines):
    found = [line.replace(",", " ").split() for line in lines]
    return found, [line.replace(",", ".") == "1.5" for line in lines], sum(len(parts) for parts in found)


PAIRS = np.array(["a=1", "bb=2.5", "a=-3"])


@case((PAIRS,), (PAIRS[:0],), (np.array(["a=1", "b"]),), (np.array(["a=1", "b=2=3"]),))
def unpacked_in_comprehensions(lines):
    found = [(name, float(value)) for name, value in (line.split("=") for line in lines)]
    total = sum(float(value) for _, value in map(lambda line: line.split("="), lines))
    return found, total, {name: value for line in lines for name, value in [line.split("=")]}


@case((PAIRS,), (PAIRS[:0],), (np.array(["a=1", "b"]),))
def dicts_of_parts(lines):
    return dict(line.split("=") for line in lines), dict([line.split("=") for line in lines], z=1)


@case((171,), (-10,))
def known_letters_in_one_case(n):
    return f"{n:x}".isupper(), f"{n:x}".islower(), f"{n:x}".upper().isupper(), f"{n}".islower()


@case((3, "ab"), (-12, "aB"))
def cased_of_known_letters(n, rest):
    text = f"0x{n:x}{rest}"
    return text.upper() == "0X3AB", text.capitalize() == "0x3ab", text.casefold() == text.lower()


@pytest.mark.parametrize("program", case.programs)
def test_characters(program: Program) -> None:
    program.check()


@pytest.mark.parametrize("function", [searched, codes])
def test_characters_without_native_loops(function) -> None:
    argument = (NUMBERS,) if function is searched else (np.array([72, 101, 108]), 3)
    assert repr(jit(function, native_loops=False)(*argument)) == repr(function(*argument))


def test_one_program_for_all_numbers() -> None:
    def is_palindrome(n):
        return str(n) == str(n)[::-1]

    wrapped = jit(is_palindrome)
    assert [n for n in range(90, 130) if wrapped(n)] == [99, 101, 111, 121]
    assert "static" not in str(wrapped.explain(5))


def test_what_cannot_be_computed_is_refused() -> None:
    def f(x):
        return str(x) == "2.5"

    with pytest.raises(ConcretizationError, match="a plain str is needed while tracing"):
        jit(f)(2.5)


def test_groups_of_characters_are_not_traced_again(compiled) -> None:
    wrapped = jit(lambda n: [(k, len(list(g))) for k, g in groupby(str(n[0]))])
    wrapped(np.array([123]))
    before = len(compiled)
    assert wrapped(np.array([122])) == [("1", 1), ("2", 2)]
    assert len(compiled) == before


def _words_in_case(method):
    return lambda words: [getattr(str, method)(word) == word for word in words]


@pytest.mark.parametrize(
    ("method", "word"), [("lower", "Straße"), ("upper", "İΣ"), ("capitalize", "Straße"), ("capitalize", "İ")]
)
def test_letters_of_which_each_becomes_one(method, word) -> None:
    words = np.array(["abc", word])
    assert jit(_words_in_case(method))(words) == _words_in_case(method)(words)


@pytest.mark.parametrize(
    ("method", "word"),
    [
        ("upper", "Straße"), ("lower", "ΟΔΟΣ"), ("lower", "İ"), ("casefold", "Straße"), ("swapcase", "ŉ"),
        ("swapcase", "ΟΔΟΣ"), ("capitalize", "ŉ"), ("capitalize", "ΟΔΟΣ"),
    ],
)  # fmt: skip
def test_letters_that_become_several_are_refused(method, word) -> None:
    with pytest.raises(UnsupportedOperationError, match="letter that becomes several"):
        jit(_words_in_case(method))(np.array(["abc", word]))
