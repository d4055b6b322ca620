"""Every benchmark kernel gives NumPy's results when compiled, and the benchmark's own arithmetic holds."""

from __future__ import annotations

import copy

import numpy as np
import pytest

from anabranch import jit
from benchmarks import checks, column, first_calls, plain_calls, science, science_table, start, start_worker, tracing
from benchmarks.changes import relative_change, render_changes
from benchmarks.compare import ResultMismatch, largest_error, leaves
from benchmarks.harness import Plan, read_json, run, write_json
from benchmarks.kernels import GROUPS, all_kernels, load, of_group
from benchmarks.outcome import Measured, NotMeasured
from benchmarks.plot import write_plot
from benchmarks.table import render, slower_than_numpy

KERNELS = all_kernels()


@pytest.mark.parametrize("name", KERNELS)
def test_compiled_kernel_equals_numpy(name):
    kernel = KERNELS[name]
    arguments = kernel.arguments("tiny")
    compiled_arguments = copy.deepcopy(arguments)
    expected = kernel.function(*arguments)
    actual = jit(kernel.function)(*compiled_arguments)
    assert largest_error(list(leaves((actual, compiled_arguments))), list(leaves((expected, arguments)))) <= 1e-10


def test_names_are_unique_and_arguments_reproducible():
    assert len(KERNELS) == sum(len(of_group(group)) for group in GROUPS)
    for kernel in KERNELS.values():
        assert load(f"{kernel.group}.{kernel.name}") == kernel
        assert largest_error(list(leaves(kernel.arguments("small"))), list(leaves(kernel.arguments("small")))) == 0.0


@pytest.mark.parametrize(
    ("actual", "expected", "error"),
    [
        ([1.0, np.nan, np.inf, 0.0], [1.0, np.nan, np.inf, 0.0], 0.0),
        ([1.0, 8.0 + 2**-40], [1.0, 8.0], 2**-43),
        ([2**-40, 8.0], [0.0, 8.0], 2**-43),
    ],
)
def test_largest_error(actual, expected, error):
    assert largest_error([np.array(actual)], [np.array(expected)]) == error


@pytest.mark.parametrize(
    ("actual", "expected"),
    [
        ([1.5], [1.0]),
        ([np.nan], [1.0]),
        ([1.0], [np.nan]),
        ([1.0], [np.inf]),
        ([1e-300], [0.0]),
        ([10**9], [10**9 + 1]),
    ],
)
def test_another_result_is_no_error_of_rounding(actual, expected):
    with pytest.raises(ResultMismatch, match="differs"):
        largest_error([np.array(actual)], [np.array(expected)])


def test_largest_error_holds_shape_and_dtype_to_numpy():
    with pytest.raises(ResultMismatch, match="dtype float32"):
        largest_error([np.zeros(2, np.float32)], [np.zeros(2)])
    with pytest.raises(ResultMismatch, match="shape"):
        largest_error([np.zeros(1)], [np.zeros(2)])
    with pytest.raises(ResultMismatch, match="arrays"):
        largest_error([], [np.zeros(2)])


@pytest.mark.slow
def test_a_run_measures_all_peers_in_one_process(tmp_path):
    plan = Plan((KERNELS["thomas"],), ("anabranch",), ("tiny", "small"), budget=0.0, fewest=2, timeout=100.0)
    results = run(plan, lambda kernel: None, lambda results: None)
    for row in results["thomas"].values():
        assert isinstance(row["numpy"], Measured)
        assert isinstance(row["anabranch"], Measured)
        assert row["anabranch"].equations > 0
        assert row["anabranch"].calls >= 2
    write_json(tmp_path / "out.json", results)
    assert read_json(tmp_path / "out.json") == results


def test_a_process_out_of_time_is_an_outcome():
    plan = Plan((KERNELS["thomas"],), (), ("tiny",), budget=0.0, fewest=1, timeout=0.0)
    outcome = run(plan, lambda kernel: None, lambda results: None)["thomas"]["tiny"]["numpy"]
    assert outcome == NotMeasured("timed out", "no answer within 0 s")


def times(**best):
    """A row of best times."""
    return {peer: Measured(ms, ms, 1, 2 * ms, 0.0, 7 if peer == "anabranch" else None) for peer, ms in best.items()}


def test_the_table_shows_ratios_and_reasons():
    refused = {"numba": NotMeasured("refused", "TypingError: no")}
    results = {
        "lu": {"small": times(numpy=10.0, anabranch=2.0) | refused},
        "thomas": {"small": times(numpy=10.0, anabranch=2.0, numba=1.0), "large": times(numpy=1.0, anabranch=2.0)},
    }
    lines = render(results).splitlines()
    assert lines[2].split() == ("lu factorisations small 10.0 2.00 refused 5.00 - 5.00 4 - 0e+00".split())
    (mean,) = [line.split() for line in lines if line.startswith("factorisations") and "small" in line]
    assert mean[:6] == ["factorisations", "small", "2", "5.00", "0.500", "1.58"]
    assert "numba refused: TypingError: no (lu small)" in lines
    assert "slower than NumPy: thomas large, 2.00 times" in lines
    assert slower_than_numpy(results) == [("thomas", "large", 2.0)]


def test_short_kernels_may_be_slower_than_numpy():
    assert not slower_than_numpy({"lu": {"small": times(numpy=0.01, anabranch=0.02)}})


def test_a_change_is_held_to_the_other_peers():
    before, now = times(numpy=10.0, anabranch=2.0), times(numpy=20.0, anabranch=2.0)
    assert relative_change(before, now) == 0.5
    gone = {"small": {"anabranch": NotMeasured("refused", "no")}}
    text = render_changes({"lu": {"small": before}, "thomas": gone}, {"lu": {"small": now}, "thomas": {"small": now}})
    lines = text.splitlines()
    assert lines[2].split() == ["lu", "small", "2.00", "2.00", "1.00", "0.500", "7"]
    assert "thomas small: anabranch refused before, now measured" in lines


def test_the_same_results_are_the_same_picture(tmp_path):
    pytest.importorskip("matplotlib")
    failed = times(numpy=10.0, anabranch=2.0) | {"numba": NotMeasured("refused", "TypingError: no")}
    for name in ("first.svg", "second.svg"):
        write_plot(tmp_path / name, {"lu": {"small": times(numpy=10.0, anabranch=2.0)}, "thomas": {"small": failed}})
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


@pytest.mark.parametrize("family", plain_calls.FAMILIES)
def test_plain_calls_equal_numpy(family):
    of_size, _ = plain_calls.FAMILIES[family]
    for case in of_size({"vectors": 200, "windows": 200, "tables": 40}.get(family, 8)):
        arguments, compiled_arguments = copy.deepcopy(case.arguments), copy.deepcopy(case.arguments)
        expected = list(leaves((case.function(*arguments), arguments)))
        actual = list(leaves((jit(case.function)(*compiled_arguments), compiled_arguments)))
        assert largest_error(actual, expected) <= 1e-6, case.name


@pytest.mark.slow
def test_plain_calls_are_measured_in_turns():
    case = next(plain_calls.FAMILIES["products"][0](16))
    assert all(milliseconds > 0 for milliseconds in plain_calls.measure(case, 0.0, 16))


@pytest.mark.slow
def test_the_start_of_a_process():
    found = start.measured("factorisations.thomas", ["anabranch"], rounds=1)
    assert set(found["anabranch"]) == {*start.COLUMNS}
    assert all(value > 0 for value in found["anabranch"].values())
    assert found["anabranch"]["warm"] < found["anabranch"]["cold"]
    text = start.table({"thomas": found | {"jax": {**found["anabranch"], "warm": 2 * found["anabranch"]["warm"]}}})
    assert "0.50" in text
    assert start_worker.per_op("anabranch", "column").keys() == {"trace", "lower"}


def test_all_programs_have_first_calls():
    found = {group: list(first_calls.programs(group)) for group in first_calls.GROUPS}
    assert {group: len(entries) for group, entries in found.items()} == {
        "examples": 4, "kernels": 118, "programs": 126,
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


@pytest.mark.slow
def test_science_programs_are_measured_beside_plain_python():
    names = ["odes-lorenz_tuples", "markov-absorption_times"]
    found = dict(science.run(names, budget=0.0, timeout=100.0))
    for row in found.values():
        assert isinstance(row["python"], Measured)
        assert isinstance(row["anabranch"], Measured)
        assert row["anabranch"].first_ms > row["anabranch"].best_ms
    summary, table = science_table.render({name: {science_table.SIZE: row} for name, row in found.items()})
    assert summary.splitlines()[2].startswith("| runs | 2 |")
    assert [line.split()[1] for line in table.splitlines()[2:]] == sorted(names)


def test_the_table_of_science_programs():
    both = times(python=8.0, anabranch=2.0, numba=1.0)
    slower = times(python=1.0, anabranch=2.0) | {"numba": NotMeasured("refused", "TypingError: no")}
    rows = {"odes-a": {science_table.SIZE: both}, "odes-b": {science_table.SIZE: slower}}
    summary, table = science_table.render(rows)
    figures = {
        cells[1].strip(): [c.strip() for c in cells[2:4]] for cells in (s.split("|") for s in summary.splitlines())
    }
    assert figures["runs"] == ["2", "1"]
    assert figures["refused"] == ["0", "1"]
    assert figures["slower than plain Python"] == ["1", "0"]
    assert figures["Python's time over its own, geometric mean"] == ["1.41", "8.00"]
    assert figures["Python's time over its own, geometric mean, of the 1 that both take"] == ["4.00", "8.00"]
    assert table.splitlines()[3] == "| odes-b | 0.00400 | - | 1000 | 2000 | refused | 0.500 | - |"


def test_other_values_of_a_science_program_are_found():
    science.same_values({"a": [1, 2.0]}, {"a": [1.0, 2.0 + 1e-12]})
    for other in ({"a": [1.0, 2.1]}, {"a": [1.0]}):
        with pytest.raises((AssertionError, ResultMismatch)):
            science.same_values({"a": [1, 2.0]}, other)


def test_rewriting_tracing_and_passes_are_timed_each():
    kernel = load("factorisations.thomas")
    assert all(milliseconds > 0 for milliseconds in tracing.best(tracing.ours, kernel, 1))
