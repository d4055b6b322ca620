"""Programs about names, closures and containers, written to come out silently wrong."""

from __future__ import annotations

import itertools

import pytest

from tests.program_table import Program, Table

case = Table()


def step_list(items, k):
    items[0] = items[0] + k
    items[1] = items[0] * 2


@case((3,), (-3,))
def del_then_read_in_a_later_branch(n):
    y = n
    if n > 0:
        del y
    if n < 0:
        return y
    return 0


@case((3,), (-3,))
def unbound_only_on_the_path_taken(n):
    for _ in range(2):
        if n > 0:
            z = n
        n = -n
    return z


@case((3,), (0,))
def unbound_in_a_closure(n):
    def f():
        return late

    if n > 0:
        late = n
    return f()


@case((0.0,), (1.0,))
def read_before_set_in_a_loop(x):
    for i in range(2):
        if i == 1 or x > 0:
            x = y + x  # noqa: F821
        y = 2.0  # noqa: F841
    return x


@case((4,), (0,))
def closures_made_in_a_loop_see_the_last_value(n):
    fs = []
    for k in (1, 2, 3):
        fs.append(lambda v: v * k)
    return [f(n) for f in fs]


@case((4,), (0,))
def closures_with_defaults_see_their_own(n):
    fs = [lambda v, k=k: v * k for k in (1, 2, 3)]
    return [f(n) for f in fs]


@case((4,), (0,))
def closure_changed_between_its_calls(n):
    k = 1

    def f(v):
        return v * k

    a = f(n)
    for i in range(n):
        k = k + i
    return a, f(n), k


@case((4,), (-4,))
def closure_sees_a_branch(n):
    k = 1
    f = lambda: k * 100  # noqa: E731
    if n > 0:
        k = n
        b = f()
    else:
        b = f() + 1
        k = 7
    return f() + b


@case((4,), (0,))
def closure_captures_a_loop_carried_name(n):
    s = 0

    def peek():
        return s * 1000

    t = 0
    for i in range(n):
        s = s + i
        t = t + peek()
    return s, t


@case((4,), (0,))
def nonlocal_three_deep(n):
    c = 0

    def one():
        def two():
            def three(k):
                nonlocal c
                if k > 1:
                    c += k
                else:
                    c -= 1

            for i in range(n):
                three(i)

        two()
        if c > 0:
            two()

    one()
    return c


@case((4,), (0,))
def nested_functions_of_the_same_name_at_two_depths(n):
    def f(v):
        def f(w):
            return w * 2 if w > 1 else w

        return f(v) + 1

    s = 0
    for i in range(n):
        s += f(i)
    return s


@case((4,), (0,))
def recursive_closure(n):
    def power(v, k):
        return 1 if k == 0 else v * power(v, k - 1)

    return power(n, 3)


@case((4,), (0,))
def generator_made_before_the_change(n):
    k = 1
    g = (v * k for v in (1, 2, n))
    k = 10
    return list(g), k


@case((3,), (0,))
def comprehension_variable_shadows(n):
    i = 100
    a = [i * n for i in range(3)]
    b = [[i + j for j in range(2)] for i in (5, 6)]
    return i, a, b


@case((3,), (0,))
def walrus_in_a_comprehension_leaks(n):
    a = [(last := v * n) for v in (1, 2, 3)]
    return a, last


@case((3,), (-3,))
def several_statements_on_a_line(n):
    a = 1
    b = 2
    if n > 0:
        a = n
        b += a
    while a > 1:
        a -= 1
        b *= 2
    return a, b


@case((3,), (-3,))
def comments_in_odd_places(n):
    # before
    if (  # in the test
        n > 0  # its operand
        # and one alone
    ):  # after the colon
        # before the body
        r = (
            n  # inside
            + 1
        )
        # after the body
    # between
    else:  # of the else
        r = 2  # trailing
        # last
    return (  # result
        r
    )


@case((3,), (-3,))
def strings_that_look_like_code(n):
    text = """
    if n > 0:
        return 5
    """
    doc = f"{'a' if True else 'b'}xy"
    if n > 0:
        r = len(text)
    else:
        r = len(doc)
    return r


@case((3,), (0,))
def parenthesised_targets(n):
    (a) = n
    (b, c) = (a, [a])
    [d, *e] = (1, b, c)
    (a) += 5
    for i in range(n):
        (a), (b) = b, a + i
    return a, b, d, e[0]


@case((3,), (0,))
def lambda_arguments_named_like_locals(n):
    s = 5
    f = lambda s, n=n: s * 10 + n  # noqa: E731
    for i in range(n):
        s = f(i)
    return s


@case((3,), (-3,))
def keyword_arguments_named_like_locals(n):
    def g(*, a, b=1):
        return a * 10 + b if a > 0 else b

    a, b = n, 2
    if n > 0:
        a = b
    return g(b=a, a=b), dict(a=a, b=b)


@case((3,), (0,))
def user_names_of_the_rewriting(n):
    ab = 100

    def if_true(x):
        return x + ab

    def for_body(i, s):
        return s * i

    s = 1
    for i in range(n):
        if i > 0:
            s = if_true(for_body(i, s))
        else:
            s += 1
    return s


@case((3,), (0,))
def user_names_dunder_like(n):
    _, __, exit_code, result, carry, state, UNDEFINED, NEXT = 1, 2, 3, 4, 5, 6, 7, 8
    for i in range(n):
        if i == 1:
            NEXT += 1
            continue
        UNDEFINED += NEXT
        if UNDEFINED > 100:
            break
    return _, __, exit_code, result, carry, state, UNDEFINED, NEXT


@case((3,), (0,))
def local_named_range_and_len(n):
    len = 5
    range = lambda k: (k, k * 2, len)  # noqa: E731
    s = 0
    for i in range(n):
        s = s * 10 + i
    return s


@case((3.0,), (-3.0,))
def local_named_abs_and_min(x):
    def abs(v):
        return v * 100

    min = lambda u, v: u  # noqa: E731
    if abs(x) > 0:
        return min(x, 1.0)
    return abs(x)


@case((3,), (0,))
def print_and_range_as_values(n):
    f = range
    s = 0
    for i in f(n):
        s += i
    g = [len, abs][1]
    return s, g(-n)


@case((3,), (0,))
def itertools_of_a_traced_count(n):
    s = 0
    for i, j in itertools.product((1, 2), (n, 5)):
        s = s * 10 + i * j
    for i in itertools.chain((n,), range(2)):
        s = s * 2 + i
    return s


@case((3,), (0,))
def generator_of_the_users_own(n):
    def gen():
        yield n
        for k in (1, 2):
            yield k * n
        yield 7

    s = 0
    for v in gen():
        if v > 5:
            break
        s = s * 10 + v
    return s


@case((2, 3), (0, 3))
def list_changed_by_a_helper_in_a_loop(n, k):
    items = [0, 1]
    for i in range(n):
        step_list(items, i + k)
    return items


@case((2,), (-2,))
def list_changed_by_a_helper_in_a_branch(n):
    items = [0, 1]
    if n > 0:
        step_list(items, n)
    return items


@case((2,), (-2,))
def aliased_inner_list(n):
    inner = [1, 2]
    outer = [inner, inner]
    if n > 0:
        outer[0][0] = n
    inner[1] = 9
    return outer


@case((3,), (0,))
def dict_changed_while_its_values_are_carried(n):
    d = {"a": 1}
    for i in range(n):
        v = d["a"]
        d["a"] = v + i
        d = {"a": d["a"] * 2}
    return d


@case((3,), (0,))
def tuple_index_by_static_loop(n):
    t = (n, n + 1, n + 2)
    s = 0
    for i in (0, 2, -1):
        s = s * 10 + t[i]
    return s


@pytest.mark.parametrize("program", case.programs)
def test_hostile_control(program: Program) -> None:
    program.check()


@pytest.mark.parametrize("program", case.static_programs)
def test_hostile_control_with_static_arguments(program: Program) -> None:
    program.check_static()
