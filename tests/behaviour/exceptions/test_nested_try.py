"""`try` in a handler, exceptions raised again, and the exception as an object."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import (
    AnabranchError,
    UnsupportedOperationError,
    jit,
)
from tests.behaviour.exceptions.failing_helpers import OwnError, Swallower
from tests.program_table import Program, Table

case = Table()
A = np.array([1.0, 2.0, 3.0])
Z = np.array([1.0, 0.0, 3.0])


class ValuedError(Exception):
    """An exception with an attribute."""

    def __init__(self, code):
        super().__init__(f"code {code}")
        self.code = code


# ---- nested ----------------------------------------------------------------------------------------------------------


@case((A, 1, 2), (A, 9, 2), (A, 1, 0), (A, 9, 0))
def inner_catches_one_outer_the_other(a, i, n):
    p = 0
    try:
        p = 1
        try:
            p = 2
            x = a[i]
            p = 3
            x += 1 // n
            p = 4
        except IndexError:
            x = -1.0
            p += 10
        p += 100
    except ZeroDivisionError:
        x = -2.0
        p += 1000
    return p, x


@case((A, 1, 2), (A, 9, 2), (A, 9, 0))
def failure_in_a_handler(a, i, n):
    p = 0
    try:
        try:
            x = a[i]
        except IndexError:
            p = 1
            x = float(1 // n)
            p = 2
    except ZeroDivisionError:
        x = -2.0
    return p, x


@case((A, 1), (A, 9))
def raise_in_a_handler(a, i):
    try:
        return a[i]
    except IndexError:
        raise OwnError("outside") from None


@case((A, 1), (A, 9))
def raised_again(a, i):
    p = 0.0
    try:
        try:
            p = a[i]
        except IndexError:
            p = -1.0
            raise
    except LookupError:
        p -= 1
    return p


@case((A, 1, 1), (A, 9, 1), (A, 9, -1))
def raised_again_under_a_condition(a, i, k):
    try:
        p = a[i]
    except IndexError:
        if k > 0:
            raise
        p = -1.0
    return p


@case((A, 1), (A, 9))
def raised_again_by_name(a, i):
    p = 0
    try:
        try:
            p = 1
            x = a[i]
        except Exception as e:
            p = 2
            raise e
    except IndexError:
        x = 0.0
    return p, x


@case((A, 1, 2), (A, 9, 2), (A, 1, 0))
def try_in_a_handler(a, i, n):
    try:
        x = a[i] / (1 // n)
    except IndexError:
        try:
            x = a[i - 7]
        except IndexError:
            x = -1.0
    except ZeroDivisionError:
        x = -3.0
    return x


@case((Z, 2), (A, 2), (Z, 5), (A, 5))
def deep(a, n):
    s = 0.0
    for i in range(n):
        try:
            for j in range(3):
                try:
                    s += a[i + j]
                    s += 1 / float(a[j])
                except ZeroDivisionError:
                    s += 1000
                    continue
                finally:
                    s += 0.5
        except IndexError:
            s += 1e6
            if i > 3:
                break
    return s


# ---- the exception itself --------------------------------------------------------------------------------------------


@case((2,), (-2,), (0,))
def which_class(n):
    try:
        if n < 0:
            raise OwnError("negative")
        k = 10 // n
    except (OwnError, ZeroDivisionError) as e:
        return 1 if isinstance(e, OwnError) else 2
    return k


@case((2,), (-2,), (0,))
def message_decides(n):
    try:
        if n < 0:
            raise OwnError("negative")
        if n == 0:
            raise OwnError("zero")
        k = 10
    except OwnError as e:
        k = len(str(e))
    return k


@case((2,), (-2,), (0,))
def attribute_of_the_exception(n):
    try:
        if n < 0:
            raise ValuedError(3)
        if n == 0:
            raise ValuedError(4)
        k = 10
    except ValuedError as e:
        k = e.code + e.args.__len__()
    return k


@case((2,), (-2,))
def raise_from_the_caught(n):
    try:
        if n < 0:
            raise OwnError("negative")
    except OwnError as e:
        raise ValueError("outer") from e
    return n


@case((2,), (-2,))
def name_is_unbound_after(n):
    e = 5
    try:
        if n < 0:
            raise OwnError("negative")
    except OwnError as e:  # noqa: F841
        pass
    return e


@case((2,), (-2,))
def exception_kept(n):
    found = None
    try:
        if n < 0:
            raise OwnError("negative")
    except OwnError as e:
        found = str(e)
    return found is None


@pytest.mark.parametrize("program", case.programs)
def test_try(program: Program) -> None:
    program.check()


# ---- static ----------------------------------------------------------------------------------------------------------


def test_line_of_an_exception_raised_again() -> None:
    with pytest.raises(IndexError, match="index 9 is out of bounds for axis 0 with size 3"):
        jit(raised_again_under_a_condition)(A, 9, 1)
    with pytest.raises(ValueError, match="outer") as caught:
        jit(raise_from_the_caught)(-1)
    assert isinstance(caught.value.__cause__, OwnError)
    with pytest.raises(OwnError, match="outside") as other:
        jit(raise_in_a_handler)(A, 9)
    assert other.value.__suppress_context__


def test_the_cause_has_its_message() -> None:
    def f(a, i):
        try:
            v = a[i]
        except IndexError as e:
            raise ValueError("outer") from e
        return v

    def g(a, i):
        try:
            v = a[i]
        except IndexError:
            raise ValueError("outer")  # noqa: B904
        return v

    with pytest.raises(ValueError, match="outer") as caught:
        jit(f)(A, 9)
    assert str(caught.value.__cause__) == "index 9 is out of bounds for axis 0 with size 3"
    with pytest.raises(ValueError, match="outer") as caught:
        jit(g)(A, 9)
    assert str(caught.value.__context__) == "index 9 is out of bounds for axis 0 with size 3"


def test_a_message_of_run_time_makes_its_number_static() -> None:
    def f(a, i):
        try:
            v = a[i]
        except IndexError as e:
            return len(str(e))
        return v

    compiled = jit(f)
    for i in (9, 1, -7, 12345):
        assert compiled(A, i) == f(A, i)


def test_own_errors_pass_every_handler() -> None:
    def f(x):
        try:
            y = range(3)[hash(x)]
        except:  # noqa: E722
            y = 0.0
        return y

    def g(x):
        with Swallower():
            return range(3)[hash(x)]
        return 0.0

    def swallowed(x):
        with Swallower():
            return {1: 2}[x]
        return 0.0

    assert [jit(swallowed)(1.5), jit(swallowed)(1.0)] == [0.0, 2]
    for function in (f, g):
        with pytest.raises(AnabranchError):
            jit(function)(1.5)


# Without a file a function is not rewritten; its module makes it one of the project's.
FAULTS = """
def lacks(x):
    return None.nothing

def looks_up(x):
    return {}[3]

def unpacks(x):
    first, second = (x,)
    return first

def is_abstract(x):
    raise NotImplementedError
"""


@pytest.mark.parametrize("name", ["lacks", "looks_up", "unpacks", "is_abstract"])
def test_faults_of_the_project_pass_every_handler(name):
    module = {"__name__": "anabranch.faulty"}
    exec(compile(FAULTS, "<fault>", "exec"), module)
    fault = module[name]

    def in_try(x):
        try:
            return fault(x)
        except Exception:
            return -1.0

    def in_branch(x):
        try:
            y = fault(x) if x > 0 else 1.0
        except Exception:
            y = -1.0
        return y

    def in_loop(x):
        total = 0.0
        try:
            while total < x:
                total += fault(x)
        except Exception:
            total = -1.0
        finally:
            x = 0.0
        return total

    with pytest.raises(Exception) as plain:  # noqa: PT011 - whatever it is
        fault(1.5)
    for function in (in_try, in_branch, in_loop):
        with pytest.raises(type(plain.value)):
            jit(function)(1.5)


# ---- lists that an exception carries ---------------------------------------------------------------------------------


@case((A,), (-A,), refused=UnsupportedOperationError)
def made_in_the_try_and_known_by_another_name(x):
    held = {"k": [x[0]]}
    try:
        if x[0] > 0:
            held["k"] = [x[1], x[2]]
            if x[2] > 0:
                raise ValuedError(held["k"])
    except ValuedError as error:
        error.code.append(2.0)
        return held, error.code is held["k"]
    return held


@case((A,), refused=UnsupportedOperationError)
def made_in_the_try_and_changed_on_the_way_out(x):
    try:
        if x[0] > 0:
            items = [x[1]]
            try:
                if x[2] > 0:
                    raise ValuedError(items)
                items.append(4.0)
            finally:
                items.append(7.0)
    except ValuedError as error:
        return error.code
    return None


@case((A,), (-A,))
def made_for_the_exception_alone(x):
    try:
        if x[0] > 0:
            raise ValuedError([x[1], x[2]])
    except ValuedError as error:
        error.code.append(2.0)
        return error.code
    return None


@pytest.mark.parametrize("program", case.programs[-3:])
def test_lists_that_an_exception_carries(program: Program) -> None:
    program.check()
