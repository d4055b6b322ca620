"""Functions of `statistics`, which are called on the host: their results are Python's own."""

from __future__ import annotations

import statistics

import numpy as np
import pytest

from anabranch import StructureMismatchError, host, jit
from tests.equivalence import check
from tests.program_table import Program, Table

case = Table()


@case((np.array([3.0, 1.0, 2.0, 5.0, 4.0, 0.1]),))
def of_a_list_of_run_time_length(values):
    kept = [x for x in values if x > 1]
    return statistics.mean(kept), statistics.median(kept), statistics.stdev(kept), statistics.pvariance(kept)


@case((np.array([3.0, 1.0, 2.0, 5.0, 4.0, 0.5]),))
def of_what_is_gone_over(values):
    found = {}
    for v in values:
        found[int(v)] = float(v) * 2
    return statistics.fmean(found.values()), statistics.stdev(v for v in values if v > 2)


@case(([1.0], 1.0), ([3], 1.0), ([1.0], -1.0))
def of_too_few_under_a_condition(numbers, x):
    if x > 0:
        try:
            return statistics.variance(numbers)
        except statistics.StatisticsError:
            return -1.0
    return x


@case(([1.0, 2.0, 4.0, 8.5],), ([1, 2, 4, 8],))
def of_windows(numbers):
    found = []
    for k in range(len(numbers) - 2):
        window = numbers[k : k + 3]
        found.append(statistics.fmean(window) - statistics.median(window))
    return found


@case((["a", "b", "a", "c", "b"], [1.0, 2.0, 3.0, 4.0, 5.0]))
def of_groups_of_which_some_are_too_short(labels, values):
    groups, spread = {}, {}
    for label, value in zip(labels, values, strict=True):
        groups.setdefault(label, []).append(value)
    for label, group in groups.items():
        try:
            spread[label] = (statistics.mean(group), statistics.stdev(group))
        except statistics.StatisticsError:
            spread[label] = (group[0], None)
    return spread


@pytest.mark.parametrize("program", case.programs)
def test_programs(program: Program) -> None:
    program.check()


def test_a_mean_of_ints_that_is_one_is_refused_where_others_are_floats() -> None:
    mean = jit(lambda numbers: statistics.mean(numbers))
    assert mean([1, 2]) == 1.5
    with pytest.raises(StructureMismatchError, match="has returned int where it was taken to return float"):
        mean([1, 3])


@pytest.mark.parametrize("function", [statistics.mean, statistics.median, statistics.stdev, statistics.quantiles])
def test_jit_of_a_function_of_the_module(function) -> None:
    check(function, [1.5, 2.5, 4.0, 4.0])
    check(function, np.array([1.5, 2.5, 4.0]))


def test_what_it_raises_for_a_group_of_run_time_length() -> None:
    @jit
    def spread(labels, values):
        groups, found = {}, {}
        for label, value in zip(labels, values, strict=True):
            groups.setdefault(label, []).append(value)
        for label, group in groups.items():
            found[label] = statistics.stdev(group)
        return found

    with pytest.raises(statistics.StatisticsError, match="stdev requires at least two data points"):
        spread(["a", "b", "a", "c", "b"], [1.0, 2.0, 3.0, 4.0, 5.0])
    assert spread(["a", "b", "a", "b"], [1.0, 2.0, 3.0, 5.0]) == {
        "a": statistics.stdev([1.0, 3.0]),
        "b": statistics.stdev([2.0, 5.0]),
    }


@pytest.mark.parametrize("numbers", [[1.0], [3], [], [1.0, 2.5]])
def test_too_few_in_an_argument(numbers) -> None:
    check(lambda numbers: 2 * statistics.stdev(numbers) + 1, numbers)


def test_another_result_than_that_of_a_call_that_raised_is_refused() -> None:
    @host
    def sevens(x):
        if x != 7:
            raise ValueError(f"{x} is no seven")
        return [1, 2]

    compiled = jit(lambda x: sevens(x))
    with pytest.raises(ValueError, match="is no seven"):
        compiled(1.0)
    with pytest.raises(StructureMismatchError, match="has returned a list of 2 parts"):
        compiled(7.0)
