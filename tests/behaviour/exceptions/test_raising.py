"""Exceptions that say run-time values: class, arguments, attributes, cause and line as in eager Python.

PYTEST_DONT_REWRITE: the assertions in the programs have their own messages.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from anabranch import jit
from tests.program_table import Program, Table

case = Table()


class OutOfRangeError(Exception):
    """Makes other arguments of those it is given."""

    def __init__(self, value, index, why="too large"):
        super().__init__(value, why)
        self.value = value
        self.index = index


class ChildError(OutOfRangeError):
    """Has no __init__ of its own."""


class KeepsItsArgumentsError(Exception):
    """Sets an attribute alone."""

    def __init__(self, value, *, code=3):
        self.code = code + value


class FormatsItselfError(Exception):
    """Makes its message of what it is given."""

    def __init__(self, message, **values):
        super().__init__(message.format(**values))
        self.values = values


class HasATextError(ValueError):
    """Shows itself in its own way."""

    def __str__(self):
        return f"<{self.args[0]:.2f}>"


@dataclasses.dataclass
class RecordError(Exception):
    """A dataclass, too."""

    a: float
    b: int = 2


class SlotsError(Exception):
    """Keeps an attribute in a slot."""

    __slots__ = ("kept",)

    def __init__(self, value):
        super().__init__(f"value {value}")
        self.kept = value


def checked(x, limit):
    if x > limit:
        raise OutOfRangeError(x, limit, why="checked")
    return x


@case((2.0,), (-2.0,))
def arguments(x):
    if x < 0:
        raise ValueError("negative", x, x + 1)
    return x


@case((np.array([1.0, 2.0, -3.0]), 3), (np.array([1.0, 2.0, 3.0]), 3), (np.array([1.0, -2.0, -3.0]), 1))
def own_class_in_a_loop(a, n):
    for i in range(n):
        if a[i] < 0:
            raise OutOfRangeError(a[i], i)
    return a.sum()


@case((np.array([1, 2, 3]),), (np.array([-1, -2, -3]),))
def arrays_and_containers(a):
    if a.sum() < 0:
        raise ChildError([a, {"twice": a * 2}], (a.sum(), None))
    return a


@case((2,), (-2,))
def arguments_that_init_drops(n):
    if n < 0:
        raise KeepsItsArgumentsError(n, code=n)
    return n


@case((1.0, 2), (3.0, 2), (3.0, 0))
def from_a_helper_in_a_loop(x, n):
    for i in range(n):
        x = checked(x, i + 1.5) + 0.5
    return x


@case((3,), (-3,))
def cause_with_values(n):
    if n < 0:
        raise ValueError(n) from KeyError(n + 1)
    return n


@case((3,), (-3,))
def without_a_cause(n):
    if n < 0:
        raise ValueError(n) from None
    return n


@case((3, 4), (-3, 4), (3, -4), (-3, -4))
def first_of_several(n, m):
    if n < 0:
        raise ValueError(n)
    if m < 0:
        raise KeyError(m, n)
    return n + m


@case((5, 2), (5, 9), (0, 0))
def stop_iteration_with_a_value(n, k):
    for i in range(n):
        if i == k:
            raise StopIteration(i * 10)
    return n


@case((7,), (3,))
def at_the_end(n):
    assert n > 5, n
    raise ValueError(n)


@case((7,), (3,))
def nothing_but_a_raise(n):
    raise ValueError(n * 2, "always")


@case((3, 2), (-3, 2))
def assertion_of_a_tuple(n, m):
    assert n > 0, (n, m, "bad")
    return n


@case((3, 2), (-3, 2), (3, 0), (-3, 0))
def assertion_whose_message_may_fail(n, m):
    assert n > 0, (n // m, "bad")
    return n


@case((3, 2), (-3, 2), (3, 0))
def assertion_in_a_loop(n, m):
    s = 0
    while s < 20:
        s += n + 4
        assert s < 12 or m > 0, [s, m]
        if s == 3:
            assert m < 0, s
    return s


@case((3, 1), (3, 0), (0, 0))
def made_before_the_branch(n, m):
    error = ValueError(n, "made")
    for i in range(n):
        if i == m:
            raise error
    return n


@case((3, True), (-3, True), (-3, False))
def class_chosen_at_run_time(n, which):
    if n < 0:
        if which:
            raise ValueError(n)
        raise KeyError(n, which)
    return n


@case((np.array([3.0, 1.0]), 1), (np.array([3.0, 1.0]), 5))
def snapshot_of_an_array(a, n):
    a[0] = 9
    if n > 2:
        a[1] = n
        raise ValueError(a, a[1:])
    a[0] = 8
    return a


@case((2, None), (-2, None), (-2, 5))
def none_or_a_value(n, best):
    if n > 0:
        best = n
    if n < 0:
        raise ValueError(best, n)
    return n


@case((2.0, 3), (-2.0, 3), static=("n",))
def static_and_run_time(x, n):
    for i in range(n):
        if x < -i:
            raise ValueError(i, x, "static")
    return x


@case((1.5, 2), (-1.5, 2))
def message_made_by_the_class(x, n):
    if x < 0:
        raise FormatsItselfError("bad {v:.3f} of {n:>4}", v=x, n=n)
    return n


@case((5.0,), (0.5,))
def text_of_the_class(x):
    for i in range(3):
        if x < i:
            raise HasATextError(x * i)
    return x


@case((5.0,), (-0.5,))
def exception_that_is_a_dataclass(x):
    if x < 0:
        raise RecordError(x, b=7)
    return x


@case((5.0,), (-0.5,))
def formatted_messages(x):
    if x < 0:
        raise RuntimeError(f"got {x!r} and {x:8.3f}", [f"{x}"]) from KeyError("%.1f" % x)  # noqa: UP031
    assert x > 1, f"too small: {x}"
    return x


@case((5,), (-1,))
def notes_and_attributes(n):
    error = ValueError("base")
    if n < 0:
        error.add_note(f"note {n}")
        error.extra = [n, f"{n}"]
        raise error
    return n


@case((5,), (-1,))
def group_of_exceptions(n):
    if n < 0:
        raise ExceptionGroup("several", [ValueError(n), KeyError(f"{n}")])
    return n


@case((1, 2), (1, 9))
def in_nested_loops_and_else(x, n):
    s = 0
    for i in range(n):
        for j in range(i):
            if x * j > 3:
                raise StopIteration(f"{i},{j}", x)
            s += j
        else:
            s += 100
    return s


@case((3,), (-3,))
def handed_out_as_a_value(n):
    error = ValueError(f"n={n}", n)
    try:
        raise KeyError(n)
    except KeyError as caught:
        return str(error), repr(error), error.args, f"{caught} {caught.args[0]}"


def test_attributes_in_slots() -> None:
    def f(x):
        if x < 0:
            raise SlotsError(x)
        return x

    with pytest.raises(SlotsError, match=r"^value -2.5$") as caught:
        jit(f)(-2.5)
    assert caught.value.kept == -2.5


def test_text_and_traceback() -> None:
    with pytest.raises(HasATextError) as caught:
        jit(text_of_the_class)(0.5)
    assert str(caught.value) == "<0.50>"


class Noted(ValueError):
    pass


@case((0.5,), (3.0,))
def attribute_that_a_handler_adds(x):
    try:
        if x < 1:
            raise Noted("a", x)
    except Noted as error:
        error.extra = x
        raise
    return x


@case((0.5,), (3.0,))
def arguments_that_a_handler_changes(x):
    try:
        if x < 1:
            raise Noted("a", x)
    except Noted as error:
        error.args = ("b",)
        raise
    return x


@case((0.0,), (3.0,))
def note_that_a_handler_adds(x):
    try:
        return 1 / x
    except ZeroDivisionError as error:
        error.add_note("divided")
        raise error


@case((0.0,), (3.0,))
def exception_that_a_handler_leaves_as_it_is(x):
    try:
        return 1 / x
    except ZeroDivisionError as error:
        raise error


def test_notes_and_attributes_that_a_handler_adds_are_kept() -> None:
    with pytest.raises(ZeroDivisionError) as found:
        jit(note_that_a_handler_adds)(0.0)
    assert found.value.__notes__ == ["divided"]
    with pytest.raises(Noted) as changed:
        jit(attribute_that_a_handler_adds)(0.5)
    assert changed.value.extra == 0.5


@case(([1], 2), ([1], (2,)))
def what_a_list_cannot_be_joined_with(a, b):
    found = []
    for joined in (lambda: a + b, lambda: a[b]):
        try:
            found.append(joined())
        except Exception as e:
            found.append(f"{type(e).__name__}: {e}")
    return found


A2, A3 = np.ones(2), np.ones(3)


@case((A2, A3, 1.0), (A2, A3, -1.0), (A2, A2, 1.0))
def a_handler_of_shapes_that_do_not_fit(a, b, x):
    try:
        c = a + b if x > 0 else a
    except Exception as e:
        return f"{type(e).__name__}: {e}"
    return c


@case((A2, A3, 1.0), (A2, A3, 3.0))
def shapes_that_do_not_fit_after_what_may_fail(a, b, x):
    print("x is", x)
    if x > 2:
        raise KeyError(x)
    return a + b


@case((A2, A3, 1.0))
def shapes_that_do_not_fit_after_a_print(a, b, x):
    print("x is", x)
    return a + b


@case((7, [5]), (1, [5]))
def every_branch_raises_after_it_has_written(n, items):
    if n > 3:
        items[0] = n
        raise KeyError(n)
    else:
        items[0] = 2
        raise ValueError(0)


def within(inner, depth):
    error = ValueError(inner)
    error.depth = depth
    return error if depth > 3 else within(error, depth + 1)


@case((1.0,), (-1.0,))
def exceptions_in_exceptions_with_attributes(x):
    first = KeyError("first")
    first.value = x * 2
    last = within(first, 0)
    if x > 0:
        raise last
    raise KeyError(last)


class OwnError(Exception):
    pass


def never_returns(x):
    try:
        return float("x")
    except ValueError as error:
        raise OwnError("no number") from error


@case((5000.0,))
def a_loop_that_every_way_out_of_raises(x):
    while True:
        x = x / 2
        if x < 1e-3:
            return never_returns(x)
        if x > 1e9:
            raise OwnError("too large")


def halved_away(x):
    while True:
        x = x / 2
        if x < 1e-3:
            return never_returns(x)


@case((5000.0,))
def a_call_that_never_returns_is_caught(x):
    try:
        return halved_away(x) + 1
    except OwnError as error:
        return str(error)


class AroundError(Exception):
    """Carries another one."""


@case((np.arange(3.0),))
def an_argument_of_the_handled_exception(x):
    try:
        raise AroundError(ValueError("inner"), x.size)
    except AroundError as error:
        raise error.args[0] from None


@case((1,), (0,))
def an_argument_of_an_exception_of_run_time(n):
    try:
        if n:
            raise AroundError(ValueError(f"inner {n}"))
    except AroundError as error:
        raise error.args[0]  # noqa: B904 - without a cause


@pytest.mark.parametrize("program", case.programs)
def test_raising(program: Program) -> None:
    program.check()
