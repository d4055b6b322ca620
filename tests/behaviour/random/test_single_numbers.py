"""Single numbers in loops, which are no calls of the host: bit for bit those of NumPy and Python."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from anabranch import Compiled, jit
from tests.equivalence import check, check_calls

MAKERS = {
    "PCG64": np.random.default_rng,
    "MT19937": lambda seed: np.random.Generator(np.random.MT19937(seed)),
    "RandomState": np.random.RandomState,
    "RandomState of PCG64": lambda seed: np.random.RandomState(np.random.PCG64(seed)),
    "Random": random.Random,
}
# Bounds around powers of two, and around what 32 and 64 bits hold.
BOUNDS = [
    (0, 1),
    (0, 2),
    (0, 3),
    (-5, 5),
    (0, 2**31),
    (0, 2**32 - 1),
    (0, 2**32),
    (0, 2**32 + 1),
    (7, 2**40),
    (-(2**63), 2**63 - 1),
]


def exactly(function: Callable[..., Any], *args: Any) -> Any:
    return check(function, *args, ulps=0.0)


def exactly_all(function: Callable[..., Any], *argsets: Any) -> None:
    check_calls(function, *argsets, ulps=0.0)


def is_native(function: Callable[..., Any], *args: Any) -> bool:
    """Return whether all loops of a function are machine code."""
    return "not machine code" not in str(jit(function).explain(*args))


@pytest.mark.parametrize("name", MAKERS)
def test_floats(name: str) -> None:
    def drawn(rng, a, low, high):
        for i in range(len(a)):
            a[i] = rng.random() - rng.uniform(-2.5, 1.5) + rng.uniform(low, high)
        return rng.random()

    # A Mersenne Twister makes 624 words at a time, two of which are a number.
    exactly_all(drawn, (MAKERS[name](3), np.zeros(120), -1.25, 3.5), (MAKERS[name](3), np.zeros(120), 0, 1e300))


@pytest.mark.parametrize("name", ["PCG64", "MT19937", "RandomState"])
def test_ints(name: str) -> None:
    def of_generator(rng, a, low, high):
        for i in range(len(a)):
            a[i] = rng.integers(low, high)
            a[i] ^= rng.integers(9) ^ rng.integers(0, 3, endpoint=True)
        return rng.random()

    def of_random_state(rng, a, low, high):
        for i in range(len(a)):
            a[i] = rng.randint(low, high)
            a[i] ^= rng.randint(9)
        return rng.random()

    drawn = of_random_state if name == "RandomState" else of_generator
    exactly_all(drawn, *((MAKERS[name](3), np.zeros(40, np.int64), *bounds) for bounds in BOUNDS))


def test_ints_of_python() -> None:
    def drawn(rng, a, low, high):
        for i in range(len(a)):
            a[i] = rng.randrange(low, high) + rng.randint(low, high)
            a[i] ^= rng.randrange(9) ^ rng.choice((1, 5, 7))
        return rng.random()

    exactly_all(drawn, *((random.Random(3), np.zeros(40, np.int64), *bounds) for bounds in BOUNDS[:-1]))


def test_known_bounds() -> None:
    def drawn(rng, n):
        total = 0
        for _ in range(n):
            total += rng.integers(0, 1) + rng.integers(2**32) + rng.integers(-(2**63), 2**63 - 1, endpoint=True) % 5
            total += rng.integers(2**33) % 7
        return total

    exactly(drawn, np.random.default_rng(3), 50)


DISTRIBUTIONS: dict[str, tuple[float, ...]] = {
    "chisquare": (2.0,),
    "exponential": (1.5,),
    "gamma": (0.5, 1.5),
    "geometric": (0.3,),
    "gumbel": (0.5, 2.0),
    "laplace": (0.5, 2.0),
    "logistic": (0.5, 2.0),
    "lognormal": (0.5, 0.25),
    "normal": (1.0, 2.0),
    "pareto": (2.0,),
    "poisson": (20.0,),
    "rayleigh": (2.0,),
    "standard_cauchy": (),
    "standard_exponential": (),
    "standard_gamma": (2.0,),
    "standard_normal": (),
    "standard_t": (3.0,),
    "wald": (1.0, 2.0),
    "weibull": (1.5,),
}


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_distributions_are_machine_code(name: str) -> None:
    args = DISTRIBUTIONS[name]

    def known(rng, a):
        for i in range(len(a)):
            a[i] = getattr(rng, name)(*args)
        return rng.integers(9)

    def at_run_time(rng, a, *args):
        for i in range(len(a)):
            a[i] = getattr(rng, name)(*args)
            a[i] += rng.integers(9)
        return rng.integers(9)

    exactly(known, np.random.default_rng(3), np.zeros(60))
    exactly(at_run_time, np.random.default_rng(3), np.zeros(60), *args)
    assert is_native(at_run_time, np.random.default_rng(3), np.zeros(60), *args)


def test_without_machine_code() -> None:
    def drawn(rng, dice, n, scale):
        total = 0.0
        for _ in range(n):
            total += rng.normal(0.0, scale) + rng.random() + rng.integers(5) + dice.random() + dice.randint(5)
        return total

    args = np.random.default_rng(3), np.random.RandomState(3), 700, 2.0
    want = drawn(*args)
    args = np.random.default_rng(3), np.random.RandomState(3), 700, 2.0
    assert jit(drawn, native_loops=False)(*args) == want


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("normal", (0.0, -1.0)), ("gamma", (-1.0,)), ("poisson", (-1.0,)), ("poisson", (float("nan"),)),
        ("chisquare", (0.0,)), ("geometric", (0.0,)), ("uniform", (1.0, 0.0)), ("uniform", (0.0, float("inf"))),
        ("wald", (1.0, -0.0)), ("exponential", (-0.0,)), ("normal", (float("nan"), float("nan"))),
    ],
)  # fmt: skip
def test_invalid_arguments(name: str, args: tuple[float, ...]) -> None:
    def drawn(rng, n, *args):
        total = 0.0
        for i in range(n):
            total += rng.random()
            if i == 2:
                total += getattr(rng, name)(*args)
        return total

    def caught(rng, n, *args):
        total = 0.0
        for i in range(n):
            try:
                total += rng.random()
                total += getattr(rng, name)(*args)
            except (ValueError, OverflowError):
                total -= rng.random()
        return total

    for function in (drawn, caught):
        exactly_all(function, *((np.random.default_rng(3), n, *args) for n in (2, 5)))


def test_empty_ranges() -> None:
    def of_generator(rng, n):
        total = 0
        for i in range(n):
            total += rng.integers(3 - i)
        return total

    def of_python(rng, n):
        total = 0
        for i in range(n):
            total += rng.randrange(3 - i)
        return total

    def of_two(rng, n):
        total = 0
        for i in range(n):
            total += rng.randint(i, 3)
        return total

    exactly_all(of_generator, *((np.random.default_rng(3), n) for n in (3, 6)))
    exactly_all(of_python, *((random.Random(3), n) for n in (3, 6)))
    exactly_all(of_two, *((maker(3), n) for maker in (random.Random, np.random.RandomState) for n in (3, 6)))


def test_a_state_that_is_carried_through_branches() -> None:
    def walked(rng, n, limit):
        x, steps = 0.0, 0
        for _ in range(n):
            if rng.random() < 0.5:
                x += rng.normal()
            elif rng.integers(3) == 1:
                x -= rng.exponential()
                if abs(x) > limit:
                    break
            steps += 1
        return x, steps, rng.random()

    exactly_all(walked, *((np.random.default_rng(3), 200, limit) for limit in (0.5, 100.0)))


def test_shuffling_by_hand() -> None:
    def shuffled(rng, a):
        for i in range(len(a) - 1, 0, -1):
            j = rng.integers(i + 1)
            a[i], a[j] = a[j], a[i]
        return rng.random()

    exactly(shuffled, np.random.default_rng(3), np.arange(50))
    exactly(shuffled, np.random.Generator(np.random.MT19937(3)), np.arange(50))


def test_the_hidden_generator() -> None:
    def drawn(n):
        total = 0.0
        for _ in range(n):
            total += np.random.random() + np.random.randint(5) + random.random()
        return total

    outcomes = []
    for function in (drawn, jit(drawn)):
        np.random.seed(5)
        random.seed(6)
        outcomes.append((function(700), function(3), np.random.random(), random.random()))
    assert outcomes[0] == outcomes[1]


def test_saved_machine_code_finds_the_functions_of_numpy(tmp_path: Any) -> None:
    def drawn(rng, n):
        total = 0.0
        for _ in range(n):
            total += rng.normal()
        return total

    saved = jit(drawn).lower(np.random.default_rng(1), 5).compile().serialize()
    loaded = Compiled.deserialize(saved)
    assert loaded(np.random.default_rng(1), 9) == drawn(np.random.default_rng(1), 9)


@pytest.mark.parametrize("native", [True, False])
def test_normal_numbers_of_the_older_generators(native: bool) -> None:
    """Of two numbers that are drawn at once one is left for the next call, in the loop or after it."""

    def of_random_state(rng, n, scale):
        total = 0.0
        for i in range(n):
            total += rng.normal(0.5, scale) + rng.standard_normal() + rng.randn() + rng.uniform(-scale, 1.0)
            total += rng.exponential(2.0) + rng.exponential(scale) + rng.standard_exponential()
            if i % 3 == 1:
                total += rng.normal()
        return total

    def of_python(rng, n, scale):
        total = 0.0
        for i in range(n):
            total += (
                rng.gauss(0.5, scale) + rng.normalvariate(0.0, 2) + rng.expovariate(scale) + rng.uniform(-scale, 1.0)
            )
            if i % 3 == 1:
                total += rng.gauss()
        return total

    for function, maker in ((of_random_state, np.random.RandomState), (of_python, random.Random)):
        compiled, plain, rng = jit(function, native_loops=native), maker(3), maker(3)
        for n in (1, 2, 5, 150 if native else 5):
            assert compiled(rng, n, 1.5) == function(plain, n, 1.5)
        exactly(lambda rng: rng.random(), rng)
        if native:
            assert is_native(function, rng, 5, 1.5)
            exactly(function, rng, 7, 1.5)


def test_invalid_arguments_of_the_older_generators() -> None:
    def of_random_state(rng, n):
        total = 0.0
        for i in range(n):
            total += rng.normal(0.0, 2.5 - i) + rng.exponential(3.5 - i)
        return total

    def of_python(rng, n):
        total = 0.0
        for i in range(n):
            total += rng.expovariate(2.0 - i) + rng.gauss(0.0, 1.0)
        return total

    exactly_all(of_random_state, *((np.random.RandomState(3), n) for n in (2, 5)))
    exactly_all(of_python, *((random.Random(3), n) for n in (2, 5)))
    exactly(lambda rng, n: sum([rng.expovariate(0) for _ in range(n)]), random.Random(3), 3)
