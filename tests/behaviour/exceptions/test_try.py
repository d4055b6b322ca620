"""`try`: the state that a handler finds, and the failures that it catches: class by class, as eager Python does."""

from __future__ import annotations

import math

import numpy as np
import pytest

from anabranch import (
    IntegerRangeError,
    jit,
)
from tests.behaviour.exceptions.failing_helpers import Account, NarrowError, OwnError, inverse
from tests.program_table import Program, Table

case = Table()
A = np.array([1.0, 2.0, 3.0])
INDICES = ((A, 0), (A, 2), (A, 3), (A, -4))


# ---- the state at the raise ------------------------------------------------------------------------------------------


@case(*INDICES)
def name_keeps_its_value(a, i):
    v = 7.0
    try:
        v = a[i]
    except IndexError:
        pass
    return v


@case(*INDICES)
def name_unset_before(a, i):
    try:
        v = a[i]
    except IndexError:
        return -1.0
    return v


@case(*INDICES)
def unset_name_read_after(a, i):
    try:
        v = a[i]
    except IndexError:
        pass
    return v + 1


@case(*INDICES)
def names_before_and_after(a, i):
    p = q = r = 0
    try:
        p = 1
        q = a[i]
        r = 2
    except IndexError:
        p += 10
    return p, q, r


@case((A, 0, 2), (A, 0, 0), (A, 5, 2), (A, 5, 0))
def first_of_two(a, i, n):
    p = 0
    try:
        p = 1
        x = a[i]
        p = 2
        y = 1 // n
        p = 3
    except IndexError:
        return p, -1.0
    except ZeroDivisionError:
        return p * 10, x
    return p, x + y


@case((A, 0, 2), (A, 0, 0), (A, 5, 2), (A, 5, 0))
def state_by_the_point_of_failure(a, i, n):
    p = 0
    try:
        p = 1
        x = a[i]
        p = 2
        x += 1 // n
        p = 3
    except (IndexError, ZeroDivisionError):
        p += 100
    return p


@case((A, 0, 2), (A, 0, 0), (A, 5, 2), (A, 5, 0))
def array_writes_before_the_raise(a, i, n):
    try:
        a[1] = 50
        a[i] = 1 / n
        a[2] = 60
    except (IndexError, ZeroDivisionError):
        a[0] = -1
    return a


@case((A, 2), (A, 0))
def no_write_of_the_raising_statement(a, n):
    try:
        a[0] = inverse(n)
        a[1:] = 9.0
    except ZeroDivisionError:
        pass
    return a.sum()


@case((A, 0), (A, 3))
def whole_array_operations(a, i):
    b = a * 2
    try:
        b += 1
        x = a[i]
        b += x
        a.sort()
        np.copyto(a, b)
        a.fill(x)
    except IndexError:
        b *= 10
    return b


@case((A, 0), (A, 3))
def array_bound_anew(a, i):
    b = a
    try:
        b = b + 1
        x = a[i]
        b = b * x
        b[0] = 100.0
    except IndexError:
        b[1] = -5.0
    return b, a


@case((A, 0), (A, 3))
def swapped_names(a, i):
    p, q = 1.0, 2.0
    try:
        p, q = q, p
        p, q = a[i], p
    except IndexError:
        pass
    return p, q


@case((A, 0), (A, 3))
def chained_targets(a, i):
    p = q = 0.0
    b = np.zeros(2)
    try:
        p = b[1] = q = a[i]
    except IndexError:
        p += 1
    return p, q, b


@case((A, 0), (A, 7))
def augmented(a, i):
    s = 1.0
    try:
        s += a[i]
        s *= 2
    except IndexError:
        s -= 10
    return s


@case((A, 0), (A, 7))
def list_in_place(a, i):
    box = [0.0, 0.0]
    try:
        box[0] = 1.0
        box[1] = a[i]
        box[0] = 2.0
    except IndexError:
        box[1] = -1.0
    return box


@case((A, 0), (A, 7))
def dict_and_attribute(a, i):
    account, table = Account(), {"k": 0.0}
    try:
        account.total = 5.0
        table["k"] = a[i]
        account.total = 6.0
    except IndexError:
        table["k"] = account.total
    return account.total, table


@case((A, 0), (A, 7))
def walrus_before_the_failure(a, i):
    n = 0
    try:
        x = (n := 3) + a[i]
        n = 4
    except IndexError:
        x = 0.0
    return n, x


# ---- kinds of failures -----------------------------------------------------------------------------------------------


@case((2.0,), (-2.0,))
def raise_under_a_condition(x):
    try:
        if x < 0:
            raise OwnError("negative")
        y = x
    except OwnError:
        y = 0.0
    return y


@case((2.0,), (-2.0,))
def subclass_is_caught(x):
    try:
        if x < 0:
            raise NarrowError
        y = 1
    except OwnError:
        y = 2
    return y


@case((2.0,), (-2.0,), (-20.0,))
def first_matching_handler(x):
    try:
        if x < -10:
            raise OwnError
        if x < 0:
            raise NarrowError
        y = 1
    except NarrowError:
        y = 2
    except OwnError:
        y = 3
    return y


@case((2.0,), (-2.0,))
def assertion(x):
    try:
        assert x > 0, "positive"
        return 1
    except AssertionError:
        return 2


@case((2.0,), (0.0,))
def float_division(x):
    try:
        return 1 / x
    except ZeroDivisionError:
        return math.inf


@case((2,), (0,))
def remainder_by_zero(n):
    try:
        return 7 % n
    except ArithmeticError:
        return -1


@case((2.0,), (1e9,))
def float_overflow(x):
    try:
        y = math.exp(x)
    except OverflowError:
        y = -1.0
    return y


@case((2.0,), (-1.0,))
def math_domain(x):
    try:
        return math.sqrt(x)
    except ValueError:
        return -1.0


@case((2.0,), (float("nan"),), (float("inf"),))
def int_of_a_float(x):
    try:
        n = int(x)
    except ValueError:
        n = -1
    except OverflowError:
        n = -2
    return n


@case((2.0,), (-2.0,))
def unbound_local(x):
    if x > 0:
        t = x
    try:
        return t
    except UnboundLocalError:
        return -1.0


@case((3, 5), (3, 0))
def bare_except(n, k):
    try:
        return n // k
    except:  # noqa: E722
        return -1


@case((3, 5), (3, 0))
def base_exception(n, k):
    try:
        r = n // k
    except BaseException:
        r = -1
    return r


@case((A, 1, 2), (A, 9, 2), (A, 1, 0))
def not_caught_goes_on(a, i, n):
    try:
        return a[i] / (1 // n)
    except ZeroDivisionError:
        return -1.0


@case((3, 2), (3, 0), (-1, 2))
def failed_before_the_try(n, k):
    if n < 0:
        raise ValueError("n")
    try:
        r = n // k
    except Exception:
        r = 0
    return r


# ---- static ----------------------------------------------------------------------------------------------------------


@case((1.0, "a"), (1.0, "b"), static=("key",))
def static_failure(x, key):
    table = {"a": 1}
    try:
        k = table[key]
    except KeyError as e:
        return x, str(e)
    return x + k


@case((A, 1), (A, 2))
def static_shape_error(a, n):
    try:
        b = a + np.zeros(7)
    except ValueError:
        b = a
    return b * n


@case((1.0,), (-1.0,))
def static_failure_in_a_branch(x):
    table = {"a": 1}
    try:
        y = table["b"] if x > 0 else 5
    except KeyError:
        y = -1
    return y


@pytest.mark.parametrize("program", case.programs)
def test_try(program: Program) -> None:
    program.check()


def test_an_int_beyond_64_bits_is_not_caught() -> None:
    def f(n):
        try:
            m = n * n
        except Exception:
            m = 0
        return m

    assert jit(f)(3) == 9
    with pytest.raises(IntegerRangeError):
        jit(f)(2**40)


def test_a_try_that_cannot_fail_costs_nothing() -> None:
    def plain(x):
        return np.sin(x) * 2

    def tried(x):
        try:
            y = np.sin(x)
        except ValueError:
            y = 0.0
        return y * 2

    x = np.ones(3)
    assert len(jit(tried).trace(x).program.equations) == len(jit(plain).trace(x).program.equations)
