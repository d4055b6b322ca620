"""Ints beyond int64: what a remainder, a mask or a shift takes of them is exact; words of 64 bits are carried."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from anabranch import IntegerRangeError, jit
from tests.equivalence import check
from tests.program_table import Program, Table

case = Table()
M = 0xFFFFFFFFFFFFFFFF


@case(([1, 2, 250],), ([],))
def fnv_hash(data):
    h = 0xCBF29CE484222325
    for c in data:
        h = h ^ c
        h = (h * 0x100000001B3) & M
    return h


@case((42, 5), (2**63 - 1, 3), (2**64 - 1, 2))
def linear_congruences(x, n):
    total = 0.0
    for _ in range(n):
        x = (6364136223846793005 * x + 1442695040888963407) % 2**64
        total += x / 2**64
    return x, total, x // 2**33 % 100


@case((1, 4), (2**63 + 9, 2))
def splitmix(s, n):
    z = 0
    for _ in range(n):
        s = (s + 0x9E3779B97F4A7C15) & M
        z = s
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & M
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & M
        z = z ^ (z >> 31)
    return z, z >> 40, z / 2**64


@case((88172645463325252, 6))
def xorshift(x, n):
    for _ in range(n):
        x ^= (x << 13) & M
        x ^= x >> 7
        x ^= (x << 17) & M
    return x


@case(
    (np.array([2**31, 123456789012345678, 7, 2**62]), 10**9 + 7),
    (np.array([3, 1, 4, 1]), 97),
    (np.array([-(2**63), 2**63 - 1]), -5),
    (np.array([2**62, 3]), 0),
)
def remainders_of_sums_of_products(a, m):
    t = 0
    for i in range(len(a)):
        t = (t * int(a[i]) + int(a[i]) * int(a[i - 1]) - 3) % m
    return t


@case((2**62, 7, 5), (2**62, 2**62, 9), (3, 4, 5))
def remainders_in_branches(x, y, m):
    product = x * y
    if y > 10:
        return product % m, (product + 1) % m
    return (product - y) % m, product % 7


def _rotated(x, k):
    return ((x << k) | (x >> (64 - k))) & M


@case((1, 2, 3, 4, 7))
def xoshiro(s0, s1, s2, s3, n):
    total = 0
    for _ in range(n):
        result = (_rotated((s1 * 5) & M, 7) * 9) & M
        t = (s1 << 17) & M
        s2 ^= s0
        s3 ^= s1
        s1 ^= s2
        s0 ^= s3
        s2 ^= t
        s3 = _rotated(s3, 45)
        total ^= result
    return total, s0, s1, s2, s3


@case((1234, 9))
def murmur(h, n):
    for i in range(n):
        k = (i * 0xCC9E2D51) & 0xFFFFFFFF
        k = ((k << 15) | (k >> 17)) & 0xFFFFFFFF
        h ^= (k * 0x1B873593) & 0xFFFFFFFF
        h = (((h << 13) | (h >> 19)) * 5 + 0xE6546B64) & 0xFFFFFFFF
    return h


@case((list(b"123456789"),))
def crc(data):
    code = M
    for b in data:
        code ^= b
        for _ in range(8):
            if code & 1:
                code = (code >> 1) ^ 0xC96C5795D7870F42
            else:
                code >>= 1
    return code ^ M


@case(
    (2**61 + 5, 2**60 + 77, 10**18 + 9),
    (-(2**61) + 5, 12345678901234567, -(10**18) + 9),
    (2**63 - 1, 2**63 - 1, -(2**63)),
    (-(2**63), -(2**63), 2**63 - 1),
    (5, 3, 7),
    (5, 3, 1),
    (2**62, 2**62, 0),
)
def products_modulo(a, b, m):
    return (a * b) % m, (a * b + a - 7) % m, (a - b * b * b) % m, a**5 % m, -(a * b) % m


@case((2**61 - 5, 2**40 + 1), (7, 9))
def powers_modulo(a, b):
    return pow(a, b, 10**18 + 9), (1 << b % 100) % 97, 3 ** (b % 200) % 1000003, (a * a + b) % (2**61 - 1), a * b & 1023


@case((2305843009213693951, 37), (1000000000000000003, 2), (561, 5))
def is_probably_prime(n, a):
    d, r = n - 1, 0
    while d % 2 == 0:
        d //= 2
        r += 1
    x = pow(a, d, n)
    if x == 1 or x == n - 1:
        return True
    for _ in range(r - 1):
        x = x * x % n
        if x == n - 1:
            return True
    return False


@case((1000003 * 1000033, 1))
def a_factor(n, c):
    x = y = 2
    d = 1
    while d == 1:
        x = (x * x + c) % n
        y = (y * y + c) % n
        y = (y * y + c) % n
        d = math.gcd(abs(x - y), n)
    return d


@case((12345,), (-3,), (0,), (1,))
def what_a_word_is(x):
    h = (x * 0x9E3779B97F4A7C15) & M
    order = h > 5, h < 2**63, h == h, h >= 2**63, h != 3, -1 < h, h < 2**64, h <= x, x < h, 2**70 > h, -(2**70) > h
    parts = h // 3, h % 1000, h % (2**64 - 59), h >> 1, h >> 63, h >> 64, h >> (x & 31), h & 0xFF, h & x & 255
    signs = ~h & M, -h % 97, abs(h), +h, int(h), (h - 5) & M, (h + h) % 1009
    products = h * h % 1000003, (h * h) >> 64, (h * h) >> 70, (h * 3) >> 2, divmod(h, 10)
    return h, order, parts, signs, products, bool(h), float(h), h * 0.5, h.bit_length(), h.bit_count(), f"{h}"


@case((12345,), (-3,), (0,), (1,))
def bytes_of_words(x):
    h = (x * 0x9E3779B97F4A7C15) & M
    made = [h.to_bytes(8, "little"), h.to_bytes(11, "big"), h.to_bytes(9, "big", signed=True)]
    for length in (4, 7, 8):
        try:
            made.append(h.to_bytes(length, "big", signed=length == 8))
        except OverflowError as error:
            made.append(str(error))
    return made


@case((3, 1), (4, 2**63 + 3))
def words_in_arrays(n, s):
    a = np.zeros(n, np.uint64)
    for i in range(n):
        s = (s * 6364136223846793005 + 1) & M
        a[i] = s
    return a, np.uint64(s), [s, 1], {"s": s}


@case((5, True), (5, False))
def a_word_or_an_int(x, flag):
    h = (x * 0x9E3779B97F4A7C15) & M if flag else x
    return h, h & 7


@case((2**40,))
def an_unused_product(x):
    y = x * x
    return y % 10


@pytest.mark.parametrize("program", case.programs)
def test_like_eager(program: Program) -> None:
    program.check()


@pytest.mark.parametrize("function", [fnv_hash, splitmix, products_modulo, what_a_word_is])
def test_without_machine_code(function) -> None:
    args = {fnv_hash: ([1, 2, 3],), splitmix: (5, 3), products_modulo: (2**61, 2**62 + 1, 10**17), what_a_word_is: (9,)}
    assert jit(function, native_loops=False)(*args[function]) == function(*args[function])


_AT_EDGES = (0, 1, -1, 2**31, 2**62 + 1, 2**63 - 1, -(2**63))


def test_operations_at_the_edges() -> None:
    def masked(a, b):
        low = (a * b) & M, (a + b) & M, (a - b) & M, (a ^ b) & M, (a | (b << 3)) & M, ~(a * b) & M
        return low, (a * b) % 2**64, (a + b * a) & 0xFFFF, (a * b - 1) % 2**63, (a + 2**63) & M, (2**64 - b) & 1023

    compiled = jit(masked)
    for a, b in itertools.product(_AT_EDGES, repeat=2):
        assert compiled(a, b) == masked(a, b), (a, b)


def _returned(a, b):
    c = a * b
    return c, c % 10


def _used_where_it_fails(a, b):
    c = a * b
    return c % 10 if b < 0 else c


def _an_index(a, b):
    h = (a * 0x9E3779B97F4A7C15 + (b & 1)) & M
    try:
        return _LINE[h | 2**63]
    except IndexError:
        return -1.0


def _a_dtype(a, b):
    return np.array([(a - 2**40 - 1) & M]).dtype


_LINE = np.arange(4.0)


@pytest.mark.parametrize("function", [_returned, _used_where_it_fails, _an_index, _a_dtype])
def test_what_is_no_int64_is_refused(function) -> None:
    with pytest.raises(IntegerRangeError):
        jit(function)(2**40, 2**40 + 1)


def test_a_sum_beyond_64_bits_is_refused() -> None:
    def total(n):
        h = 0
        for _ in range(n):
            h += 0xFFFFFFFFFFFFFFFF & (n * 2**62 - 1)
        return h

    with pytest.raises(IntegerRangeError):
        jit(total)(3)


def test_words_are_told_apart_as_arguments() -> None:
    def following(x):
        return (x * 6364136223846793005 + 1) & M

    compiled, x, y = jit(following), 7, 7
    for _ in range(6):
        x, y = following(x), compiled(y)
        assert type(y) is int
        assert x == y
    assert check(lambda x: (x, [x], x > 3), 2**64 - 1)[0] == 2**64 - 1
