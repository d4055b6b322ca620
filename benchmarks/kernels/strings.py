"""Sequences of symbols, and checksums."""
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

import numpy as np

from benchmarks.arrays import generator
from benchmarks.kernel import Kernel


def crc16(data):
    """The checksum of `data`, an array of byte values."""
    crc = 0xFFFF
    for i in range(data.shape[0]):
        crc = crc ^ (data[i] << 8)
        for _ in range(8):
            if crc & 0x8000:
                crc = ((crc << 1) ^ 0x1021) & 0xFFFF
            else:
                crc = (crc << 1) & 0xFFFF
    return crc


def crc16_arguments(n):
    """Random bytes, held as 64-bit integers."""
    return (generator().integers(0, 256, n, dtype=np.int64),)


def levenshtein(first, second):
    """The fewest insertions, deletions and substitutions that turn `first` into `second`."""
    n = second.shape[0]
    previous = np.arange(n + 1)
    current = np.zeros(n + 1, dtype=np.int64)
    for i in range(first.shape[0]):
        current[0] = i + 1
        for j in range(n):
            if first[i] == second[j]:
                current[j + 1] = previous[j]
            else:
                current[j + 1] = 1 + min(previous[j], previous[j + 1], current[j])
        previous[:] = current
    return previous[n]


def levenshtein_arguments(first, second):
    """Two random sequences over an alphabet of four."""
    rng = generator()
    return rng.integers(0, 4, first), rng.integers(0, 4, second)


def smith_waterman(first, second, match, mismatch, gap):
    """The best score, and the table of scores with a border of zeros."""
    m = first.shape[0]
    n = second.shape[0]
    score = np.zeros((m + 1, n + 1), dtype=np.int64)
    best = score[0, 0]
    for i in range(1, m + 1):
        for j in range(1, n + 1):
            reward = match if first[i - 1] == second[j - 1] else mismatch
            value = max(0, score[i - 1, j - 1] + reward, score[i - 1, j] - gap, score[i, j - 1] - gap)
            score[i, j] = value
            if value > best:
                best = score[i, j]
    return best, score


def smith_waterman_arguments(first, second):
    """Two random sequences over an alphabet of four, and the scores."""
    rng = generator()
    return rng.integers(0, 4, first), rng.integers(0, 4, second), 3, -3, 2


def knuth_morris_pratt(text, pattern):
    """How often a pattern occurs in a text."""
    m = pattern.shape[0]
    fall = np.zeros(m + 1, dtype=np.int64)
    k = 0
    for i in range(1, m):
        while k > 0 and pattern[i] != pattern[k]:
            k = fall[k]
        if pattern[i] == pattern[k]:
            k += 1
        fall[i + 1] = k
    found = 0
    k = 0
    for i in range(text.shape[0]):
        while k > 0 and (k == m or text[i] != pattern[k]):
            k = fall[k]
        if text[i] == pattern[k]:
            k += 1
        if k == m:
            found += 1
    return found


def common_subsequence(first, second):
    """The length of the longest common subsequence."""
    m, n = first.shape[0], second.shape[0]
    table = np.zeros((m + 1, n + 1), dtype=np.int64)
    for i in range(m):
        for j in range(n):
            if first[i] == second[j]:
                table[i + 1, j + 1] = table[i, j] + 1
            else:
                table[i + 1, j + 1] = max(table[i, j + 1], table[i + 1, j])
    return table[m, n]


def adler32(data):
    """The checksum Adler-32."""
    a = 1
    b = 0
    for i in range(data.shape[0]):
        a = (a + data[i]) % 65521
        b = (b + a) % 65521
    return (b << 16) | a


def vigenere(text, key):
    """A text of 26 letters, shifted by the letters of a key in turns."""
    return (text + key[np.arange(text.shape[0]) % key.shape[0]]) % 26


KERNELS = (
    Kernel(crc16, "elements", crc16_arguments, (16,), (200,), (40_000,)),
    Kernel(levenshtein, "elements", levenshtein_arguments, (7, 9), (20, 24), (350, 400)),
    Kernel(smith_waterman, "elements", smith_waterman_arguments, (7, 9), (20, 24), (300, 350)),
    Kernel(
        knuth_morris_pratt,
        "elements",
        lambda n, m: (generator().integers(0, 2, n), generator().integers(0, 2, m)),
        (20, 2),
        (200, 4),
        (100_000, 8),
    ),
    Kernel(common_subsequence, "elements", levenshtein_arguments, (7, 9), (20, 24), (350, 400)),
    Kernel(adler32, "elements", lambda n: crc16_arguments(n), (16,), (500,), (200_000,)),
    Kernel(
        vigenere,
        "arrays",
        lambda n, k: (generator().integers(0, 26, n), generator().integers(0, 26, k)),
        (8, 3),
        (2000, 7),
        (500_000, 11),
        same_in_jax=True,
    ),
)
