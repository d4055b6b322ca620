"""`sorted` of a number of texts known while tracing, whose characters are known only at run time."""

from __future__ import annotations

import operator

import numpy as np
import pytest

from anabranch import UnsupportedOperationError, jit
from tests.equations import every_equation
from tests.program_table import Program, Table

case = Table()
VALUES = np.array([3.0, 11.0, 4.0, 100.0, 5.0, 9.0, -2.0, 6.0, 11.0, 20.0])


@case((VALUES,), (VALUES[:3],), (VALUES[:1],), (np.arange(40.0) * 7 % 40,))
def texts(x):
    return sorted(str(int(v)) for v in x), sorted([f"{int(v)}" for v in x], reverse=True)


@case((VALUES,), (VALUES[:4],))
def tuples_with_texts(x):
    rows = [(int(v) % 3, str(int(v)), float(v)) for v in x]
    return sorted(rows), sorted(rows, reverse=True), max(rows)


@case((VALUES,))
def items_by_texts(x):
    rows = [(i, str(int(v) % 4)) for i, v in enumerate(x)]
    rows.sort(key=operator.itemgetter(1))
    return rows, sorted(rows, key=operator.itemgetter(1), reverse=True), sorted(rows, key=lambda row: (row[1], -row[0]))


@case((VALUES[:4],))
def texts_and_numbers(x):
    return sorted([(str(int(v)) if i != 2 else int(v)) for i, v in enumerate(x)])


@case((VALUES,))
def keys_are_made_once(x):
    asked = []

    def key(row):
        asked.append(row[0])
        return row[1]

    return sorted([(i, str(int(v))) for i, v in enumerate(x)], key=key), asked


@pytest.mark.parametrize("program", case.programs)
def test_as_in_eager_python(program: Program):
    program.check()


def test_equations_do_not_grow_with_the_square_of_the_number():
    counts = [sum(1 for _ in every_equation(jit(texts).trace(np.arange(n) * 1.0).program)) for n in (10, 20)]
    assert counts[1] < 2.5 * counts[0]


def test_nan_beside_texts_is_refused_where_it_is_there():
    def f(x):
        return sorted((v, str(int(i))) for i, v in enumerate(x))

    compiled = jit(f)
    assert compiled(VALUES) == f(VALUES)
    with pytest.raises(UnsupportedOperationError, match="NaN"):
        compiled(np.where(VALUES > 50, np.nan, VALUES))
