"""Calendars and whole numbers."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np

from tests.programs.science.table import program


@program(lambda: (1900,), lambda: (2000,), lambda: (2024,), lambda: (2023,))
def is_leap(year):
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


@program(lambda: (2024, 2, 29), lambda: (1969, 7, 20))
def day_of_week(year, month, day):
    names = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
    offsets = [0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4]
    if month < 3:
        year -= 1
    return names[(year + year // 4 - year // 100 + year // 400 + offsets[month - 1] + day) % 7]


@program(lambda: (2024, 60), lambda: (2023, 365), lambda: (2023, 366))
def month_and_day(year, day_of_year):
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    days = [31, 29 if leap else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    for month, n in enumerate(days, start=1):
        if day_of_year <= n:
            return month, day_of_year
        day_of_year -= n
    raise ValueError("day out of range")


@program(lambda: (2024,), lambda: (1999,))
def easter(year):
    a = year % 19
    b, c = divmod(year, 100)
    d, e = divmod(b, 4)
    g = (8 * b + 13) // 25
    h = (19 * a + b - d - g + 15) % 30
    i, k = divmod(c, 4)
    m = (32 + 2 * e + 2 * i - h - k) % 7
    n = (a + 11 * h + 22 * m) // 451
    month, day = divmod(h + m - 7 * n + 114, 31)
    return month, day + 1


@program(lambda: (60,))
def sieve(n):
    prime = np.ones(n + 1, dtype=bool)
    prime[:2] = False
    for i in range(2, int(n**0.5) + 1):
        if prime[i]:
            prime[i * i :: i] = False
    return np.flatnonzero(prime)


@program(lambda: (20,))
def primes_by_trial(count):
    found = []
    n = 2
    while len(found) < count:
        for p in found:
            if p * p > n:
                found.append(n)
                break
            if n % p == 0:
                break
        else:
            found.append(n)
        n += 1
    return found


@program(lambda: (360,), lambda: (97,), lambda: (1,))
def factorise(n):
    factors = {}
    p = 2
    while p * p <= n:
        while n % p == 0:
            factors[p] = factors.get(p, 0) + 1
            n //= p
        p += 1
    if n > 1:
        factors[n] = factors.get(n, 0) + 1
    return factors


@program(lambda: (240, 46), lambda: (17, 5))
def extended_gcd(a, b):
    old_r, r, old_s, s, old_t, t = a, b, 1, 0, 0, 1
    while r:
        q = old_r // r
        old_r, r = r, old_r - q * r
        old_s, s = s, old_s - q * s
        old_t, t = t, old_t - q * t
    return old_r, old_s, old_t


@program(lambda: (7, 560, 561), lambda: (2, 10, 1000))
def modular_power(base, exponent, modulus):
    result = 1
    base %= modulus
    while exponent > 0:
        if exponent & 1:
            result = result * base % modulus
        base = base * base % modulus
        exponent >>= 1
    return result


@program(lambda: (561,), lambda: (7919,))
def miller_rabin(n):
    d, s = n - 1, 0
    while d % 2 == 0:
        d //= 2
        s += 1
    for a in (2, 3, 5, 7):
        x = pow(a, d, n)
        if x in (1, n - 1):
            continue
        for _ in range(s - 1):
            x = x * x % n
            if x == n - 1:
                break
        else:
            return False
    return True


@program(lambda: (math.pi, 6), lambda: (2.5, 6))
def continued_fraction(x, terms):
    coefficients = []
    for _ in range(terms):
        whole = math.floor(x)
        coefficients.append(whole)
        if abs(x - whole) < 1e-9:
            break
        x = 1 / (x - whole)
    p, q = 1, 0
    for c in reversed(coefficients):
        p, q = c * p + q, p
    return coefficients, (p, q)


@program(lambda: (500,))
def perfect_numbers(limit):
    found = []
    for n in range(2, limit):
        total = 1
        for d in range(2, math.isqrt(n) + 1):
            if n % d == 0:
                total += d
                if d != n // d:
                    total += n // d
        if total == n:
            found.append(n)
    return found


@program(lambda: (1994,), lambda: (2024,))
def to_roman(n):
    table = [(1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC")]
    table += [(50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")]
    out = []
    for value, symbol in table:
        while n >= value:
            out.append(symbol)
            n -= value
    return "".join(out)


@program(lambda: ("MCMXCIV",), lambda: ("IIZ",))
def from_roman(text):
    values = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
    total = 0
    for c, following in zip(text, text[1:] + " "):
        v = values[c]
        total += -v if v < values.get(following, 0) else v
    return total


@program(lambda: (12,), lambda: (27,))
def collatz(n):
    steps, highest = 0, n
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        highest = max(highest, n)
        steps += 1
    return steps, highest


@program(lambda: (15,))
def longest_collatz_with_cache(limit):
    cache = {1: 1}
    best = (1, 1)
    for start in range(2, limit):
        n, length = start, 0
        while n not in cache:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            length += 1
        cache[start] = length + cache[n]
        if cache[start] > best[1]:
            best = (start, cache[start])
    return best


@program(lambda: (19,), lambda: (4,))
def is_happy(n):
    seen = set()
    while n != 1 and n not in seen:
        seen.add(n)
        n = sum(int(d) ** 2 for d in str(n))
    return n == 1


@program(lambda: (200,))
def armstrong_numbers(limit):
    return [n for n in range(10, limit) if n == sum(int(d) ** len(str(n)) for d in str(n))]


@program(lambda: (5,))
def pascal(n):
    rows = [[1]]
    for _ in range(n):
        last = rows[-1]
        rows.append([1] + [a + b for a, b in zip(last, last[1:])] + [1])
    return rows


@program(lambda: ("4539 1488 0343 6467",), lambda: ("8273 1232 7352 0569",))
def luhn(number):
    digits = [int(c) for c in number if c.isdigit()]
    total = 0
    for i, d in enumerate(reversed(digits)):
        if i % 2:
            d *= 2
            if d > 9:
                d -= 9
        total += d
    return total % 10 == 0


@program(lambda: (1, 7), lambda: (22, 8))
def long_division(a, b):
    whole, remainder = divmod(a, b)
    seen, digits = {}, []
    while remainder and remainder not in seen:
        seen[remainder] = len(digits)
        remainder *= 10
        digits.append(str(remainder // b))
        remainder %= b
    if remainder:
        k = seen[remainder]
        return f"{whole}." + "".join(digits[:k]) + "(" + "".join(digits[k:]) + ")"
    return f"{whole}." + ("".join(digits) or "0")


@program(lambda: (20,))
def pythagorean_triples(limit):
    triples = [
        (a, b, c)
        for a in range(1, limit)
        for b in range(a, limit)
        for c in range(b, limit)
        if a * a + b * b == c * c and math.gcd(a, b) == 1
    ]
    return triples, Counter(sum(t) % 2 for t in triples)


@program(lambda: (np.array([2, 3, 2]), np.array([3, 5, 7])))
def chinese_remainder(residues, moduli):
    total = int(np.prod(moduli))
    x = 0
    for r, m in zip(residues, moduli):
        n = total // m
        inverse = next(k for k in range(1, m) if n * k % m == 1)
        x += r * n * inverse
    return x % total
