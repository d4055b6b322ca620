"""Random numbers from keys, in compiled functions and out of them: `key`, `split`, and the distributions.

A key, or another argument, that is an `anabranch.Array` gives Arrays.
"""

from __future__ import annotations

from anabranch.runtime import random as _random
from anabranch.runtime.eager.array_api import for_arrays as _for_arrays

bernoulli = _for_arrays(_random.bernoulli)
categorical = _for_arrays(_random.categorical)
choice = _for_arrays(_random.choice)
exponential = _for_arrays(_random.exponential)
fold_in = _for_arrays(_random.fold_in)
gamma = _for_arrays(_random.gamma)
integers = _for_arrays(_random.integers)
key = _for_arrays(_random.key)
normal = _for_arrays(_random.normal)
permutation = _for_arrays(_random.permutation)
split = _for_arrays(_random.split)
uniform = _for_arrays(_random.uniform)
