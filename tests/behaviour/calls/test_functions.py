"""Helpers, closures, lambdas, methods, defaults, star arguments, recursion, generators, comprehensions."""

from __future__ import annotations

import functools
import math
import operator
import sys
from typing import ClassVar

import numpy as np
import pytest

from anabranch import jit
from anabranch.runtime.config import configure
from tests.program_table import Program, Table

case = Table()


def cube_or_square(x):
    if x > 5:
        return x**2
    return x**3


def count_down(n):
    steps = 0
    while n > 0:
        n = n - 2
        steps += 1
    return steps


def write_first(a, x):
    a[0] = x


def write_and_return(a, x):
    if x > 0:
        a[0] = x
        return a
    return a.copy()


def scaled(x, *, by=2.0, plus=0.0):
    if x < 0:
        return x * by
    return x + plus


def variadic(first, *rest, **named):
    total = first
    for r in rest:
        total = total * 10 + r
    for key in sorted(named):
        total = total * 10 + named[key]
    return total


def twice(f):
    @functools.wraps(f)
    def wrapper(x):
        if x > 100:
            return x
        return f(f(x))

    return wrapper


@twice
def plus_or_minus(x):
    if x > 0:
        return x + 1
    return x - 1


def power_static(x, k):
    if k == 0:
        return 1.0
    return x * power_static(x, k - 1)


def is_even(n):
    if n == 0:
        return True
    return is_odd(n - 1)


def is_odd(n):
    if n == 0:
        return False
    return is_even(n - 1)


def squares(n):
    for i in range(n):
        yield i * i


class Scale:
    offset: ClassVar[float] = 10.0

    def __init__(self, k):
        self.k = k

    def __call__(self, x):
        if x > 0:
            return x * self.k
        return x + self.offset

    def method(self, x):
        return self(x) if x < 5 else self.k

    @staticmethod
    def fixed(x):
        if x > 0:
            return 1
        return 2

    @classmethod
    def of_class(cls, x):
        if x > 0:
            return cls.offset
        return x

    @property
    def doubled(self):
        return self.k * 2


scale = Scale(3.0)


@case((np.array([1.0, 0.0, 7.0, 1.5]),), (np.array([0.0, -3.0, 2.0, 4.0]),))
def functions_by_run_time_indices_and_keys(a):
    offset = len(a)
    table = [cube_or_square, math.floor, np.abs, lambda x: x + offset]
    named = {"up": operator.add, "down": operator.sub}
    made, kept = [float, bool], (scale, scale.method)
    total, told = 0.0, []
    for x in a:
        f = table[int(x) % 4]
        total = named["up" if x > 0 else "down"](total, f(x))
        told.append(made[int(x > 1)](x) + kept[int(x) % 2](x))
    return total, told


@case((2.0,), (7.0,), (4.5,))
def helper_called_twice(x):
    return cube_or_square(x) + cube_or_square(x + 1)


@case((2.0, 3), (6.0, 0))
def helper_in_a_loop(x, n):
    for _ in range(n):
        x = x + cube_or_square(x) * 0.01
    return x


@case((5, 4), (0, 0))
def helper_with_a_loop(a, b):
    return count_down(a) * 100 + count_down(b)


@case((2.0, 1), (2.0, 0))
def helper_writes_its_argument(x, n):
    a = np.zeros(2)
    b = a
    if n:
        write_first(a, x)
    return b


@case((np.zeros(2), 2.0), (np.zeros(2), -2.0))
def helper_writes_the_callers_argument(a, x):
    write_first(a, x)


@case((np.zeros(2), 2.0))
def helper_returns_its_argument(a, x):
    b = write_first(a, x)
    a += 1
    return b


@case((np.zeros(2), 2.0))
def identity_of_a_returned_argument(a, x):
    def same(v):
        return v

    b = same(a)
    b[1] = x
    return a


@case((2.0,), (-2.0,))
def keyword_only(x):
    return scaled(x), scaled(x, by=5.0), scaled(x, plus=1.0, by=3.0)


@case((2, 3))
def star_arguments(x, y):
    args = (x, y, 4)
    return variadic(*args), variadic(1, *(x, y), b=3, a=y)


@case((2.0,), (-2.0,), (200.0,))
def decorated_helper(x):
    return plus_or_minus(x)


@case((2.0,))
def static_recursion(x):
    return power_static(x, 5)


@case((5,), (8,), (0,), slow=True)
def mutual_tail_recursion(n):
    return is_even(n)


def doubled(n, x):
    return x if n == 0 else doubled(n - 1, x) + x


def doubled_by_statements(n, x):
    if n == 0:
        return x
    y = doubled_by_statements(n - 1, x)
    if y > 100.0:
        y = y - 100.0
    return y + x


@case((0, 2.5), (300, 2.5))
def recursion_as_deep_as_python_allows(n, x):
    return doubled(n, x), doubled_by_statements(n, x)


def test_recursion_is_as_deep_as_outside() -> None:
    def down(n, x):
        return x if n == 0 else down(n - 1, x + 1.0)

    limit = sys.getrecursionlimit()
    assert jit(down)(800, 0.5) == 800.5
    with pytest.raises(RecursionError):
        down(limit + 100, 0.5)
    with pytest.raises(RecursionError):
        jit(down)(limit + 100, 0.5)
    assert sys.getrecursionlimit() == limit


def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


@case((6,), (1,))
def recursion_in_two_places(n):
    return fibonacci(n)


def test_recursion_in_two_places_works_to_a_small_depth() -> None:
    wrapped = jit(fibonacci)
    with configure(recursion_limit=6):
        assert [wrapped(n) for n in range(6)] == [0, 1, 1, 2, 3, 5]


@case((2.0,), (-2.0,), (8.0,))
def callable_object_and_methods(x):
    return scale(x), scale.method(x), scale.fixed(x), Scale.of_class(x), scale.doubled


@case((2.0,), (-2.0,))
def lambdas_on_one_line(x):
    f, g = (lambda v: v * 2 if v > 0 else -v), (lambda v: v + 100 if v < 0 else v)
    return f(x), g(x)


@case((2.0,), (-2.0,))
def lambda_with_default(x):
    f = lambda v, k=x * 2: v + k  # noqa: E731
    x = 0.0
    return f(1.0) + x


@case((2.0,), (-2.0,))
def nested_function_reads_a_later_value(x):
    def f():
        return y * 2

    y = x
    if x > 0:
        y = y + 1
    return f()


@case((4,), (0,))
def closure_reads_the_loop_variable(n):
    s = 0
    for i in range(n):

        def f(v):
            return v * i

        s += f(10)
    return s


@case((4,), (0,))
def nonlocal_in_a_loop(n):
    c = 0

    def bump(k):
        nonlocal c
        c = c + k

    for i in range(n):
        bump(i)
    return c


@case((4.0,), (-4.0,))
def nonlocal_in_a_branch(x):
    c = 1.0

    def bump():
        nonlocal c
        if x > 0:
            c = c + x

    bump()
    bump()
    return c


@case((3, 1), (3, 2))
def nonlocal_deleted(n, m):
    def inner(k):
        nonlocal n
        if k > 1:
            del n

    inner(m)
    return n


@case((3, 1), (3, 2))
def nonlocal_deleted_and_asked_for(n, m):
    def inner(k):
        nonlocal n

        def deeper():
            nonlocal n
            if k > 1:
                del n

        deeper()

    inner(m)
    try:
        return [n]
    except NameError as error:
        return str(error)


@case((3, 1), (3, 2))
def nonlocal_deleted_and_read_by_another(n, m):
    def inner(k):
        nonlocal n
        if k > 1:
            del n

    def other():
        return (n,)

    inner(m)
    return other()


@case((3, 1), (3, 2))
def nonlocal_deleted_and_set_again(n, m):
    def inner(k):
        nonlocal n
        del n

    if m > 1:
        inner(m)
        n = m * 2
    return n


@case((3,), (0,))
def nonlocal_two_deep(n):
    c = 1

    def outer(k):
        def inner():
            nonlocal c
            c = c * 2 + k

        inner()
        if k > 0:
            inner()

    for i in range(n):
        outer(i)
    return c


@case((3.0,), (-3.0,))
def returned_function(x):
    def make(k):
        def f(v):
            if v > 0:
                return v * k
            return v - k

        return f

    return make(2.0)(x) + make(x)(1.0)


@case((3.0,), (-3.0,))
def functools_partial(x):
    return functools.partial(scaled, by=7.0)(x)


@case((3,), (0,))
def generator_of_a_static_size(n):
    s = 0
    for v in squares(4):
        s = s * n + v
    return s


@case((np.array([1.0, -2.0, 3.0]),))
def comprehensions(a):
    doubled = [v * 2 for v in a]
    chosen = [v if v > 0 else v * 10 for v in a]
    named = {k: v for k, v in zip("abc", a)}  # noqa: B905
    return np.stack(doubled), np.stack(chosen), named["b"]


@case((np.array([1.0, -2.0, 3.0]),), (np.array([1.0, 2.0, 3.0]),))
def any_and_all_of_generators(a):
    return any(v < 0 for v in a), all(v > -5 for v in a), sum(v * v for v in a)


@case((np.array([1.0, -2.0, 3.0]),))
def comprehension_variable_does_not_leak(a):
    v = 7.0
    t = [v + 1 for v in a]
    return v, t[0]


@case((2.0,), (-2.0,))
def comprehension_with_static_filter(x):
    return [x * k for k in range(6) if k % 2]


@case((3.0, 2.0), (-3.0, 2.0))
def functions_of_math_and_operator(x, y):
    return operator.add(x, y), math.floor(x), math.copysign(y, x), operator.mul(x, y), math.pi * x


@case((4.0,), (-4.0,))
def math_domain(x):
    return math.sqrt(x)


@case((4,), (-4,))
def function_chosen_at_run_time(n):
    f = np.sin if n > 0 else np.cos
    return f(1.0)


@case((4.0,), (-4.0,))
def function_defined_in_both_branches(x):
    if x > 0:

        def f(v):
            return v + 1

        r = f(x)
    else:

        def f(v):
            return v - 1

        r = f(x)
    return r


@case((4.0,), (-4.0,))
def two_nested_functions_of_one_name(x):
    def f(v):
        return v + 1 if v > 0 else v

    a = f(x)

    def f(v):
        return v * 10 if v > 0 else v

    return a, f(x)


@case((4,), (0,))
def default_evaluated_once(n):
    k = 10

    def f(v, start=k):
        return v + start

    k = 1000
    s = 0
    for i in range(n):
        s += f(i)
    return s + k


@case((3,), (0,))
def mutable_default(n):
    def f(v, seen=[]):  # noqa: B006
        seen.append(v)
        return len(seen)

    f(n)
    return f(n + 1) * n


@case((np.array([3.0, 1.0, 2.0]),))
def builtins_over_arrays(a):
    return min(a), max(a), sum(a), len(a), sorted([a[0], a[1]])[0] if len(a) == 0 else a[0]


@case((2.0, 5.0, 3.0))
def builtins_over_arguments(x, y, z):
    return min(x, y, z), max([x, y, z]), sum((x, y, z)), abs(-x)


@case((3,))
def map_filter_zip(n):
    return sum(map(lambda v: v * n, (1, 2, 3))), [k for k in filter(None, (0, 1, 2))], tuple(zip((n, 2), (3, 4)))  # noqa: B905


@pytest.mark.parametrize("program", case.programs)
def test_function(program: Program) -> None:
    program.check()


@pytest.mark.parametrize("program", case.static_programs)
def test_function_with_static_arguments(program: Program) -> None:
    program.check_static()


def test_functional_forms_need_nothing_compiled_before(run_python, tmp_path):
    text = "import anabranch\ndef step(v):\n    return v + 3 if v > 5 else v + 1\n"
    (tmp_path / "program.py").write_text(f"{text}print(anabranch.while_loop(lambda v: v < 10, step, 0))\n")
    assert run_python("import runpy; runpy.run_path('program.py')") == "12\n"
