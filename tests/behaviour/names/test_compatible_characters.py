"""Names in characters that Python takes for others: `ϕ` is the name `φ`, and `ﬁ` is `fi`."""

# The text is what is tested.
# ruff: noqa: B009, E741, RUF001
from __future__ import annotations

import numpy as np
import pytest

from tests.program_table import Program, Table

case = Table()


def ϵ(m):
    return -1 if m % 2 else 1


class Held:
    pass


@case((2.0, np.arange(3.0), 4), (0.5, np.arange(3.0), 3))
def variables(ℓ, ϕ, n):
    ﬁt = 0.0
    if ℓ > 1:
        ﬁt = ϕ
    for k in range(n):
        ﬁt += ϵ(k) * ϕ.sum()
    return ﬁt, f"{ℓ}ℓ", [ℓ * ϕk for ϕk in ϕ]


@case((2.0, 5), (3.0, 5))
def attributes_and_keywords(x, n):
    held = Held()
    held.ﬁ = 0.0
    for k in range(n):
        if x > k:
            held.ﬁ += x

    def inner(*, ϕ=1.0):
        nonlocal x
        x = x + ϕ
        return held.ﬁ * ϕ

    return inner(ϕ=x), dict(ﬁ=x), held.fi, getattr(held, "fi")


@case((2.0,), (0.0,))
def handlers(x):
    try:
        y = 1 / x
    except ZeroDivisionError as ﬁx:
        y = str(ﬁx)
    return y, (ℓ := x + 1), ℓ


@pytest.mark.parametrize("program", case.programs)
def test_programs(program: Program) -> None:
    program.check()
