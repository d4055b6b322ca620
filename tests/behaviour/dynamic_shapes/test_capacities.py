"""Capacities of buffers whose size is known only at run time: a run that needs more is done again."""

from __future__ import annotations

import contextlib
import logging
import threading

import numpy as np
import pytest

import anabranch
from anabranch import configure, djit, jit
from anabranch.runtime.eager import execute
from anabranch.runtime.eager.staged_calls import Operand
from anabranch.runtime.values import wrap
from anabranch.runtime.values.dynamic_shapes import capacity_requests


def below(n):
    """`np.arange(n)` summed up, which asks for a capacity."""
    room = capacity_requests.at("the numbers")
    needed = wrap.as_atom(n, np.int64)
    capacity_requests.exceeded(wrap.as_atom(n > room.size, np.bool_), room, needed)
    numbers = np.arange(room.size)
    return (numbers * (numbers < n)).sum()


def total(a):
    return below(int(a.sum()))


SMALL, LARGE = np.array([3, 4]), np.array([300, 4])


def test_a_run_without_room_is_done_again(compiled):
    f = jit(total)
    assert f(SMALL) == 21
    assert len(compiled) == 1
    assert f(LARGE) == sum(range(304))
    assert len(compiled) == 2


def test_what_was_learned_is_kept(compiled):
    f = jit(total)
    assert f(LARGE) == sum(range(304))
    found = len(compiled)
    for a in (LARGE, SMALL, LARGE, LARGE, SMALL):
        assert f(a) == sum(range(int(a.sum())))
    assert len(compiled) == found


def test_the_limit_names_the_place_and_what_was_needed():
    f = jit(total, capacity_limit=1000)
    assert f(LARGE) == sum(range(304))
    with pytest.raises(anabranch.CapacityError) as caught:
        f(np.array([2000, 4]))
    line = total.__code__.co_firstlineno + 1
    assert "capacity_requests.at(" in str(caught.value)
    assert "has room for 512 elements, and 2004 are needed" in str(caught.value)
    assert "capacity_limit allows no more than 1000" in str(caught.value)
    assert any(entry.lineno + 1 == line for entry in caught.traceback)


def test_compiled_ahead_of_time_has_the_room_it_was_compiled_with():
    fixed = jit(total).lower(SMALL).compile()
    assert fixed(SMALL) == 21
    for _ in range(4):
        with pytest.raises(anabranch.CapacityError, match=r"304 are needed.*Call the jitted function"):
            fixed(LARGE)
    assert fixed(SMALL) == 21


def test_needs_that_are_unknown_grow_by_leaps(compiled):
    def far(a):
        room = capacity_requests.at("steps")
        capacity_requests.exceeded(wrap.as_atom(a[0] > room.size, np.bool_), room)
        return np.arange(room.size)[a[0] - 1] + 1

    f = jit(far, capacity=2, capacity_limit=100)
    for n, count in ((2, 1), (3, 2), (16, 2), (17, 3), (100, 3), (1, 3)):
        assert f(np.array([n])) == n
        assert len(compiled) == count
    with pytest.raises(anabranch.CapacityError, match="room for 100 elements, and more than that are needed"):
        f(np.array([101]))


def test_each_place_and_each_signature_learns_for_itself(compiled):
    def both(a):
        return below(int(a[0])), below(int(a[1]))

    f = jit(both)
    assert f(np.array([1000, 3])) == (sum(range(1000)), 3)
    found = f.explain(np.array([1, 3])).as_dict()["capacity"]
    assert [row["why"] for row in found] == [
        "1024 elements, as a run has needed",
        "256 elements, at first; a run that needs more is done again",
    ]
    assert f(np.array([10, 3, 0])) == (45, 3)
    assert "256" in f.explain(np.array([1, 3, 0])).as_dict()["capacity"][0]["why"]
    assert len(compiled) == 3


def test_what_was_done_before_is_not_done_again(capsys):
    @jit
    def shows(a):
        print("start")
        s = 0
        for x in a:
            print(x)
            s += below(int(x))
        print("end", s)
        return s

    @jit
    def shows_at_the_end(a):
        print("start")
        s = below(int(a[0]))
        print("end", s)
        return s

    a = np.array([3, 300, 7, 5000, 2])
    wanted = sum(sum(range(x)) for x in a)
    assert shows(a) == wanted
    assert capsys.readouterr().out.split() == ["start", "3", "300", "7", "5000", "2", "end", str(wanted)]
    assert shows(a) == wanted
    assert capsys.readouterr().out.split() == ["start", "3", "300", "7", "5000", "2", "end", str(wanted)]
    assert shows_at_the_end(a[3:]) == sum(range(5000))
    assert capsys.readouterr().out.split() == ["start", "end", str(sum(range(5000)))]


def test_an_array_is_printed_once_by_a_call_that_runs_again(capsys):
    @jit
    def shows(a):
        s = below(int(a[0]))
        print(s, a)
        return s

    assert shows(np.array([5000, 2])) == sum(range(5000))
    assert capsys.readouterr().out == f"{sum(range(5000))} [5000    2]\n"


def test_log_lines_under_a_handler_that_runs_compiled_code(caplog):
    logger = logging.getLogger("somebody")

    class Calling(logging.Handler):
        def emit(self, record):
            found.append((record.getMessage(), inner(np.array([2000, int(record.args[0])]))))

    inner, found = jit(total), []

    @jit
    def logs(a):
        s = 0
        for x in a:
            logger.warning("%d", x)
            s += below(int(x))
        return s

    handler = Calling()
    logger.addHandler(handler)
    try:
        assert logs(np.array([1, 2000, 3])) == sum(range(2000)) + 3
    finally:
        logger.removeHandler(handler)
    assert found == [(str(x), sum(range(2000 + x))) for x in (1, 2000, 3)]


def test_arguments_and_objects_change_once():
    def changes(a, made):
        a += 1
        made.append(a[0])
        s = below(int(a[0]))
        made.append(s)
        a[1] = s
        return made

    f = jit(changes)
    for n in (10, 3000, 3000, 3000, 100_000):
        a, made = np.array([n, 0]), []
        assert f(a, made) is made
        assert made == [n + 1, sum(range(n + 1))]
        assert list(a) == [n + 1, sum(range(n + 1))]


def test_globals_change_once():
    f = jit(changes_outside)
    for n in (3, 3000, 3):
        COUNT[:] = 0
        assert f(np.array([n])) == sum(range(n))
        assert list(COUNT) == [n, sum(range(n))]


COUNT = np.zeros(2, np.int64)


def changes_outside(a):
    COUNT[0] += a[0]
    s = below(int(a[0]))
    COUNT[1] += s
    return s


def test_no_handler_sees_it(capsys):
    @jit
    def caught(a):
        r = 0
        try:
            try:
                r = below(int(a[0]))
                if a[1] > 0:
                    raise KeyError(3)
            except Exception:
                print("caught")
                r = -1
            else:
                print("else")
            finally:
                print("finally", r)
        except BaseException:
            return -2
        with contextlib.suppress(Exception):
            r = below(int(a[0]) + 1)
        return r

    @jit
    def left(a):
        try:
            below(int(a[0]))
        finally:
            return 7  # noqa: B012

    assert caught(np.array([3000, 0])) == sum(range(3001))
    assert capsys.readouterr().out.split() == ["else", "finally", str(sum(range(3000)))]
    assert caught(np.array([100_000, 1])) == sum(range(100_001))
    assert capsys.readouterr().out.split() == ["caught", "finally", "-1"]
    assert left(np.array([3000])) == 7


def test_other_failures_in_the_order_of_the_program():
    @jit
    def before(a):
        if a[0] > 10:
            raise ValueError("too many")
        return below(int(a[0]) * 1000)

    @jit
    def after(a):
        s = below(int(a[0]) * 1000)
        if s > 10:
            raise ValueError(f"it is {s}")
        return s

    with pytest.raises(ValueError, match="too many"):
        before(np.array([3000]))
    assert before(np.array([3])) == sum(range(3000))
    for _ in range(3):
        with pytest.raises(ValueError, match=f"it is {sum(range(3000))}"):
            after(np.array([3]))
    assert after(np.array([0])) == 0


def test_a_loop_on_what_comes_of_too_little_room_ends():
    @jit
    def loops(a):
        wanted = below(int(a[0]))
        s = 0
        while s < wanted - 4_400_000:
            s += (wanted > 4_000_000) * 10_000
        return s

    @jit
    def nested(a):
        s = 0
        for x in a:
            while s > 0 and s < 4_000_000:
                s += (s > 3_000_000) * 10_000
            s = below(int(x))
        return s

    assert loops(np.array([3000])) == 100_000
    assert nested(np.array([3000, 2500, 0])) == 0


def test_threads_that_need_more_at_once(compiled):
    f = jit(total)
    found = {}

    def call(n):
        found[n] = f(np.array([1000, n]))

    threads = [threading.Thread(target=call, args=(50 * n,)) for n in range(64)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {50 * n: sum(range(1000 + 50 * n)) for n in range(64)}
    assert len(compiled) <= 5


def test_methods_and_djit_and_helpers_that_are_jitted(compiled):
    class Counter:
        def __init__(self):
            self.start = 5

        @jit
        def total(self, a):
            return self.start + total(a)

    counter, dynamic = Counter(), djit(total)
    assert counter.total(LARGE) == 5 + sum(range(304))
    assert counter.total(LARGE) == 5 + sum(range(304))
    assert len(compiled) == 2
    assert dynamic(LARGE) == dynamic(LARGE) == sum(range(304))
    assert len(compiled) == 4
    outer = jit(lambda a: jit(total)(a) + 1)
    assert outer(LARGE) == sum(range(304)) + 1


def test_arguments_that_are_known_have_rooms_of_their_own(compiled):
    @jit
    def f(a, n):
        return below(int(a.sum())) + np.zeros(n).size

    assert f(LARGE, 2) == sum(range(304)) + 2
    assert f(LARGE, 2) == sum(range(304)) + 2
    assert len(compiled) == 2
    assert f(LARGE, 3) == sum(range(304)) + 3
    assert f(LARGE, 3) == sum(range(304)) + 3
    assert len(compiled) == 4


def test_what_is_read_from_outside_may_change_in_between():
    f = jit(reads)
    for value in (1, 2):
        globals()["FACTOR"] = value
        assert f(LARGE) == value * sum(range(304))
        assert f(SMALL) == value * 21


FACTOR = 1


def reads(a):
    return FACTOR * total(a)


def test_arrays_on_the_device_and_donated_ones():
    def plus(x):
        return x + below(int(x[0]))

    given = anabranch.asarray(np.array([3000.0, 2.0]))
    wanted = np.array([3000.0, 2.0]) + sum(range(3000))
    np.testing.assert_array_equal(np.asarray(jit(plus)(given)), wanted)
    donating = jit(plus, donate_argnums=0)
    for _ in range(2):
        with pytest.warns(UserWarning, match="with more room for `capacity_requests.at") as told:
            np.testing.assert_array_equal(np.asarray(donating(given)), wanted)
        np.testing.assert_array_equal(np.asarray(given), [3000.0, 2.0])
        donating.clear_cache()
        assert len(told) == 2


def test_operations_outside_of_compiled_functions(compiled):
    def named(x):
        return below(x.sum())

    operand = Operand((2,), LARGE.dtype)
    for _ in range(3):
        assert int(execute.run((named, (operand,), ()), [anabranch.asarray(LARGE)])) == sum(range(304))
    assert len(compiled) == 2
    assert int(execute.run((named, (operand,), ()), [anabranch.asarray(SMALL)])) == 21


def test_saved_and_exported():
    with pytest.raises(anabranch.CapacityError, match="304 are needed"):
        anabranch.Compiled.deserialize(jit(total).lower(SMALL).compile().serialize())(LARGE)
    exported = anabranch.export.deserialize(anabranch.export.export(jit(total))(SMALL).serialize())
    assert exported.call(SMALL) == 21
    with pytest.raises(anabranch.CapacityError, match="304 are needed"):
        exported.call(LARGE)
    learned = jit(total)
    learned(LARGE)
    assert learned.lower(SMALL).compile()(LARGE) == sum(range(304))


def test_the_log_says_what_grew(caplog):
    caplog.set_level(logging.INFO, "anabranch.capacities")
    jit(total)(LARGE)
    (record,) = caplog.records
    text = record.getMessage()
    assert text.startswith("total is run again: capacity 256 -> 512 for `capacity_requests.at(")
    assert f"({__file__}:{below.__code__.co_firstlineno + 2})" in text


def test_lists_to_which_one_loop_appends_grow_together(caplog):
    def three(x):
        times, places, others = [], [], []
        while x > 0.01:
            times.append(len(times))
            places.append(x)
            if x < 0.5:
                others.append(-x)
            x *= 0.99
        return times, places, others

    caplog.set_level(logging.INFO, "anabranch.capacities")
    assert jit(three)(1.0) == three(1.0)
    assert len(caplog.records) == 1


def test_why_it_was_compiled_again(caplog):
    caplog.set_level(logging.WARNING, "anabranch.compiles")
    jit(total, explain_cache_misses=True)(LARGE)
    assert "a run of what was compiled for the signature needed more capacity than it has" in caplog.messages[1]


def test_the_start_belongs_to_the_signature(compiled):
    f = jit(total)
    with configure(capacity=1000):
        assert f(LARGE) == sum(range(304))
    assert len(compiled) == 1
    assert f(LARGE) == sum(range(304))
    assert len(compiled) == 3
    with configure(capacity=0):
        assert f(np.array([0, 1])) == 0
