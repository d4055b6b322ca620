"""Large arguments at any address: read where they are, and nothing of what lies around them."""

from __future__ import annotations

import ctypes
import importlib.metadata
import math
import mmap
import re
import threading

import numpy as np
import pytest

import anabranch
from anabranch import jit
from anabranch.runtime._jaxlib import backend_of
from anabranch.runtime.api.stages import Compiled
from anabranch.runtime.testing.outcomes import Outcome
from tests.equivalence import alike

N, ROWS = 66_820, 260
PAGE = mmap.PAGESIZE
LIBC = ctypes.CDLL(None, use_errno=True)


def surrounded(values, before):
    """The values so many bytes after the start of a page; an unreadable page on each side, and NaNs in all the rest."""
    pages = -(-(before + values.nbytes) // PAGE)
    memory = mmap.mmap(-1, (pages + 2) * PAGE)
    whole = np.frombuffer(memory, np.uint8)
    whole[:] = 0xFF
    start = PAGE + before
    array = whole[start : start + values.nbytes].view(values.dtype).reshape(values.shape)
    array[...] = values
    for page in (0, pages + 1):
        address = ctypes.c_void_p(whole.ctypes.data + page * PAGE)
        assert LIBC.mprotect(address, ctypes.c_size_t(PAGE), 0) == 0
    return array


def places(values):
    """Where an array may begin: at the start of a page, at any of the first elements; and so as to end with a page."""
    last = -values.nbytes % PAGE
    offsets = {k * values.itemsize for k in range(64 // values.itemsize)}
    return sorted(offsets | {64 + 16, last, (last - 16) % PAGE, (last - 3 * values.itemsize) % PAGE})


def stencil(a):
    return a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] - 4 * a[1:-1, 1:-1]


def softmax(a):
    e = np.exp(a - (a * 2).max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def branches(a, n):
    if n > 3:
        b = np.sin(a) * 2
    else:
        b = a + n
    return b


def steps(a, n):
    for _ in range(n):
        a[1:-1] = a[:-2] + a[2:]
    return a.sum()


def some_items(a, n):
    return a[n] + 1, a[n, 3:9] * 2, a.ravel()[n:] + 1


V = np.linspace(0.0, 1.0, N // ROWS)
W = np.linspace(0.0, 1.0, ROWS)
FUNCTIONS = {
    "elementwise": (lambda a: a * 2 + 1, ()),
    "used twice": (lambda a: np.sqrt(a) * a - a, ()),
    "stencil": (stencil, ()),
    "sum": (lambda a: a.sum(), ()),
    "sum of rows": (lambda a: a.sum(1), ()),
    "sum of columns": (lambda a: a.sum(0), ()),
    "max": (lambda a: ((a * 2).max(), (a + 1).min(0)), ()),
    "std": (lambda a: (a.std(), a.mean(1)), ()),
    "softmax": (softmax, ()),
    "matrix and vector": (lambda a, v: a @ v, (V,)),
    "vector and matrix": (lambda a, w: w @ a, (W,)),
    "moved": (lambda a: (a[::-1], np.concatenate([a, a]), np.roll(a, 3)), ()),
    "transposed": (lambda a: a.T + 1, ()),
    "some items": (some_items, (5,)),
    "branches": (branches, (5,)),
    "steps of a loop": (steps, (3,)),
    "any": (lambda a: (np.isnan(a).any(), (a >= 0).all()), ()),
}
# XLA of jaxlib 0.12 computes some elementwise ops apart from those that they use, and so copies.
FUSES = tuple(map(int, importlib.metadata.version("jaxlib").split(".")[:2])) < (0, 12)
# What computes a copy, and nothing else.
COPYING = {"parameter", "constant", "dynamic-slice", "bitcast", "copy", "reshape"}


def has_copies(hlo):
    """Return whether a computation of optimised HLO gives all of the array as it is."""
    for body in re.findall(r"^%\S+ \(.*\) -> .* \{\n((?:  .*\n)+)\}", hlo, re.MULTILINE):
        shape = re.search(r"ROOT \S+ = \w+\[([\d,]*)\]", body)
        size = math.prod(map(int, filter(None, shape[1].split(",")))) if shape else 0
        if size >= N and set(re.findall(r" = \S+ ([\w-]+)\(", body)) <= COPYING:
            return True
    return False


@pytest.mark.parametrize("name", FUNCTIONS)
def test_nothing_outside_counts_or_is_read(name):
    function, others = FUNCTIONS[name]
    values = np.random.default_rng(0).random((ROWS, N // ROWS))
    f, want = jit(function, native_loops=False), Outcome(function, (values, *others), {})
    executable = f.lower(values, *others).compile().execution.executable
    assert 0 in executable.signature.windows
    # A loop that writes into an array begins with a copy.
    assert not FUSES or has_copies(executable.hlo_text()) == (function is steps)
    for before in places(values):
        alike(want, Outcome(f, (surrounded(values, before), *others), {}))


@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.int8, np.bool_, np.complex128, np.float16, np.uint16])
def test_dtypes(dtype):
    values = (np.random.default_rng(0).random(300_000) * 2).astype(dtype)

    def function(a):
        return a + a, a[::-1], a.any()

    f, want = jit(function), Outcome(function, (values,), {})
    for before in places(values):
        alike(want, Outcome(f, (surrounded(values, before),), {}))


def copies():
    """How many copies of arguments are kept."""
    return backend_of().kept_copies.stats["buffers"]


def test_only_what_lies_badly_is_copied():
    values = np.random.default_rng(0).random(N)
    f = jit(lambda a: a.sum(), native_loops=False)
    f(values)
    last = -values.nbytes % PAGE
    inside = {before: surrounded(values, before) for before in (0, 8, 16, 48)}
    for before, array in inside.items():
        anabranch.release_memory()
        assert np.isclose(f(array), values.sum())
        assert copies() == 0, before
    odd = np.frombuffer(bytes(1) + values.tobytes(), np.uint8)[1:].view(np.float64)
    for array in (odd, np.repeat(values, 2)[::2], surrounded(values, last - 8)):
        anabranch.release_memory()
        assert np.isclose(f(array), values.sum())
        assert copies() == 1
        assert np.isclose(f(inside[16]), values.sum())  # after a copy the next begins elsewhere


def test_an_argument_that_some_op_takes_whole_has_no_window():
    a = np.random.default_rng(0).random((ROWS, ROWS))
    compiled = jit(lambda a, x: (a @ a, x + 1)).lower(a, np.ones(N)).compile()
    assert compiled.execution.executable.signature.windows == (1,)


def test_saved():
    def write(x, y):
        x[3] = y[5]
        return x + y

    x, y = np.random.default_rng(0).random((2, N))
    compiled = Compiled.deserialize(jit(write).lower(x, y).compile().serialize())
    assert set(compiled.execution.executable.signature.windows) == {0, 1}
    for before in (0, 16, 40):
        array = surrounded(x, before)
        alike(Outcome(write, (x.copy(), y), {}), Outcome(compiled, (array, surrounded(y, 24)), {}))


def test_threads():
    values = np.random.default_rng(0).random(N)
    f, wrong = jit(lambda a, n: (a * n).sum()), []
    f(values, 1)

    def call(before):
        array = surrounded(values, before)
        for n in range(200):
            if not np.isclose(f(array, n), values.sum() * n):
                wrong.append((before, n))

    threads = [threading.Thread(target=call, args=(before,)) for before in (0, 8, 16, 48)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
