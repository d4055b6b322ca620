"""`if`, `elif`, `else`: on ints, floats and arrays, nested, with names set on some paths alone."""

from __future__ import annotations

import numpy as np
import pytest

from tests.program_table import Program, Table

case = Table()


@case((2.0,), (-2.0,), (0.0,), (float("nan"),))
def signs(x):
    if x > 0:
        y = x * 2
    elif x < 0:
        y = -x
    else:
        y = x + 1.0
    return y


@case((3, 4), (4, 3), (3, 3))
def ints_stay_ints(a, b):
    r = 0
    if a < b:
        r = b - a
    elif a > b:
        r = (a - b) * 10
    return r


@case((0,), (5,), (-1,))
def int_is_its_own_condition(n):
    if n:
        return n * 2
    return -1


@case((0.0,), (-0.0,), (float("nan"),), (0.5,))
def float_is_its_own_condition(x):
    if x:
        return 1
    return 0


@case((np.array([0.0]),), (np.array([2.0]),))
def one_element_array_is_a_condition(a):
    if a:
        return a + 1
    return a - 1


@case((np.array([1.0, 2.0]),))
def two_element_array_is_no_condition(a):
    if a:
        return a + 1
    return a - 1


@case((np.float64(2.0),), (np.float64(0.0),))
def numpy_scalar_is_a_condition(x):
    if x:
        return x + 1
    return x


@case((np.array([1.0, -2.0, 3.0]),), (np.array([1.0, 2.0, 3.0]),))
def any_and_all(a):
    if (a < 0).any():
        a = np.abs(a)
    if np.all(a > 0):
        return a.sum()
    return a.prod()


@case((1, 1), (1, -1), (-1, 1), (-1, -1))
def nested_four_ways(a, b):
    if a > 0:
        if b > 0:
            r = 1
        else:
            r = 2
    else:
        if b > 0:
            r = 3
        else:
            r = 4
    return r


@case((5,), (50,), (500,), (-1,))
def returns_at_every_depth(n):
    if n > 0:
        if n > 10:
            if n > 100:
                return 3
            n += 1
        else:
            return n
        n *= 2
    else:
        return -n
    return n + 1000


@case((1.0,), (-1.0,))
def only_pass(x):
    if x > 0:
        pass
    return x


@case((1.0,), (-1.0,))
def pass_then_else(x):
    if x > 0:
        pass
    else:
        x = 5.0
    return x


@case((1.0,), (-1.0,))
def returns_none_on_one_path(x):
    if x > 0:
        return x
    return None


@case((1.0,), (-1.0,))
def falls_off_the_end_on_one_path(x):
    if x > 0:
        return x


@case((1.0,), (-1.0,))
def bare_return(x):
    y = np.zeros(2)
    if x > 0:
        return
    y[0] = x
    return y


@case((1.0, True), (1.0, False), (-1.0, True), static=("flag",))
def static_condition_may_mix_types(x, flag):
    if flag:
        r = "text"
    else:
        r = x
    return r


@case((1.0, None), (1.0, 2.0), (1.0, 3), static=("y",))
def static_none(x, y):
    if y is None:
        y = 7
    if x > 0:
        x = x + y
    return x


@case((2.0,), (-2.0,))
def condition_computed_before(x):
    positive = x > 0
    x = x - 1
    if positive:
        x = x * 10
    if not positive:
        x = x - 10
    return x, positive


@case((1,), (2,), (3,), (4,), (99,))
def long_chain(n):
    if n == 1:
        s = 10
    elif n == 2:
        s = 20
    elif n == 3:
        s = 30
    elif n == 4:
        s = 40
    else:
        s = -1
    return s


@case((2.0,), (-2.0,))
def rebinding_the_tested_name(x):
    if x > 0:
        x = -x
    if x > 0:
        x = x + 100
    else:
        x = x - 100
    return x


@case((np.array([1.0, 2.0]), 1), (np.array([1.0, 2.0]), 0))
def array_or_its_view(a, n):
    if n:
        b = a[::-1].copy()
    else:
        b = a * 1
    b += 1
    return b


@case((True,), (False,))
def bool_argument(flag):
    if flag:
        return 1.5
    return 2.5


@case((3,), (-3,))
def isinstance_of_a_traced_int(n):
    if isinstance(n, int) and n > 0:
        return n
    return 0


@case((1,), (2,), (7,))
def containers_in_conditions(n):
    if n in (1, 3, 5, 7):
        r = 1
    elif n not in [2, 4]:
        r = 2
    else:
        r = 3
    return r


@case((3.0, np.array([1.0, 3.0])), (4.0, np.array([1.0, 3.0])))
def in_an_array(x, a):
    if x in a:
        return True
    return False


@case((1.0,), (-1.0,))
def one_line_suites(x):
    if x > 0:
        y = x
        z = y * 2
    else:
        y = 0.0
        z = 1.0
    return y, z


@case((1.0, 2.0), (-1.0, 2.0), (-1.0, -2.0))
def tuples_and_dicts_from_branches(x, y):
    if x > 0:
        pair = (x, {"k": y})
    elif y > 0:
        pair = (y, {"k": x})
    else:
        pair = (x, {"k": x})
    return pair


@pytest.mark.parametrize("program", case.programs)
def test_if(program: Program) -> None:
    program.check()


@pytest.mark.parametrize("program", case.static_programs)
def test_if_with_static_arguments(program: Program) -> None:
    program.check_static()
