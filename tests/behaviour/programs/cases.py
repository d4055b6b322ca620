"""The list of the catalogue's programs, and the arguments that they are given.

`I`, `F` and `A` make a run-time int, float or array argument, `S` one that is static.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Spec = tuple[str, Any]
CASES: list[tuple[str, str, Callable[..., Any], tuple[tuple[Spec, ...], ...]]] = []


def I(v):  # noqa: E743
    return ("i", v)


def F(v):
    return ("f", v)


def A(v, d="f"):
    return ("a" + d, v)


def S(v):
    return ("s", v)


def concrete(spec):
    """Give the value of one argument, fresh each time."""
    kind, value = spec
    if kind in "sif":
        return {"s": lambda v: v, "i": int, "f": float}[kind](value)
    return np.array(value, dtype={"ai": np.int64, "af": np.float64, "ab": np.bool_}[kind])


def case(group, *argsets):
    def add(f):
        CASES.append((group, f.__name__, f, argsets))
        return f

    return add
