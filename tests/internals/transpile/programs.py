"""Functions as users write them, each with arguments to run it on."""

from __future__ import annotations

import contextlib

CASES = []


def case(*argument_sets):
    def keep(function):
        CASES.append((function, argument_sets))
        return function

    return keep


@case((5,), (0,))
def nested_break_return_else(n):
    for i in range(n):
        for j in range(i):
            if j == 3:
                return "return", i, j
            if j == 2:
                break
        else:
            continue
        if i > 4:
            break
    else:
        return "else", n
    return "end", i


@case((3,), (30,))
def while_true_with_two_exits(n):
    k = 0
    while True:
        k += 1
        if k * k > n:
            break
        if k == 4:
            return "four"
    return k


@case((1,), (-1,))
def unset_after_branch(x):
    if x > 0:
        t = x
    return t


@case((1,), (0,))
def deleted_then_read(x):
    t = 1
    if x:
        del t
    return t


@case(
    (4,),
)
def counter_in_a_closure(n):
    count = 0

    def bump(by=2):
        nonlocal count
        count += by
        return count

    total = 0
    for i in range(n):
        if i % 2:
            total += bump()
        else:
            total += bump(i)
    return count, total


@case(
    (4,),
)
def late_binding_lambdas(n):
    kept = []
    for i in range(n):
        kept.append(lambda: i)
    return [f() for f in kept]


@case(
    (4,),
)
def defaults_bind_early(n):
    kept = []
    for i in range(n):
        kept.append(lambda i=i: i)
    return [f() for f in kept]


@case((5,), (0,))
def generator_kept_until_later(n):
    k = 1
    lazy = (k * i for i in range(n))
    if n > 3:
        k = 100
    return list(lazy)


@case((5,), (2,))
def comprehension_names_are_their_own(n):
    i = 7
    pairs = [(i, j) for i in range(n) if i % 2 for j in range(i) if 0 <= j < i]
    return pairs, i, {i: i for i in range(2)}, {i for i in range(3)}


@case((6,), (1,))
def recursion(n):
    def fibonacci(k):
        if k < 2:
            return k
        return fibonacci(k - 1) + fibonacci(k - 2)

    return fibonacci(n)


@case((3,), (15,), (-2,))
def walrus_in_test(n):
    if (half := n // 2) > 5:
        return "big", half
    elif (twice := n * 2) < 0:
        return "negative", twice
    return half, twice


@case((0,), (3,), (9,))
def compare_evaluates_once(x):
    seen = []

    def note(v):
        seen.append(v)
        return v

    result = note(0) < note(x) < note(5) != note(7)
    return result, seen


@case(
    (3,),
)
def star_targets(n):
    total = []
    for first, *rest in [(1, 2, 3), (4, 5), (n,)]:
        total.append((first, rest))
    (a, *b), c = (1, 2, 3), 4
    return total, a, b, c


@case(
    (3,),
)
def for_into_item_and_attribute(n):
    box = [0, 0]
    for box[1] in range(n):
        box[0] += box[1]
    return box


@case((3,), (0,))
def loop_variable_afterwards(n):
    i = -1
    for i in range(n):
        pass
    return i


@case(("a",), ("b",), ("z",))
def handlers(key):
    table = {"a": 1, "b": 0}
    try:
        found = 10 // table[key]
    except ZeroDivisionError as error:
        return "zero", str(error)
    except KeyError:
        found = None
    else:
        found += 1
    finally:
        table["done"] = True
    return found, table


@case((3,), (-3,))
def handler_sees_what_the_loop_did(n):
    done = 0
    try:
        for i in range(5):
            done += 1
            if i == n:
                raise ValueError(i)
    except ValueError:
        return "raised", done
    return "ended", done


@case((1,), (-1,))
def suppressed_in_the_middle(x):
    step = 0
    with contextlib.suppress(ValueError):
        step = 1
        if x < 0:
            step = 2
            raise ValueError
        step = 3
    return step


@case((0,), (1,), (5,), (70,), (None,), ("s",))
def match_on_values(x):
    match x:
        case None:
            return "none"
        case 0 | 1 as small:
            r = small
        case int(k) if k > 50:
            r = "large"
        case int():
            r = "int"
        case other:
            r = other
    return r


class Base:
    def __init__(self, k):
        self.__k = k

    def scaled(self, x):
        if x > 0:
            return x * self.__k
        return 0


class Derived(Base):
    def scaled(self, x):
        if x > 5:
            return super().scaled(x) + 1
        return super().scaled(x) if x != 3 else -1


@case((2.5,), (-2.5,))
def annotated_and_augmented(x):
    y: float = x
    y += 1
    if y > 0:
        y -= 2
        z: int = 3
    else:
        z = 4
    return y, z


@case(
    (5,),
)
def imports_inside(n):
    import math

    total = 0
    for i in range(n):
        from operator import mul as times

        total += times(i, math.floor(2.5))
    return total


# fmt: off
@case((2,), (0,))
def semicolons_and_one_liners(n):
    a = 1; b = 2  # noqa: E702
    if n: a = 5; return a, b  # noqa: E701, E702
    while a < 4: a += 1; b *= 2  # noqa: E701, E702
    return a, b


# fmt: on
@case((4,), (1,))
def formatted(n):
    return f"{n if n > 2 else 'few'} {0 < n < 3} {n!r:>4}"


@case(
    (3,),
)
def mutual_functions(n):
    def even(k):
        return True if k == 0 else odd(k - 1)

    def odd(k):
        return False if k == 0 else even(k - 1)

    return even(n), odd(n)


@case((3,), (-3,))
def function_defined_in_branches(n):
    if n > 0:

        def g(k):
            return k + n

    else:

        def g(k):
            return k - n

    return g(10)


@case((3,), (0,))
def finally_wins_over_return(n):
    log = []

    def inner(k):
        for i in range(k):
            try:
                if i == 1:
                    return log
                log.append(i)
            finally:
                log.append("f")
        return "none"

    return inner(n), log
