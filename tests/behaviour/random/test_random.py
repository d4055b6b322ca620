"""Numbers from keys: known answers, the same inside and outside of compiled functions, and their distributions."""

from __future__ import annotations

import math

import numpy as np
import pytest

from anabranch import jit, random
from anabranch.runtime.random.keys import threefry

KEY = random.key(7)
MANY = 100_000


@pytest.mark.parametrize(
    ("key", "counter", "answer"),
    [
        ((0, 0), (0, 0), (0x6B200159, 0x99BA4EFE)),
        ((0xFFFFFFFF, 0xFFFFFFFF), (0xFFFFFFFF, 0xFFFFFFFF), (0x1CB996FC, 0xBB002BE7)),
        ((0x13198A2E, 0x03707344), (0x243F6A88, 0x85A308D3), (0xC4923A9C, 0x483DF7A0)),
    ],
)
def test_known_answers(key, counter, answer):
    """Those that the authors of the cipher publish."""
    keys = tuple(np.array([k], np.uint32) for k in key)
    counters = tuple(np.array([c], np.uint32) for c in counter)
    assert tuple(int(x[0]) for x in threefry(keys, counters)) == answer


FUNCTIONS = {
    "split": lambda key: random.split(key, 3),
    "fold_in": lambda key: random.fold_in(key, 2**40 + 5),
    "uniform": lambda key: random.uniform(key, (4, 3)),
    "uniform_between": lambda key: random.uniform(key, 5, np.float32, -2.0, 3.0),
    "uniform_half": lambda key: random.uniform(key, 5, np.float16),
    "uniform_scalar": lambda key: random.uniform(key),
    "normal": lambda key: random.normal(key, (4, 3)),
    "normal_single": lambda key: random.normal(key, 6, np.float32),
    "exponential": lambda key: random.exponential(key, 5),
    "gamma": lambda key: random.gamma(key, np.array([0.2, 1.0, 7.5]), (50, 3)),
    "integers": lambda key: random.integers(key, -3, 4, (20,)),
    "integers_scalar": lambda key: random.integers(key, 10),
    "integers_bounds": lambda key: random.integers(key, np.array([0, 5]), np.array([[3], [6]]) + 4),
    "integers_all": lambda key: random.integers(key, -(2**63), 2**63 - 1, 4, endpoint=True),
    "integers_unsigned": lambda key: random.integers(key, 0, 2**64, 4, np.uint64),
    "integers_rejected": lambda key: random.integers(key, 0, 2**63 + 1, 50, np.uint64),
    "integers_small": lambda key: random.integers(key, -128, 127, 50, np.int8, endpoint=True),
    "bernoulli": lambda key: random.bernoulli(key, 0.3, (10,)),
    "bernoulli_each": lambda key: random.bernoulli(key, np.array([0.0, 0.5, 1.0])),
    "categorical": lambda key: random.categorical(key, np.log([[0.1, 0.9], [0.5, 0.5]]), shape=(5, 2)),
    "permutation": lambda key: random.permutation(key, 12),
    "permutation_columns": lambda key: random.permutation(key, np.arange(12.0).reshape(3, 4), axis=1),
    "choice": lambda key: random.choice(key, np.arange(10.0) * 2, (3, 2)),
    "choice_once": lambda key: random.choice(key, 10, 4, replace=False),
    "choice_weighted": lambda key: random.choice(key, 3, 8, p=[0.2, 0.0, 0.8]),
    "choice_weighted_once": lambda key: random.choice(key, 3, 2, replace=False, p=[0.5, 0.0, 0.5]),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_same_in_compiled_code(name):
    function = FUNCTIONS[name]
    want, got = function(KEY), jit(function)(KEY)
    assert type(want) is type(got)
    assert (want.dtype, want.shape) == (got.dtype, got.shape)
    exact = want.dtype.kind in "biu" or name.startswith("uniform")
    np.testing.assert_allclose(got, want, rtol=0 if exact else 1e-6 if want.dtype.itemsize < 8 else 1e-12)


@pytest.mark.parametrize(
    "name", ["uniform", "normal", "exponential", "gamma", "integers", "integers_rejected", "split"]
)
def test_many_keys_give_what_each_gives(name):
    keys = random.split(KEY, (2, 3))
    together = FUNCTIONS[name](keys)
    assert together.shape[:2] == (2, 3)
    for i, j in np.ndindex(2, 3):
        np.testing.assert_array_equal(together[i, j], FUNCTIONS[name](keys[i, j]))


@pytest.mark.parametrize("draw", [random.uniform, random.normal, random.exponential])
def test_fewer_numbers_are_the_first_of_more(draw):
    np.testing.assert_array_equal(draw(KEY, 5), draw(KEY, (4, 3)).ravel()[:5])


def test_seeds():
    np.testing.assert_array_equal(random.key(-1), random.key(2**64 - 1))
    np.testing.assert_array_equal(random.key(2**32 + 3), np.array([1, 3], np.uint32))
    np.testing.assert_array_equal(random.key(np.arange(3)), [random.key(n) for n in range(3)])
    np.testing.assert_array_equal(jit(random.key)(-5), random.key(-5))
    np.testing.assert_array_equal(jit(lambda n: random.fold_in(KEY, n))(9), random.fold_in(KEY, 9))
    assert len({tuple(k) for k in random.split(KEY, 1000)} | {tuple(KEY)}) == 1001


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda key: random.key(2**64), ValueError, "at most 64 bits"),
        (lambda key: random.key(1.5), TypeError, "a seed is an integer"),
        (lambda key: random.uniform(key.astype(np.int64)), TypeError, "a key is a uint32 array"),
        (lambda key: random.uniform(key, -1), ValueError, "negative dimensions"),
        (lambda key: random.normal(key, 3, np.complex128), TypeError, "complex128"),
        (lambda key: random.integers(key, 3, 3), ValueError, "low >= high"),
        (lambda key: random.integers(key, 4, 3, endpoint=True), ValueError, "low > high"),
        (lambda key: random.integers(key, 0, 300, dtype=np.uint8), ValueError, "high is out of bounds for uint8"),
        (lambda key: random.integers(key, -1, 3, dtype=np.uint8), ValueError, "low is out of bounds for uint8"),
        (lambda key: random.integers(key, 0.5), TypeError, "the bounds of integers are integers"),
        (lambda key: random.choice(key, 3, 4, replace=False), ValueError, "larger sample"),
        (lambda key: random.choice(key, 0, 4), ValueError, "a cannot be empty"),
        (lambda key: random.choice(key, 2, 4, p=[0.5, 0.4]), ValueError, "do not sum to 1"),
        (lambda key: random.choice(key, 2, 4, p=[1.5, -0.5]), ValueError, "not non-negative"),
        (lambda key: random.choice(key, 2, 2, replace=False, p=[1.0, 0.0]), ValueError, "Fewer non-zero"),
        (lambda key: random.gamma(key, -1.0), ValueError, "must be positive"),
    ],
)
def test_bad_parameters(call, error, message):
    for function in (call, jit(call)):
        with pytest.raises(error, match=message):
            function(KEY)


def test_bad_parameters_of_run_time():
    with pytest.raises(ValueError, match="low >= high"):
        jit(lambda n: random.integers(KEY, 0, n))(0)
    with pytest.raises(ValueError, match="must be positive"):
        jit(lambda a: random.gamma(KEY, a))(0.0)
    assert jit(lambda n: random.integers(KEY, 0, n, 5))(3).max() < 3


@pytest.mark.slow
def test_in_a_loop():
    def walk(key, n):
        x = 0.0
        for i in range(n):
            key, sub = random.split(key)
            x += random.normal(sub)
            if random.bernoulli(random.fold_in(sub, i), 0.1):
                break
        return x

    assert jit(walk)(KEY, 30) == pytest.approx(float(walk(KEY, 30)), rel=1e-12)


# ---- distributions: deviations of more than five times the standard error are errors ---------------------------


def close(value, wanted, deviation, count=MANY):
    assert abs(value - wanted) < 5 * deviation / math.sqrt(count), (value, wanted)


@pytest.mark.parametrize(
    ("numbers", "mean", "variance", "fourth"),
    [
        (random.uniform(KEY, MANY), 1 / 2, 1 / 12, 1 / 80),
        (random.uniform(KEY, MANY, np.float32), 1 / 2, 1 / 12, 1 / 80),
        (random.normal(KEY, MANY), 0.0, 1.0, 3.0),
        (random.normal(KEY, MANY, np.float32), 0.0, 1.0, 3.0),
        (random.exponential(KEY, MANY), 1.0, 1.0, 9.0),
        (random.gamma(KEY, 0.3, MANY), 0.3, 0.3, 3 * 0.3**2 + 6 * 0.3),
        (random.gamma(KEY, 4.0, MANY), 4.0, 4.0, 3 * 4.0**2 + 6 * 4.0),
        (random.integers(KEY, 0, 10, MANY), 4.5, 99 / 12, None),
        (random.bernoulli(KEY, 0.3, MANY), 0.3, 0.21, None),
    ],
)
def test_moments(numbers, mean, variance, fourth):
    values = numbers.astype(np.float64)
    close(values.mean(), mean, math.sqrt(variance))
    if fourth is not None:
        close(values.var(), variance, math.sqrt(fourth - variance**2))
    # Neighbours do not know of each other.
    x = values - values.mean()
    close((x[1:] * x[:-1]).mean(), 0.0, variance)


@pytest.mark.parametrize(
    ("sample", "distribution"),
    [
        (random.uniform(KEY, MANY), lambda x: x),
        (random.normal(KEY, MANY), lambda x: 0.5 * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))),
        (random.exponential(KEY, MANY), lambda x: 1 - np.exp(-x)),
        (random.gamma(KEY, 2.0, MANY), lambda x: 1 - np.exp(-x) * (1 + x)),
    ],
)
def test_kolmogorov_smirnov(sample, distribution):
    expected, steps = distribution(np.sort(sample)), np.arange(MANY + 1) / MANY
    distance = max(np.max(steps[1:] - expected), np.max(expected - steps[:-1]))
    assert distance * math.sqrt(MANY) < 2.0  # passed by all but 0.07 % of honest samples


@pytest.mark.parametrize(
    ("sample", "chances"),
    [
        (random.integers(KEY, 0, 7, MANY), np.full(7, 1 / 7)),
        (random.categorical(KEY, np.log([0.1, 0.2, 0.7]), shape=MANY), np.array([0.1, 0.2, 0.7])),
        (random.choice(KEY, 3, MANY, p=[0.1, 0.2, 0.7]), np.array([0.1, 0.2, 0.7])),
        (random.permutation(KEY, MANY) % 4, np.full(4, 1 / 4)),
    ],
)
def test_frequencies(sample, chances):
    counts = np.bincount(sample, minlength=len(chances))
    for count, chance in zip(counts, chances, strict=True):
        close(count / MANY, chance, math.sqrt(chance * (1 - chance)))


def test_every_order_is_as_likely():
    orders = np.array([random.permutation(k, 3) for k in random.split(KEY, 6000)])
    _, counts = np.unique(orders, axis=0, return_counts=True)
    assert len(counts) == 6
    assert np.abs(counts - 1000).max() < 5 * math.sqrt(1000 * 5 / 6)


def test_a_permutation_has_every_element_once():
    assert sorted(random.permutation(KEY, 500)) == list(range(500))
    assert len(set(random.choice(KEY, 100, 60, replace=False).tolist())) == 60
