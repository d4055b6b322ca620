"""The passes in a row, and each without the others: well-formed Programs, as each says that it leaves them."""

from __future__ import annotations

import functools
import inspect

import numpy as np
import pytest

import anabranch
from anabranch import jit
from anabranch.runtime.ir.verify import check
from anabranch.runtime.passes import OPTIONAL, PASSES, optimise
from tests.behaviour.programs.catalogue import CASES, concrete
from tests.equations import ops
from tests.equivalence import check as equal

NAMES = [one.name for one in OPTIONAL]


def traced():
    """The Program of every program of the catalogue that can be traced on its own."""
    for group, name, function, argsets in CASES:
        names = list(inspect.signature(function).parameters)
        static = tuple(names[i] for i, spec in enumerate(argsets[0]) if spec[0] == "s")
        yield pytest.param(function, static, [concrete(spec) for spec in argsets[0]], id=f"{group}-{name}")


def program_of(function, static, args):
    try:
        return jit(function, static_argnames=static).trace(*args).program
    except Exception:  # what it raises eagerly is the matter of the programs' own tests
        pytest.skip("raises while it is traced")


@pytest.mark.parametrize(("function", "static", "args"), list(traced()))
def test_each_pass_holds_what_it_promises(function, static, args):
    first = program = program_of(function, static, args)
    for one in PASSES:
        program = one.run(program)
        check(program)
        assert str(one.run(program)) == str(program), f"{one.name} leaves work for itself"
        alone = one.run(first)
        check(alone)
        assert str(one.run(alone)) == str(alone), f"{one.name} alone leaves work for itself"


def busy(a, n):
    """Something for every pass to do."""
    total = 0.0
    table = np.exp(np.arange(4) * 0)
    for i in range(n):
        row = a[i % 8] * 2.0
        if row[0] > 1.0:
            total += (row * row).sum()
        else:
            total -= a[i % 8].sum() * table[1]
        if total > 1e6:
            return total
        a[i % 8, 1:] = a[i % 8, :-1]
    return total + (a[0] * 2.0).sum() - (a[0] * 2.0).max()


def first_row(a, limit):
    """A row that only some steps return."""
    for i in range(a.shape[0]):
        if a[i].sum() > limit:
            return a[i] * 2.0
    return a[0]


def filled_until(a, limit):
    """An array that steps write to, and that one of them returns in another form."""
    for i in range(a.shape[0]):
        if a[i, 0] > limit:
            return a * 2.0
        if a[i, 1] > 2:
            a[i, 0] = limit
    return a


def steps(a, n):
    """Small branches, one after the other."""
    count = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        if count > 100:
            break
        count += 1
    return count


def products(a, n):
    """Products of parts of rows."""
    out = np.zeros((n, n))
    for i in range(n):
        for j in range(i):
            out[i, j] = a[i, :j] @ a[j, :j]
    return out


def one_row(a, n):
    """Reads and writes at an index that the call decides."""
    if a[n, 0] > 0:
        a[n, 0] -= 1
    else:
        a[n, 0] = a[n, 1]
    return a[n]


def some_rows(a, rows):
    """Reads and writes at indices that the call decides."""
    a[rows, 0] += 1
    return a[rows, 1]


def either_row(a, n):
    """Writes through a name that a condition chose."""
    b = a.copy()
    for i in range(10):
        y = a if a[i, 0] > n else b
        y[i, 0] = y[i, 1] + y[i + 1, 0]
        b[i, 2] = y[i, 0]
    return a, b


def selected(a, n):
    """Elements under a mask, one by one."""
    b = a[0][a[0] > n]
    total = 0.0
    for i in range(len(b)):
        total += b[i]
    return total


def counted_writes(a, n):
    """Writes of as many rows as are known only at run time."""
    for i in range(n):
        a[i, 0] = a[i, 1] * 2.0
    return a


def smoothed(a, n):
    """A block that is computed from others of the same array."""
    for _ in range(n):
        a[1:-1] = a[2:] + a[:-2]
    return a


def rows_times_matrix(a, n):
    """Products that no step waits for."""
    out = np.zeros((n, a.shape[1]))
    for i in range(n):
        out[i] = a[i] @ a
    return out


def horner(a, n):
    """A large array that changes element by element."""
    total = a
    for i in range(12):
        total = total * a + n * i
    return total


def written_rows(a, k):
    for i in range(k):
        row = a[i]
        for j in range(a.shape[1]):
            row[j] += row[0] * i
    return a


def shaded(a, shades):
    """Work on what many elements are looked up as, of which none is out of bounds."""
    return np.exp(shades[a.astype(np.int64)] / 7) * 2


def ranked(a, n):
    """Ranks of rows, by two sorts one after the other."""
    return np.argsort(np.argsort(a[n], kind="stable"), kind="stable")


def chosen_target(a, b, n):
    for k in range(n):
        target = a if k % 2 else b
        for i in range(len(a)):
            target[i] += 0.5 * a[i]
    return a, b


def columns_added(a):
    for i in range(a.shape[1]):
        for j in range(i):
            a[:, i] += a[:, j] % 5
    return a


def transposed(a):
    out = np.empty(a.shape[::-1])
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            out[j, i] = a[i, j]
    return out


# Whole numbers, so that sums are exact in any order.
MATRIX = (np.arange(150.0 * 150) % 7).reshape(150, 150)
CALLS = [
    (busy, MATRIX[:8].copy(), 20),
    (first_row, MATRIX, 440.0),
    (filled_until, MATRIX, 5),
    (steps, MATRIX, 27),
    (products, MATRIX, 40),
    (one_row, MATRIX, 3),
    (some_rows, MATRIX, np.array([3, -1])),
    (either_row, MATRIX, 3),
    (selected, MATRIX, 3),
    (counted_writes, MATRIX, 90),
    (smoothed, MATRIX, 3),
    (rows_times_matrix, MATRIX, 20),
    (written_rows, MATRIX[:8].copy(), 8),
    (shaded, MATRIX, np.arange(7.0)),
    (horner, MATRIX, 3),
    (ranked, MATRIX, 3),
    (chosen_target, MATRIX[0].copy(), MATRIX[1].copy(), 3),
    (columns_added, MATRIX),
    (transposed, MATRIX[:40]),
]


@functools.cache
def texts(place):
    """The Program of a call as it is traced, and its text once it is optimised."""
    function, *args = CALLS[place]
    program = jit(function).trace(*args).program
    return program, str(optimise(program))


def does_something(name, place):
    """Return whether a Program is another one without a pass."""
    program, text = texts(place)
    return str(optimise(program, (name,))) != text


@pytest.mark.parametrize("name", NAMES)
def test_results_are_the_same_without(name):
    places = [place for place in range(len(CALLS)) if does_something(name, place)]
    assert places, f"{name} has nothing to do"
    with anabranch.configure(disable_passes=(name,)):
        for place in places:
            equal(*CALLS[place])


@pytest.mark.parametrize("name", ["inline", "check_discharge", "copy_insertion"])
def test_names_of_no_pass_and_of_legalizations_are_refused(name):
    with pytest.raises(
        ValueError, match=f"there is no pass '{name}' to disable; there are check_elimination, check_pro"
    ):
        jit(lambda x: x + 1, disable_passes=(name,))(1.0)


def test_a_function_is_compiled_anew_without_a_pass(compiled):
    f = jit(lambda x: (x + 1) * (x + 1))
    f(1.0)
    with anabranch.configure(disable_passes=("cse",)):
        assert f(1.0) == 4.0
        assert ops(f.lower(1.0).program).count("add") == 2
    f(1.0)
    assert len(compiled) == 2


def test_stages_keep_the_settings_of_their_function():
    f = jit(lambda x: (x + 1) * (x + 1), disable_passes=("cse",))
    assert ops(f.lower(1.0).program).count("add") == 2
    assert ops(f.trace(1.0).lower().program).count("add") == 2
