"""Loops over single elements as machine code: results, changes to arguments and exceptions are those of eager NumPy."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest

from anabranch import IntegerRangeError, configure, djit, jit
from tests.behaviour.interop.fresh_process import run_program
from tests.equivalence import check

A = np.array([3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0, 5.0, 3.0, 5.0, 8.0, 9.0, 7.0, 9.0, 3.0, 2.0, 3.0])
INTS = np.array([3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3])
GRID = np.arange(48.0).reshape(6, 8) % 7


def native_calls(f, *args) -> int:
    """How many loop nests of a function are machine code."""
    return jit(f).lower(*args).as_text().count('"anabranch_native_')


def swept(a):
    largest = 0.0
    for i in range(1, a.shape[0] - 1):
        for j in range(1, a.shape[1] - 1):
            old = a[i, j]
            a[i, j] = 0.25 * (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1])
            largest = max(largest, abs(a[i, j] - old))
    return largest


def bubbled(x):
    for i in range(len(x)):
        for j in range(len(x) - 1 - i):
            if x[j] > x[j + 1]:
                x[j], x[j + 1] = x[j + 1], x[j]


def from_the_end(a):
    total = 0.0
    for i in range(1, len(a) + 1):
        total += a[-i] * i
    return total


def exchanged(u, v, steps):
    for _ in range(steps):
        for i in range(1, len(u) - 1):
            v[i] = 0.5 * (u[i - 1] + u[i + 1])
        u, v = v, u
    return u


def turned(a, b, c, steps):
    for _ in range(steps):
        for i in range(len(a)):
            a[i] += b[i]
        a, b, c = c, a, b
    return a, b, c


def made_anew(grid, steps):
    for _ in range(steps):
        new = np.zeros_like(grid)
        for i in range(grid.shape[0]):
            for j in range(grid.shape[1]):
                new[i, j] = grid[i, j - 1] + 1.0
        grid = new
    return grid


def counted(x, bins):
    counts = np.zeros(bins, np.int64)
    for v in x:
        counts[int(v)] += 1
    return counts


def collatz(n):
    longest = 0
    for k in range(1, n):
        steps, m = 0, k
        while m != 1:
            m = m // 2 if m % 2 == 0 else 3 * m + 1
            steps += 1
        longest = max(longest, steps)
    return longest


def found(a, limit):
    for i in range(len(a)):
        for j in range(i):
            if a[i] + a[j] > limit:
                return i, j
    return -1, -1


def escaped(width, height):
    counts = np.zeros((height, width), np.int32)
    for i in range(height):
        for j in range(width):
            c, z = complex(j / width * 3 - 2, i / height * 2 - 1), 0j
            for k in range(20):
                if abs(z) > 2:
                    break
                z = z * z + c
                counts[i, j] = k
    return counts


def checksum(data):
    crc = 0xFFFF
    for byte in data:
        crc ^= int(byte)
        for _ in range(8):
            crc = (crc >> 1) ^ 0xA001 if crc & 1 else crc >> 1
    return crc


def sieve(n):
    prime = np.ones(n, dtype=bool)
    for i in range(2, n):
        if prime[i]:
            for j in range(2 * i, n, i):
                prime[j] = False
    return prime


def vectors(x, steps):
    v, w = np.zeros(3), np.zeros(3)
    for k in range(steps):
        for axis in range(3):
            v[axis] += x[k, axis]
        w = v if v[0] > 2.0 else w
    return v, w


def chosen(k, x):
    total = 0.0
    for i in range(len(x)):
        match k[i] % 4:
            case 0:
                total += x[i]
            case 1:
                total -= x[i]
            case 2:
                total *= 0.5
            case _:
                total = -total
    return total


PROGRAMS = [
    (swept, (GRID,)),
    (bubbled, (A,)),
    (bubbled, (INTS,)),
    (bubbled, (A.astype(np.float32),)),
    (from_the_end, (A,)),
    (exchanged, (A, A[::-1].copy(), 5)),
    (turned, (A, A + 1, A + 2, 4)),
    (made_anew, (GRID, 3)),
    (counted, (A, 10)),
    (collatz, (60,)),
    (found, (A, 17.5)),
    (found, (A, 99.0)),
    (escaped, (12, 6)),
    (checksum, (np.frombuffer(b"123456789 and some more", np.uint8),)),
    (sieve, (100,)),
    (vectors, (np.arange(30.0).reshape(10, 3), 10)),
    (chosen, (INTS, A)),
]


@pytest.mark.parametrize(("function", "args"), PROGRAMS)
def test_programs(function, args):
    assert native_calls(function, *args) > 0
    check(function, *args)


@pytest.mark.parametrize(("function", "args"), PROGRAMS)
def test_the_same_without_machine_code(function, args):
    arguments = [a.copy() if isinstance(a, np.ndarray) else a for a in args]
    with configure(native_loops=False):
        assert native_calls(function, *arguments) == 0
        check(function, *arguments)


# ---- failures ------------------------------------------------------------------------------------------------------


def reads_beyond(a, n):
    total = 0.0
    for i in range(n):
        a[i] += 1.0
        total += a[i + 1]
    return total


def divides(a, k):
    total = 0
    for i in range(len(a)):
        total += 100 // (a[i] - k)
    return total


def overflows(n):
    product = 1
    for i in range(1, n):
        product *= i
    return product


def looks_up(a, places):
    total = 0.0
    for i in range(len(places)):
        total += a[places[i]]
    for i in range(len(places)):
        total += a[places[i] - 1]
    return total


def fails_before(a, n, place):
    first = a[place]
    total = 0.0
    for i in range(n):
        total += a[i] * first
        a[i] = total
    return total


def in_nested_loops(a, n):
    total = 0.0
    for i in range(n):
        for j in range(i):
            for k in range(j):
                total += a[i + j + k]
    return total


def handled(a, n):
    total = 0.0
    try:
        for i in range(n):
            a[i] += 1.0
            total += a[i]
    except IndexError:
        total = -total
    return total


def normed(a, places, x, steps):
    norm = 0.0
    for _ in range(steps):
        y = np.zeros(len(places))
        for i in range(len(places)):
            for k in range(i):
                y[i] += a[places[k]] * x[places[i]]
        norm = np.sum(np.abs(y))
        if norm == 0.0:
            return x
        x = y / norm
    return norm * x


def last_norm(a, places, x, steps):
    for _ in range(steps):
        y = np.zeros(len(places))
        for i in range(len(places)):
            y[i] = a[places[i]] * x[i]
        norm = np.sum(np.abs(y))
        if norm == 0.0:
            break
        x = y / norm
    return norm


def boxes(a, radius):
    out = np.zeros(a.shape)
    for i in range(a.shape[0]):
        above, below = max(i - radius, 0), min(i + radius + 1, a.shape[0] - 1)
        for j in range(a.shape[1]):
            left, right = max(j - radius, 0), min(j + radius + 1, a.shape[1] - 1)
            out[i, j] = a[below, right] - a[above, left]
    return out


def climbs(a, start, n):
    place = start
    total = 0
    for _ in range(n):
        total += a[place]
        place = place + 3 if a[place] > 3 else place + 1
        total += a[place - 1]
    return total


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (reads_beyond, (A, 17)),
        (reads_beyond, (A, 18)),
        (divides, (INTS, 7)),
        (divides, (INTS, 70)),
        (overflows, (20,)),
        (looks_up, (A, INTS)),
        (looks_up, (A, INTS + 9)),
        (looks_up, (A, INTS + 2**60)),
        (looks_up, (A, INTS - 22)),
        (looks_up, (A, INTS - 19)),
        (fails_before, (A, 18, 3)),
        (fails_before, (A, 18, 2**40)),
        (in_nested_loops, (A, 7)),
        (in_nested_loops, (A, 17)),
        (handled, (A, 10)),
        (handled, (A, 20)),
        (normed, (A, INTS, A, 3)),
        (normed, (A, INTS + 9, A, 3)),
        (normed, (A, INTS, 0 * A, 3)),
        (normed, (A, INTS, A, 0)),
        (last_norm, (A, INTS, A, 3)),
        (last_norm, (A, INTS + 2**40, A, 3)),
        (last_norm, (A, INTS, A, 0)),
        (boxes, (GRID, 2)),
        (boxes, (GRID, -4)),
        (boxes, (GRID, -12)),
        (climbs, (INTS, 0, 5)),
        (climbs, (INTS, 0, 50)),
        (climbs, (INTS, -30, 5)),
    ],
)
def test_failures(function, args):
    assert native_calls(function, *args) > 0
    check(function, *args)


def test_an_int_beyond_64_bits():
    with pytest.raises(IntegerRangeError):
        jit(overflows)(40)


def test_nothing_runs_after_a_failure_before_the_loop():
    """The index that was refused would be used without a bound in the loop."""

    def f(a, place, n):
        total = a[place]
        for i in range(n):
            total += a[place] + a[i]
        return total

    check(f, A, 2, 5)
    with pytest.raises(IndexError):
        jit(f)(A, 2**50, 5)


# ---- arrays that are one ---------------------------------------------------------------------------------------------


def test_one_array_as_two_arguments():
    def f(a, b):
        for i in range(1, len(a)):
            a[i] += b[i - 1]
        return b

    x = A.copy()
    check(f, x, x)
    check(f, A.copy(), A.copy())


def test_an_array_that_is_needed_as_it_was():
    def f(a):
        b = a.copy()
        for i in range(1, len(a)):
            a[i] += b[i - 1]
        for i in range(len(a)):
            b[i] -= a[i]
        return a + b

    check(f, A)


def copied_in_each_step(base, k):
    out = np.zeros(k)
    for s in range(k):
        c = base.copy()
        for i in range(1, len(c)):
            c[i] += c[i - 1] * 0.5
        out[s] = c[-1] + base[s]
    return out


def copied_in_a_branch(a, limit):
    total = 0.0
    for i in range(len(a)):
        if a[i] > limit:
            b = a.copy()
            b[0] = i
            for j in range(len(b)):
                total += b[j]
        else:
            a[i] += 1.0
    return total


def exchanged_by_condition(a, b):
    for i in range(len(a)):
        if a[i] > 3.0:
            a, b = b, a
        a[i] += b[i]
    return a, b


def rows_of_a_table(a, n):
    before = np.zeros_like(a)
    for i in range(n):
        row = np.empty_like(a)
        row[0] = i
        for j in range(1, len(a)):
            row[j] = min(before[j - 1], row[j - 1]) + a[j]
        before, row = row, before
    return before


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (copied_in_each_step, (np.arange(40.0), 5)),
        (copied_in_a_branch, (np.arange(40.0), 7.0)),
        (exchanged_by_condition, (np.arange(40.0), np.arange(40.0)[::-1].copy())),
        (rows_of_a_table, (np.arange(40.0), 9)),
        # So few elements that they are in registers.
        (copied_in_a_branch, (A[:5], 3.0)),
        (exchanged_by_condition, (A[:5], A[5:10])),
    ],
)
def test_arrays_that_are_copied(function, args):
    assert native_calls(function, *args) > 0
    check(function, *args)


# ---- where the machine code goes -------------------------------------------------------------------------------------


def filled(a, n):
    out = np.zeros((n + 1, n))
    for i in range(n):
        for j in range(i + 1):
            out[j, i] = a[j, i] - i
        out[i + 1, i] = a[i, 0]
    return out


@pytest.mark.parametrize("read", [
    lambda m: np.linalg.svd(m)[1], lambda m: np.linalg.qr(m)[1], lambda m: np.linalg.inv(m[1:]), np.transpose,
    lambda m: m.T @ m, lambda m: np.linalg.eigvalsh(m[1:] + m[1:].T),
])  # fmt: skip
def test_whoever_reads_next_an_array_is_in_c_order(read):
    """LAPACK reads columns, and XLA would have the loop write the array so."""

    def f(a, n):
        out = filled(a, n)
        return read(out), out

    def g(a, n):
        q, r = np.linalg.qr(a)
        total = 0.0
        for i in range(n):
            for j in range(n):
                total += q[i, j] * i - r[j, i] * j
        return total

    a = np.random.default_rng(0).random((6, 6))
    check(f, a, 5, ulps=1e4)
    check(g, a, 5, ulps=1e4)


def test_calls_that_differ_only_in_values_share_the_code():
    f = jit(swept)
    first, second = GRID.copy(), GRID.copy() + 1.0
    f(first)
    f(second)
    assert f.cache_info().currsize == 1


def test_djit():
    f = djit(bubbled)
    for n in (5, 18):
        x = A[:n].copy()
        f(x)
        np.testing.assert_array_equal(x, np.sort(A[:n]))


def test_saved_bytes_hold_the_code(tmp_path):
    data = jit(found).lower(A, 17.5).compile().serialize()
    (tmp_path / "found.bytes").write_bytes(pickle.dumps((data, A)))
    printed = run_program(
        tmp_path,
        """
        import pickle
        from anabranch import Compiled
        data, a = pickle.load(open("found.bytes", "rb"))
        print([int(i) for i in Compiled.deserialize(data)(a, 17.5)])
        """,
    )
    assert printed.strip() == str(list(found(A, 17.5)))


def test_another_process_finds_the_code_on_disk(tmp_path):
    program = """
        import numpy as np
        from anabranch import jit
        from anabranch.runtime.xla import disk_cache

        @jit
        def f(a):
            s = 0.0
            for i in range(len(a)):
                s = s * 0.5 + a[i]
            return s

        compiled = []
        plain = disk_cache.compile_llvm
        disk_cache.compile_llvm = lambda llvm: compiled.append(llvm) or plain(llvm)
        print(float(f(np.arange(9.0))), len(compiled))
        """
    runs = [run_program(tmp_path, program, ANABRANCH_CACHE="1", ANABRANCH_CACHE_DIR=str(tmp_path)) for _ in range(2)]
    assert runs == ["14.0078125 1\n", "14.0078125 0\n"]


def test_without_llvmlite_loops_are_xlas(tmp_path):
    printed = run_program(
        tmp_path,
        """
        import sys
        import numpy as np
        import importlib.util
        plain = importlib.util.find_spec
        importlib.util.find_spec = lambda name, *a: None if name == "llvmlite" else plain(name, *a)
        from anabranch import jit

        @jit
        def f(a):
            s = 0.0
            for i in range(len(a)):
                s = s * 0.5 + a[i]
            return s

        print(float(f(np.arange(9.0))), "llvmlite" in sys.modules)
        """,
    )
    assert printed == "14.0078125 False\n"


def test_elementary_functions_are_as_near_as_documented():
    def f(x):
        total = np.zeros((8, len(x)))
        for i in range(len(x)):
            total[0, i] = math.exp(-x[i])
            total[1, i] = math.log(x[i])
            total[2, i] = math.sin(x[i])
            total[3, i] = math.cos(x[i])
            total[4, i] = math.tanh(x[i])
            total[5, i] = x[i] ** 1.7
            total[6, i] = math.atan2(x[i], 2.0)
            total[7, i] = math.sqrt(x[i])
        return total

    assert native_calls(f, A) == 1
    check(f, A, ulps=4)


def test_an_array_of_no_elements_in_a_loop_that_xla_calls() -> None:
    """LLVM has no attribute for an address of which zero bytes can be read."""

    def f(rng):
        out = []
        for _ in range(4):
            for k in range(5):
                if rng.random() < 0.5:
                    continue
                out.extend(rng.random(k % 3))
        return out

    wrapped = jit(f, compiler_options={"xla_cpu_parallel_codegen_split_count": 1})
    assert wrapped(np.random.default_rng(3)) == f(np.random.default_rng(3))


def test_equal_calls_of_one_loop_have_arrays_of_their_own() -> None:
    """XLA takes equal calls for one, and copies no part of its results for a later call that writes to both."""

    def filled(x):
        made, total = np.zeros(len(x)), 0.0
        for i in range(len(x)):
            made[i] = x[i] + i
            total += made[i]
        return made, total

    def changed(x):
        a, b = filled(x)[0], filled(x)[0]
        for i in range(1, len(x)):
            a[i] = a[i - 1] + 1
            b[i] = b[i - 1] * 2 + 1
        return a, b

    x = np.arange(1.0, 12.0)
    for got, want in zip(
        jit(changed, compiler_options={"xla_cpu_parallel_codegen_split_count": 1})(x), changed(x), strict=True
    ):
        np.testing.assert_array_equal(got, want)
