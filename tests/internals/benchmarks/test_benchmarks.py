"""Every benchmark kernel gives NumPy's results when compiled, and the benchmark's own arithmetic holds."""

from __future__ import annotations

import copy

import numpy as np
import pytest

from anabranch import jit
from benchmarks import checks, column, first_calls, start, start_worker
from benchmarks.compare import ResultMismatch, largest_error, leaves
from benchmarks.harness import Plan, run
from benchmarks.kernels import NAMES, load
from benchmarks.outcome import Measured, NotMeasured, from_json, to_json
from benchmarks.plot import write_plot
from benchmarks.table import render


@pytest.mark.parametrize("name", NAMES)
def test_compiled_kernel_equals_numpy(name):
    kernel = load(name)
    arguments = kernel.arguments("small")
    compiled_arguments = copy.deepcopy(arguments)
    expected = kernel.function(*arguments)
    actual = jit(kernel.function)(*compiled_arguments)
    assert largest_error(list(leaves((actual, compiled_arguments))), list(leaves((expected, arguments)))) <= 1e-10


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("size", ["small", "full"])
def test_arguments_are_reproducible(name, size):
    kernel = load(name)
    assert largest_error(list(leaves(kernel.arguments(size))), list(leaves(kernel.arguments(size)))) == 0.0


@pytest.mark.parametrize(
    ("actual", "expected", "error"),
    [
        ([1.0, np.nan, np.inf, 0.0], [1.0, np.nan, np.inf, 0.0], 0.0),
        ([1.5, 2.0], [1.0, 2.0], 0.5),
        ([np.nan], [1.0], np.inf),
        ([1.0], [np.nan], np.inf),
        ([1.0], [np.inf], np.inf),
        ([1e-300], [0.0], np.inf),
    ],
)
def test_largest_error(actual, expected, error):
    assert largest_error([np.array(actual)], [np.array(expected)]) == error


def test_largest_error_holds_shape_and_dtype_to_numpy():
    with pytest.raises(ResultMismatch, match="dtype float32"):
        largest_error([np.zeros(2, np.float32)], [np.zeros(2)])
    with pytest.raises(ResultMismatch, match="shape"):
        largest_error([np.zeros(1)], [np.zeros(2)])
    with pytest.raises(ResultMismatch, match="arrays"):
        largest_error([], [np.zeros(2)])


def test_outcomes_survive_json():
    for outcome in (Measured(0.1, 0.2, [3.0], 3.0, 0.0), NotMeasured("failed", "TypeError: no", "traceback")):
        assert from_json(to_json(outcome)) == outcome


def test_a_run_measures_in_processes_of_their_own():
    plan = Plan(("thomas",), ("numpy",), "small", repeats=2, timeout=60.0)
    outcome = run(plan, lambda kernel, peer: None, lambda: None)["thomas"]["numpy"]
    assert isinstance(outcome, Measured)
    assert len(outcome.milliseconds) == 2


def test_a_process_out_of_time_is_an_outcome():
    plan = Plan(("thomas",), ("numpy",), "small", repeats=1, timeout=1e-3)
    outcome = run(plan, lambda kernel, peer: None, lambda: None)["thomas"]["numpy"]
    assert outcome == NotMeasured("timed out", "no answer within 0.001 s")


def test_the_table_shows_ratios_and_reasons():
    numpy = Measured(0.0, 0.5, [10.0], 10.0, 0.0)
    fast = Measured(0.1, 0.5, [2.0], 2.0, 3e-15)
    text = render(
        {
            "lu": {"numpy": numpy, "anabranch": fast, "numba": NotMeasured("failed", "TypingError: no")},
            "thomas": {"numpy": numpy, "anabranch": fast, "numba": fast},
        }
    )
    lines = text.splitlines()
    assert lines[2].split() == ["lu", "10.0", "0.500", "2.00", "failed", "failed", "5.00", "-", "3.0e-15"]
    assert lines[4].split() == ["geometric", "mean", "5.00", "1.00"]
    assert "numba failed on lu: TypingError: no" in lines


def test_the_same_results_are_the_same_picture(tmp_path):
    pytest.importorskip("matplotlib")
    times = {"numpy": Measured(0.0, 0.5, [10.0], 10.0, 0.0), "anabranch": Measured(0.1, 0.5, [2.0], 2.0, 0.0)}
    failed = times | {"numba": NotMeasured("failed", "TypingError: no")}
    for name in ("first.svg", "second.svg"):
        write_plot(tmp_path / name, {"lu": times, "thomas": failed})
    assert (tmp_path / "first.svg").read_bytes() == (tmp_path / "second.svg").read_bytes()


@pytest.mark.parametrize("function", checks.FUNCTIONS)
@pytest.mark.parametrize("checked", [True, False])
def test_functions_with_and_without_checks_equal_numpy(function, checked):
    arguments = checks.arguments("small")
    compiled = jit(function, checks=checked)(*copy.deepcopy(arguments))
    np.testing.assert_allclose(compiled, function(*copy.deepcopy(arguments)))


def test_a_column_of_air_equals_numpy():
    arguments = column.arguments("small")
    expected, actual = column.column(*arguments), jit(column.column)(*arguments)
    assert largest_error(list(leaves(actual)), list(leaves(expected))) <= 1e-10


@pytest.mark.slow
def test_the_start_of_a_process():
    found = start.measured("thomas", ["anabranch"], rounds=1)
    assert set(found["anabranch"]) == {*start.COLUMNS}
    assert all(value > 0 for value in found["anabranch"].values())
    assert found["anabranch"]["warm"] < found["anabranch"]["cold"]
    text = start.table({"thomas": found | {"jax": {**found["anabranch"], "warm": 2 * found["anabranch"]["warm"]}}})
    assert "0.50" in text
    assert start_worker.per_op("anabranch", "column").keys() == {"trace", "lower"}


def test_all_programs_have_first_calls():
    found = {group: list(first_calls.programs(group)) for group in first_calls.GROUPS}
    assert {group: len(entries) for group, entries in found.items()} == {
        "examples": 4, "kernels": 15, "slices": 12, "programs": 126,
    }  # fmt: skip
    for entry in found["examples"]:
        entry.function(*entry.arguments())


@pytest.mark.slow
def test_the_first_calls():
    found = {"anabranch": first_calls.measured("anabranch", "examples")}
    assert (
        found["anabranch"]["cold"].keys() == found["anabranch"]["disk"].keys() == {"bisect", "solve", "window", "fit"}
    )
    peer = {kind: {"fit": [2.0, 1.0]} for kind in ("cold", "disk")}
    text = first_calls.table({"examples": found | {"numba": peer}}, 1)
    (line,) = [line.split() for line in text.splitlines() if "numba" in line]
    assert line[2:7] == ["1", "1000", "1000", "1000", "1000"]
    assert 0 < int(line[8]) <= int(line[7])
    assert first_calls.slowest({"examples": found}, 0).count(",") == 3


def test_operations_are_counted():
    assert start_worker._operations(lambda x, y: -x[1] + y < abs(y)) == 5
