"""Lists whose length is known only at run time: appended to in loops, branches, helpers and objects."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import configure
from tests.program_table import Program, Table

case = Table()
SIGNED = np.array([1.5, -2.0, 3.0, -4.0, 0.0, 6.0])
NONE = np.array([-1.0, -2.0])
EMPTY = np.zeros(0)


# ---- appending -------------------------------------------------------------------------------------------------------


@case((0.5, [1, 2]), (True, [1, 2]), (0.0, [3]))
def added_to_in_place_when_traced_again(x, queue):
    queue += [5]
    if x:
        queue.append(7)
    other = queue
    other += [k for k in range(3) if k != x]
    return len(queue)


@case((SIGNED,), (EMPTY,))
def names_that_a_handler_leaves_unset(a):
    out, words = [], []
    for x in a:
        try:
            if x < 0:
                raise ValueError
            found = x
            word = "large" if x > 2 else "small"
        except ValueError:
            if x < -3:
                break
            continue
        out.append(found)
        words.insert(0, (word, found))
    return out, words


@case((SIGNED,), (EMPTY,))
def a_name_that_is_unset_where_it_is_appended(a):
    out = []
    for x in a:
        if x > 2:
            last = x
        if x < 0:
            out.append(last)
    return out


@case((SIGNED,), (NONE,), (EMPTY,))
def lists_and_dicts(a):
    out, named = [], []
    for i, x in enumerate(a):
        if x > 0:
            out.append([x, i])
            named.append({"x": x, "at": [i, -i]})
    return out, named, len(out), [d["at"][1] for d in named]


@case((SIGNED,), (NONE,), (EMPTY,))
def keeps_positive(a):
    out = []
    for x in a:
        if x > 0:
            out.append(x)
    return out


@case((SIGNED,), (NONE,))
def keeps_places(a):
    out = []
    for i in range(len(a)):
        if a[i] > 0:
            out.append(i)
    return out, len(out)


@case((27,), (1,), (6,))
def collatz_path(n):
    path = [n]
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        path.append(n)
    return path


@case((30,), (2,), (1,))
def sieve(n):
    composite = np.zeros(64, bool)
    primes = []
    for i in range(2, n):
        if composite[i]:
            continue
        primes.append(i)
        for j in range(i * i, n, i):
            composite[j] = True
    return primes


@case((5,), (1,), (0,))
def first_primes(n):
    primes = []
    k = 2
    while len(primes) < n:
        if all(k % p for p in primes):
            primes.append(k)
        k += 1
    return primes


@case((SIGNED, 3), (SIGNED, 0))
def unconditional_in_a_run_time_loop(a, n):
    out = []
    for i in range(n):
        out.append(a[i] * i)
    return out


@case((SIGNED,))
def unconditional_in_a_static_loop(a):
    out = []
    for i in range(4):
        out.append(a[i])
    return np.array(out), len(out)


@case((SIGNED,), (NONE,))
def nested_loops(a):
    out = []
    for i in range(len(a)):
        for j in range(i):
            if a[i] > a[j]:
                out.append((i, j))
    return out


@case((SIGNED,), (NONE,))
def two_lists(a):
    even, odd = [], []
    for i, x in enumerate(a):
        if x > 0:
            even.append(i)
        else:
            odd.append(x)
            odd.append(x * 2)
    return even, odd, len(even) - len(odd)


@case((SIGNED,), (NONE,))
def several_appends_in_a_step(a):
    out = [0.5]
    for x in a:
        if x > 0:
            out.append(x)
            if x > 2:
                out.append(-x)
    return out


@case((SIGNED, 2.0), (SIGNED, 9.0))
def with_break(a, limit):
    out = []
    for x in a:
        if x > limit:
            break
        out.append(x)
    return out


@case((SIGNED, 2.0), (SIGNED, 9.0))
def with_early_return(a, limit):
    out = []
    for x in a:
        if x > limit:
            return out, -1
        if x > 0:
            out.append(x)
    return out, len(out)


@case((SIGNED, 2.0), (SIGNED, 9.0))
def with_else_and_continue(a, limit):
    out = []
    for x in a:
        if x < 0:
            continue
        if x > limit:
            break
        out.append(x)
    else:
        out.append(-1.0)
    return out


@case((SIGNED,), (NONE,))
def in_a_helper(a):
    def keep(into, x):
        if x > 0:
            into.append(x)

    out = []
    for x in a:
        keep(out, x)
    return out


@case((SIGNED,), (NONE,))
def in_a_closure(a):
    out = []

    def keep(x):
        if x > 0:
            out.append(x)
        return len(out)

    n = 0
    for x in a:
        n += keep(x)
    return out, n


@case((SIGNED,), (NONE,))
def alias(a):
    out = []
    same = out
    for x in a:
        if x > 0:
            same.append(x)
    return len(out), out, same


class Bag:
    def __init__(self):
        self.items = []
        self.total = 0.0

    def add(self, x):
        self.items.append(x)
        self.total += x


@case((SIGNED,), (NONE,))
def in_an_object(a):
    bag = Bag()
    for x in a:
        if x > 0:
            bag.add(x)
    return bag.items, bag.total, len(bag.items)


class Rebinding(Bag):
    def add(self, x):
        self.items = self.items + [x]  # noqa: RUF005
        self.total += x


@case((SIGNED,), (np.tile(SIGNED, 3),))
def an_attribute_bound_anew(a):
    bag = Rebinding()
    for x in a:
        if x > 0:
            bag.add(x)
    return bag.items, len(bag.items)


@case((SIGNED,), (NONE,))
def in_a_dict(a):
    found = {"up": [], "down": []}
    for i, x in enumerate(a):
        found["up" if i % 2 else "down"].append(x) if i > 100 else None
        if x > 0:
            found["up"].append(i)
        else:
            found["down"].append(i)
    return found


@case((SIGNED,), (NONE,))
def in_a_tuple(a):
    pair = ([], [])
    for x in a:
        if x > 0:
            pair[0].append(x)
        else:
            pair[1].append(x)
    return pair


@case((True, 1.0), (False, 2.0))
def in_a_branch_alone(flag, x):
    out = [x]
    if flag:
        out.append(2 * x)
    return out, len(out), out[-1]


@case((3, 1.0), (0, 2.0), (-1, 1.0))
def in_nested_branches(k, x):
    out = []
    if k > 0:
        out.append(x)
        if k > 2:
            out.extend([x, x + 1])
    elif k == 0:
        out += [k, k]
    return out


@case(([1, 2], SIGNED), ([], NONE))
def argument_appended_to(items, a):
    for i in range(len(a)):
        if a[i] > 0:
            items.append(i)
    return len(items)


@case((SIGNED, 4), (SIGNED, 0))
def rebinding(a, n):
    out = []
    for i in range(n):
        out = out + [a[i]]  # noqa: RUF005
    return out


@case((SIGNED, 4), (NONE, 2))
def rebinding_under_a_condition(a, n):
    out = []
    for i in range(n):
        if a[i] > 0:
            out = [-1.0, *a] if n > 100 else out + [a[i]]  # noqa: RUF005
    return out


@case((SIGNED, 4), (SIGNED, 0))
def augmented(a, n):
    out = []
    for i in range(n):
        out += [a[i], i]
    return out


@case((SIGNED,), (NONE,))
def appended_after(a):
    out = []
    for x in a:
        if x > 0:
            out.append(x)
    out.append(7.0)
    out.extend([8.0, 9.0])
    for x in a:
        if x < 0:
            out.append(x)
    return out


@case((np.array([3, 1, 2, 1, 3, 3]),), (np.array([1, 1]),))
def numbered_while_it_grows(a):
    todo, seen = [0], 0
    for i, u in enumerate(todo, start=2):
        if i > 20:
            break
        if u < 9:
            todo.append(int(a[u % len(a)]) + u)
        seen += i * u
    else:
        seen = -seen
    return todo, seen


@case((np.array([3, 1, 2, 1, 3, 3]),), (np.array([1, 1]),))
def paired_while_both_grow(a):
    queue, depths, found = [0], [0], [int(x) for x in a if x > 1]
    for u, d in zip(queue, depths, strict=False):
        for v in (int(a[u % len(a)]), u * 2 % len(a)):
            if v not in queue:
                queue.append(v)
                depths.append(d + 1)
    for i, (x, w) in enumerate(zip(found, depths, strict=False)):
        if x > 2:
            depths.append(w + i)
            found[i] = -x
    return queue, depths, found


@case((np.array([3, 1, 2, 1, 3, 3]),), (np.array([1, 1]),))
def beside_a_list_that_is_known(a):
    found = [int(x) for x in a if x > 1]
    return [x * w for x, w in zip(found, [0.5, 1.5, 2.5], strict=False)], list(zip(["u", "v"], found, strict=False))


@pytest.mark.parametrize("program", case.programs)
def test_as_in_eager_python(program: Program) -> None:
    program.check()


@pytest.mark.parametrize("program", case.programs)
def test_as_in_eager_python_with_all_numbers_at_run_time(program: Program) -> None:
    with configure(auto_static=False):
        program.check()


@pytest.mark.parametrize("program", case.static_programs)
def test_as_in_eager_python_with_static_arguments(program: Program) -> None:
    program.check_static()
