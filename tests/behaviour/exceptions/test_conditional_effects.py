"""`raise`, `assert`, `try`, `with`, `match`, printing: under conditions known only at run time."""

from __future__ import annotations

import contextlib
import traceback

import numpy as np
import pytest

from anabranch import jit
from tests.program_table import Program, Table

case = Table()


class BadValueError(Exception):
    """An exception of the user's own."""

    def __init__(self, value, reason="bad"):
        super().__init__(f"{reason}: {value}")
        self.value = value


@contextlib.contextmanager
def nothing():
    yield 5


def checked(x):
    if x < 0:
        raise BadValueError("negative", reason="checked")
    return x + 1


@case((2.0,), (-2.0,))
def raise_in_a_branch(x):
    if x < 0:
        raise ValueError("negative")
    return x


@case((2.0,), (-2.0,))
def raise_in_an_else(x):
    if x > 0:
        y = x
    else:
        raise BadValueError(3)
    return y


@case((2.0,), (-2.0,))
def raise_of_a_class(x):
    if x < 0:
        raise KeyError
    return x


@case((2.0,), (-2.0,))
def raise_from(x):
    if x < 0:
        raise ValueError("outer") from KeyError("inner")
    return x


@case((2,), (-2,), (0,))
def different_errors_by_branch(n):
    if n < 0:
        raise ValueError("negative")
    elif n == 0:
        raise ZeroDivisionError("zero")
    return 10 // n


@case((3, 5), (7, 5), (0, 0))
def raise_in_a_loop(n, k):
    for i in range(n):
        if i == k:
            raise StopIteration
    return n


@case((3,), (9,))
def raise_in_a_while(n):
    while n != 0:
        n -= 2
        if n < -3:
            raise OverflowError("below")
        if n == 1:
            break
    return n


@case((2.0,), (-2.0,))
def raise_in_a_helper(x):
    return checked(x) * 2


@case((2.0, 3), (2.0, 0), (-9.0, 3), (-9.0, 0))
def raise_in_a_helper_in_a_loop(x, n):
    for _ in range(n):
        x = checked(x) - 3
    return x


@case((2.0,), (-2.0,))
def assert_with_message(x):
    assert x > 0, "must be positive"
    return x


@case((2.0,), (-2.0,))
def assert_without_message(x):
    assert x > 0
    return x


@case((np.array([1.0, 2.0]),), (np.array([1.0, -2.0]),))
def assert_of_a_reduction(a):
    assert (a > 0).all(), "all must be positive"
    return np.sqrt(a)


@case((np.array([1.0, 2.0]), 2.0), (np.array([1.0, 2.0]), -2.0))
def written_before_the_raise(a, x):
    a[0] = 50
    if x < 0:
        raise ValueError
    a[1] = 60
    return a


@case((0, 1), (1, 0), (1, 1))
def first_error_wins(a, b):
    x = 1 // a
    if b == 0:
        raise ValueError("b")
    return x / b


@case((0, 1), (1, 0), (1, 1))
def error_in_the_branch_not_taken(a, b):
    if a == 0:
        r = b
    else:
        r = b // a
    if b == 0:
        return r
    return r + 1 // b


@case((2,), (0,))
def error_unread_is_an_error_still(n):
    unused = 1 // n  # noqa: F841
    return n


@case((2,), (7,))
def index_error_unread(n):
    a = np.zeros(3)
    a[n]
    return n


@case((5,), (0,))
def error_after_zero_iterations(n):
    s = 1
    for i in range(n):
        s = s + 10 // (i + 1)
    return s


@case((5, 3), (5, 9))
def error_after_a_break(n, k):
    s = 0
    for i in range(n):
        if i == k:
            break
        s += 10 // (4 - i)
    return s


@case((2.0,), (-2.0,))
def with_static_manager(x):
    with nothing() as five:
        y = x * five
        if x > 0:
            return y
    return y + 1


@case((3,), (0,))
def with_in_a_loop(n):
    s = 0
    for i in range(n):
        with nothing() as five, nothing():
            if i == 1:
                continue
            s += five
    return s


@case((2.0,), (-2.0,))
def with_errstate(x):
    with np.errstate(divide="ignore"):
        return np.float64(x) / 0.0


@case((2.0,), (-2.0,))
def try_without_an_error(x):
    try:
        y = x * 2
    except ValueError:
        y = x
    return y


@case((2,), (0,))
def try_catches_a_division(n):
    try:
        y = 1 // n
    except ZeroDivisionError:
        y = -1
    return y


@case((2.0,), (-2.0,))
def try_catches_the_users_own(x):
    try:
        y = checked(x)
    except BadValueError:
        y = 0.0
    else:
        y = y + 10
    finally:
        z = 5
    return y, z


@case((3,), (0,))
def try_finally_in_a_loop(n):
    s = 0
    for i in range(n):
        try:
            if i == 1:
                continue
            s += i
        finally:
            s += 100
    return s


@case((2.0,), (-2.0,))
def return_in_finally(x):
    try:
        if x > 0:
            return 1
    finally:
        x = 5.0
    return 2


@case((0,), (1,), (2,), (5,), (-1,))
def match_literals(n):
    match n:
        case 0:
            r = 10
        case 1 | 2:
            r = 20
        case k if k > 3:
            r = k * 100
        case _:
            r = -1
    return r


@case((3,), (-3,))
def match_returns(n):
    match n > 0, n:
        case True, k:
            return k
        case _, k:
            return -k * 10


@case((3, "a"), (3, "b"), (3, "c"), static=("mode",))
def match_static(x, mode):
    match mode:
        case "a":
            return x
        case "b":
            return x * 2
    return x * 3


@case((2.0,), (-2.0,))
def print_of_a_traced_value(x):
    if x > 0:
        print("positive", x)
    else:
        print("negative", x, sep="=", end="!\n")
    return x


@case((3,), (0,))
def print_in_a_loop(n):
    for i in range(n):
        print(i)
    return n


@case((3,), (0,))
def print_of_a_constant_in_a_loop(n):
    for _ in range(n):
        print("step")
    return n


@case((3,), (-3,))
def print_of_a_constant_in_a_branch(n):
    if n > 0:
        print("positive")
    return n


@case((3,), (-3,))
def print_of_a_constant_outside(n):
    print("once")
    return n


@pytest.mark.parametrize("program", case.programs)
def test_effect(program: Program) -> None:
    program.check()


@pytest.mark.parametrize("program", case.static_programs)
def test_effect_with_static_arguments(program: Program) -> None:
    program.check_static()


def _lines(function, *args):
    """The file and line of each frame that an exception passed, and its text."""
    with pytest.raises(Exception) as caught:  # noqa: PT011
        function(*args)
    frames = traceback.extract_tb(caught.value.__traceback__)
    return [(f.filename, f.lineno, f.line) for f in frames if f.filename == __file__], str(caught.value)


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (raise_in_a_branch, (-2.0,)),
        (raise_in_an_else, (-2.0,)),
        (raise_in_a_helper, (-2.0,)),
        (different_errors_by_branch, (0,)),
    ],
    ids=lambda v: getattr(v, "__name__", ""),
)
def test_traceback_ends_at_the_users_line(function, args) -> None:
    want, message = _lines(function, *args)
    got, same_message = _lines(jit(function), *args)
    assert got[-1] == want[-1]
    assert same_message == message


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (error_unread_is_an_error_still, (0,)),
        (index_error_unread, (7,)),
        (error_after_a_break, (5, 9)),
        (first_error_wins, (0, 1)),
    ],
    ids=lambda v: getattr(v, "__name__", ""),
)
def test_traceback_of_an_operation_ends_at_the_users_line(function, args) -> None:
    want, message = _lines(function, *args)
    got, same_message = _lines(jit(function), *args)
    assert got[-1:] == want[-1:]
    assert same_message == message


def test_the_users_exception_comes_with_its_attributes() -> None:
    with pytest.raises(BadValueError, match="checked: negative") as caught:
        jit(raise_in_a_helper)(-1.0)
    assert caught.value.value == "negative"
    with pytest.raises(ValueError, match="outer") as caught_from:
        jit(raise_from)(-1.0)
    assert isinstance(caught_from.value.__cause__, KeyError)


def test_message_of_an_assertion() -> None:
    with pytest.raises(AssertionError, match=r"^must be positive$") as caught:
        jit(assert_with_message)(-2.0)
    assert traceback.extract_tb(caught.value.__traceback__)[-1].line == 'assert x > 0, "must be positive"'
    with pytest.raises(AssertionError) as bare:
        jit(assert_without_message)(-2.0)
    assert bare.value.args == ()


def test_message_with_a_traced_value() -> None:
    def f(x):
        if x < 0:
            raise ValueError(f"got {x}")
        return x

    with pytest.raises(ValueError, match=r"^got -2.5$"):
        jit(f)(-2.5)


def test_exceptions_of_two_calls_are_two_objects() -> None:
    g = jit(raise_in_a_branch)
    errors = []
    for _ in range(2):
        try:
            g(-1.0)
        except ValueError as error:
            errors.append(error)
    assert errors[0] is not errors[1]
    assert len(traceback.extract_tb(errors[0].__traceback__)) == len(traceback.extract_tb(errors[1].__traceback__))
