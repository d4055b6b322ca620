"""Texts and lists as arguments: known, or of known length, and run-time values once there have been many of them."""

from __future__ import annotations

import copy

import numpy as np
import pytest

from anabranch import jit
from anabranch.runtime.testing.outcomes import Outcome

WORDS = [f"{'xyzabc'[k % 6 :]}{'zya'[: k % 4]}{k % 10}" for k in range(24)]


def is_palindrome(text):
    i, j = 0, len(text) - 1
    while i < j:
        if text[i] != text[j]:
            return False
        i += 1
        j -= 1
    return True


def counted(text):
    counts = {}
    for letter in text:
        counts[letter] = counts.get(letter, 0) + 1
    return counts


def distance(a, b):
    before = list(range(len(b) + 1))
    for i in range(1, len(a) + 1):
        now = [i] + [0] * len(b)
        for j in range(1, len(b) + 1):
            now[j] = min(before[j] + 1, now[j - 1] + 1, before[j - 1] + (a[i - 1] != b[j - 1]))
        before = now
    return before[-1]


def shifted(text, by):
    return "".join([chr((ord(c) - 97 + by) % 26 + 97) if "a" <= c <= "z" else c for c in text])


def words(text):
    return [word[::-1] for word in text.replace("a", " ").split() if len(word) > 1]


def exchanged(text):
    return text.translate(str.maketrans("xyz", "XYa"))[::-1], text.upper()


def longest(texts):
    best = ""
    for text in texts:
        if len(text) > len(best):
            best = text
    return best


def frequencies(texts):
    found = {}
    for text in texts:
        found[text] = found.get(text, 0) + 1
    return found


def first(text):
    if len(text) < 3:
        raise ValueError(f"too short: {text!r}")
    return text[0], text


def codes(text):
    return [ord(c) for c in text], len(text), text[1:], text.isalpha()


def value(table, name):
    return table[name] * 2


CALLS = (
    (is_palindrome, [(w + w[::-1] if k % 2 else w,) for k, w in enumerate(WORDS)]),
    (counted, [(w,) for w in WORDS]),
    (distance, [(w, v) for w, v in zip(WORDS, WORDS[5:], strict=False)]),
    (shifted, [(w, k % 5) for k, w in enumerate(WORDS)]),
    (words, [(w * 2,) for w in WORDS]),
    (exchanged, [(w,) for w in WORDS]),
    (longest, [([w, v, w[:2]],) for w, v in zip(WORDS, WORDS[7:], strict=False)]),
    (frequencies, [([w, v, w],) for w, v in zip(WORDS, WORDS[7:], strict=False)]),
    (first, [(w[: k % 5],) for k, w in enumerate(WORDS)]),
    (codes, [(w + "äß€😀\ud800"[k % 5 :],) for k, w in enumerate(WORDS)]),
    (value, [({w: k for k, w in enumerate(WORDS)}, w) for w in [*WORDS, "none"]]),
)


@pytest.mark.parametrize(("function", "calls"), CALLS)
def test_later_texts_share_executables(function, calls) -> None:
    compiled = jit(function)
    for args in calls:
        want, got = Outcome(function, args, {}), Outcome(compiled, args, {})
        assert repr(got.error or got.value) == repr(want.error or want.value)
    assert compiled.cache_info().misses <= 12  # eight, and one for each kind of texts and room for them
    for args in calls:
        want, got = Outcome(function, args, {}), Outcome(compiled, args, {})
        assert repr(got.error or got.value) == repr(want.error or want.value)
    assert compiled.cache_info().misses <= 12


def test_long_texts_get_more_room() -> None:
    compiled = jit(counted)
    for word in WORDS:
        compiled(word)
    before = compiled.cache_info().misses
    for size in (0, 1, 15, 16, 17, 31, 32, 33, 1000):
        assert compiled("ab" * size) == counted("ab" * size)
    assert compiled.cache_info().misses - before <= 8


def test_what_asks_for_known_texts_keeps_them() -> None:
    def typed(x, name):
        return x.astype(name)

    x, compiled = np.arange(3.0), jit(typed)
    for name in ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8", "c8", "c16"):
        np.testing.assert_array_equal(compiled(x, name), typed(x, name), strict=True)
    assert compiled.cache_info().misses == 12


def test_numbers_of_many_texts_share_an_executable() -> None:
    def number(text):
        return float(text) * 2

    compiled = jit(number)
    for k in range(12):
        assert compiled(f"{k}.5") == number(f"{k}.5")
    assert compiled.cache_info().misses == 9


def test_texts_that_do_not_vary_stay_known() -> None:
    def applied(x, how, name):
        return (x.sum() if how == "sum" else getattr(x, how)(), len(name))

    compiled = jit(applied)
    for how in ("sum", "prod"):
        for word in WORDS[:12]:
            assert compiled(np.arange(3), how, word) == applied(np.arange(3), how, word)
    assert compiled.cache_info().misses == 10


def test_methods_and_generators() -> None:
    class Greeter:
        def __init__(self, mark):
            self.mark = mark

        @jit
        def greet(self, name):
            return f"{name[::-1]}{self.mark}" * 2

    @jit
    def letters(text):
        for letter in text:
            yield letter + "."

    greeter = Greeter("!")
    assert [greeter.greet(w) for w in WORDS] == [f"{w[::-1]}!" * 2 for w in WORDS]
    assert [list(letters(w)) for w in WORDS] == [[c + "." for c in w] for w in WORDS]


def test_bytes_of_one_length_share_executables() -> None:
    def checksum(data):
        a, b = 1, 0
        for byte in data:
            a = (a + byte) % 65521
            b = (b + a) % 65521
        return (b << 16) | a, data[1:]

    compiled = jit(checksum)
    for word in WORDS:
        data = word.encode()[:4] * 3
        assert compiled(data) == checksum(data)
    assert compiled.cache_info().misses <= 12
    assert compiled(b"") == checksum(b"")


def bubbled(numbers):
    for i in range(len(numbers)):
        for j in range(len(numbers) - 1 - i):
            if numbers[j] > numbers[j + 1]:
                numbers[j], numbers[j + 1] = numbers[j + 1], numbers[j]
    return numbers


def quick(numbers):
    if len(numbers) <= 1:
        return numbers
    pivot = numbers[0]
    low = [x for x in numbers[1:] if x < pivot]
    return [*quick(low), pivot, *quick([x for x in numbers[1:] if x >= pivot])]


def statistics(numbers):
    mean = sum(numbers) / len(numbers)
    return mean, min(numbers), sorted(numbers)[len(numbers) // 2], np.array(numbers)[::2].max()


def merged(a, b):
    out, i, j = [], 0, 0
    while i < len(a) and j < len(b):
        if a[i] <= b[j]:
            out.append(a[i])
            i += 1
        else:
            out.append(b[j])
            j += 1
    return out + a[i:] + b[j:]


def changed(numbers, more):
    numbers.append(more)
    numbers[0], numbers[-1] = numbers[-1], numbers[0]
    while len(numbers) > 4:
        numbers.pop(0)
    return len(numbers)


def itself(numbers):
    return numbers, numbers[::-1]


def numbers_of(count, cast=int):
    return [cast((7 * k * k + 3 * count) % 23 - 5) for k in range(count)]


COUNTS = (3, 7, 1, 4, 9, 12, 2, 5, 6, 8, 11, 10, 15, 13, 17, 20, 33, 3, 16)
LISTS = (
    (bubbled, [(numbers_of(n),) for n in COUNTS]),
    (quick, [(numbers_of(n),) for n in COUNTS]),
    (statistics, [(numbers_of(n, float),) for n in COUNTS]),
    (merged, [(sorted(numbers_of(n)), sorted(numbers_of(n + 2))) for n in COUNTS]),
    (changed, [(numbers_of(n), n) for n in COUNTS]),
    (itself, [(numbers_of(n, bool),) for n in COUNTS]),
)


@pytest.mark.parametrize(("function", "calls"), LISTS)
def test_lists_of_any_length_share_executables(function, calls) -> None:
    compiled = jit(function)
    for _ in range(2):
        for args in [*calls, ([], *calls[0][1:]), ([1.5, 2], *calls[0][1:])]:
            mine, theirs = copy.deepcopy(args), copy.deepcopy(args)
            want, got = Outcome(function, mine, {}), Outcome(compiled, theirs, {})
            assert repr(got.error or got.value) == repr(want.error or want.value)
            assert repr(theirs) == repr(mine)
    assert compiled.cache_info().misses <= 15


def test_a_list_that_is_returned_or_passed_twice_is_the_callers() -> None:
    def both(a, b):
        a.append(1)
        return a, len(b)

    compiled, once = jit(itself), jit(both)
    for n in COUNTS:
        given = numbers_of(n)
        assert compiled(given)[0] is given
        assert once(given, given) == (given, n + 1)
        assert once(given, list(given))[0] is given


def spelled(x, text):
    return np.einsum(text, x, x) if x.sum() > 0 else x


def typed_in_a_branch(x, text):
    return x.astype(text) if x.sum() > 0 else x


def shown(x, text):
    return text % 3 if x.sum() > 0 else ""


def added(x, text):
    return text + 1 if x.sum() > 0 else text


@pytest.mark.parametrize(
    ("function", "texts"),
    [
        (
            spelled,
            ["ij,ij->ij", "ij,ij->i", "ij,ij->j", "ij,ij->", "ij,kj->ik", "ij,ij->ji", "ij,kl->", "ij,il->i"] * 2,
        ),
        (typed_in_a_branch, ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8", "c8", "c16"]),
        (shown, [f"%0{k}d" for k in range(1, 10)] + ["%x", "%s", "%e"]),
        (added, WORDS[:12]),
    ],
)
def test_what_takes_a_text_for_something_else_is_not_believed(function, texts) -> None:
    x, compiled = np.arange(6.0).reshape(2, 3), jit(function)
    for text in texts:
        want, got = Outcome(function, (x, text), {}), Outcome(compiled, (x, text), {})
        assert repr(got.error or got.value) == repr(want.error or want.value)
