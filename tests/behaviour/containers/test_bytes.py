"""`bytearray` and `memoryview` as arguments, and the bytes of arrays."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import UnsupportedOperationError, configure, jit
from tests.equivalence import check

LINE = np.arange(4.0)


def outcome(f, *args):
    try:
        return f(*args)
    except Exception as error:
        return type(error), str(error)


def same(f, make, *rest, plain=lambda x: x):
    """Compare on two objects that are made alike: results, and what is left in the objects."""
    jitted = jit(f)
    for _ in range(3):
        mine, theirs = make(), make()
        want, got = outcome(f, theirs, *rest), outcome(jitted, mine, *rest)
        assert plain(got) == plain(want)
        assert type(got) is type(want)
        assert mine == theirs


@pytest.mark.parametrize("native", [True, False])
def test_bytearrays_are_read_and_written(native):
    def f(b, i, x):
        b[0] = 65
        b[i] = x
        b[1:3] = b"zz"
        total = 0
        for c in b:
            total += c
        for k in range(len(b)):
            b[k] = (b[k] ^ 85) % 256
        rest = b.copy()
        rest[0] = 9
        return total, b[i], b[-1], len(b), b[1:3], list(b), isinstance(b, bytearray), b == rest, b != b"abc", rest

    with configure(native_loops=native):
        same(f, lambda: bytearray(b"abcd"), 3, 255)


@pytest.mark.parametrize(("i", "x"), [(4, 1), (-5, 1), (0, 256), (0, -1), (0, 1.5)])
def test_bytearrays_raise(i, x):
    def f(b, i, x):
        b[i] = x
        return b[i]

    same(f, lambda: bytearray(b"abcd"), i, x)
    same(lambda b, i: b[i], lambda: bytearray(b"abcd"), i)


@pytest.mark.parametrize(
    "make",
    [
        lambda: memoryview(bytearray(b"abc")),
        lambda: memoryview(np.arange(3.0)),
        lambda: memoryview(np.arange(6, dtype=np.int16))[::2],
        lambda: memoryview(b"abc"),
        lambda: memoryview(bytearray(b"a\xffb")),
    ],
)
def test_memoryviews(make):
    def f(m, i):
        m[i] = m[i] + 1
        total = sum(m)
        return m[i], total, m.tolist(), len(m), m[1:]

    same(f, make, 1)


def test_returned_objects_are_the_callers():
    b = bytearray(b"abcd")
    assert jit(lambda b: b)(b) is b
    m = memoryview(b)
    part = jit(lambda m: m[1:])(m)
    b[1] = 7
    assert part[0] == 7


@pytest.mark.parametrize("native", [True, False])
def test_copies_as_bytes(native):
    def f(b, n):
        first = bytes(b)
        for i in range(len(b)):
            b[i] ^= 1
        raw, copied = bytes(b), bytearray(b)
        copied[0] = n
        again = bytearray(raw)
        if n > 1:
            again[1] = 0
        return first, raw, copied, again, bytes(raw) is raw, raw[0], raw[1:], raw == first, list(bytes(again)), bytes(3)

    with configure(native_loops=native):
        for n in (1, 2):
            same(f, lambda: bytearray(b"hello"), n)
    same(lambda b: (bytes(b), bytearray(b), len(bytes(b))), bytearray)


@pytest.mark.parametrize(
    "make",
    [
        lambda: memoryview(bytearray(b"abc"))[::-1],
        lambda: memoryview(np.arange(3.0)),
        lambda: memoryview(np.arange(6, dtype=np.int16))[::2],
        lambda: memoryview(b"abc"),
    ],
)
def test_memory_as_bytes(make):
    same(lambda m: (bytes(m), bytearray(m), len(bytes(m))), make)


def test_bytes_of_arrays():
    def f(a):
        raw = a.tobytes()
        return (
            raw, raw[0], raw[6], raw[:8], len(raw), raw == raw[:], a.T.tobytes(), a.tobytes("F"), a[0].tobytes(),
            np.frombuffer(raw, np.int32), np.frombuffer(raw, float, 1, 8), np.frombuffer(a, np.uint8),
        )  # fmt: skip

    check(f, LINE.reshape(2, 2))
    check(lambda x: x.tobytes(), np.float32(2))
    check(lambda a: np.frombuffer(a.tobytes(), np.int64, 3, 3), LINE)
    check(lambda a: np.frombuffer(a.T, np.int64), LINE.reshape(2, 2))


def test_a_buffer_is_a_view():
    def f(b):
        u = np.frombuffer(b, np.uint8)
        u[0] = 1
        return b[0], u[1]

    same(f, lambda: bytearray(b"abcd"))


def test_what_is_refused():
    def grow(b):
        b[0:1] = b"xyz"

    for f, text in (
        (grow, "changes the length"),
        (lambda b: b.append(3), "append"),
        (lambda b: b.decode(), "decode"),
        (np.array, "bytearray"),
        (lambda b: b + b"x", r"the operator \+ of a bytearray"),
        (lambda b: b"x" + b, r"the operator \+ of a bytearray"),
        (lambda b: 2 * b, r"the operator \* of a bytearray"),
    ):
        with pytest.raises(UnsupportedOperationError, match=text):
            jit(lambda b, f=f: f(b))(bytearray(b"abc"))


@pytest.mark.parametrize("read", [bytes, bytearray, memoryview])
def test_the_memory_of_a_run_time_array_is_no_sequence_of_ints(read):
    # Python's error would be caught by the program, and is not what NumPy raises.
    def f(a):
        try:
            return read(a)
        except TypeError:
            return b"none"

    for a in (np.ones(2), np.float64(1.5)):
        with pytest.raises(UnsupportedOperationError, match=f"{read.__name__} is not compiled"):
            jit(f)(a)
