"""`random` and `random.Random` in compiled functions draw what they draw in plain ones."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from anabranch import UnsupportedOperationError, jit
from tests.equivalence import check

METHODS: dict[str, tuple[Any, ...]] = {
    "betavariate": (1.5, 2.0),
    "expovariate": (2.0,),
    "gammavariate": (1.5, 2.0),
    "gauss": (1.0, 2.0),
    "getrandbits": (20,),
    "lognormvariate": (0.5, 0.25),
    "normalvariate": (1.0, 2.0),
    "paretovariate": (2.0,),
    "randint": (3, 9),
    "random": (),
    "randrange": (10,),
    "triangular": (0.0, 2.0, 0.5),
    "uniform": (-1.0, 2.0),
    "vonmisesvariate": (0.5, 1.0),
    "weibullvariate": (1.5, 2.0),
}


def exactly(function: Callable[..., Any], *args: Any) -> Any:
    return check(function, *args, ulps=0.0)


@pytest.mark.parametrize("name", METHODS)
def test_numbers(name: str) -> None:
    args = METHODS[name]

    def at_run_time(rng, *args):
        return getattr(rng, name)(*args), getattr(rng, name)(*args)

    def known(rng, n):
        return [getattr(rng, name)(*args) for _ in range(n)]

    exactly(at_run_time, random.Random(3), *args)
    exactly(known, random.Random(3), 3)


def test_items() -> None:
    def drawn(rng, a, array):
        rng.shuffle(a)
        rng.shuffle(array)
        return (
            rng.choice(a),
            rng.choice(array),
            rng.sample(a, 2),
            rng.choices(a, k=3),
            rng.choice(range(5, 50)),
            rng.choice("ab"),
        )

    exactly(drawn, random.Random(2), [1.5, 2.5, 3.5, 4.5], np.arange(5))

    def weighted(rng, a, w):
        return rng.choices(a, weights=[1, 2, 3], k=4), rng.choices(a, [w, 1.0, 2.0]), rng.sample(range(100), k=3)

    exactly(weighted, random.Random(2), [1.5, 2.5, 3.5], 2.0)


def test_a_choice_of_a_list_that_grows() -> None:
    def drawn(rng, n):
        found = []
        for i in range(n):
            if rng.random() < 0.7:
                found.append(i)
        return rng.choice(found)

    exactly(drawn, random.Random(2), 9)
    exactly(drawn, random.Random(2), 0)


def test_nothing_to_choose_from() -> None:
    exactly(lambda rng: rng.choice([]), random.Random(2))


def test_the_state_of_gauss() -> None:
    """Of two normal numbers one is kept for the next call."""
    exactly(lambda rng, n: [rng.gauss(0.0, 1.0) for _ in range(n)], random.Random(2), 1)
    exactly(lambda rng, n: [rng.gauss(0.0, 1.0) for _ in range(n)], random.Random(2), 2)


def test_generators_made_in_the_function() -> None:
    exactly(lambda x: random.Random(5).gauss(0.0, x), 2.0)
    exactly(lambda seed: random.Random(seed).random(), 7)

    def again(rng, seed):
        rng.seed(seed)
        first = rng.random()
        rng.seed(3)
        return first, rng.random()

    exactly(again, random.Random(2), 7)


class Die:
    def __init__(self, sides):
        self.sides, self.rng = sides, random.Random(1)

    def roll(self):
        return self.rng.randint(1, self.sides)


def test_of_an_object() -> None:
    def rolled(die, n):
        total = 0
        for _ in range(n):
            total += die.roll()
        return total

    exactly(rolled, Die(6), 10)


def test_the_module() -> None:
    def drawn(x, n):
        total = x
        for _ in range(n):
            total += random.random() if random.randint(0, 1) else random.gauss(0.0, 1.0)
        items = [1.0, 2.0, x]
        random.shuffle(items)
        return total, items, random.choice(items), random.uniform(1.0, x)

    compiled = jit(drawn)
    for seed in (1, 2):
        random.seed(seed)
        want = drawn(2.5, 5), drawn(2.5, 3), random.getstate()
        random.seed(seed)
        assert (compiled(2.5, 5), compiled(2.5, 3), random.getstate()) == want


@pytest.mark.parametrize(
    "seed", [0, 5, -5, 2**31, 2**32 - 1, 2**32, 2**32 + 5, -(2**40), 2**63 - 1, -(2**63), True, 1.5]
)
def test_seeds_known_at_run_time(seed) -> None:
    def drawn(seed):
        random.seed(seed)
        first = [random.random() for _ in range(3)]
        return first, random.gauss(0.0, 1.0), random.Random(seed).random()

    found = []
    for function in (drawn, jit(drawn)):
        random.seed(1)
        random.gauss(0.0, 1.0)
        found.append((function(seed), random.gauss(0.0, 1.0), random.getstate()))
    assert found[0] == found[1]


def test_the_module_is_seeded() -> None:
    def drawn(seed):
        random.seed(seed)
        return random.random(), random.getrandbits(9)

    assert [jit(drawn)(s) for s in (1, 2)] == [drawn(s) for s in (1, 2)]


def test_invalid_arguments() -> None:
    exactly(lambda rng, n: rng.randrange(n), random.Random(1), 0)
    exactly(lambda rng: rng.randrange(0), random.Random(1))
    exactly(lambda rng, n: rng.randint(n, 1), random.Random(1), 4)


def _orders(rng, a):
    found = [int(v) for v in a if v > 1]
    rng.shuffle(found)
    return found, rng.random()


def _chosen(rng, a):
    found = [int(v) for v in a if v > 1]
    return rng.sample(found, 2), rng.choices(found, k=int(a[0])), rng.random()


def _sampled(rng, a):
    return rng.sample(range(100), int(a[0])), rng.random()


@pytest.mark.parametrize("drawn", [_orders, _chosen, _sampled])
def test_lists_of_run_time_length(drawn) -> None:
    wrapped = jit(drawn)
    for a in (np.array([7, 0, 5, 2]), np.array([2, 9, 1, 1])):
        assert wrapped(random.Random(1), a) == drawn(random.Random(1), a)


def _draws_in_a_try(rng, a):
    out = [1, 2, 3, 4]
    if a[0] > 5:
        out.append(5)
    try:
        rng.shuffle(out)
        out.append(rng.choice(range(int(a[1]))))
    except IndexError as error:
        return out, str(error), rng.random()
    return out, rng.random()


def test_draws_of_run_time_counts_in_a_try() -> None:
    for a in (np.array([7, 3]), np.array([0, 2]), np.array([0, 0])):
        check(_draws_in_a_try, random.Random(1), a)


class Dice(random.Random):
    def roll(self):
        return self.randint(1, 6)


@pytest.mark.parametrize(
    ("function", "match"),
    [
        (lambda rng: rng.getstate(), "shows or sets"),
        (lambda rng: rng.randbytes(3), "shows or sets"),
        (lambda rng: rng.seed(), "operating system"),
        (lambda rng: random.Random().random(), "without a seed"),
        (lambda rng: rng.getrandbits(64), "ints are int64"),
        (lambda rng: rng.sample([1, 2], k=1, counts=[2, 3]), "no counts"),
        (lambda rng: Dice().roll(), "same number at each call"),
        (lambda rng: random.SystemRandom().random(), "same number at each call"),
    ],
)
def test_what_is_refused(function: Any, match: str) -> None:
    with pytest.raises(UnsupportedOperationError, match=match):
        jit(function)(random.Random(1))
