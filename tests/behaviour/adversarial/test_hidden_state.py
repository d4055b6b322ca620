"""Objects whose state is not in their attributes: iterators, buffers, streams, files, the date."""

from __future__ import annotations

import array
import collections
import datetime
import functools
import io
import itertools
import sys
import threading
import types
import weakref

import numpy as np
import pytest

from anabranch import UnsupportedOperationError
from tests.program_table import Program, Table

case = Table()
V = np.arange(4.0)


def marked():
    return None


@case((1.0,), (-1.0,))
def attributes_of_a_namespace_in_a_branch(x):
    b = types.SimpleNamespace(y=x, d={"k": [1, 2]})
    if x > 0:
        b.y = 5.0
        b.d["k"][1] = x * 3
    else:
        b.d["k"][1] = 0.0
    if x < 3:
        vars(b)["y"] = b.y + 1
    return b.y, b.d


@case((1.0,), (-1.0,))
def attributes_of_a_function_in_a_branch(x):
    marked.n = 0.0
    if x > 0:
        marked.n = 3.0
    for _ in range(2):
        marked.n += x
    return marked.n


@case((1.0,), (-1.0,))
def library_containers_in_a_branch(x):
    d, a, c = collections.UserDict(y=x), collections.UserList([1.0, 2.0]), collections.ChainMap({"a": 1.0}, {"b": 2})
    if x > 0:
        d["y"] = 5.0
        a[0] = x * 7
        c["a"] = 6.0
    return d["y"], a[0], c["a"], c["b"]


@case((1.0,), (-1.0,))
def thread_local_in_a_branch(x):
    t = threading.local()
    t.v = 1.0
    if x > 0:
        t.v = 2.0
    return t.v


@case((1.0,), (-1.0,))
def iterator_moved_in_a_branch(x):
    it = iter([1, 2, 3])
    if x > 0:
        next(it)
    return next(it)


@case((1.0,), (-1.0,))
def counter_moved_in_a_branch(x):
    it = itertools.count()
    if x > 0:
        next(it)
    return next(it)


@case((V, 1.0), (V, -1.0), refused=UnsupportedOperationError)
def pairs_moved_in_a_branch(a, x):
    it = zip(a, a, strict=True)
    if x > 0:
        next(it)
    return next(it)


@case((V, 1.0), (V, -1.0), refused=UnsupportedOperationError)
def rest_of_pairs_used_up_in_a_branch(a, x):
    it = zip(a, a, strict=True)
    next(it)
    s = 0.0
    if x > 0:
        for p, _ in it:
            s += p
    return len(list(it)), s


@case((V, 1.0), (V, -1.0))
def pairs_gone_over_in_a_branch(a, x):
    it = zip(a, a, strict=True)
    s = 0.0
    if x > 0:
        for p, _ in it:
            s += p
    return s


@case((3,), (1,))
def iterator_after_a_loop_that_is_left(n):
    it = iter([1, "a", 3])
    for item in it:
        if n < 2:
            break
    return next(it)


@case((3,), (1,))
def items_of_a_loop_that_is_left(n):
    total = 0
    for item, x in itertools.product((1, None), (n, 2.5)):
        if x > 2.6:
            break
        total += x if item is None else 2 * x
    return total


@case((1.0,), (-1.0,), refused=UnsupportedOperationError)
def buffer_changed_in_a_branch(x):
    b = bytearray(b"ab")
    if x > 0:
        b[0] = 5
    return b[0]


@case((1.0,), (-1.0,), refused=UnsupportedOperationError)
def numbers_changed_in_a_branch(x):
    b = array.array("d", [1.0, 2.0])
    if x > 0:
        b[0] = 5.0
    return b[0]


@case((3,), (0,))
def stream_written_in_a_loop(n):
    s = io.StringIO()
    for _ in range(n):
        s.write("a")
    return len(s.getvalue())


@case((1.0,), refused=UnsupportedOperationError)
def written_to_a_file(x):
    sys.stderr.write("here")
    return x


@case((1.0,), refused=UnsupportedOperationError)
def date_of_today(x):
    return x + datetime.datetime.now().year


@case((1.0,), refused=UnsupportedOperationError)
def a_file_is_opened(x):
    with open(__file__) as file:
        return x + len(file.name)


@case((3,), (0,), (-2,))
def dict_item_of_one_of_two_keys(n):
    counts = {"low": 0, "high": 0, None: 7}
    for i in range(6):
        key = "low" if i < n else "high"
        counts[key] += i
    other = "low" if n > 0 else None
    return counts, counts[other], counts.get(key), counts.get("none" if n > 0 else "high", -1), other in counts


@case((3,), (-2,))
def dict_item_of_a_missing_key(n):
    key = "low" if n > 0 else "high"
    return {"low": n}[key]


@case((3,), (1,))
def what_the_methods_of_a_local_class_close_over(n):
    log, total = [], 0

    class Log:
        def write(self, x):
            nonlocal total
            total += x
            log.append(x)

        @property
        def read(self):
            log.append("read")
            return total

        @staticmethod
        def close():
            log.append("closed")

        def __repr__(self):
            log.append("shown")
            return "Log"

    made = Log()
    if n > 1:
        made.write(n)
        made.close()
    for i in range(3):
        if i < n:
            made.write(made.read + i)
    return log, total, str(made), f"{made!r}", log.count("shown")


class First:
    def name(self):
        return "first"


class Second:
    def name(self):
        return "second"


@case((3,), (1,))
def an_object_by_a_weak_reference_and_its_class(n):
    made, other = First(), First()
    made.x = 0
    reference = weakref.ref(made)
    if n > 1:
        reference().x = n
        other.__class__ = Second
    return made.x, other.name()


@case((3,), (1,))
def what_a_cached_function_closes_over(n):
    log = []

    @functools.cache
    def logged(x):
        log.append(x)
        return x

    if n > 1:
        logged(0.5)
    return log


@case((3,), (0,))
def what_the_factory_of_a_defaultdict_closes_over(n):
    made, log = 0, []

    def numbered():
        nonlocal made
        made += 1
        log.append(made)
        return made

    known, other = collections.defaultdict(numbered), collections.defaultdict(numbered)
    if n > 1:
        known["a"] += 10
    for i in range(4):
        if i < n:
            other[i % 2] += 10
    return made, log, dict(known), dict(other)


@case((3,), (1,))
def the_factory_of_a_defaultdict(n):
    d = collections.defaultdict(int)
    if n > 1:
        d.default_factory = list
    return d["x"]


@case((3,), (1,))
def an_exception_that_is_not_raised_yet(n):
    error = KeyError("a", [n])
    other = error
    error.steps = 0
    if n > 1:
        other.args[1].append(0)
        other.steps = n
    for i in range(3):
        if i < n:
            error.steps += 1
    try:
        raise error
    except KeyError as caught:
        return caught.args, caught.steps, caught is other


@pytest.mark.parametrize("program", case.programs)
def test_hostile_storage(program: Program) -> None:
    program.check()


@pytest.mark.parametrize("program", case.static_programs)
def test_hostile_storage_with_static_arguments(program: Program) -> None:
    program.check_static()
