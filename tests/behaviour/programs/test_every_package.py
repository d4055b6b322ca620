"""A tour: a few programs that between them run through every package, so that the quick tests leave none out."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

import numpy as np

import anabranch
from anabranch import asarray, jit, random, testing, vectorize
from anabranch.__main__ import main
from anabranch.compat import numba

SOURCE = Path(anabranch.__file__).parent


def newton(x, tol):
    y = x
    while abs(y * y - x) > tol:
        y = 0.5 * (y + x / y)
    return y


def arrays_and_lists(a, n):
    either = a if n > 2 else a[:2]
    either[0] = n
    found = []
    for i, x in enumerate(a):
        if x > 1:
            found.append({"at": i, "x": x})
    try:
        last = found[n]["x"]
    except IndexError:
        last = np.sum(a[a > 0])
    return either, [item["x"] for item in found], last, sum(x for x in a if x > 0)


def numbers_and_text(word, k):
    total = 0
    for letter in word:
        total += ord(letter) * k
    print("total", total)
    return max(total, 3), f"{word}", str(k) == "3"


def halvings(x):
    return 1 if x < 1.0 else halvings(x / 2) + halvings(x / 3)


def tour():
    compiled = jit(newton)
    for _ in range(40):  # the fast path is written for a signature that comes again, and more for one that stays
        assert compiled(2.0, 1e-12) == newton(2.0, 1e-12)
    testing.check_equivalent(arrays_and_lists, np.array([1.0, 2.0, 3.0]), 1)
    testing.check_equivalent(numbers_and_text, "word", 2)
    jit(arrays_and_lists).explain(np.array([1.0, 2.0, 3.0]), 1)
    assert "ab.while_" in compiled.inspect(2.0, 1e-12).html
    jit(lambda: random.normal(random.key(0), (2,)))()
    assert jit(halvings)(20.0) == halvings(20.0)
    larger = vectorize(lambda a, b: a if a > b else b)
    assert larger.reduce(np.array([1.0, 3.0, 2.0])) == 3.0
    assert numba.njit("float64(int64)")(lambda n: n / 2)(3) == 1.5
    assert numba.typeof(1.5) == numba.float64
    assert np.asarray(asarray(np.arange(3.0)) * 2).tolist() == [0.0, 2.0, 4.0]
    assert main(["show", f"{__file__}:newton"]) == 0


def test_every_package_has_a_function_that_runs():
    files = set()
    threading.setprofile(lambda frame, event, argument: files.add(frame.f_code.co_filename))
    sys.setprofile(lambda frame, event, argument: files.add(frame.f_code.co_filename))
    try:
        tour()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    # The site of the documentation, where it was built, lies among the packages and has no modules.
    packages = {
        Path(root)
        for root, _, names in os.walk(SOURCE, followlinks=True)
        if any(
            name.endswith(".py") and name != "__init__.py" and "def " in Path(root, name).read_text() for name in names
        )
    }
    assert sorted(map(str, packages - {Path(file).parent for file in files})) == []
