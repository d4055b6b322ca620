"""Loops over the characters of a text, and programs on texts that are arguments."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import jit
from tests.equations import every_equation
from tests.program_table import Program, Table

case = Table()
TEXT = "gattaca banana" * 3
LETTERS = "".join(chr(97 + i * 7 % 26) for i in range(60)) + "ÄÖßé漢字"
DIGITS = "3141592653589793238462643383279"
WORDS = ("the", "quick", "brown", "fox", "jumps", "over", "the", "lazy", "dog", "again", "and")


# ---- loops ---------------------------------------------------------------------------------------------------------


@case((1,), (3,))
def digits_parsed(k):
    n = 0
    for c in DIGITS:
        n = (n * 10 + int(c) + k) % 1000003
    return n


@case((1,), (3,))
def digits_that_are_none(k):
    n = k
    for c in "31415926x5358y793238462643383279":
        try:
            n += int(c)
        except ValueError:
            n -= 100
    return n


@case((2,))
def digit_that_is_none(k):
    for c in "31415926x5358y793238462643383279":
        k += int(c)
    return k


@case((1,), (3,))
def vowels_counted(k):
    n = 0
    for c in TEXT:
        if c in "aeiou":
            n += k
    return n


@case((0,), (20,), (50,))
def place_of_the_first(k):
    for i, c in enumerate(TEXT):
        if c == "b" and i > k:
            return i, c
    return None


@case((0,), (20,))
def last_of_some(k):
    last = None
    for i, c in enumerate(TEXT):
        if c in "aeiou" and i < k:
            last = c
    return last


@case((2,))
def character_of_the_step_before(k):
    before, n = "", 0
    for c in TEXT:
        if c == before or c < before:
            n += k
        before = c
    return n, before, c


@case((2,))
def greatest_character(k):
    best, where = LETTERS[0], 0
    for i in range(len(LETTERS)):
        if LETTERS[i] > best:
            best, where = LETTERS[i], i * k
    return best, where


@case((2,))
def matched(k):
    n = 0
    for c in TEXT:
        match c:
            case "a":
                n += k
            case "b" | "t":
                n += 2
            case x if x.isspace():
                n += 100
            case _:
                n -= 1
    return n


@case((0,), (7,), (99,))
def brackets(k):
    stack, pairs = [], {")": "(", "]": "["}
    text = "([()])([]([]))(()" + "]" * 3
    for i in range(len(text)):
        if i >= k:
            break
        c = text[i]
        if c in "([":
            stack.append(c)
        elif not stack or stack.pop() != pairs[c]:
            return i, stack
    return len(stack), stack


@case((3,))
def run_lengths(k):
    runs, before, length = [], TEXT[0], 0
    for c in TEXT:
        if c == before:
            length += k
        else:
            runs.append((before, length))
            before, length = c, k
    return [*runs, (before, length)]


@case((0,), (30,))
def characters_appended(k):
    kept = []
    for i, c in enumerate(LETTERS):
        if i > k or c == "z":
            kept.append(c)
    return kept, "".join(kept)


@case((2,))
def zipped_with_numbers(k):
    total = 0.0
    for c, weight in zip(TEXT, [1.5] * len(TEXT), strict=True):
        if c == "a":
            total += weight * k
    return total


@case((2,))
def backwards(k):
    total = 0
    for i, c in enumerate(reversed(TEXT)):
        total += (i + k) * (c == "a")
    return total


@case((2,))
def in_generators(k):
    found = sum(k for c in TEXT if c == "a"), any(c == "z" for c in TEXT), max(ord(c) for c in TEXT)
    return found, [ord(c) + k for c in TEXT]


@case((2,))
def rows_of_a_grid(k):
    grid = ["#..#.#..#.##", ".##.#.#.#.#.", "#..#.#.#.#.#"] * 4
    n = 0
    for i in range(len(grid)):
        for j in range(len(grid[0])):
            if grid[i][j] == "#" and grid[i - 1][j] == ".":
                n += k
    return n


@case((2,), (7,))
def words(k):
    n = 0
    for word in WORDS:
        if word == "the":
            n += k
        n += len(word)
    return n, WORDS[k], WORDS[k].upper(), WORDS[k] < WORDS[k + 1]


@case((2,))
def bytes_gone_over(k):
    total = 0
    for x in b"hello, world, and bytes":
        total += x * k
    return total


@case((0,), (1,), (2,))
def rows_of_constants(k):
    name, i, x = [("a", 1, 2.5), ("b", 2, 3.5), ("c", 3, None)][k]
    return name, i * k, x


GRID = tuple("".join("#.o"[(i * i + j * (i + 2)) % 7 % 3] for j in range(20)) for i in range(25))
NAMES = tuple("".join(chr(97 + (i * j + i) % 8) for j in range(1 + i % 7)) for i in range(40))


@case((2,))
def neighbours_in_a_grid(k):
    n = 0
    for i in range(1, len(GRID) - 1):
        for j in range(1, len(GRID[0]) - 1):
            if GRID[i][j] == "#" and GRID[i - 1][j] == "." and GRID[i][j + 1] != "o":
                n += k
    return n


@case((1,), (2,))
def way_through_a_grid(k):
    i, j, way = 0, 0, []
    while i < len(GRID) and j < len(GRID[0]):
        way.append(GRID[i][j])
        if GRID[i][j] == "#":
            i += k
        else:
            j += 1
    return way


@case((2,))
def characters_of_many_words(k):
    n, longest = 0, ""
    for name in NAMES:
        for c in name:
            if c == "a":
                n += k
        if len(name) > len(longest):
            longest = name
    return n, longest


@case((2,), (6,), (7,))
def character_of_one_of_many_words(k):
    try:
        return NAMES[k][6], NAMES[k][-1 - k]
    except IndexError as error:
        return str(error)


@case((2,), (6,))
def one_of_many_words(k):
    name = NAMES[k]
    return name, len(name), name + str(k), str(k) + name, f"{name}-{k}", sum(ord(c) for c in name), name * 2


@case((2,))
def word_that_the_loop_over_them_changes(k):
    words = ["the", "a", "of", "the", "b", "c", "the", "d", "e", "f"]
    n = 0
    for i, word in enumerate(words):
        if word == "the":
            words[(i + k) % 10] = "x"
            n += 1
    return words, n


@case((2,))
def rows_with_texts(k):
    edges = [("a", "b", 3), ("b", "c", 4), ("a", "c", 9), ("c", "d", 1), ("b", "d", 7)] * 2
    distance = {name: (0 if name == "a" else 10**6) for name in "abcde"}
    for _ in range(5):
        for start, end, length in edges:
            if distance[start] + length * k < distance[end]:
                distance[end] = distance[start] + length * k
    return distance


@pytest.mark.parametrize("program", case.programs)
def test_characters(program: Program) -> None:
    program.check()


# ---- programs on texts that are arguments --------------------------------------------------------------------------


def edit_distance(s, t):
    d = np.zeros((len(s) + 1, len(t) + 1), np.int64)
    for i in range(len(s) + 1):
        d[i, 0] = i
    for j in range(len(t) + 1):
        d[0, j] = j
    for i in range(1, len(s) + 1):
        for j in range(1, len(t) + 1):
            cost = 0 if s[i - 1] == t[j - 1] else 1
            d[i, j] = min(d[i - 1, j] + 1, d[i, j - 1] + 1, d[i - 1, j - 1] + cost)
    return d[len(s), len(t)]


def edit_distance_of_rows(s, t):
    previous = list(range(len(t) + 1))
    for i, a in enumerate(s, 1):
        current = [i]
        for j, b in enumerate(t, 1):
            current.append(min(previous[j] + 1, current[j - 1] + 1, previous[j - 1] + (a != b)))
        previous = current
    return previous[-1]


def longest_common_subsequence(s, t):
    length = np.zeros((len(s) + 1, len(t) + 1), np.int64)
    for i, a in enumerate(s):
        for j, b in enumerate(t):
            length[i + 1, j + 1] = length[i, j] + 1 if a == b else max(length[i, j + 1], length[i + 1, j])
    return length


def hamming(s, t):
    return sum(a != b for a, b in zip(s, t, strict=True))


def palindrome(s, t):
    text = s + s[::-1]
    return all(text[i] == text[-1 - i] for i in range(len(text))), any(s[i] == t[-1 - i] for i in range(len(s)))


def caesar(s, t):
    return [(ord(c) - ord("a") + 3) % 26 for c in s]


def transcription(s, t):
    pair = {"a": "U", "c": "G", "g": "C", "t": "A"}
    counts = {"A": 0, "C": 0, "G": 0, "U": 0}
    for c in s:
        counts[pair[c]] += 1
    return counts


def needleman_wunsch(s, t):
    scores = {("a", "a"): 2, ("c", "c"): 2, ("g", "g"): 3, ("t", "t"): 3}
    f = np.zeros((len(s) + 1, len(t) + 1))
    f[:, 0], f[0] = -np.arange(len(s) + 1), -np.arange(len(t) + 1)
    for i in range(1, len(s) + 1):
        for j in range(1, len(t) + 1):
            same = f[i - 1, j - 1] + scores.get((s[i - 1], t[j - 1]), -1)
            f[i, j] = max(same, f[i - 1, j] - 1, f[i, j - 1] - 1)
    return f


def roman(s, t):
    value = {"a": 1, "c": 5, "g": 10, "t": 50}
    total = 0
    for i in range(len(s)):
        if i + 1 < len(s) and value[s[i]] < value[s[i + 1]]:
            total -= value[s[i]]
        else:
            total += value[s[i]]
    return total


def _dna(n, seed):
    return "".join("acgt"[i] for i in np.random.default_rng(seed).integers(0, 4, n))


@pytest.mark.parametrize(
    "function",
    [
        edit_distance, edit_distance_of_rows, longest_common_subsequence, hamming, palindrome, caesar, transcription,
        needleman_wunsch, roman,
    ],
)  # fmt: skip
def test_a_longer_text_makes_no_longer_program(function) -> None:
    wrapped = jit(function)
    equations = []
    for n in (5, 40, 80):
        s, t = _dna(n, 1), _dna(n, 2)
        want, got = function(s, t), wrapped(s, t)
        assert type(got) is type(want)
        np.testing.assert_equal(got, want)
        equations.append(sum(1 for _ in every_equation(wrapped.trace(s, t).program)))
    assert equations[1] == equations[2]
