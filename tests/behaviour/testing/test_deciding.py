"""`equivalent`, its strategies, and `python -m anabranch check`."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import numpy as np
import pytest
from hypothesis import HealthCheck, find, given, settings, strategies as st

from anabranch import configure, jit
from anabranch.__main__ import main
from anabranch.runtime.testing.inference import InferenceError, like, strategies
from anabranch.testing import arrays, elements, equivalent, integers, pytrees, scalars

FEW = settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))


@equivalent(settings=FEW, x=arrays(float, 5), n=integers(0, 4))
def test_shifted(x, n):
    """A test of its own."""
    return x[n:] - x[: x.size - n]


@equivalent(
    settings=FEW, x=arrays(np.int64, (2, integers(1, 3)), layouts=("C", "F", "strided", "reversed", "read-only"))
)
def test_layouts(x):
    return x.sum(axis=1), x.T


@equivalent(settings=FEW, tree=pytrees(scalars(int, np.float32), max_leaves=3))
def test_trees(tree):
    return tree


def test_the_test_is_named_after_the_function():
    assert test_shifted.__name__ == "test_shifted"
    assert test_shifted.__doc__ == "A test of its own."
    assert test_shifted.function(np.arange(3.0), 1).tolist() == [1.0, 1.0]


def test_a_difference_is_reported_on_small_arguments():
    @equivalent(settings=FEW, x=arrays(float, integers(0, 3), elements=st.floats(1.0, 2.0)))
    def subnormal(x):
        return x * 1e-310

    differs = pytest.raises(AssertionError, match=r"subnormal\(x=array\(\[1\.\]\)\) differs")
    with configure(native_loops=False), differs:
        subnormal()


@settings(FEW)
@given(arrays(np.float64, 3, layouts=("strided",)))
def test_strided_arrays_are_strided(x):
    assert x.strides == (16,)


def test_special_values_are_drawn():
    assert np.isnan(find(elements(np.float32), np.isnan))
    assert find(elements(np.int8), lambda n: n == -128) == -128
    assert find(scalars(bool), lambda b: b) is True
    with pytest.raises(ValueError, match="none of the layouts"):
        find(arrays(layouts=("Fortran",)), lambda _: True)


def annotated(x: np.ndarray, y: np.ndarray[tuple[int], np.dtype[np.int8]], n: int, pair: tuple[float, bool], k=3):
    return x, y, n, pair, k


@settings(FEW)
@given(st.fixed_dictionaries(strategies(annotated)))
def test_annotations(given):
    assert given["x"].dtype == np.float64
    assert given["y"].dtype == np.int8
    assert type(given["n"]) is int
    assert [type(p) for p in given["pair"]] == [float, bool]
    assert given["k"] == 3


@settings(FEW)
@given(st.tuples(like(np.zeros((3, 3), np.float32)), like([np.zeros(3), 1.5])))
def test_examples_keep_equal_sizes_equal(drawn):
    matrix, (vector, number) = drawn
    assert matrix.dtype == np.float32
    assert matrix.shape == (vector.size,) * 2
    assert type(number) is float


def test_a_parameter_of_which_nothing_is_known():
    with pytest.raises(InferenceError, match="'x' has no annotation"):
        strategies(lambda x: x)


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "kernels.py"
    path.write_text(
        textwrap.dedent("""
        import numpy as np

        def scaled(x: np.ndarray, n: int):
            return x * float(n)

        def subnormal(x):
            return x * 1e-310
        """)
    )
    return path


def test_check_finds_nothing(script, capsys):
    assert main(["check", f"{script}:scaled", "--examples", "10"]) == 0
    assert "the same on 10 examples" in capsys.readouterr().out


def test_check_finds_a_difference(script, capsys):
    with configure(native_loops=False):
        assert main(["check", f"{script}:subnormal", "--examples", "30", "--example", "np.ones(3)"]) == 1
    assert "subnormal(x=array([" in capsys.readouterr().out


def test_check_says_what_it_needs(script, capsys):
    assert main(["check", f"{script}:subnormal"]) == 2
    assert "'x' has no annotation" in capsys.readouterr().err


def test_without_hypothesis():
    program = """
import sys
sys.modules["hypothesis"] = None
import numpy as np
from anabranch import testing
assert testing.check_equivalent(lambda x: x + 1, np.arange(3.0)) is None
try:
    testing.arrays
except ImportError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "pip install anabranch[testing]" in done.stdout


def test_a_jitted_function_keeps_its_options():
    @equivalent(settings=FEW, x=arrays(float, 2), n=st.sampled_from([1, 2]))
    @jit(static_argnames="n")
    def repeated(x, n):
        return np.stack([x] * n)

    repeated()
