"""Methods of `random.Random` of lists whose length is known only at run time, staged as the user's own code is."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any


def shuffle(below: Callable[[int], int], x: Any) -> None:
    """As `random.Random.shuffle`."""
    for i in reversed(range(1, len(x))):
        j = below(i + 1)
        x[i], x[j] = x[j], x[i]


def sample(below: Callable[[int], int], population: Any, k: int) -> list[Any]:
    """As `random.Random.sample`."""
    n = len(population)
    if not 0 <= k <= n:
        raise ValueError("Sample larger than population or is negative")
    result = []
    few = 21
    if k > 5:
        few += 4 ** math.ceil(math.log(k * 3, 4))
    if n <= few:
        pool = list(population)
        for i in range(k):
            j = below(n - i)
            result.append(pool[j])
            pool[j] = pool[n - i - 1]
    else:
        places: list[int] = []
        for _ in range(k):
            j = below(n)
            while j in places:
                j = below(n)
            places.append(j)
            result.append(population[j])
    return result


def choices(draw: Callable[[], float], population: Any, k: int) -> list[Any]:
    """As `random.Random.choices` without weights."""
    n = len(population) + 0.0
    return [population[math.floor(draw() * n)] for _ in range(k)]
