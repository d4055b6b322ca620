"""`fastmath`: the arithmetic of floats in machine code under LLVM's flags, which a user asks for by name."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import configure, jit


def total(a):
    found = 0.0
    for x in a:
        found += x
    return found


def product_and_sum(a, b):
    found = 0.0
    for i in range(len(a)):
        found += a[i] * b[i]
    return found


# A sum that depends on its order.
LARGE = np.random.default_rng(1).normal(size=1000) * 10.0 ** np.arange(1000) ** 0.4
A = np.linspace(0.1, 2.0, 1000)


def code(f, *args):
    """The machine code, as LLVM's text."""
    program = f.lower(*args).native_program()
    assert program is not None
    return program.llvm


def test_floats_keep_their_order_unless_asked():
    assert jit(total)(LARGE) == total(LARGE)
    assert jit(total, fastmath=("reassoc",))(LARGE) != total(LARGE)
    assert jit(total)(LARGE) == total(LARGE)


@pytest.mark.parametrize("flags", [("reassoc", "contract"), ("fast",), ("nsz", "arcp", "afn"), ("nnan", "ninf")])
def test_results_are_near(flags):
    f = jit(product_and_sum, fastmath=flags)
    for _ in range(3):
        assert f(A, A) == pytest.approx(product_and_sum(A, A), rel=1e-12)
    assert f"fmul {' '.join(flags)} double" in code(f, A, A)
    assert "fmul double" in code(jit(product_and_sum), A, A)


def test_a_setting_as_others():
    with configure(fastmath=("reassoc",)):
        assert "fadd reassoc double" in code(jit(total), A)
    f = jit(total)
    f(A)
    with configure(fastmath=("fast",)):
        f(A)
    assert f.cache_info().currsize == 2


def test_other_flags_are_refused():
    with pytest.raises(ValueError, match=r"'faster',.*there are only fast, reassoc"):
        jit(total, fastmath=("faster",))
    with pytest.raises(TypeError, match="no tuple of names"):
        jit(total, fastmath=True)
