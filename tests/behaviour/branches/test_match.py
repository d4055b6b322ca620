"""`match`: every kind of pattern, on values known only at run time and on static structure."""

from __future__ import annotations

import collections
import dataclasses
import enum
import types

import numpy as np
import pytest

from tests.program_table import Program, Table

case = Table()
limits = types.SimpleNamespace(LOW=2, HIGH=7)


class Color(enum.IntEnum):
    RED = 1
    BLUE = 2


@dataclasses.dataclass
class Point:
    x: float
    y: float


class Pair(collections.namedtuple("Pair", "first second")):
    pass


class Plain:
    __match_args__ = ("size",)

    def __init__(self, size, shape):
        self.size, self.shape = size, shape


class Counting:
    """Counts how often its attribute is asked for."""

    def __init__(self):
        self.asked = 0

    @property
    def value(self):
        self.asked += 1
        return self.asked


# fmt: off
@case((3,), (-3,))
def tuple_of_values(n):
    match n > 0, n:
        case True, k:
            return k
        case _, k:
            return -k * 10


@case((3, 0), (0, 0), (0, 4), (3, 4))
def tuple_of_literals(a, b):
    match (a > 0, b):
        case (True, 0):
            r = 1
        case (False, 0):
            r = 2
        case (True, _):
            r = 3
        case (_, k):
            r = k * 10
    return r


@case((-1,), (0,), (1,), (5,))
def literals_with_signs(n):
    match n:
        case -1:
            return "minus"
        case 0 | 1:
            return "small"
        case _:
            return "big"


@case((2.5,), (-2.5,), (1.0,))
def float_literals(x):
    match x:
        case 2.5:
            r = 1.0
        case -2.5:
            r = x * 2
        case _:
            r = -x
    return r


@case((True,), (False,))
def bool_singletons(p):
    match p:
        case True:
            return 1
        case False:
            return 2
    return 3


@case((1,), (0,), (2,))
def ints_are_not_bools(n):
    match n:
        case True:
            return "bool"
        case 1:
            return "one"
        case None:
            return "none"
    return "other"


@case((3,), (-3,))
def none_or_a_value(n):
    best = None
    if n > 0:
        best = n
    match best:
        case None:
            return -1
        case 3:
            return 30
        case k:
            return k


@case((3,), (-3,), (5,))
def none_or_a_tuple(n):
    pair = None
    if n > 0:
        pair = (n, 2 * n)
    match pair:
        case (3, b):
            return b
        case (a, b):
            return a * b
        case None:
            return -1


@case((1,), (2,), (3,))
def enum_values(n):
    match n:
        case Color.RED:
            return "red"
        case Color.BLUE:
            return "blue"
    return "none"


@case((2,), (7,), (3,))
def dotted_values(n):
    match n:
        case limits.LOW | limits.HIGH as k:
            return k * 10
    return n


@case((3, "a"), (3, "b"), (3, "c"), static=("mode",))
def strings(x, mode):
    match mode:
        case "a":
            return x
        case "b" | "c" as m:
            return x * 2, m


@case((7,), (3,), (-1,))
def guard_reads_the_capture(n):
    match n:
        case k if k > 5:
            r = k
        case k if k > 0:
            r = k * 100
        case _:
            r = -1
    return r


@case((7,), (3,), (-1,))
def guard_failed_and_the_name_is_read_later(n):
    k = 1000
    match n:
        case k if k > 5:
            r = 1
        case _:
            r = 2
    return r, k


@case((7,), (3,), (-1,))
def guard_failed_behind_a_failed_pattern(n):
    k = 1000
    match n, n + 1:
        case (3, k) if k > 5:
            r = 1
        case (7, k) if k > 5:
            r = 2
        case _:
            r = 3
    return r, k


@case((7,), (3,), (-1,))
def pattern_not_taken_leaves_the_name_unset(n):
    match n, 2:
        case (3, k):
            r = 1
        case (7, j):
            r = 2
        case _:
            return 0
    if r == 1:
        return k
    return j + 10


@case((7,), (3,))
def pattern_not_taken_and_the_name_read(n):
    match n:
        case 3 as k:
            pass
    return k


@case((4,), (0,))
def captures_in_a_loop(n):
    last = -1
    s = 0
    for i in range(n):
        match i % 3, i:
            case 0, last:
                s += 1
            case 1, v if v > 1:
                s += 10 * v
            case _:
                s += 100
    return s, last


@case((6, 3), (6, 99), (0, 1))
def break_continue_return_in_cases(n, k):
    s = 0
    for i in range(n):
        match i:
            case 1:
                continue
            case 4:
                break
            case j if j == k:
                return -s
            case _:
                s += i
        s += 100
    else:
        s += 1000
    return s


@case((5,), (0,))
def match_in_a_while(n):
    steps = 0
    while True:
        match n % 3:
            case 0 if n <= 0:
                return steps
            case 0:
                n -= 1
            case 1 | 2 as r:
                n -= r
        steps += 1


@case(([1, 2, 3, 4],), ([9, 2, 3, 4],))
def starred_in_the_middle(items):
    match items:
        case [1, *mid, last]:
            return sum(mid), last
        case [first, *rest]:
            return first, len(rest)


@case(([],), ([1],), ([1, 2],), ([1, 2, 3],))
def lengths(items):
    match items:
        case []:
            return 0
        case [a]:
            return a
        case [a, b]:
            return a * b
        case [a, *_, b]:
            return a - b


@case((np.array([1.0, 2.0]),))
def arrays_are_no_sequences(a):
    match a:
        case [x, y]:
            return x + y
        case _:
            return a * 2


@case(({"kind": 1, "value": 5, "more": 7},), ({"kind": 2, "value": 5},), ({"value": 5},))
def mappings(d):
    match d:
        case {"kind": 1, "value": v, **rest}:
            return v, rest
        case {"kind": k, "value": v}:
            return k * v
        case {**rest}:
            return rest


@case((3.0, 4.0), (0.0, 4.0), (0.0, 0.0))
def class_patterns(x, y):
    match Point(x, y):
        case Point(0.0, 0.0):
            return "origin"
        case Point(0.0, y=b):
            return b
        case Point(x=a) as p:
            return a + p.y
        case _:
            return -1.0


@case((3,), (0,))
def classes_of_values(n):
    match n:
        case bool():
            return "bool"
        case int(k) if k > 0:
            return k
        case int():
            return "int"


@case((3.0,), (np.float64(3.0),), (3,), (True,), (np.array([3.0]),))
def classes_in_order(v):
    match v:
        case bool() | int():
            return "int"
        case np.float64():
            return "np"
        case float(x):
            return x
        case np.ndarray(shape=(k,)):
            return k


@case((2, 3), (5, 3))
def match_args_of_a_plain_class(a, b):
    match Plain(a, b):
        case Plain(2, shape=s):
            return s
        case Plain(size):
            return size * 10


@case((2, 3), (5, 3))
def namedtuples_both_ways(a, b):
    p = Pair(a, b)
    match p:
        case Pair(2, second):
            r = second
        case (x, _):
            r = -x
    match p:
        case Pair(first=5) | Pair(second=4):
            r += 1000
    return r


@case((1, 9), (9, 1), (9, 9), (1, 1))
def or_patterns_with_captures(a, b):
    match (a, b):
        case (1, k) | (k, 1):
            return k
        case k:
            return k[0] + k[1]


@case((1, 9), (9, 1), (9, 9))
def or_patterns_do_not_try_again_after_the_guard(a, b):
    match (a, b):
        case (1, k) | (k, 9) if k > 5:
            return k
        case _:
            return -1


@case((1, 2), (3, 4))
def nested_patterns(a, b):
    match {"p": [a, (b, Point(a, b))]}:
        case {"p": [1, (c, Point(x, y))]}:
            return c, x + y
        case {"p": [_, (_, Point() as q)]}:
            return q.x * q.y


@case((2,), (5,))
def property_asked_once(n):
    c = Counting()
    match c:
        case Counting(value=1) if n > 3:
            r = 1
        case Counting(value=v):
            r = v
    return r, c.asked


@case((3,), (-3,))
def subject_is_evaluated_once(n):
    log = []
    match log.append(n) or n:
        case 1 | 2:
            r = 0
        case k if k > 0:
            r = 1
        case _:
            r = 2
    return r, log


@case((3,), (-3,))
def walrus_in_subject_and_guard(n):
    match (m := n + 1):
        case k if (j := k * 2) > 0:
            return j, m
        case _:
            return m, j


@case((3,), (-3,))
def lambda_in_a_guard(n):
    match n:
        case k if (lambda: k > 0)():
            return k
        case _:
            return -k


@case((3,), (-3,))
def no_case_fits(n):
    r = 5
    match n:
        case 3:
            r = 6
        case 4:
            r = 7
    return r


@case((3,), (-3,))
def one_line_cases(n):
    match n:
        case 3: r = 1; r += 1  # noqa: E701, E702
        case _: r = 0  # noqa: E701
    return r


@case((3, 4), (-3, 4), (3, -4))
def match_inside_match(a, b):
    match a > 0:
        case True:
            match b:
                case 4:
                    r = 1
                case c:
                    r = c
        case _:
            match (a, b):
                case (x, y):
                    r = x * y
    return r


@case((3,), (-3,))
def names_like_the_made_up_ones(n):
    subject, matched, found_k = 1, 2, 3
    match (n, subject):
        case (3, k):
            matched += k
        case _:
            found_k += 10
    return subject, matched, found_k


@case((3,), (-3,))
def match_in_a_nested_function(n):
    def pick(v):
        match v:
            case (0, k) | (k, 0):
                return k
            case k if k > 0:
                return k * 2
            case _:
                return -1

    return pick(n), pick((0, n)), pick((n, 0))


@case((3,), (-3,))
def mutation_in_cases(n):
    a = np.zeros(3)
    match n:
        case 3:
            a[0] = n
        case k if k < 0:
            a[1:] = k
    return a


@case((3,), (0,))
def raising_in_a_case(n):
    match n:
        case 0:
            raise ValueError("zero")
        case k:
            return 10 // k


@case((3,), (-3,))
def soft_keywords_are_names(n):
    match = n
    case = match + 1
    type = case * 2
    _ = type
    return match, case, type, _


@case((3,), (-3,))
def match_in_try_and_with(n):
    r = 0
    try:
        match n:
            case 3:
                return r
            case k:
                r = k
    finally:
        r += 100
    return r


@case(([3, 1, 7],), ([0, 2, 0],), ([4, 2, 0],), ([0, 0, 0],))
def lists_of_run_time_length(ks):
    found = []
    for k in ks:
        if k > 0:
            found.append(k)
    match found:
        case []:
            return 0, None
        case [k]:
            return k, None
        case [4, k]:
            return 10 * k, None
        case [first, *rest]:
            rest.append(5)
            return first, rest, found, rest[0]


@case(([3, 1, 7],), ([0, 2, 0],))
def dicts_of_run_time_keys(ks):
    held = {}
    for k in ks:
        held[k] = [k, 2]
    match held:
        case []:
            return 1
        case {3: [k, _], 7: a, **rest}:
            a[0] = 100
            return k, len(rest), held
        case {}:
            return -len(held)


@case((0,), (1,), (5,))
def ranges_of_run_time_length(n):
    match range(n):
        case []:
            return 0
        case [a]:
            return a + 1
        case [a, b, *rest]:
            return a + b + sum(rest)
# fmt: on


@pytest.mark.parametrize("program", case.programs)
def test_match(program: Program) -> None:
    program.check()
