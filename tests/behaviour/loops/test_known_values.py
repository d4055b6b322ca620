"""Loops of functions in which nothing is known only at run time: they run as Python's, and leave a constant."""

from __future__ import annotations

import collections

import numpy as np

from anabranch import jit
from tests.equations import every_equation
from tests.equivalence import check_calls


def ladder(start, end, words):
    words = set(words)
    queue = collections.deque([(start, 1)])
    seen = {start}
    while queue:
        word, steps = queue.popleft()
        if word == end:
            return steps
        for i in range(len(word)):
            for letter in "abcdefghijklmnopqrstuvwxyz":
                other = word[:i] + letter + word[i + 1 :]
                if other in words and other not in seen:
                    seen.add(other)
                    queue.append((other, steps + 1))
    return 0


def test_texts_that_a_loop_makes_of_texts():
    words = ["hot", "dot", "dog", "lot", "log", "cog"]
    check_calls(ladder, ("hit", "cog", words), ("hit", "cog", words[:-1]))
    assert not list(every_equation(jit(ladder).trace("hit", "cog", words).program))


def lengths(text):
    found = {}
    for word in text.split():
        for letter in word:
            found.setdefault(letter, []).append(len(word))
    return found


def test_results_are_new_at_each_call():
    compiled = jit(lengths)
    first = compiled("to be or not")
    first["t"].append(99)
    assert compiled("to be or not") == lengths("to be or not")


def summed(n=30):
    total = 0
    for i in range(300):
        for j in range(300):
            total += (i * j) % 7
    return total


def table():
    values = np.zeros((20, 30))
    for i in range(20):
        for j in range(30):
            values[i, j] = i * 30 + j
    return values


def test_many_steps_and_steps_on_arrays_are_loops():
    check_calls(summed, ())
    check_calls(table, ())
    for function in (summed, table):
        assert sum(1 for _ in every_equation(jit(function).trace().program)) < 200


def dropped():
    shown = []
    for i in range(20):
        shown.append(i)
        if i == 7:
            raise KeyError(i)
    return shown


def left_early():
    for i in range(20):
        for letter in "abcdef":
            if i == 3 and letter == "d":
                return i, letter
        else:
            continue
    return None


def test_exceptions_and_returns():
    check_calls(dropped, ())
    check_calls(left_early, ())


SEEN = []


def noted(text):
    for i, letter in enumerate(text):
        SEEN.append((i, letter))
    values = np.arange(4.0)
    for i in range(4):
        values[i] += len(SEEN)
        SEEN.append((i, values[i]))
    return values


def test_what_a_step_changes_outside_before_it_is_given_up(monkeypatch):
    for function in (noted, jit(noted)):
        monkeypatch.setattr("tests.behaviour.loops.test_known_values.SEEN", [])
        values = function("abc" * 7)
        seen = list(SEEN)
        if function is noted:
            expected = values, seen
    assert np.array_equal(values, expected[0])
    assert seen == expected[1]


def shown(text):
    for letter in text:
        print(letter, end="")
    return len(text)


def test_what_is_shown(capsys):
    compiled = jit(shown)
    for _ in range(2):
        assert compiled("a long enough text") == 18
        assert capsys.readouterr().out == "a long enough text"


def test_explain_says_why():
    compiled = jit(ladder)
    compiled("hit", "cog", ["hot", "cot", "cog"])
    assert "all that it works on is known" in str(compiled.explain("hit", "cog", ["hot", "cot", "cog"]))
