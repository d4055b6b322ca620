"""`check_equivalent` finds each kind of difference, says where it is, and which stage made it."""

from __future__ import annotations

import pathlib
from collections import defaultdict, deque

import numpy as np
import pytest

from anabranch import asarray, configure, jit
from anabranch.runtime.testing.compare_outcomes import first_difference
from anabranch.runtime.testing.outcomes import Outcome, copied
from anabranch.testing import Tolerance, assert_equivalent, check_equivalent

a = np.arange(4.0)


@pytest.mark.parametrize("value", [asarray(np.arange(3.0)), pathlib.PurePath("a", "b")])
def test_values_are_compared_and_not_what_they_keep(value):
    """Arrays of the device keep memory, paths keep what was asked of them."""
    str(value)
    assert_equivalent(lambda x: (x, [x]), value)


def guarded_sum(a, n):
    s = 0.0
    for i in range(n):
        if a[i] > 1:
            s += a[i]
    print(n)
    return s


def comes_before(a, c):
    before = False
    for v in a:
        if v > 1:
            before = (v, 1) < (c, 2)
    return before


def subnormal(x):
    y = x * 1e-310
    return y


def objects_of(x):
    return x.astype(object)


@pytest.mark.parametrize(
    ("one", "other", "differ"),
    [
        ({float("nan"): 1}, {float("nan"): 1}, False),
        ({float("nan"): 1}, {float("nan"): 2}, True),
        ({float("nan"): 1}, {0.5: 1}, True),
        ({1: 1, 2: 2}, {2: 2, 1: 1}, True),
        (np.array(["2020", "NaT"], "M8[D]"), np.array(["2020", "NaT"], "M8[D]"), False),
        (np.array(["2020", "NaT"], "M8[D]"), np.array(["2020", "2021"], "M8[D]"), True),
        (np.timedelta64("NaT", "s"), np.timedelta64("NaT", "s"), False),
    ],
)
def test_what_is_not_equal_to_itself_is_the_same(one, other, differ):
    want, got = (Outcome(lambda v=value: v, (), {}) for value in (one, other))
    assert (first_difference(want, got) is not None) is differ


def test_nothing_differs():
    assert check_equivalent(guarded_sum, a, 3) is None
    assert check_equivalent(jit(guarded_sum), a, n=9) is None
    assert_equivalent(guarded_sum, a, n=4)


def test_a_type_and_the_stage_that_changed_it():
    report = check_equivalent(comes_before, a, 99.0)
    assert (report.difference.where, report.difference.what) == ("the result", "type")
    assert (report.difference.plain, report.difference.compiled) == ("bool np.True_", "bool True")
    assert report.stage == "tracing"
    assert ">         before = ab.for_(a" in str(report)


def test_a_value_that_only_xla_changes():
    with configure(native_loops=False):
        report = check_equivalent(subnormal, a)
        assert report.stage == "XLA"
        assert report.difference.where == "the result[1]"
        assert "units in the last place" in report.difference.compiled
        assert check_equivalent(subnormal, a, tolerance=Tolerance(atol=1e-300)) is None


def of_a_class_inside(x, y):
    class Pair:
        def __init__(self, x, y):
            self.x, self.y = x, y

    return Pair(x, y)


def test_objects_of_a_class_that_each_call_makes():
    assert check_equivalent(of_a_class_inside, a, 1) is None
    difference = outcomes(of_a_class_inside, lambda x, y: of_a_class_inside(x, y + 1), 1, 2)
    assert difference.where == "the result.y"


def moved_or_turned_in_a_loop(a, n):
    part = a[:2]
    for k in range(n):
        part = part[::-1] if a[k] > 5 else a[k % 2 : k % 2 + 2]
    return part


def test_a_copy_of_an_argument():
    assert check_equivalent(moved_or_turned_in_a_loop, a, 2).difference.what == "memory"
    assert check_equivalent(moved_or_turned_in_a_loop, a, 2, tolerance=Tolerance(copies=True)) is None


def test_memory_of_an_argument_that_should_be_a_copy():
    copying, sharing = Outcome(np.copy, (a,), {}), Outcome(lambda x: x, (a,), {})
    assert first_difference(copying, sharing, tolerance=Tolerance(copies=True)).what == "memory"


def test_a_copy_of_a_list_whose_arrays_are_the_same():
    given = Outcome(lambda x: x, ([a],), {})
    new, deep = (Outcome(f, ([a],), {}) for f in (lambda x: [x[0]], lambda x: [x[0].copy()]))
    assert first_difference(given, new, tolerance=Tolerance(copies=True)) is None
    assert first_difference(deep, new, tolerance=Tolerance(copies=True)).what == "memory"
    assert first_difference(given, new).what == "identity"


def test_a_copy_that_nobody_can_write_to():
    plain, made = (Outcome(f, (a,), {}) for f in (lambda x: x[1:], lambda x: locked(x[1:].copy())))
    assert first_difference(plain, made, tolerance=Tolerance(copies=True)) is None
    assert first_difference(made, plain, tolerance=Tolerance(copies=True)).what == "access"


def test_what_is_refused():
    with pytest.raises(AssertionError, match=r"raises UnsupportedOperationError(.|\n)*made by: tracing"):
        assert_equivalent(objects_of, a)


class Recorder(list):
    pass


def outcomes(plain, other, *args):
    return first_difference(Outcome(plain, args, {}), Outcome(other, args, {}), ("x", "y"))


def raising(error):
    def function(*_):
        raise error

    return function


def locked(array):
    array.flags.writeable = False
    return array


@pytest.mark.parametrize(
    ("plain", "other", "args", "where", "what"),
    [
        (lambda x: x, lambda x: x + 1, (a,), "the result[0]", "value"),
        (lambda x: x, lambda x: x.astype(np.float32), (a,), "the result", "dtype"),
        (lambda x: x, lambda x: x[:2], (a,), "the result", "shape"),
        (lambda x: (x,), lambda x: [x], (a,), "the result", "type"),
        (lambda x: {"k": 1}, lambda x: {"j": 1}, (a,), "the result", "keys"),
        (lambda x: [1, 2], lambda x: [1], (a,), "the result", "length"),
        (lambda x: 1, lambda x: 2, (a,), "the result", "value"),
        (lambda x: None, lambda x: x.fill(7), (a,), "the argument x after the call[0]", "value"),
        (lambda x: x.append(1), lambda x: None, ([],), "the argument x after the call", "length"),
        (lambda x: x, lambda x: list(x), ([1],), "the result", "identity"),
        (lambda x: x[1:], lambda x: x[1:].copy(), (a,), "the result", "memory"),
        (lambda x: x * 1, lambda x: locked(x * 1), (a,), "the result", "access"),
        (lambda x: locked(x * 1), lambda x: x * 1, (a,), "the result", "access"),
        (lambda x: defaultdict(list), lambda x: defaultdict(int), (a,), "the result", "default_factory"),
        (lambda x: deque(x, 3), lambda x: deque(x), ([1],), "the result", "maxlen"),
        (lambda x: print(1), lambda x: print(2), (a,), "the printed text", "value"),
        (raising(ValueError("no")), lambda x: x, (a,), "the exception", "type"),
        (raising(ValueError("no")), raising(KeyError("no")), (a,), "the exception", "type"),
        (raising(ValueError("no")), raising(ValueError("yes")), (a,), "the exception", "message"),
        (lambda x: 0.0, lambda x: -1e-300, (a,), "the result", "value"),
        (lambda x: 1j, lambda x: 1 + 1j, (a,), "the result", "value"),
        (lambda x: "a", lambda x: "b", (a,), "the result", "value"),
        (lambda x: Recorder(), lambda x: [], (a,), "the result", "type"),
    ],
)
def test_each_kind(plain, other, args, where, what):
    found = outcomes(plain, other, *args)
    assert (found.where, found.what) == (where, what), found


@pytest.mark.parametrize(
    ("plain", "other", "args"),
    [
        (lambda x: 0.1 + 0.2, lambda x: 0.3, (a,)),
        (lambda x: x * np.nan, lambda x: x * np.nan, (a,)),
        (lambda x: np.array([np.inf, -0.0]), lambda x: np.array([np.inf, 0.0]), (a,)),
        (lambda x: (x, [x]), lambda x: (x, [x]), ([1, {"k": a}],)),
        (raising(ValueError("no")), raising(ValueError("no")), (a,)),
        (lambda x: np.broadcast_arrays(x, x[:1])[1], lambda x: np.broadcast_to(x[:1], x.shape), (a,)),
    ],
)
def test_what_counts_as_the_same(plain, other, args):
    assert outcomes(plain, other, *args) is None


def test_a_generator_behind_a_list_that_was_written_to_before_an_exception():
    def failing(x, y):
        x.append(1)
        raise ValueError("no")

    def drawing(x, y):
        y.random()
        raise ValueError("no")

    args = ([0], np.random.default_rng(0))
    assert outcomes(failing, raising(ValueError("no")), *args) is None
    found = outcomes(failing, drawing, *args)
    assert found is not None
    assert "after the exception" in found.where


def test_a_list_that_holds_itself():
    def loop(x):
        x.append(x)
        return x

    assert outcomes(loop, loop, []) is None


def test_copies_keep_the_memory_of_arrays() -> None:
    w = np.arange(6.0)
    rows = np.asfortranarray(np.ones((2, 3)))
    locked = np.arange(3.0)
    locked.flags.writeable = False
    (a, b, both), (turned, kept) = copied(((w, w[::2], [w[1:3], w]), (rows.T, locked)))
    assert a is not w
    assert both[1] is a
    assert b.strides == (16,)
    a[2] = 9.0
    assert b[1] == both[0][1] == 9.0
    assert w[2] == 2.0
    assert turned.flags.c_contiguous
    assert not turned.flags.owndata
    assert not kept.flags.writeable
