"""`with`, generators and printing around what fails at run time."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest

from anabranch import (
    UnsupportedOperationError,
)
from tests.behaviour.exceptions.failing_helpers import Swallower
from tests.program_table import Program, Table

case = Table()
A = np.array([1.0, 2.0, 3.0])
INDICES = ((A, 0), (A, 2), (A, 3), (A, -4))


# ---- with, generators, print -----------------------------------------------------------------------------------------


class Counter:
    """A manager that ends none."""

    def __init__(self):
        self.left = 0

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        self.left += 1


@contextlib.contextmanager
def quiet():
    try:
        yield 5
    except IndexError:
        pass


@contextlib.contextmanager
def tidy():
    try:
        yield 5
    finally:
        pass


def items(a, n):
    for k in range(n):
        try:
            yield a[k]
        except IndexError:
            yield -1.0


@case(*INDICES)
def suppressed(a, i):
    v, w = 0.0, 0
    with contextlib.suppress(IndexError):
        w = 1
        v = a[i]
        w = 2
    return v, w


@case((A, 1, 2), (A, 9, 2), (A, 1, 0))
def suppressed_of_two_classes(a, i, n):
    v = 0.0
    with contextlib.suppress(IndexError, ZeroDivisionError):
        v = 5.0
        v = a[i] / (1 // n)
    return v


@case((A, 1), (A, 9))
def return_from_suppress(a, i):
    with contextlib.suppress(LookupError):
        return a[i]
    return -1.0


@case((A, 3), (A, 6))
def suppress_in_a_loop(a, n):
    s = 0.0
    for i in range(n):
        with contextlib.suppress(IndexError):
            if i == 1:
                continue
            s += a[i]
            s += 10
    return s


@case((2, 1), (0, 1), (2, 0))
def not_suppressed(n, k):
    r = 0
    with contextlib.suppress(IndexError):
        r = 10 // n
    with contextlib.suppress(ZeroDivisionError):
        r += 10 // k
    return r


@case((A, 1), (A, 9))
def manager_that_swallows(a, i):
    v = 0.0
    with Swallower():
        v = a[i]
    return v


class Ending:
    """A manager that ends the exceptions of some classes, and counts."""

    def __init__(self, *kinds):
        self.kinds, self.left, self.said = kinds, 0, None

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        self.left += 1
        if kind is not None and issubclass(kind, self.kinds):
            self.said = str(error)
            return True
        return False


class Restoring:
    """A manager that puts an array back where the block has failed."""

    def __init__(self, a):
        self.a = a

    def __enter__(self):
        self.saved = self.a.copy()

    def __exit__(self, kind, error, trace):
        if kind is not None:
            self.a[:] = self.saved
        return kind is not None


class Deciding:
    """A manager that a run-time value tells whether to end exceptions."""

    def __init__(self, x):
        self.x = x

    def __enter__(self):
        return self.x

    def __exit__(self, kind, error, trace):
        return self.x > 0


class Failing:
    """A manager that raises on leaving."""

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if kind is IndexError:
            raise KeyError("on leaving")
        return kind is not None


@case((3, 0), (3, 2))
def manager_that_is_told_the_exception(x, y):
    v = -1
    with Ending(ZeroDivisionError) as ending:
        v = x // y
    return v, ending.said, ending.left


@case((A, 1), (A, 9))
def manager_that_lets_an_exception_pass(a, i):
    ending = Ending(KeyError)
    try:
        with ending:
            return a[i], ending.left
    except IndexError as error:
        return str(error), ending.left


@case((A, 1), (A, 9))
def returned_from_the_block_of_a_manager(a, i):
    with Ending(IndexError):
        return a[i]
    return -1.0


@case((np.array([1.0, -1.0, 2.0, 1.0, 3.0, 1.0]),), (A[:1],))
def manager_in_a_loop(a):
    s, ending = 0.0, Ending(ValueError)
    for v in a:
        with ending:
            if v < 0:
                raise ValueError("negative")
            if v > 2.5:
                break
            if v > 1.5:
                continue
            s += v
    return s, ending.left, ending.said


@case((A, 1), (A, 9))
def manager_that_restores(a, i):
    with Restoring(a):
        a[0] = 99.0
        a[i] = 1.0
    return a.sum()


@case((A, 9, 1.0), (A, 9, -1.0), (A, 1, -1.0))
def manager_that_a_run_time_value_tells(a, i, x):
    y = 0.0
    with Deciding(x) as z:
        y = a[i] + z
    return y


@case((A, 1), (A, 9))
def manager_that_fails_on_leaving(a, i):
    with Failing():
        return a[i]
    return 0.0


@case((A, 1), (A, 9))
def managers_of_all_kinds(a, i):
    v, counter = -1.0, Counter()
    with counter, np.errstate(all="ignore"), Ending(IndexError):
        v = a[i]
    with tidy() as five:
        v = v + five
    return v, counter.left


@case((A, 1, 0), (A, 9, 2), (A, 1, 2))
def managers_in_one_another(a, i, j):
    found = []
    with Swallower():
        with Ending(ZeroDivisionError):
            found.append(i // j)
        found.append(a[i])
        found.append(2.0)
    return found


@case((A, 1), (A, 9))
def suppress_beside_another(a, i):
    y = -1.0
    with contextlib.suppress(IndexError) as nothing, np.errstate(all="ignore"):
        y = a[i]
    return y, nothing


@case((A, 1), (A, 9))
def suppress_by_a_name(a, i):
    y, manager = -1.0, contextlib.suppress(IndexError, KeyError)
    with manager:
        y = a[i]
    return y


@case((A, 1), (A, 9), refused=UnsupportedOperationError)
def stack_that_may_swallow(a, i):
    y = -1.0
    with contextlib.ExitStack() as stack:
        stack.enter_context(contextlib.suppress(IndexError))
        y = a[i]
    return y


@case((A, 1), (A, 9))
def generator_manager_that_swallows(a, i):
    v = 0.0
    with quiet() as five:
        v = a[i] + five
    return v


@case((A, 1), (A, 9))
def managers_that_end_no_exception(a, i):
    with Counter() as counter, tidy() as five:
        v = a[i] + five
    return v, counter.left


@case((1.0, 2.0))
def manager_that_swallows_nothing_of_run_time(x, y):
    with Swallower(), quiet():
        z = x + y
    return z


@case((A, 2), (A, 5))
def generator_with_a_try(a, n):
    s = 0.0
    for v in items(a, n):
        s += v
    return s


@case((A, 1), (A, 9), refused=UnsupportedOperationError)
def generator_whose_user_fails(a, i):
    s = 0.0
    try:
        for v in items(a, 2):
            s += v + a[i]
    except IndexError:
        s = -s
    return s


@case((A, 1), (A, 9))
def print_after_a_failure(a, i):
    try:
        v = a[i]
        print("read", v)
    except IndexError:
        v = 0.0
    return v


@case((A, 1), (A, 9))
def print_before_and_after(a, i):
    try:
        print("before")
        v = a[i]
    except IndexError:
        v = 0.0
    print("after", v)
    return v


# ---- static ----------------------------------------------------------------------------------------------------------


class Inside:
    """Counts the blocks that it is around, in an attribute or in an array."""

    def __init__(self, places):
        self.depth, self.places = 0, places

    def __enter__(self):
        self.depth += 1
        self.places[0] += 1
        return self

    def __exit__(self, *details):
        self.depth -= 1
        self.places[0] -= 1


class Announcing:
    def __enter__(self):
        print("enter")

    def __exit__(self, kind, *details):
        print("exit", kind is None)


@contextlib.contextmanager
def emptied(places):
    before = places[0]
    places[0] = 0
    try:
        yield places
    finally:
        places[0] = before


@case((2.0,), (0.0,))
def manager_that_a_handler_around_sees(x):
    inside = Inside([0])
    try:
        with inside:
            y = 1 / x
    except ZeroDivisionError:
        y = -1.0
    return y, inside.depth


@case((np.zeros(2), 2.0), (np.zeros(2), 0.0))
def manager_that_puts_an_array_back(a, x):
    try:
        with emptied(a) as b:
            b[1] = 5
            y = 1 / x
    except ZeroDivisionError:
        y = -1.0
    return y


@case((2.0,), (0.0,))
def manager_that_prints_after_a_failure(x):
    with Announcing():
        y = 1 / x
        print("body")
    return y


@case((np.zeros(2), 2.0), (np.zeros(2), 0.0))
def manager_that_nobody_sees_after_a_failure(a, x):
    with Inside(a) as inside:
        y = 1 / x
        depth = inside.depth
    return y, depth, inside.depth


@case((np.zeros(2), 2), (np.zeros(2), 0))
def manager_around_a_break(a, n):
    for i in range(4):
        with Inside(a):
            if i == n:
                break
            a[1] += 5
    with Announcing():
        print(i)
    return i


@contextlib.contextmanager
def section(log, name):
    log.append(f"enter {name}")
    try:
        yield name.upper()
    finally:
        log.append(f"leave {name}")


@contextlib.contextmanager
def announced(log):
    log.append("begin")
    yield 3
    log.append("end")


def quotient(log, x, y):
    if y == 0:
        raise ZeroDivisionError("zero")
    log.append(1)
    if x < 0:
        raise ValueError("negative")
    return x / y


QUOTIENTS = (1.0, 2.0), (1.0, 0.0), (-1.0, 2.0)


@case(*QUOTIENTS)
def generators_around_what_may_raise(x, y):
    log = []
    try:
        with section(log, "outer") as name, section(log, "inner"):
            q = quotient(log, x, y)
            log.append(name)
        log.append(q)
    except (ValueError, ZeroDivisionError) as error:
        log.append(str(error))
    return log


@case(*QUOTIENTS)
def a_generator_whose_block_returns(x, y):
    log = []

    def inner():
        with announced(log) as k:
            q = quotient(log, x, y)
            if q > 0.2:
                return q + k
            log.append("more")
        return -1

    try:
        return inner(), log
    except (ValueError, ZeroDivisionError) as error:
        return str(error), log


class Table:
    def __init__(self):
        self.total, self.saved = 0.0, 0

    @contextlib.contextmanager
    def transaction(self):
        before = self.total
        try:
            yield self
            self.saved += 1
        except ValueError:
            self.total = before
            raise


@case((np.array([1.0, -2.0, 3.0]),), (np.array([-1.0, 2.0, -1.0]),))
def transactions_that_are_rolled_back(a):
    table = Table()
    for x in a:
        try:
            with table.transaction() as t:
                t.total += x
                if x < 0:
                    raise ValueError("negative")
                t.total += 1
        except ValueError:
            pass
    return table.total, table.saved


@pytest.mark.parametrize("program", case.programs)
def test_try(program: Program) -> None:
    program.check()
