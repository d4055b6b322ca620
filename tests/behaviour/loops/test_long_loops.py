"""Loops of many steps that fill lists and dicts: each is one loop, and more steps are no more equations."""

# ruff: noqa: B905

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from anabranch import StructureMismatchError, jit
from tests.equations import every_equation
from tests.equivalence import ULPS
from tests.program_table import Program

RNG = np.random.default_rng(7)
A = np.array([1.5, -2.0, 3.0, -4.0, 0.5])
PROGRAMS: dict[str, tuple[Callable[..., Any], Callable[[int], tuple[Any, ...]]]] = {}


def of_steps(arguments):
    """A program, and what its arguments are for a number of steps."""

    def add(function):
        PROGRAMS[function.__name__] = function, arguments
        return function

    return add


# ---- the everyday idiom ----------------------------------------------------------------------------------------------


@of_steps(lambda n: (np.cos(np.arange(float(n)))[:, None], np.array([[1.0, 1.0], [0.0, 1.0]]), np.array([[1.0, 0.0]])))
def kalman_filter(zs, F, H):
    x, P, xs = np.zeros(2), np.eye(2), []
    for z in zs:
        x = F @ x
        P = F @ P @ F.T + 0.01 * np.eye(2)
        S = H @ P @ H.T + np.eye(1)
        K = P @ H.T @ np.linalg.inv(S)
        x = x + K @ (z - H @ x)
        P = (np.eye(2) - K @ H) @ P
        xs.append(x)
    return np.array(xs), P


@of_steps(lambda n: (np.arange(n) * 7 % 5, np.full(3, 1 / 3), np.eye(3) * 0.4 + 0.2, np.arange(1.0, 16).reshape(3, 5)))
def viterbi_path(observed, start, step, emit):
    v = np.log(start) + np.log(emit[:, observed[0]])
    back = []
    for t in range(1, len(observed)):
        scores = v[:, None] + np.log(step)
        back.append(np.argmax(scores, axis=0))
        v = np.max(scores, axis=0) + np.log(emit[:, observed[t]])
    path = [np.argmax(v)]
    for pointers in reversed(back):
        path.append(pointers[path[-1]])
    path.reverse()
    return np.array(path), np.max(v)


@of_steps(lambda n: (0.3, 0.1, n))
def epidemic(beta, gamma, days):
    state = {"S": 0.99, "I": 0.01, "R": 0.0}
    history, infected = [], []
    for _ in range(days):
        new, gone = beta * state["S"] * state["I"], gamma * state["I"]
        state["S"] -= new
        state["I"] += new - gone
        state["R"] = state["R"] + gone
        history.append(dict(state))
        infected.append(state["I"])
    return history, infected, state, history[3]["R"]


@of_steps(lambda n: (RNG.normal(size=(9, 3)), np.arange(9.0), [np.ones((3, 4)) * 0.3, np.linspace(0, 1, 4)], n))
def training(X, y, weights, epochs):
    W = [w.copy() for w in weights]
    params, losses = {"bias": 0.0}, []
    for _ in range(epochs):
        h = np.tanh(X @ W[0])
        error = h @ W[1] + params["bias"] - y
        losses.append(np.mean(error**2))
        grads = [X.T @ (np.outer(error, W[1]) * (1 - h**2)), h.T @ error]
        for i in range(len(W)):
            W[i] -= 0.001 * grads[i]
        params["bias"] = params["bias"] - 0.001 * np.sum(error)
    return W, losses, params


@of_steps(lambda n: (np.where(np.arange(16) % 3 == 0, 1.0, -1.0).reshape(4, 4), RNG.random((200, 4, 4)), n))
def ising_sweeps(grid, draws, sweeps):
    energies = []
    for sweep in range(sweeps):
        for i in range(4):
            for j in range(4):
                near = grid[(i + 1) % 4, j] + grid[i - 1, j] + grid[i, (j + 1) % 4] + grid[i, j - 1]
                change = 2 * grid[i, j] * near
                if change <= 0 or draws[sweep, i, j] < np.exp(-change):
                    grid[i, j] = -grid[i, j]
        energies.append(-np.sum(grid * np.roll(grid, 1, axis=0)))
    return np.array(energies)


@of_steps(lambda n: (100.0, n))
def option_tree(strike, n):
    v = np.maximum(strike - 90.0 * 1.01 ** np.arange(-n, n + 1, 2), 0.0)
    for _ in range(n):
        v = 0.999 * (0.51 * v[1:] + 0.49 * v[:-1])
    return v[0]


@of_steps(lambda n: (np.arange(float(n + 4)) ** 2,))
def rolling_means(a):
    out = []
    for i in range(len(a) - 4):
        out.append(np.mean(a[i : i + 5]))
    return np.array(out)


# ---- what is appended, and how ---------------------------------------------------------------------------------------


@of_steps(lambda n: (0.5, n))
def two_lists_and_tuples(a, n):
    xs, ys = [], []
    for i in range(n):
        xs.append(a * i)
        ys.append((i, a + i))
    return xs, ys, len(xs), xs[-1], ys[3], np.array(xs), xs[::-7], xs[2:5]


@of_steps(lambda n: (A, n))
def under_a_condition(a, n):
    xs = []
    for i in range(n):
        if a[i % 5] > 0:
            xs.append(a[i % 5] * i)
    return xs, len(xs)


@of_steps(lambda n: (A, n))
def until_it_is_left(a, n):
    xs = []
    for i in range(n):
        if a[i % 5] * i > 130.0:
            break
        xs.append(a[i % 5])
    return xs


@of_steps(lambda n: (A, n))
def lists_of_lists(a, n):
    rows = []
    for i in range(n):
        row = []
        for j in range(20):
            row.append(a[i % 5] * j)
        rows.append(row)
    return rows, np.array(rows), rows[3][4]


@of_steps(lambda n: (0.5, n))
def from_the_one_before(x, n):
    xs = [x, 2 * x]
    for i in range(2, n):
        xs.append(xs[-1] * 0.5 + xs[i - 2])
    return xs, np.array(xs), xs[10]


@of_steps(lambda n: (0.5, n))
def dict_of_lists(x, n):
    history, v = {"x": [], "v": []}, 0.0
    for _ in range(n):
        v -= x * 0.1
        x += v * 0.1
        history["x"].append(x)
        history["v"].append(v)
    return history


@of_steps(lambda n: (A, n))
def copies_of_what_changes_in_place(a, n):
    x, trajectory = a.copy(), []
    for _ in range(n):
        x += 0.1 * np.cos(x)
        trajectory.append(x.copy())
    return np.vstack(trajectory), np.stack(trajectory, axis=1), np.concatenate(trajectory), np.mean(trajectory)


@of_steps(lambda n: (A, n))
def after_a_first_step_that_binds_names(a, n):
    x, xs = None, []
    for i in range(n):
        x = a if x is None else x * 0.5 + i
        xs.append(x)
    return x, xs


@of_steps(lambda n: (A, n))
def with_a_number_of_another_type_first(a, n):
    xs = [0.0]
    for i in range(n):
        xs.append(a[i % 5])
    return xs, xs[0], xs[1], xs[-1]


@of_steps(lambda n: (A, n))
def filled_twice(a, n):
    xs = []
    for i in range(n):
        xs.append(a[0] * i)
    for i in range(n):
        xs.append(i)
        xs.append(a[1])
    return xs, len(xs), xs[2], xs[n], xs[n + 1]


@of_steps(lambda n: (0.5, n))
def gone_over_again(x, n):
    xs, ys = [], []
    for i in range(n):
        x = np.sin(x) * i - x
        xs.append(x)
        ys.append(x * x)
    total = 0.0
    for p, q in zip(xs, ys):
        total += p * q
    for i, v in enumerate(xs):
        total += i * v
    return total, np.diff(xs), sum(ys), max(xs)


@of_steps(lambda n: (0.5, n))
def by_a_while(x, n):
    xs = [x]
    while len(xs) < n:
        x = x * 0.9 + np.sin(x)
        xs.append(x)
    return xs


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_as_in_eager_python(name: str) -> None:
    function, arguments = PROGRAMS[name]
    Program(function, (arguments(70), arguments(71)), (), ULPS, False).check()


def equations(function: Callable[..., Any], *args: Any) -> int:
    return sum(1 for _ in every_equation(jit(function).trace(*args).program))


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_more_steps_are_no_more_equations(name: str) -> None:
    function, arguments = PROGRAMS[name]
    # A list that ends in a number's kind of its own is cut once more, say.
    assert equations(function, *arguments(160)) <= equations(function, *arguments(120))


# ---- identity --------------------------------------------------------------------------------------------------------


def test_arrays_from_before_the_loop_are_themselves_in_the_list():
    def f(a, xs):
        ys = [a]
        for i in range(100):
            ys.append(a * i)
            xs.append(a - i)
        return ys, ys[0] is a, ys[1] is ys[1], ys[1] is ys[2]

    for function in (f, jit(f)):
        a, b = np.arange(3.0), np.ones(3)
        given = [b]
        ys, same, again, other = function(a, given)
        assert ys[0] is a
        assert given[0] is b
        assert (len(ys), len(given)) == (101, 101)
        assert (bool(same), bool(again), bool(other)) == (True, True, False)


def changed_afterwards(a):
    rows = []
    for i in range(40):
        rows.append([a[i % 5], a[0] * i])
    rows[3][1] = 7.0
    return rows


def changed_in_the_step(a):
    rows = []
    for i in range(40):
        row = [a[i % 5], a[0] * i]
        rows.append(row)
        row[0] = 5.0
    return rows


def known_by_another_name(a):
    rows, last = [], None
    for i in range(40):
        last = [a[i % 5], a[0] * i]
        rows.append(last)
    last[0] = 9.0
    return rows


def one_dict_in_all_places(a):
    state, history = {"x": a[0]}, []
    for _ in range(40):
        state["x"] = state["x"] * 0.5 + np.sin(a[1])
        history.append(state)
    return history


def in_two_lists(a):
    rows, other = [], []
    for i in range(40):
        row = [a[i % 5], a[0] * i]
        rows.append(row)
        other.append(row)
    rows[0][0] = 3.0
    return rows, other, rows[1] is other[1], rows[0] is rows[0]


def items_written_to(a):
    xs = []
    for i in range(40):
        xs.append(a * i)
    for x in xs:
        x += 1.0
    return xs


def first_item_changed_by_its_name(a):
    first = [a[0], 2.0]
    rows = [first]
    for i in range(40):
        rows.append([a[i % 5], a[0] * i])
    first[1] = 5.0
    return rows, rows[0] is first


@pytest.mark.parametrize(
    "function",
    [
        changed_afterwards,
        changed_in_the_step,
        known_by_another_name,
        one_dict_in_all_places,
        in_two_lists,
        items_written_to,
        first_item_changed_by_its_name,
    ],
)
def test_items_with_two_names_are_one_object(function: Callable[..., Any]) -> None:
    Program(function, ((A,), (A + 1,)), (), ULPS, False).check()


# ---- what is unrolled ------------------------------------------------------------------------------------------------


def test_what_cannot_be_staged_and_is_long_says_why():
    def f(a):
        rows = []
        for i in range(3000):
            rows.append(hash(i) + a[0])
        return rows

    with pytest.raises(StructureMismatchError, match="unroll_budget allows 100 ") as caught:
        jit(f, unroll_budget=100)(A)
    assert "a hash (for a dict key or an element of a set) is needed" in str(caught.value)


def test_the_budget_is_of_the_whole_program():
    def f(x):
        w = {"x": x}
        for _ in range(30):
            w = {"x": w, "y": x * 2.0}
        for _ in range(30):
            w = {"x": w, "y": x * 2.0}
        return len(w)

    assert jit(f, unroll_budget=60)(1.0) == 2
    with pytest.raises(StructureMismatchError, match=r"30 equations in 30 steps \(other unrolled loops: 30\)"):
        jit(f, unroll_budget=59)(1.0)


def test_a_known_condition_of_costly_steps_is_staged_before_the_budget_is_spent():
    def f(a, x):
        n, total = a.shape[0], 0.0
        while n > 1:
            for k in (1, 2, 3, 4, 5, 6, 7, 8):
                if total > k:
                    x = x * 0.5 - k
                total += x / (n + k)
            n -= 1
        return total

    program = jit(f, unroll_budget=400)
    for _ in range(3):
        assert program(np.ones(9), 1.5) == f(np.ones(9), 1.5)


def test_a_few_steps_are_unrolled_within_a_long_loop():
    def f(ws, n):
        total, seen = 0.0, []
        for _ in range(n):
            outs = [ws[0]]
            for w in ws:
                outs.append(np.tanh(outs[-1].sum() * w))
            total += outs[-1].sum()
            seen.append(total)
        return seen

    ws = [np.ones(2), np.ones((2, 3)), np.ones(4)]
    Program(f, ((ws, 50),), (), ULPS, False).check()
    assert equations(f, ws, 100) == equations(f, ws, 50)
