"""`datetime64` and `timedelta64`: arrays and scalars as arguments, in loops and branches, and as results."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import UnsupportedOperationError, configure, jit
from tests.equivalence import check

DAYS = np.array(["2020-01-03", "NaT", "2020-01-01", "1969-02-28"], "M8[D]")
KNOWN = np.array(["2020-01-03", "2019-12-31", "2020-01-01"], "M8[D]")
SECONDS = np.array([3, -3, "NaT", 0], "m8[s]")


def test_differences_and_sums():
    def f(d):
        return (
            d - d[::-1],
            d + np.timedelta64(5, "h"),
            np.timedelta64(1, "D") + d,
            np.datetime64("2020-01-01") - d,
            d + 3,
            d - np.timedelta64(1, "s"),
            np.diff(d),
            (d[2] - d[0]).astype(int),
        )

    check(f, DAYS)


def test_comparisons_and_order():
    def f(d):
        return (
            d == d, d != d, d < d[2], d >= np.datetime64("2020-01-01T00", "h"), np.isnat(d), np.isnat(d[1]),
            np.sort(d), d.argsort(), d.argmin(), d.argmax(), d.min(), d.max(), d[2:].max(), max(d[0], d[2]),
            np.where(d == d, d, d[0]), np.maximum(d, d[0]), np.fmax(d, d[0]), np.concatenate([d, d[:1]]),
            d[d > np.datetime64("2019-01-01")], d[~np.isnat(d)].min(), len(d), d.shape, d.dtype,
        )  # fmt: skip

    check(f, DAYS)


@pytest.mark.parametrize("native", [True, False])
def test_durations(native):
    def f(t, k, x):
        two = np.timedelta64(2, "s")
        return (
            t / 2, t / 2.5, t * 1.5, t * k, x * t, t // 2, t % two, t / two, t // two, -t, abs(t), t.sum(),
            t[:2].sum(), t / k, t / x, t // t, t % t, t / (k - 3), two * k,
        )  # fmt: skip

    with configure(native_loops=native):
        check(f, SECONDS, 3, 2.5)


def test_other_units():
    def f(d, t):
        return (
            [d.astype(f"M8[{unit}]") for unit in ("s", "M", "Y", "W", "h")],
            d.astype("M8[M]").astype("M8[D]"),
            d.astype("M8[Y]").astype("M8[h]"),
            d.astype("M8[h]").astype("M8[D]"),
            d.astype(int),
            d.astype(float),
            d.view(int),
            t.astype("m8[D]"),
            t.astype("m8[ms]"),
        )

    check(f, DAYS, np.array([-1, 1, -90_000, 90_000], "m8[s]"))


def test_the_calendar():
    def f(d):
        months = d.astype("M8[M]")
        return months, months.astype("M8[D]"), d.astype("M8[Y]"), d - d.astype("M8[Y]")

    check(f, np.arange(-800_000, 800_000, 977).astype("M8[D]"))


def test_changed_in_place():
    def f(d, v):
        d[0] = v
        d[1:] += np.timedelta64(1, "D")
        d[2] = d[0]
        d[1] = "2000-01-01"
        d.sort()
        return d

    check(f, KNOWN, np.datetime64("2021-05-05T12"))


def test_loops_branches_and_numbers():
    def f(d, start, n):
        best, total = d[0], np.timedelta64(0, "D")
        for x in d:
            if x > best:
                best = x
            total = total + (x - start)
        made = np.zeros(n, "M8[D]")
        for i in range(n):
            made[i] = start + np.timedelta64(i, "D")
        chosen = d if n > 2 else made
        return best, total, made, chosen[0], [x for x in d], {"first": d[0]}

    check(f, KNOWN, np.datetime64("2020-01-01"), 3)


def test_memory_is_the_callers():
    d = KNOWN.copy()
    given, part = jit(lambda d: (d, d[1:]))(d)
    assert given is d
    d[1] = d[0]
    assert part[0] == d[0]
    check(lambda d: isinstance(d, np.ndarray) and isinstance(d[0], np.datetime64), KNOWN)


def test_made_inside():
    def f(d, x, k):
        day = np.timedelta64(1, "D")
        return (
            np.array([d[0], np.datetime64("2020-01-01")]),
            np.array(["2020-01-01", "NaT"], "M8[D]") + x[:2],
            np.arange("2020-01-01", "2020-01-04", dtype="M8[D]") + x,
            x * day,
            day * k,
            np.timedelta64(k, "h") + d,
            np.array(d),
            np.asarray(d) is d,
        )

    check(f, KNOWN, np.arange(3), 2)


def test_a_scalar_is_numpys_own_where_that_is_needed():
    def f(d):
        return d.astype(object).year, str(d), d == "2020-01-03", {d: 1}, f"{d}", d + np.timedelta64(1, "D")

    check(f, np.datetime64("2020-01-03"))
    check(f, np.datetime64("2021-05-06"))


def test_what_numpy_refuses():
    check(lambda d: d + d, DAYS)
    check(lambda d: d * 2, DAYS)
    check(lambda d: d.foo, DAYS)


def test_what_is_refused():
    programs = [
        lambda d: d[0] == "2020-01-01",
        lambda d: d.tolist(),
        lambda d: d.fill(d[0]),
    ]
    for f in programs:
        with pytest.raises(UnsupportedOperationError, match=r"datetime64\[D\]|a date|fill changes"):
            jit(lambda d, f=f: f(d))(KNOWN)


def test_what_numpy_itself_computes():
    def of_dates(d):
        return (
            np.unique(d), np.unique(d, return_counts=True), np.isin(d, d[:1]), np.searchsorted(np.sort(d), d[0]),
            np.datetime_as_string(d), np.repeat(d, 2), np.roll(d, 1), np.busday_count("2019-12-30", d), np.is_busday(d),
            np.busday_offset(d, 2, roll="forward"), np.busday_count(d[:1], d[2:], holidays=["2020-01-02"]),
        )  # fmt: skip

    def of_durations(t):
        return t.mean(), np.median(t), t.std(), t.cumsum(), np.median(t) * 2, t - t.mean()

    def in_a_loop(d):
        count = 0
        for i in range(len(d)):
            if np.is_busday(d[i]):
                count += 1
        return count

    check(of_dates, KNOWN)
    check(of_durations, np.array([3, 5, 9, -4], "m8[h]"))
    check(in_a_loop, KNOWN)
    check(lambda d: np.busday_offset(d, 0), np.array(["2020-01-04"], "M8[D]"))


@pytest.mark.parametrize("native_loops", [True, False])
def test_keys_of_dicts(native_loops):
    def f(d, x):
        seen, months, pairs = set(), {}, {}
        for i, (day, month) in enumerate(zip(d, d.astype("M8[M]"), strict=True)):
            seen.add(day)
            months.setdefault(month, []).append(x[i])
            pairs[day, i % 2] = pairs.get((day, i % 2), 0) + i
        return seen, np.datetime64("2024-01-15") in seen, months, pairs, d[0] - d[1] in {np.timedelta64(-14, "D")}

    d = np.array(["2024-01-01", "2024-01-15", "2024-02-20", "2024-01-15"], "M8[D]")
    with configure(native_loops=native_loops):
        check(f, d, np.arange(4.0))


def test_keys_that_are_refused():
    def f(d, x):
        return {day: 1 for day in d}

    with pytest.raises(UnsupportedOperationError, match="NaT is a key"):
        jit(f)(np.array(["2024-01-01", "NaT"], "M8[D]"), 1)
    check(lambda d: {d: 1}, KNOWN)


def test_a_known_duration_before_a_loop():
    def f(d):
        longest, total = np.timedelta64(0, "D"), np.timedelta64(0, "h")
        for i in range(1, len(d)):
            gap = d[i] - d[i - 1]
            total = total + gap
            if gap > longest:
                longest = gap
        return longest, total, longest > np.timedelta64(3, "h")

    check(f, np.array(["2024-01-01", "2024-01-15", "2024-02-20", "2024-03-01"], "M8[D]"))
