"""Random numbers from keys, in compiled functions and out of them: `key`, `split`, and the distributions."""

from __future__ import annotations

from anabranch.runtime.random import (
    bernoulli as bernoulli,
    categorical as categorical,
    choice as choice,
    exponential as exponential,
    fold_in as fold_in,
    gamma as gamma,
    integers as integers,
    key as key,
    normal as normal,
    permutation as permutation,
    split as split,
    uniform as uniform,
)
