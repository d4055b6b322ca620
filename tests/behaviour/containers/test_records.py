"""Lists of the caller's dicts and objects: which ones a list holds is known only at run time, and each stays itself."""

from __future__ import annotations

import copy
import dataclasses
import itertools
import random
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from anabranch import jit
from anabranch.runtime.control.loops.unroll_budget import weight
from anabranch.runtime.errors import AnabranchError, UnsupportedOperationError


@dataclasses.dataclass
class Trade:
    pnl: float
    x: int
    kind: str = "a"

    def scaled(self, factor):
        return self.pnl * factor

    def grow(self, factor):
        self.x += 1
        self.pnl = self.pnl * factor


def dicts(n: int, seed: int = 0) -> list[dict[str, Any]]:
    rng = random.Random(seed)
    return [{"pnl": rng.uniform(-1, 1), "x": rng.randrange(10), "kind": rng.choice("ab")} for _ in range(n)]


def objects(n: int, seed: int = 0) -> list[Trade]:
    return [Trade(**d) for d in dicts(n, seed)]


def rows(n: int, seed: int = 0) -> list[list[float]]:
    return [[d["pnl"], float(d["x"])] for d in dicts(n, seed)]


def _shown(value: Any, records: dict[int, int]) -> Any:
    """The value, with the caller's records by their numbers."""
    if id(value) in records:
        return ("record", records[id(value)])
    if isinstance(value, (list, tuple)):
        return (type(value).__name__, [_shown(v, records) for v in value])
    if isinstance(value, dict):
        return [(k, _shown(v, records)) for k, v in value.items()]
    if isinstance(value, Trade):
        return _shown(vars(value), records)
    return (type(value).__name__, round(float(value), 12) if isinstance(value, float) else repr(value))


def _outcome(function: Callable[..., Any], records: list[Any]) -> Any:
    known = {id(r): k for k, r in enumerate(records)}
    kept = list(records)
    try:
        result = _shown(function(records), known)
    except Exception as error:
        result = (type(error).__name__, str(error))
    return (
        result,
        [known.get(id(r)) for r in records],
        [_shown(dict(vars(r)) if isinstance(r, Trade) else r.copy(), {}) for r in kept],
    )


def check(function: Callable[..., Any], make: Callable[..., list[Any]], counts: tuple[int, ...] = (3, 30)) -> None:
    wrapped = jit(function)
    for count in counts:
        want = _outcome(function, make(count))
        for _ in range(3):  # a signature that is met again has a way of its own
            assert _outcome(wrapped, make(count)) == want, count


# ---- which of them ---------------------------------------------------------------------------------------------------


def winners(trades):
    wins = [t for t in trades if t["pnl"] > 0]
    return len(wins), sum(t["pnl"] for t in wins), wins


def filtered(trades):
    return list(filter(lambda t: t["pnl"] > 0, trades))


def appended(trades):
    good, bad = [], []
    for t in trades:
        (good if t["pnl"] > 0 else bad).append(t)
    return good, bad


def grouped(trades):
    groups = {"a": [], "b": []}
    for t in trades:
        if t["x"] > 2:
            groups[t["kind"]].append(t)
    return groups


def numbered(trades):
    return [(i, t["x"], t) for i, t in enumerate(trades) if t["pnl"] > 0]


def neighbours(trades):
    return [(a, b["x"]) for a, b in itertools.pairwise(trades) if a["pnl"] < b["pnl"]]


def quantified(trades):
    wins = [t for t in trades if t["pnl"] > 0]
    return any(t["x"] > 8 for t in wins), all(t["x"] > 1 for t in wins), any(t is trades[0] for t in wins)


def extremes(trades):
    wins = [t for t in trades if t["pnl"] > 0]
    return max(wins, key=lambda t: t["pnl"]), min(trades, key=lambda t: t["x"])


def ordered(trades):
    wins = [t for t in trades if t["pnl"] > 0]
    wins.sort(key=lambda t: t["x"])
    return wins, sorted(trades, key=lambda t: (t["x"], -t["pnl"]), reverse=True), sorted(wins, key=lambda t: t["pnl"])


def summed_in_order(trades):
    return sum(t["pnl"] for t in sorted(trades, key=lambda t: t["x"]))


def by_text(trades):
    return sorted(trades, key=lambda t: (t["kind"], t["pnl"]))


def indexed(trades):
    wins = [t for t in trades if t["pnl"] > -2]
    return wins[0], wins[-1]["pnl"], wins[1:3], wins[::-1]


def _total(ts):
    s = 0.0
    for t in ts:
        s += t["pnl"] * len(t)
    return s, ts[0]


def helped(trades):
    return _total([t for t in trades if t["pnl"] > -2])


def first(trades):
    return next((t for t in trades if t["x"] > 3), None), next((t for t in trades if t["x"] > 30), None)


def changed_lists(trades):
    wins = [t for t in trades if t["pnl"] > -2]
    last, front = wins.pop(), wins.pop(0)
    wins.append(trades[0])
    wins.extend(t for t in trades if t["x"] > 5)
    return last, front, wins, wins + trades[1:2]


def missing(trades):
    wins = [t for t in trades if t["pnl"] > 9]
    return wins[0]


def equal(trades):
    wins = [t for t in trades if t["pnl"] > 0]
    return trades[0] in wins, sum(1 for t in trades if t == trades[1])


def copied(trades):
    return [{**t, "y": t["pnl"] * 2} for t in trades if t["pnl"] > 0], [dict(t) for t in trades]


def texts(trades):
    return [t["kind"] for t in trades if t["pnl"] > 0], [f"{t['kind']}:{t['x']}" for t in trades if t["x"] > 3]


def known_lengths(trades):
    return np.zeros((len([t for t in trades if t["kind"] == "a"]), 2)).shape


def new_ones(trades):
    made = [{"a": t["pnl"], "b": t["x"] * 2} for t in trades]
    made.sort(key=lambda r: r["a"])
    return made, [r for r in made if r["a"] > 0], max(made, key=lambda r: r["b"])


def sorted_in_place(trades):
    trades.sort(key=lambda t: t["pnl"])
    return trades[:2]


def among_new_ones(trades):
    a, b = {"v": trades[0]["pnl"]}, {"v": trades[1]["pnl"]}
    return [r for r in (a, b) if r["v"] > 0], a


def in_new_lists(trades):
    rows = [[t, t["x"]] for t in trades if t["pnl"] > 0]
    return rows, [{"of": t, "v": t["x"] + 1} for t in trades if t["x"] > 2]


def with_others(trades):
    found = []
    for t in trades:
        if t["pnl"] > 0:
            found.append(t)
        elif t["x"] > 5:
            found.append(t["x"])
        else:
            found.append(None)
    return found


DICTS = [
    among_new_ones,
    in_new_lists,
    with_others,
    winners, filtered, appended, grouped, numbered, neighbours, quantified, extremes, ordered, by_text, indexed, helped,
    first, changed_lists, missing, equal, copied, texts, known_lengths, new_ones, sorted_in_place,
]  # fmt: skip


@pytest.mark.parametrize("function", DICTS, ids=lambda f: f.__name__)
def test_lists_of_dicts(function):
    check(function, dicts)


def winners_of_objects(trades):
    wins = [t for t in trades if t.pnl > 0]
    return wins, sum(t.scaled(2.0) for t in wins), max(trades, key=lambda t: t.pnl)


def sorted_objects(trades):
    return sorted(trades, key=lambda t: (t.kind, -t.x))[:3], next((t for t in trades if t.x > 3), None)


def summed(trades):
    total = 0.0
    for t in trades:
        if t.pnl > 0:
            total += t.scaled(t.x)
    return total, [t.pnl * 2 for t in trades]


def picked_twice(trades):
    k = sum(t.x for t in trades) % len(trades)
    ordered = sorted([*trades, trades[k], trades[k - 1]], key=lambda t: t.pnl)
    trades.append(max(trades, key=lambda t: t.pnl))
    trades.sort(key=lambda t: -t.x)
    trades[0].x = -1
    return ordered, trades[k]


@pytest.mark.parametrize(
    "function", [winners_of_objects, sorted_objects, summed, picked_twice], ids=lambda f: f.__name__
)
def test_lists_of_objects(function):
    check(function, objects)


# ---- writes ----------------------------------------------------------------------------------------------------------


def marked(trades):
    wins = [t for t in trades if t["pnl"] > 0]
    for t in wins:
        t["x"] = t["x"] * 2 + 1
    return sum(t["x"] for t in trades), wins


def marked_where(trades):
    for t in trades:
        if t["pnl"] > 0:
            t["x"] = -t["x"]
        t["pnl"] = t["pnl"] * 2
    return trades[0]["x"], max(t["pnl"] for t in trades)


def marked_twice(trades):
    wins = [t for t in trades if t["pnl"] > 0] + [t for t in trades if t["x"] > 4]
    for t in wins:
        t["x"] += 1
        wins[0]["x"] += 10
    return [t["x"] for t in wins]


def best_marked(trades):
    best = max(trades, key=lambda t: t["pnl"])
    before = best["x"]
    best["x"] = 100
    return best, before, [t for t in trades if t["x"] == 100]


def left_early(trades):
    for t in trades:
        if t["pnl"] > 0.5:
            t["x"] = -1
            break


def by_a_name(trades):
    wins = [t for t in trades if t["pnl"] > -2]
    trades[0]["pnl"] = 5.0
    return sum(t["pnl"] for t in wins), wins


def in_turns(trades):
    for i in range(1, len(trades)):
        trades[i]["pnl"] = trades[i]["pnl"] + trades[i - 1]["pnl"]


def with_new_keys(trades):
    for t in trades:
        t["r"] = t["pnl"] * t["x"]
        t["kind"] = "w" if t["pnl"] > 0 else "l"


def of_another_type(trades):
    for t in trades:
        t["x"] = t["x"] * 0.5


@pytest.mark.parametrize(
    "function",
    [marked, marked_where, marked_twice, best_marked, left_early, by_a_name, in_turns, with_new_keys, of_another_type],
    ids=lambda f: f.__name__,
)
def test_writes_reach_the_callers_dicts(function):
    check(function, dicts)


def stepped(trades):
    for _ in range(4):
        for t in trades:
            t.pnl += 0.1 * t.x


def by_methods(trades):
    for t in trades:
        t.grow(1.5)
    return trades


@pytest.mark.parametrize("function", [stepped, by_methods], ids=lambda f: f.__name__)
def test_writes_reach_the_callers_objects(function):
    check(function, objects)


def text_of_a_chosen_one(trades):
    wins = [t for t in trades if t["pnl"] > 0]
    for t in wins:
        t["kind"] = "won"


def key_of_a_chosen_one(trades):
    max(trades, key=lambda t: t["pnl"])["best"] = 1.0


@pytest.mark.parametrize("function", [text_of_a_chosen_one, key_of_a_chosen_one], ids=lambda f: f.__name__)
def test_what_cannot_be_written_is_refused(function):
    records = dicts(30)
    before = copy.deepcopy(records)
    with pytest.raises(AnabranchError, match="one of 30"):
        jit(function)(records)
    assert records == before


# ---- costs -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "function",
    [winners, appended, grouped, ordered, summed_in_order, extremes, first, marked, marked_where, best_marked],
    ids=lambda f: f.__name__,
)
def test_the_program_is_as_long_for_many(function):
    few, many = (weight(jit(function).trace(dicts(n)).program.equations) for n in (40, 160))
    assert few == many


def test_many_are_sorted_soon():
    start = time.perf_counter()
    jit(ordered).trace(dicts(300))
    assert time.perf_counter() - start < 20


# ---- lists among them ------------------------------------------------------------------------------------------------


def sorted_rows(rows):
    ordered = sorted(rows)
    return ordered[:3], ordered[0][1], sum(r[0] for r in ordered), [y for x, y in ordered if x > 0]


def sorted_rows_in_place(rows):
    rows.sort(key=lambda r: (r[1], -r[0]), reverse=True)
    return rows[-1], len(rows)


def sorted_rows_are_written(rows):
    first, ordered = rows[0], sorted(rows, key=lambda r: r[0])
    for k, row in enumerate(ordered):
        row[1] += k
    ordered[0][0] = 9.0
    return first[0], rows[1][1], ordered


def sorted_new_rows(rows):
    made = []
    for x, y in rows:
        made.append([y, x, 1.0])
    made.sort()
    made[0][2] = 0.0
    return made


def what_rows_hold(rows):
    first, second, *others = sorted(rows)
    copies = [list(r) for r in (first, second)]
    copies[0][0] = 9.0
    return (
        copies,
        first + second,
        [0.0, *second],
        first * 2,
        first == rows[0],
        others[0] < second,
        np.array([first, others[0]]),
        np.mean(others),
    )


def rows_by_index(rows):
    total, k = 0.0, int(rows[0][1])
    for _ in range(5):
        row = rows[k % len(rows)]
        row[0] += total
        total, k = total + row[0], k + int(row[1]) + 7
    return total, rows[k % len(rows)]


def rows_of_each_group(rows):
    labels = []
    for x, y in rows:
        labels.append(y % 2 if x > 0 else 2)
    found = []
    for label in range(3):
        members = [row for row, of in zip(rows, labels, strict=True) if of == label]
        found.append([sum(column) / len(members) for column in zip(*members, strict=True)] if members else None)
    return found


def hull(points):
    lower = []
    for p in sorted(points):
        while len(lower) >= 2:
            a, b = lower[-2], lower[-1]
            if (b[0] - a[0]) * (p[1] - a[1]) > (b[1] - a[1]) * (p[0] - a[0]):
                break
            lower.pop()
        lower.append(p)
    return lower


@pytest.mark.parametrize(
    "function",
    [
        sorted_rows,
        sorted_rows_in_place,
        sorted_rows_are_written,
        sorted_new_rows,
        what_rows_hold,
        rows_by_index,
        rows_of_each_group,
        hull,
    ],
    ids=lambda f: f.__name__,
)
def test_lists_of_lists(function):
    check(function, rows, (17,))


def test_a_longer_list_among_sorted_ones_is_refused():
    def lengthened(rows):
        ordered = sorted(rows)
        ordered[0].append(1.0)
        return rows

    with pytest.raises(UnsupportedOperationError, match="gets a new item"):
        jit(lengthened)(rows(20))
