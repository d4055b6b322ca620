"""print, logging and warnings of run-time values: what is shown, in which order, at each call."""

from __future__ import annotations

import contextlib
import contextvars
import functools
import io
import logging
import os
import pprint
import sys
import threading
import warnings

import numpy as np
import pytest

from anabranch import UnsupportedOperationError, jit, xpr
from tests.equivalence import check
from tests.program_table import Program, Table

case = Table()
logger = logging.getLogger("tests.output")


def tell(x, depth=0):
    print("  " * depth, "telling", x)
    return x + 1


def checked(x):
    if x > 2:
        print(f"failing at {x}")
        raise ValueError(f"too large: {x}")
    return x


@case((2.0, 3), (-2.0, 0))
def top_level_only(x, n):
    print("x", x, n, sep=", ")
    print()
    print("end", end="")
    return x


@case((2.0, 3), (-2.0, 0), (-2.0, 5))
def mixed_levels(x, n):
    print("before")
    for i in range(n):
        print(i, end=" ")
        if x < 0:
            print("negative", x * i)
            continue
        print("step")
    else:
        print("else", n)
    print("after", x)
    return x


@case((4,), (0,), (9,))
def breaks_and_returns(n):
    for i in range(n):
        print("i", i)
        if i == 5:
            print("returning")
            return i
        for j in range(3):
            if j == i:
                print("breaking", j)
                break
            print("j", j)
    print("done")
    return -1


@case((5,), (0,), (-3,))
def while_with_a_printing_test(n):
    while tell(n) > 2:
        n -= 1
        print("now", n)
    return n


@case((np.array([1.0, 2.0]), 2), (np.array([1.0, 3.0]), 2), (np.array([3.0, 3.0]), 2), (np.array([3.0, 3.0]), 0))
def nothing_after_a_failure(a, n):
    print("start")
    for i in range(n):
        print("at", i)
        checked(a[i])
        print("passed", a[i])
    print("never after a failure")
    return a


@case((2, 3), (2, 0))
def nothing_after_an_operation_failed(n, m):
    print("dividing")
    q = n // m
    print("divided", q)
    return q


@case((2, 3), (-2, 3))
def nothing_after_an_assertion(n, m):
    for i in range(m):
        assert n > 0, f"bad {n} at {i}"
        print("fine", i)
    return n


@case(
    (2, 3),
)
def the_end_always_fails(n, m):
    print("first", n)
    if m > n:
        print("second")
    raise KeyError(m)


@case((np.arange(6.0).reshape(2, 3), 1), (np.arange(6).reshape(2, 3), 0))
def arrays_views_and_choices(a, n):
    v = a[1, :2]
    if n > 0:
        best = a.sum()
        v[0] = -1
    else:
        best = None
    for row in a:
        print(row, row.T, best, n > 0, (n, [row.sum()]), {"k": n})
        row[0] = 0
    print(a, v, a.dtype, a.shape, best is None)
    return a


@case((np.array(2.5), np.float32(3.5), 2, True), (np.array(-2.5), np.float32(0), 0, False))
def kinds_of_values(zero_d, f32, n, flag):
    while n >= 0:
        print(zero_d, f32, n, flag, n / 2, [zero_d, f32, n, flag], 1j * n, flush=True)
        print(f"{zero_d:.1f} {f32:>8} {n:03d} {flag!s:>6} {not flag}", end="|\n", sep="-")
        n -= 1
    return n


@case((3, "a"), (0, "b"), static=("end",))
def separators_and_ends(n, end):
    for i in range(n):
        print(i, "x", sep=None, end=None)
        print(i, "x", sep="", end=end)
        print(*[i, i + 1], sep=f"<{i}>", end=f"{n}\n")
    return n


@case((3,), (-3,))
def in_expressions(n):
    m = tell(n) if n > 0 else tell(-n, 1)
    flag = (n > 0 and tell(m) > 4) or tell(0) > 0
    return m, flag, [tell(v) for v in (n, m)]


@case((3,), (5,))
def nested_functions(n):
    def inner(v):
        nonlocal n
        if v > 3:
            print("large", v, n)
            n += 1
        return v

    return inner(n) + inner(n + 1)


@case((4, 2), (4, 7))
def unrolled_and_static(n, k):
    for i in range(2):
        print("static", i)
        if k > 5:
            print("run time", i, k)
    for name in ("a", "b"):
        print(name, n)
    return n


@case((2,), (-2,))
def standard_files(n):
    if n > 0:
        print("out", n, file=sys.stdout)
        print("err", n, file=sys.stderr)
    return n


@case((2,), (-2,))
def a_file_of_its_own(n):
    buffer = io.StringIO()
    print("static", 3, file=buffer)
    buffer.write("text")
    return n, buffer.getvalue()


@case((2,), (-2,), refused=UnsupportedOperationError)
def run_time_values_into_a_file_of_its_own(n):
    buffer = io.StringIO()
    print(n, file=buffer)
    return buffer.getvalue()


@case((2,), refused=UnsupportedOperationError)
def writes_a_file_on_disk(n):
    with open(os.devnull, "w") as file:
        file.write("text")
    return n


@case((2,), refused=UnsupportedOperationError)
def prints_to_a_file_on_disk(n):
    with open(os.devnull, "w") as file:
        print("text", file=file)
    return n


@case((2,), (-2,))
def pretty_printing(n):
    data = {"values": [n, n * 2.5], "name": "x" * 70, "text": f"{n}"}
    pprint.pprint(data, width=40)
    if n > 0:
        pprint.pp((n, data["values"]))
    return n


@case((2,), (-2,), refused=UnsupportedOperationError)
def writes_to_standard_output(n):
    sys.stdout.write("text\n")
    return n


@case((2,), (-2,))
def reached_in_other_ways(n, out=print):
    out("default", n)
    out("constant")
    {"print": print}["print"]("from a dict", n)
    functools.partial(print, "partial", sep="~")(n)
    (lambda *values: print(*values, sep="|"))(n, 1)
    list(map(print, [n, "mapped"]))
    if n > 0 and print("in a condition", n) is None:
        out("constant in a branch")
    return print("yes") if n > 0 else print("no", n)


class Account:
    """Changes, and tells."""

    def __init__(self, value):
        self.value = value
        self.last = "nothing"

    def add(self, x):
        self.value = self.value + x
        self.last = f"added {x}"
        print("account", self.value, self.last)
        if self.value > 5:
            raise RuntimeError(f"{self}: {x}", self.value)
        return self

    def __repr__(self):
        return f"Account({self.value!r})"


@case((1.0, 2), (1.0, 3), (9.0, 3))
def objects_that_tell(x, n):
    account = Account(0.0)
    account.add(x)
    if n > 2:
        account.value = 4.0
        print("changed", account, f"{account}", [account])
        account.add(x * 2)
    return f"{account!r}", account.value


@case((3,), (-3,))
def closures_that_tell(n):
    y = n

    def note(message):
        print(f"[{y}] {message}")

    note("a")
    if n > 0:
        y = n * 2
        note("b")
    note(f"c{y}")
    return y


@case((3,), (0,), (1,))
def around_failures_that_are_caught(n):
    total = 0
    for i in range(n):
        try:
            print("try", i)
            total += 10 // (i - 1)
            print("after", total)
        except ZeroDivisionError:
            print("caught at", i, total)
            total -= 1
        else:
            print("else")
        finally:
            print("finally", i)
    print("end", total)
    return total


@case((1.0,), (-1.0,), (-9.0,))
def handlers_that_tell_and_raise(x):
    try:
        if x < 0:
            raise ValueError(f"negative {x}", x)
        print("fine", x)
    except ValueError as error:
        print("handler", error, error.args[1], type(error).__name__)
        if x < -5:
            raise RuntimeError(f"worse {x}", x) from error
        return f"handled {error}"
    finally:
        print("cleanup", x)
    return f"ok {x}"


@case((2, 5), (9, 3))
def attempts(x, n):
    for k in range(n):
        try:
            if x > k:
                raise ValueError(k, x)
        except ValueError as error:
            print("again", error)
            continue
        print("success", k)
        return k
    raise RuntimeError(f"gave up after {n}: {x}")


@case((2,), (-2,))
def keyword_that_print_does_not_have(n):
    if n < 0:
        print(n, separator=" ")
    return n


@case((np.array([3, 1, 3, 2]),), (np.array([], int),))
def containers_of_any_number(keys):
    counts, rows, seen = {}, {}, set()
    for i, key in enumerate(keys):
        counts[int(key)] = counts.get(int(key), 0) + 1
        rows.setdefault(int(key) % 2, []).append(i)
        seen.add(int(key))
        print(key, counts, rows)
    print(seen, sorted(rows.items()), [counts], sep="; ")
    counts[9] = 1
    return len(seen)


@case(([[1.0], [2.0, 3.0], [4.0]],))
def lists_of_the_caller_s(rows):
    rows[0].append(5.0)
    print(rows)
    groups = {}
    for row in rows:
        groups.setdefault(len(row), []).append(row)
    print(groups, rows[1])
    return len(groups)


@pytest.mark.parametrize("program", case.programs)
def test_output(program: Program) -> None:
    program.check()


def test_print_to_a_file_from_outside() -> None:
    file = io.StringIO()

    def f(n):
        for i in range(n):
            print(i, end=" ", file=file)
        return n

    wrapped = jit(f)
    wrapped(3)
    wrapped(2)
    assert file.getvalue() == "0 1 2 0 1 "


def test_standard_output_is_that_of_the_call() -> None:
    @jit
    def f(n):
        if n > 0:
            print(n, file=sys.stdout)
        return n

    texts = []
    for n in (1, 2):
        with contextlib.redirect_stdout(io.StringIO()) as text:
            f(n)
        texts.append(text.getvalue())
    assert texts == ["1\n", "2\n"]


def test_the_context_of_the_caller_holds() -> None:
    @jit
    def f(a, n):
        for _ in range(n):
            print(a)
        return a

    large = np.ones((600, 600)) / 3
    for precision in (2, 5):
        with contextlib.redirect_stdout(io.StringIO()) as text, np.printoptions(precision=precision, threshold=9):
            f(large, 1)
            want = str(large)
        assert text.getvalue() == want + "\n"


def test_printing_from_threads() -> None:
    @jit
    def f(n):
        for i in range(n):
            print(n, i)
        return n

    with contextlib.redirect_stdout(io.StringIO()) as text:
        threads = [threading.Thread(target=contextvars.copy_context().run, args=(f, n)) for n in (3, 4, 5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    lines = text.getvalue().splitlines()
    for n in (3, 4, 5):
        assert [line for line in lines if line.startswith(f"{n} ")] == [f"{n} {i}" for i in range(n)]


def test_top_level_prints_need_no_callback() -> None:
    wrapped = jit(top_level_only)
    assert wrapped.lower(2.0, 3).callbacks == ()
    assert "host_callback" not in str(wrapped.trace(2.0, 3).program)
    assert len(jit(mixed_levels).lower(2.0, 3).callbacks) == 6


def _records(function, *args):
    found = []
    handler = logging.Handler()
    handler.emit = lambda r: found.append((r.getMessage(), r.levelname, r.lineno, r.funcName, r.pathname, r.name))
    for log in (logger, logging.getLogger()):
        log.addHandler(handler)
    level, logger.level = logger.level, logging.INFO
    try:
        function(*args)
    finally:
        logger.level = level
        for log in (logger, logging.getLogger()):
            log.removeHandler(handler)
    return found


def logs(x, n):
    logger.info("start %s", x)
    for i in range(n):
        if x > i:
            logger.warning("x=%s above %d", x, i)
        else:
            logger.log(logging.ERROR, f"{x} at {i:03d}", stacklevel=1)
    logger.debug("never shown %s", x)
    logging.error("root")
    logged_by_a_helper(x)
    return x


def logged_by_a_helper(x):
    logger.info("helper %r", x, stacklevel=2)
    logger.info("caller %r", x, stacklevel=3)


@pytest.mark.parametrize("args", [(2.5, 4), (-1.0, 0), (0.5, 2)])
def test_logging(args) -> None:
    wrapped = jit(logs)

    def call(function):
        return function(*args)

    for _ in range(2):
        got, want = (_records(call, f) for f in (wrapped, logs))
        assert got == want


def test_levels_that_change_between_calls() -> None:
    def talks(x):
        logger.debug("details %s", x)
        if logger.isEnabledFor(logging.DEBUG):
            logger.log(logging.DEBUG, "more")
        for v in x:
            logger.info("v %s", v)
        return x.sum()

    compiled, x, before = jit(talks), np.ones(2), logger.level
    for level in (logging.DEBUG, logging.INFO, logging.WARNING, logging.DEBUG):
        logger.setLevel(level)
        for k in range(3):
            assert _messages(compiled, x) == _messages(talks, x)
            logging.getLogger(f"another.{level}.{k}").isEnabledFor(logging.ERROR)
    assert compiled.cache_info().misses == 4
    logger.setLevel(logging.WARNING)
    assert "host_callback" not in str(xpr(talks, x))
    logger.setLevel(before)


def _messages(function, x):
    found: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: found.append(record.getMessage())
    logger.addHandler(handler)
    try:
        return function(x), found
    finally:
        logger.removeHandler(handler)


def test_logging_stops_at_a_failure() -> None:
    def f(n):
        for i in range(n):
            logger.info("step %d", i)
            assert i < 2
        return n

    wrapped = jit(f)

    def call(function):
        with pytest.raises(AssertionError):
            function(5)

    assert _records(call, wrapped) == _records(call, f)


def warns(x, n):
    for i in range(n):
        if x > i:
            warnings.warn(f"x={x} above {i}", RuntimeWarning)  # noqa: B028
    warnings.warn("constant", stacklevel=1)
    warned_by_a_helper(x)
    return x


def warned_by_a_helper(x):
    warnings.warn(DeprecationWarning("old", x), stacklevel=2)
    warnings.warn(f"outermost {x}", FutureWarning, stacklevel=3)


@pytest.mark.parametrize("action", ["always", "default", "once", "ignore"])
def test_warnings(action) -> None:
    def call(function):
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter(action)
            for _ in range(2):
                function(2.5, 4)
        return [(str(w.message), w.message.args, w.category, w.filename, w.lineno) for w in found]

    assert call(jit(warns)) == call(warns)


def test_a_warning_that_is_an_error() -> None:
    wrapped = jit(warns)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for function in (warns, wrapped, wrapped):
            with pytest.raises(RuntimeWarning, match=r"x=2.5 above 0"):
                function(2.5, 4)


def test_logging_of_an_exception_is_refused() -> None:
    def f(n):
        logger.exception("bad %d", n)
        return n

    with pytest.raises(UnsupportedOperationError, match="log the values instead"):
        jit(f)(2)


def test_a_loop_over_numbers_that_are_known_prints_at_each_call(capsys) -> None:
    @jit
    def f(n):
        for i in range(3):
            print("step", i)
            if i == 1:
                break
        return n

    for n in (3, 4, 5):
        assert f(n) == n
        assert capsys.readouterr().out == "step 0\nstep 1\n"


def test_the_output_is_where_it_was_when_tracing_began_anew() -> None:
    def f(n):
        text = io.StringIO()
        with contextlib.redirect_stdout(text):
            if n:
                print("n", n)
        print("after")
        return text.getvalue()

    def refused(x):
        with contextlib.redirect_stdout(io.StringIO()) as text:
            print("x", x)
        return text.getvalue()

    before = sys.stdout
    for n in (3, 0, 3):
        check(f, n)
        assert sys.stdout is before
    with pytest.raises(UnsupportedOperationError):
        jit(refused)(1.5)
    assert sys.stdout is before
