"""Random numbers from keys: one key makes the same numbers, in compiled code and out of it, on every device."""

from __future__ import annotations

from anabranch.runtime.random.continuous import exponential, gamma, normal, uniform
from anabranch.runtime.random.discrete import bernoulli, categorical, choice, integers, permutation
from anabranch.runtime.random.keys import fold_in, key, split

__all__ = [
    "bernoulli",
    "categorical",
    "choice",
    "exponential",
    "fold_in",
    "gamma",
    "integers",
    "key",
    "normal",
    "permutation",
    "split",
    "uniform",
]
