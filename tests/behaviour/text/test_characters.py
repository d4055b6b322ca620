"""Characters of a static text that run-time values choose: what is done to them is what Python does to a `str`."""

from __future__ import annotations

import collections

import numpy as np
import pytest

from anabranch import jit
from tests.program_table import Program, Table

case = Table()
TEXT = "gattaca banana" * 3
LETTERS = "".join(chr(97 + i * 7 % 26) for i in range(60)) + "ÄÖßé漢字"
DNA = "ACGTTGCAACCGGTTA" * 3


# ---- a character ---------------------------------------------------------------------------------------------------


@case((0,), (3,), (13,))
def character_by_an_index(k):
    return TEXT[k], TEXT[-k - 1], [TEXT[k]], {"x": TEXT[k]}, type(TEXT[k]) is str, isinstance(TEXT[k], str)


@case((0,), (3,), (13,))
def character_compared(k):
    c = TEXT[k]
    order = c < "b", c >= TEXT[k + 1], (c, k) < ("b", 1)
    return order, c == "a", "a" == c, c != TEXT[k + 1], c == k, c == "aa", c is None, (c, 1) == ("a", 1)


@case((0,), (3,), (13,))
def character_in_containers(k):
    c = TEXT[k]
    return c in "aeiou", c in {"a", "g"}, c not in ["t"], c in ("a", 1), c in {"a": 1}, "a" in c, c in dict(a=1).keys()


@case((0,), (3,), (13,))
def methods_of_a_character(k):
    c = TEXT[k]
    found = c.upper(), c.isalpha(), c.isspace(), c.isdigit(), ord(c), c.replace("a", "b"), c.center(5, "*"), c.zfill(3)
    return found, c.startswith("a"), c.find("t"), c.encode(), len(c), c * 2, c + "x", "x" + c, c + TEXT[k + 1], bool(c)


@case((0,), (3,), (13,))
def text_of_a_character(k):
    c = TEXT[k]
    return f"{c}!", f"{c:>4}", str(c), repr(c), "%s-%d" % (c, k), "-".join([c, "x", TEXT[k + 1]])  # noqa: UP031


@case((0,), (1,), (3,))
def character_that_may_be_none(k):
    if k > 0:
        c = TEXT[k]
    maybe = TEXT[k] if k > 1 else None
    return maybe, maybe is None, maybe == "a", maybe in ("a", None), c.upper()


@case((0,), (1,), (2,))
def keys_that_a_condition_leaves(k):
    c, worth = TEXT[k], {"g": 1, "t": 2}
    if c in worth:
        worth[c] += k
        c = TEXT[k + 1]
        try:
            return worth[c]
        except KeyError as error:
            return error.args
    elif c == "a":
        worth = {"a": k}
        worth[c] += 1
    return worth


@case((0,), (3,), (13,))
def character_of_many(k):
    return LETTERS[k], LETTERS[k].upper(), LETTERS[k] < LETTERS[k + 9], LETTERS[k] + LETTERS[k + 40], LETTERS[-k - 1]


@case((0,), (3,))
def attributes_of_a_character(k):
    try:
        found = TEXT[k].foo
    except AttributeError:
        found = "none"
    return found, hasattr(TEXT[k], "upper"), hasattr(TEXT[k], "foo"), callable(TEXT[k])


@case((1,), (4,), (-4,))
def index_out_of_range(k):
    try:
        return "abc"[k]
    except IndexError as error:
        return str(error), error.args


@case((1,), (4,))
def byte_out_of_range(k):
    try:
        return b"abc"[k]
    except IndexError as error:
        return str(error)


@case((1.5,))
def index_that_is_no_int(x):
    try:
        return "abc"[x]
    except TypeError as error:
        return str(error)


@case((0,), (3,))
def operator_that_text_has_not(k):
    try:
        return TEXT[k] - 1
    except TypeError as error:
        return str(error)


@case((0,), (9,))
def exception_with_a_character(k):
    if k > 0:
        raise ValueError(TEXT[k], f"bad {TEXT[k]}")
    return k


@case((0,), (8,), (12,))
def number_of_a_character(k):
    s = "31415926x5358y79"
    try:
        return int(s[k]), float(s[k])
    except ValueError as error:
        return error.args


@case((0,), (1,), (3,))
def printed_character(k):
    print(TEXT[k], [TEXT[k]], f"{TEXT[k]:>4}")
    return k


@case((0,), (2,), (6,))
def byte_by_an_index(k):
    data = b"hello, bytes"
    return data[k], data[k : k + 2], data[-1 - k], data[k] == 104


# ---- parts ---------------------------------------------------------------------------------------------------------


@case((0,), (3,), (41,), (42,), (60,), (-2,), (-50,))
def parts_at_a_run_time_place(k):
    return (
        TEXT[k : k + 3],
        TEXT[k:],
        TEXT[:k],
        TEXT[k : k + 3] == "att",
        TEXT[-k:],
        TEXT[k : k + 3 : 2],
        TEXT[k - 5 : k - 2],
    )


@case((0,), (3,), (41,), (60,), (-2,), (-50,))
def parts_backwards(k):
    return TEXT[k::-1], TEXT[:k:-1], TEXT[k + 3 : k : -1], TEXT[k + 1 : k], TEXT[:k:2], TEXT[k:2]


@case((0, 3), (2, 1), (5, 40), (-3, -1), (-60, 60))
def parts_between_two_places(k, m):
    return TEXT[k:m], TEXT[k:m] == TEXT[k + 1 : m + 1]


@case((0,), (3,))
def part_that_ends_the_text(k):
    n = 0
    for i in range(len(TEXT)):
        if TEXT[i : i + 3] == "ana":
            n += k
    return n


# ---- dicts ---------------------------------------------------------------------------------------------------------


@case((0,), (1,), (2,))
def item_by_a_character(k):
    prices = {"a": 1, "g": 2}
    try:
        return prices[TEXT[k]]
    except KeyError as error:
        return error.args, str(error)


@case((0,), (1,), (2,))
def item_or_a_default(k):
    prices = {"a": 1, "g": 2}
    c = TEXT[k]
    return prices.get(c), prices.get(c, 0), prices.get(c, k), prices.get(c, "x"), c in prices


@case((2,))
def counted(k):
    counts = dict.fromkeys(sorted(set(TEXT)), 0)
    for c in TEXT:
        counts[c] += k
    return counts


@case((2,))
def counted_where_there_is_a_key(k):
    counts, others = {"a": 0, "b": 0}, 0
    for c in TEXT:
        if c in counts:
            counts[c] += k
        else:
            others += k
    return counts, others


@case((2,))
def left_out_where_there_is_no_key(k):
    counts = {"a": 0, "b": 0}
    for c in TEXT:
        if c not in counts:
            continue
        counts[c] += k
    return counts


@case((2,))
def keys_that_appear(k):
    counts, counter, made = {}, collections.Counter(), collections.defaultdict(int)
    for c in TEXT:
        counts[c] = counts.get(c, 0) + k
        counter[c] += k
        made[c] += k
    return counts, counter, made


@case((2,))
def pairs_of_characters(k):
    counts = {a + b: 0 for a in "ACGT" for b in "ACGT"}
    for i in range(len(DNA) - 1):
        counts[DNA[i : i + 2]] += k
    return counts


@case((2,))
def scores_of_pairs(k):
    scores = {(a, b): (2 if a == b else -1) for a in "ACGT" for b in "ACGT"}
    rows = {a: {b: scores[a, b] for b in "ACGT"} for a in "ACGT"}
    total = 0
    for i in range(len(DNA) - 1):
        total += scores[(DNA[i], DNA[i + 1])] * k + rows[DNA[i]][DNA[i + 1]] + scores.get((DNA[i], "N"), 7)
    return total


class Other(dict):
    """A dict that says of each key that it has it not."""

    def __contains__(self, key):
        return False


@case((1,))
def dict_of_another_class(k):
    return TEXT[k] in Other(a=1)


# ---- what has to be known ------------------------------------------------------------------------------------------


@case((2,))
def size_counted_in_a_text(k):
    n = 0
    for c in TEXT:
        if c == "a":
            n += 1
    return np.zeros(n) + k


@case((2,))
def key_that_a_loop_found(k):
    last, n = "", 0
    for c in TEXT:
        if c in "aeiou":
            last = c
            n += k
    return {last: n}


@case((2,))
def members_of_a_set(k):
    seen = set()
    for c in TEXT:
        if c in seen:
            return c, k
        seen.add(c)
    return None


@case((2.0,))
def functions_by_their_names(x):
    a = np.arange(4.0) + x
    made = {}
    for name in ("sum", "mean", "max"):
        made[name] = getattr(np, name)(a)
    return made


@case((2,))
def joined_characters(k):
    text = ""
    for c in TEXT:
        if c != "a":
            text += c
    return text, "".join(c.upper() if c in "aeiou" else c for c in TEXT), k


@pytest.mark.parametrize("program", case.programs)
def test_characters(program: Program) -> None:
    program.check()


# ---- programs on texts that are arguments --------------------------------------------------------------------------


def test_a_dict_gets_items_at_characters_that_are_known_only_at_run_time() -> None:
    @jit(unroll_budget=10)
    def counted(k):
        counts = {}
        for c in LETTERS:
            counts[c] = counts.get(c, 0) + k
        return counts

    assert list(counted(1).items()) == [(c, LETTERS.count(c)) for c in dict.fromkeys(LETTERS)]
