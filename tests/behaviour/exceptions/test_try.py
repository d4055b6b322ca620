"""`try`: what fails only at run time is caught by class, on the state that eager Python would have left."""

from __future__ import annotations

import contextlib
import dataclasses
import math

import numpy as np
import pytest

from anabranch import (
    AnabranchError,
    ConcretizationError,
    IntegerRangeError,
    UnsupportedOperationError,
    jit,
)
from tests.program_table import Program, Table

case = Table()
A = np.array([1.0, 2.0, 3.0])
Z = np.array([1.0, 0.0, 3.0])
INDICES = ((A, 0), (A, 2), (A, 3), (A, -4))


class OwnError(Exception):
    """An exception of the user's own."""


class NarrowError(OwnError):
    """A subclass of it."""


class ValuedError(Exception):
    """An exception with an attribute."""

    def __init__(self, code):
        super().__init__(f"code {code}")
        self.code = code


class Account:
    """An object that helpers change."""

    def __init__(self):
        self.total = 0.0
        self.log = []


def inverse(x):
    if x < 0:
        raise OwnError("negative")
    return 1 / x


def store(a, i, x):
    a[i] = x
    if x > 5:
        raise NarrowError("large")
    a[0] += 1
    return x * 2


def deposit(account, x):
    account.total += 1
    if x < 0:
        raise OwnError("negative")
    account.total += x


def safe(a, i):
    try:
        return a[i]
    except IndexError:
        return -1.0


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


# ---- else and finally ------------------------------------------------------------------------------------------------


@case((A, 1, 2), (A, 9, 2), (A, 1, 0), (A, 9, 0))
def failure_in_else_is_not_caught(a, i, n):
    try:
        x = a[i]
    except (IndexError, ZeroDivisionError):
        x = -1.0
    else:
        x += 1 // n
    return x


@case((A, 1, 2), (A, 9, 2), (A, 1, 0), (A, 9, 0))
def finally_after_all(a, i, n):
    log = [0, 0, 0]
    try:
        try:
            x = a[i]
            log[0] = 1
        except IndexError:
            x = float(1 // n)
            log[1] = 1
        finally:
            log[2] = 1
    except ZeroDivisionError:
        x = -5.0
    return x, log


@case((2,), (0,))
def finally_without_handlers(n):
    s = 0
    try:
        try:
            s = 1
            s += 10 // n
        finally:
            s += 100
    except ZeroDivisionError:
        s = -s
    return s


@case((2,), (0,))
def finally_sees_the_state(n):
    p, q = 0, 0
    try:
        try:
            p = 1
            p = 10 // n
        finally:
            q = p
    except ZeroDivisionError:
        pass
    return p, q


@case((2,), (0,), (5,))
def return_in_finally_swallows(n):
    p = 0
    try:
        p = 10 // n
    finally:
        return p  # noqa: B012


@case((2, 1), (0, 1), (2, 0), (0, 0))
def finally_that_may_return(n, k):
    p = 0
    try:
        p = 10 // n
    finally:
        if k:
            return -1  # noqa: B012
    return p


@case((3,), (0,))
def break_in_finally(n):
    s = 0
    for i in range(5):
        try:
            s += 10 // (n - i)
        finally:
            if i >= n:
                break  # noqa: B012
    return s, i


@case((2, 2), (0, 2), (2, 0), (0, 0))
def finally_that_fails(n, k):
    p = 0
    try:
        try:
            p = 10 // n
        finally:
            p += int(1.0 / k)
    except ZeroDivisionError:
        p -= 7
    return p


@case((2.0,), (-2.0,))
def return_through_finally(x):
    a = np.zeros(2)
    try:
        if x < 0:
            return a
        a[0] = x
    finally:
        a[1] = 5.0
    return a * 2


# ---- loops -----------------------------------------------------------------------------------------------------------


@case((A, 2), (A, 3), (A, 6), (A, 0))
def loop_in_a_try(a, n):
    s, last = 0.0, -1
    try:
        for i in range(n):
            s += a[i]
            a[i] = s
            last = i
    except IndexError:
        return s, last, True
    return s, last, False


@case((A, 2), (A, 6))
def writes_at_the_start_of_a_step(a, n):
    b = np.zeros(8)
    try:
        for i in range(n):
            b[i] = 5.0
            b[i] += a[i]
    except IndexError:
        pass
    return b


@case((Z, 3), (A, 3), (Z, 0))
def try_in_a_loop(a, n):
    s = 0.0
    bad = 0
    for i in range(n):
        try:
            s += 1 / float(a[i])
        except ZeroDivisionError:
            bad += 1
    return s, bad


@case((Z, 3), (A, 3))
def continue_in_a_handler(a, n):
    s = 0.0
    for i in range(n):
        try:
            x = 1 / float(a[i])
        except ZeroDivisionError:
            continue
        s += x
    return s


@case((Z, 3), (A, 3))
def break_in_a_handler(a, n):
    s = 0.0
    for i in range(n):
        try:
            x = 1 / float(a[i])
        except ZeroDivisionError:
            break
        s += x
    else:
        s += 100
    return s


@case((Z, 3), (A, 3))
def return_in_a_handler_in_a_loop(a, n):
    s = 0.0
    for i in range(n):
        try:
            s += 1 / float(a[i])
        except ZeroDivisionError:
            return s, i
    return s, n


@case((3, 10), (3, 2), (0, 2))
def while_in_a_try(n, most):
    k = 0
    try:
        while True:
            k += 1
            if k > most:
                raise OverflowError("too often")
            if 12 // (n - k) < 0:
                break
    except OverflowError:
        k = -k
    except ZeroDivisionError:
        k += 1000
    return k


@case((5,), (2,), (0,))
def while_condition_fails(n):
    k = 5
    try:
        while 10 // (k - n) > 0:
            k -= 1
    except ZeroDivisionError:
        k += 100
    return k


@case((Z,), (A,))
def nested_loops(a):
    s = 0.0
    where = (-1, -1)
    try:
        for i in range(3):
            for j in range(3):
                where = (i, j)
                s += 1 / float(a[i] * a[j])
                if s > 1.5:
                    break
    except ZeroDivisionError:
        s = -s
    return s, where


@case((Z,), (A,))
def loop_over_an_array(a):
    s = 0.0
    for v in a:
        try:
            s += 1 / float(v)
        except ZeroDivisionError:
            s += 10
        else:
            s += 1
        finally:
            s += 100
    return s


@case((A, 3), (A, 9))
def retry(a, i):
    tries = 0
    while True:
        try:
            tries += 1
            x = a[i]
            break
        except IndexError:
            i -= 1
    return x, tries


@case((5,), (-1,), (0,))
def loop_variable_in_the_handler(n):
    try:
        for i in range(8):
            if i == n:
                raise OwnError
    except OwnError:
        return i
    return -i


# ---- branches --------------------------------------------------------------------------------------------------------


@case((A, 1, 1.0), (A, 9, 1.0), (A, 1, -1.0), (A, 9, -1.0))
def in_a_branch(a, i, x):
    v = 0.0
    try:
        if x > 0:
            v = 1.0
            v = a[i]
            v += 10
        else:
            v = 5.0
        v += 100
    except IndexError:
        v = -v
    return v


@case((A, 1, 1.0), (A, 9, 1.0), (A, 1, -1.0), (A, 9, -1.0))
def try_in_a_branch(a, i, x):
    if x > 0:
        try:
            v = a[i]
        except IndexError:
            v = -1.0
    else:
        v = 2.0
    return v


@case((A, 1, 1.0), (A, 9, 1.0), (A, 1, -1.0))
def raise_after_assignments_in_a_branch(a, i, x):
    v, w = 0.0, 0
    try:
        if x < 0:
            v = 3.0
            a[0] = 30.0
            raise ValueError("x")
        w = 1
        v = a[i]
        w = 2
    except ValueError:
        w += 10
    except IndexError:
        w += 20
    return v, w, a


@case((A, 1), (A, 9))
def ternary_and_boolean(a, i):
    try:
        v = a[i] if i > 0 else 0.0
        w = i < 0 or a[i] > 1
    except IndexError:
        v, w = -1.0, None
    return v, w


@case((2,), (0,), (-3,))
def both_branches_raise(n):
    try:
        if n > 0:
            raise ValueError
        if n < 0:
            raise KeyError
        else:
            raise OwnError
    except ValueError:
        r = 1
    except KeyError:
        r = 2
    except OwnError:
        r = 3
    return r


@case((2,), (0,))
def always_raises_after_a_failure(n):
    try:
        k = 10 // n
        raise OwnError(str(type(k)))
    except ZeroDivisionError:
        return 1
    except OwnError:
        return 2


# ---- helpers ---------------------------------------------------------------------------------------------------------


@case((2.0,), (0.0,), (-2.0,))
def helper_raises(x):
    try:
        y = inverse(x)
    except OwnError:
        y = -1.0
    except ZeroDivisionError:
        y = -2.0
    return y


@case((A, 1, 2.0), (A, 1, 9.0), (A, 5, 2.0))
def helper_writes(a, i, x):
    y = 0.0
    try:
        y = store(a, i, x)
        y += store(a, 0, y * 2)
    except NarrowError:
        y -= 1
    except IndexError:
        y -= 2
    return y, a


@case((2.0,), (-2.0,))
def helper_changes_an_object(x):
    account = Account()
    try:
        deposit(account, 1.0)
        deposit(account, x)
        deposit(account, 3.0)
    except OwnError:
        account.total *= 100
    return account.total


@case(*INDICES)
def helper_has_the_try(a, i):
    return safe(a, i) + safe(a, i + 1)


@case((A, 3), (A, 5))
def helper_with_a_try_in_a_loop(a, n):
    s = 0.0
    for i in range(n):
        s += safe(a, i)
    return s


@case(*INDICES)
def inner_function(a, i):
    count = 0

    def get(k):
        nonlocal count
        count += 1
        v = a[k]
        count += 10
        return v

    try:
        x = get(0) + get(i)
    except IndexError:
        x = -1.0
    return x, count


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


# ---- exits -----------------------------------------------------------------------------------------------------------


@case((A, 1), (A, 9), (A, 2))
def returns_of_several_kinds(a, i):
    try:
        if a[i] > 2:
            return "large"
        x = a[i]
    except IndexError:
        x = -1.0
    else:
        x += 1
    return "small" if x > 0 else "minus"


@case((A, 1), (A, 9))
def return_of_nothing(a, i):
    try:
        a[i] = 5.0
    except IndexError:
        return
    a[0] = 7.0


@case((A, 1), (A, 9), (A, 2))
def return_in_else(a, i):
    try:
        x = a[i]
    except IndexError:
        x = -1.0
    else:
        if x > 2:
            return 100.0
    return x


@case((A, 4), (A, 2))
def exits_of_all_kinds(a, n):
    s = 0.0
    for i in range(n):
        try:
            if i == 0:
                continue
            if a[i] > 2.5:
                break
            s += a[i]
        except IndexError:
            return -s
        finally:
            s += 10
    return s


@case((2, 0.5), (0, 0.5))
def within_with(n, x):
    with contextlib.nullcontext():
        try:
            r = x / n
        except ZeroDivisionError:
            return -1.0
    return r


# ---- hostile ---------------------------------------------------------------------------------------------------------


@dataclasses.dataclass
class Tally:
    """A dataclass that a loop changes."""

    total: float = 0.0
    count: int = 0


def safe_and_counting(a, i):
    try:
        return a[i]
    except IndexError:
        return -1.0
    finally:
        a[0] += 1


@case((2,), (100,))
def system_exit(n):
    try:
        if n > 3:
            raise SystemExit(2)
    except SystemExit:
        return 1
    return 3


@case((A, 1, 1), (A, 0, 1), (A, 1, 0))
def shapes_differ_by_the_point_of_failure(a, n, k):
    try:
        x = a
        y = 1 // n
        x = a[:2]
        y += 1 // k
    except ZeroDivisionError:
        return x.sum()
    return float(y)


@case((A, 2), (A, 5))
def inner_function_changes_all(a, n):
    total = 0.0

    def add(k):
        nonlocal total
        total += a[k]
        a[k] = 0.0

    try:
        for k in range(n):
            add(k)
    except IndexError:
        total = -total
    return total, a


@case((A, 2), (A, 5))
def dataclass_in_a_loop(a, n):
    tally = Tally()
    try:
        for k in range(n):
            tally.count += 1
            tally.total += a[k]
    except IndexError:
        tally.total += 100
    return tally.total, tally.count


@case((6, 3), (6, 10), (6, 0))
def while_loops_around_and_inside(n, k):
    s = 0
    while n > 0:
        try:
            while True:
                n -= 1
                s += 12 // (n - k)
                if n < 2:
                    break
        except ZeroDivisionError:
            s += 1000
            n -= 1
        else:
            s += 7
    return s, n


@case((A, 1), (A, 9), (A, 2))
def helpers_with_finally(a, i):
    try:
        return safe_and_counting(a, i) + 1 / (i - 1)
    except ZeroDivisionError:
        return safe_and_counting(a, i + 1)


@case((np.arange(6.0).reshape(2, 3), 0, 1), (np.arange(6.0).reshape(2, 3), 0, 2), (np.arange(6.0).reshape(2, 3), 2, 0))
def rows_and_columns(m, i, j):
    try:
        m[i] = m[j]
        m[:, i] += m[j, i]
        m[i, j] = 100.0
    except IndexError:
        m *= 2
    return m


@case((2,), (0,), (100,), (1,))
def finally_and_continue(n):
    for i in range(4):
        try:
            x = 10 // (n - i)
        except ZeroDivisionError:
            continue
        finally:
            n += 1
        if x > 5:
            return float(x)
    return n / 2


@case((2,), (0,))
def exception_kept_and_raised_later(n):
    try:
        try:
            10 // n
        except ZeroDivisionError as e:
            kept = e
            raise OwnError("a") from e
    except OwnError:
        try:
            if n == 0:
                raise kept
        except ZeroDivisionError:
            return 77
    return 5


@case((A, 1), (A, 3), (A, 9))
def comprehensions(a, n):
    k = 0
    try:
        k = 1
        s = sum(a[j] for j in range(n))
        k = 2
        t = [a[j + n] for j in range(2)]
        k = 3
    except IndexError:
        return k
    return k + s + t[0]


@case((np.array([3.0, 1.0, 2.0, 0.0]), 3), (A, 2), (A, 4))
def break_out_of_the_inner_loop(a, n):
    best = -1
    for i in range(n):
        for j in range(n):
            try:
                if a[i] > a[j + 1]:
                    best = i
                    break
            except IndexError:
                break
        else:
            best += 10
    return best


@case((A, 1), (A, 9))
def list_of_a_length_known_at_run_time(a, n):
    out = [1.0]
    try:
        x = a[n]
        out.append(x)
    except IndexError:
        pass
    return len(out)


# ---- with, generators, print -----------------------------------------------------------------------------------------


class Swallower:
    """A manager that ends every exception."""

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return True


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


@case((A, 1), (A, 9), refused=UnsupportedOperationError)
def manager_that_swallows(a, i):
    v = 0.0
    with Swallower():
        v = a[i]
    return v


@case((A, 1), (A, 9), refused=UnsupportedOperationError)
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


@case((2.0,), (0.0,), refused=UnsupportedOperationError)
def manager_that_a_handler_around_sees(x):
    inside = Inside([0])
    try:
        with inside:
            y = 1 / x
    except ZeroDivisionError:
        y = -1.0
    return y, inside.depth


@case((np.zeros(2), 2.0), (np.zeros(2), 0.0), refused=UnsupportedOperationError)
def manager_that_puts_an_array_back(a, x):
    try:
        with emptied(a) as b:
            b[1] = 5
            y = 1 / x
    except ZeroDivisionError:
        y = -1.0
    return y


@case((2.0,), (0.0,), refused=UnsupportedOperationError)
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


def test_a_message_of_run_time_is_no_text_while_tracing() -> None:
    def f(a, i):
        try:
            v = a[i]
        except IndexError as e:
            return len(str(e))
        return v

    with pytest.raises(ConcretizationError, match="a plain str is needed while tracing"):
        jit(f)(A, 9)


def test_own_errors_pass_every_handler() -> None:
    def f(x):
        try:
            y = range(3)[{x: 1}[x]]
        except:  # noqa: E722
            y = 0.0
        return y

    def g(x):
        with Swallower():
            return {1: 2}[x]
        return 0.0

    for function in (f, g):
        with pytest.raises(AnabranchError):
            jit(function)(1.5)


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
