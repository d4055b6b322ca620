"""Checks that ranges prove needless go; those that may fail stay, and raise as eagerly."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from anabranch import jit, switch
from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.interval import Interval
from anabranch.runtime.ir.program import Var
from anabranch.runtime.ir.verify import check
from anabranch.runtime.passes import optimise
from anabranch.runtime.passes.checks import prove_checks
from anabranch.runtime.passes.interval_rules import of_dtype, rule_of
from anabranch.runtime.passes.invariant_forwarding import forward_invariants
from anabranch.runtime.passes.range_analysis import value_ranges
from tests.equations import every_equation, literal, one, ops
from tests.equivalence import check as equal

A = np.array([3.0, 1.0, 2.0, 0.0, 5.0])
MOST = 2**63 - 1


def left(function, *args):
    """The number of checks after the pass."""
    program = prove_checks(jit(function).trace(*args).program)
    check(program)
    return ops(program).count("check")


def binary_search(a, x):
    low, high = 0, len(a) - 1
    while low <= high:
        middle = (low + high) // 2
        if a[middle] == x:
            return middle
        if a[middle] < x:
            low = middle + 1
        else:
            high = middle - 1
    return -1


def insertion_sort(a):
    for i in range(1, len(a)):
        j = i
        while j > 0 and a[j - 1] > a[j]:
            a[j - 1], a[j] = a[j], a[j - 1]
            j -= 1
    return a


def scan(a, x):
    i = 0
    while i < len(a) and a[i] != x:
        i += 1
    return i


def first_difference(a, n):
    for i in range(1, n):
        if i < len(a) and a[i] != a[i - 1]:
            return i
    return -1


def stopped_before_its_steps(a, n):
    k = 5
    try:
        a[n] = 1.0
        for i in range(3):
            k = i
            a[i + n] = i
    except IndexError:
        k = a[k]
    return a, k


def sum_of_indices(a):
    total = 0
    for i in range(len(a)):
        for j in range(i):
            if a[j] > a[i]:
                total += i * j
    return total


def multiples(flags, n):
    for i in range(2, n):
        if 0 <= i < 5 and flags[i] > 0:
            j = i * i
            while j < 5:
                flags[j] = 0.0
                j += i
    return flags


def remainders(a, n):
    out = 0.0
    for i in range(7):
        out += a[(n * 0 + i) % 5] + a[-(i % 5) - 1]
    return out


def divisor(a, b):
    while b:
        a, b = b, a % b
    return a


def halvings(x):
    count = 0
    while x > 1.0:
        x, count = x / 2, count + 1
    return count


def longest_run(a):
    longest = i = 0
    while i < len(a):
        j = i
        while j < len(a) and a[j] == a[i]:
            j += 1
        longest = max(longest, j - i)
        i = j
    return longest


def numbers(text):
    total = i = 0
    while i < len(text):
        while i < len(text) and text[i] == 32:
            i += 1
        while i < len(text) and 48 <= text[i] <= 57:
            total = total * 3 % 1000 + text[i]
            i += 1
        i += 1
    return total


def bits(numbers):
    count = 0
    for x in numbers:
        while x:
            x, count = x & (x - 1), count + (2 if x % 2 else -2)
    return count


def around(a, radius):
    radius = min(max(radius, 0), 100)
    total = 0.0
    for i in range(len(a)):
        start = max(0, i - radius)
        for k in range(3):
            for j in range(start, min(len(a), i + radius + 1)):
                total += a[j] * k
    return total


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (around, (A, 2)),
        (bits, (np.array([3, 17, 5]),)),
        (binary_search, (np.sort(A), 2.0)),
        (insertion_sort, (A,)),
        (first_difference, (A, 9)),
        (scan, (A, 0.0)),
        (sum_of_indices, (A,)),
        (multiples, (A, 9)),
        (remainders, (A, 3)),
        (divisor, (12, 18)),
        (halvings, (9.0,)),
        (longest_run, (A,)),
        (numbers, (np.frombuffer(b"12 7  345", np.uint8).astype(int),)),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_what_cannot_fail_is_not_checked(function, args):
    assert left(function, *args) == 0
    equal(function, *args)


def least_around(a, radius):
    out = np.zeros_like(a)
    for i in range(len(a)):
        least = a[i]
        for j in range(max(0, i - radius), min(len(a), i + radius + 1)):
            least = min(least, a[j])
        out[i] = least
    return out


def test_indices_between_numbers_lie_between_them():
    program = optimise(jit(least_around).trace(A, 2).program, native_loops=True)
    ranges = value_ranges(program)
    reads = [e for e in every_equation(program) if e.op.name == "dynamic_slice"]
    assert len(reads) == 2
    for read in reads:
        known = ranges[read.inputs[1]]
        assert (known.low, known.high) == (0, len(A) - 1)
    for radius in (-(2**62), -3, 0, 2, 2**62):
        equal(least_around, A, radius)


@pytest.mark.parametrize("n", [0, 6, 8])
def test_a_loop_that_has_stopped_at_once_leaves_its_carries(n):
    equal(stopped_before_its_steps, np.arange(8.0), n)


def test_a_loop_that_cannot_fail_carries_no_error_code():
    program = optimise(jit(scan).trace(A, 0.0).program)
    (loop,) = [e for e in every_equation(program) if e.op.name == "while"]
    assert all(v.type.dtype != np.int32 for v in loop.outputs)


# ---- checks that stay ------------------------------------------------------------------------------------------------


def beyond_the_end(a, i):
    while i <= len(a):
        a[i] += 1.0
        i += 1
    return i


def down(a, i):
    while i >= -7:
        if a[i] > 9.0:
            return i
        i -= 1
    return i


def up(a, n):
    for i in range(n):
        a[i] += 1.0
        a[i - 1] += i * i
    return a


def next_one(a, i):
    return a[i] + a[i + 1]


def caught_before(a, i):
    done = 0
    try:
        a[i] = 9.0
        done = 1
    except IndexError:
        a[0] = 7.0
    return a[i] if done == 0 else done


def caught_in_steps(a, n):
    for i in range(n):
        try:
            a[i] += 1.0
        except IndexError:
            a[0] += 10.0
    return a


def only_in_one_branch(a, i, n):
    if n > 0:
        a[i] = 1.0
    return a[i]


def in_steps_that_may_not_run(a, i, n):
    for _ in range(n):
        a[i] += 1.0
    return a[i]


def carried(a, i):
    for _ in range(3):
        a[i] += 1.0
        i += 2
    return a


def from_another_number(a, i):
    total = 0.0
    for j in range(max(i, 0), min(i + 3, len(a))):
        total += a[j - max(i, 0)] + a[i + (j - max(i, 0))]
    return total


def to_one_that_grows(a, i):
    stop, seen = 2, 0
    for _ in range(6):
        for j in range(max(i, 0), stop):
            seen += j
            a[j] += 1.0
        stop += 2
    return seen


def one_too_many(a, i):
    for j in range(max(i, 0), min(max(i, 0) + 9, len(a) + 1)):
        a[j] += 1.0
    return a


def in_a_branch(a, i):
    for k in range(3):
        stop = len(a) if k < 2 else i
        if i > 0:
            for j in range(min(i, 3), stop):
                a[j] += k
    return a


@pytest.mark.parametrize(
    "function",
    [
        beyond_the_end, down, up, next_one, caught_before, carried, from_another_number, to_one_that_grows,
        one_too_many, in_a_branch,
    ],
)  # fmt: skip
def test_what_may_fail_is_checked(function):
    for i in (-7, -6, -5, -2, -1, 0, 1, 3, 4, 5, 6, 8, 2**40):
        equal(function, A, i)


@pytest.mark.parametrize("function", [only_in_one_branch, in_steps_that_may_not_run])
def test_what_is_not_always_checked_is_checked_later(function):
    for i, n in itertools.product((-6, -5, 4, 5), (0, 1, 3)):
        equal(function, A, i, n)


def test_what_was_caught_fails_again():
    for n in (0, 5, 8):
        equal(caught_in_steps, A, n)


def growing(n, start):
    total = start
    for i in range(n):
        total += i
    return total


def growing_inside(n, start):
    total = start
    for i in range(n):
        k = 0
        while k < 2:
            total, k = total + i // 2 + (i - i // 2), k + 2
    return total


@pytest.mark.parametrize("start", [0, MOST - 44, MOST - 45, MOST - 46, -MOST - 1])
@pytest.mark.parametrize("function", [growing, growing_inside])
def test_sums_overflow_where_they_do(function, start):
    for n in (0, 1, 10):
        if -(2**63) <= function(n, start) <= MOST:
            equal(function, n, start)
        else:
            with pytest.raises(OverflowError):
                jit(function)(n, start)


# ---- rules -----------------------------------------------------------------------------------------------------------

_ENDS = (-128, -127, -9, -2, -1, 0, 1, 2, 7, 8, 9, 126, 127)
_BINARY = (
    *("add", "subtract", "multiply", "floor_divide", "remainder", "minimum", "maximum", "right_shift", "left_shift"),
    *("less", "less_equal", "greater", "greater_equal", "equal", "not_equal", "logical_and", "logical_or"),
    *("bitwise_and", "bitwise_or", "bitwise_xor"),
)
_UNARY = ("square", "negative", "absolute", "sign", "invert", "logical_not")


@pytest.mark.parametrize("name", [*_UNARY, *_BINARY])
def test_the_interval_of_a_result_holds_each_result(name):
    rng = np.random.default_rng(0)
    zero = literal(np.int8(0))
    count = 1 if name in _UNARY else 2
    _, line = one(name, *[zero] * count)
    rule, every = rule_of(line), of_dtype(line.outputs[0].type.dtype)
    for _ in range(150):
        ends = [sorted(rng.choice(_ENDS, 2)) for _ in range(count)]
        found = rule(line, [Interval(int(a), int(b)) for a, b in ends])
        if found is None or found.low < every.low or found.high > every.high:
            continue
        for values in itertools.product(*(rng.integers(a, b + 1, 8) for a, b in ends)):
            (result,) = line.op.evaluate(*(np.int8(v) for v in values))
            assert found.low <= int(result) <= found.high, (ends, values)


@pytest.mark.parametrize("name", ["add", "subtract", "multiply"])
def test_overflow_is_that_of_the_exact_result(name):
    values = [-MOST - 1, -MOST, -(2**62), -(2**32), -3, -1, 0, 1, 2, 2**31, 2**32 + 1, 2**62, MOST - 1, MOST]
    x, y = map(np.array, zip(*itertools.product(values, repeat=2), strict=True))
    _, line = one(f"{name}_overflows", literal(x[0]), literal(y[0]))
    exact = getattr(np, name)(x.astype(object), y.astype(object))
    want = [not -(2**63) <= e <= MOST for e in exact]
    assert [bool(line.op.evaluate(a, b)[0]) for a, b in zip(x, y, strict=True)] == want

    def fails(a, b):
        return {"add": lambda: a + b, "subtract": lambda: a - b, "multiply": lambda: a * b}[name]()

    compiled = jit(fails)
    for a, b, overflows in zip(x.tolist(), y.tolist(), want, strict=True):
        if overflows:
            with pytest.raises(OverflowError):
                compiled(a, b)
        else:
            assert compiled(a, b) == fails(a, b)


def test_passes_leave_a_switch_that_gains_nothing_as_it_is():
    def chosen(i, x):
        return switch(i, [np.sin, np.cos, np.exp], x)

    program = optimise(jit(chosen).trace(np.int64(1), A).program)
    assert "switch" in ops(program)
    assert forward_invariants(program) is program
    equal(chosen, np.int64(1), A)


def in_turns(text, key):
    return text + key[np.arange(text.shape[0]) % key.shape[0]]


def beyond(text, key):
    return text + key[np.arange(text.shape[0]) % (key.shape[0] + 1)]


def picked(table, at):
    return table[np.arange(3)[at].max()]


def test_positions_in_arrays():
    text, key = np.arange(20), np.array([3, 1, 4])
    assert left(in_turns, text, key) == 0
    equal(in_turns, text, key)
    assert left(beyond, text, key) == 1
    equal(beyond, text, key)
    equal(beyond, text[:3], key)
    at = np.array([2, 0])
    assert left(picked, key, at) == left(picked, key[:2], at) - 1
    equal(picked, key, at)
    equal(picked, key[:2], at)


@pytest.mark.parametrize(("op", "shape"), [("reduce_any", (2, 3)), ("reduce_all", (2, 3)), ("reduce_any", (0, 3))])
@pytest.mark.parametrize("interval", [Interval(0, 0), Interval(2, 5), Interval(-1, 1), Interval(0, 4)])
def test_truth_of_the_elements_of_an_array(op, shape, interval):
    array = Var(ArrayType(shape, np.dtype(np.int64)))
    _, equation = one(op, array, axes=(0,))
    rule = rule_of(equation)
    assert rule is not None
    found = rule(equation, [interval])
    values = itertools.product(range(interval.low, interval.high + 1), repeat=2)
    truths = {bool(getattr(np, op.removeprefix("reduce_"))(np.array(v[: shape[0]]))) for v in values}
    assert found is None or all(found.low <= truth <= found.high for truth in truths)
