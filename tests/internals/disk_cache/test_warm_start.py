"""A second process finds all that the first has made, as long as nothing has changed that decides it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import anabranch

PATH = str(Path(anabranch.__file__).parents[1])

# Functions of many kinds, each with a call.
KINDS = """
import functools
import logging
import math
from dataclasses import dataclass

import numpy as np

import helpers
from anabranch import jit, asarray

LOG = logging.getLogger("kinds")


@jit
def loops(x):
    total = 0.0
    for v in x:
        if v < 0:
            continue
        total += helpers.scaled(v)
    while total > 10:
        total /= 2
    return total


def numbers(n):
    for i in range(n):
        yield i * i


@jit
def generators(n):
    return sum(numbers(n)), max(v for v in numbers(4) if v != n)


class Model:
    def __init__(self, weight):
        self.weight = weight

    @property
    def doubled(self):
        return 2 * self.weight

    @jit
    def apply(self, x):
        return x * self.doubled if x > 0 else -x


@dataclass(frozen=True)
class Point:
    x: float
    y: float

    def __add__(self, other):
        return Point(self.x + other.x, self.y + other.y)


def closures(shift):
    big = np.arange(1000.0)

    @jit
    def inner(x):
        return big[x] + shift if x > 2 else big[0]

    return inner


@jit
def solved(a, b):
    return np.linalg.solve(a, b), np.linalg.eigvalsh(a + a.T)


@jit
def printing(n):
    for i in range(n):
        print("step", i)
        if i == 1:
            LOG.error("one")
    return n


@jit
def raising(x):
    try:
        if x > 1:
            raise ValueError(f"too large: {x}")
    except ValueError as error:
        return -x
    return x


@functools.partial(jit, static_argnames="power")
def static(x, power):
    for _ in range(power):
        x = x * x if x < 100 else x
    return x


@jit
def points(p, q, rows):
    rows.append(p.x)
    return p + q if p.x < q.x else q


@jit
def bare(x):
    return np.sin(x) + math.cos(2)


@jit
def sorts(x, mask):
    x.sort()
    return np.where(mask, x, np.cumsum(x)), np.fft.fft(x)


def calls():
    a = np.array([[4.0, 1.0], [2.0, 3.0]])
    yield loops(np.array([1.0, -2.0, 3.0]))
    yield generators(3)
    yield Model(3.0).apply(2.0)
    yield closures(5)(3)
    yield solved(a, np.ones(2))
    yield printing(3)
    yield raising(2.0), raising(0.5)
    yield static(1.5, power=3)
    rows = []
    yield points(Point(1.0, 2.0), Point(3.0, 4.0), rows), rows
    yield bare(1.0)
    yield jit(lambda x: x + 1 if x > 0 else x)(2)
    yield jit(np.linalg.norm)(a)
    yield sorts(np.array([3.0, 1.0]), np.array([True, False]))
    yield loops(asarray(np.array([1.0, 2.0])))
"""
HELPERS = """
SCALE = 2.0

def inner(v):
    return v * SCALE if v > 1 else v

def scaled(v):
    return inner(v) + 1
"""
PROGRAM = """
import sys
from anabranch.runtime.xla import disk_cache
compiled, plain, llvm = [], disk_cache.compile_text, disk_cache.compile_llvm
disk_cache.compile_text = lambda *a: compiled.append(1) or plain(*a)
disk_cache.compile_llvm = lambda *a: compiled.append(1) or llvm(*a)
import kinds
for answer in kinds.calls():
    print(answer)
loaded = [m for m in ("libcst", "jax", "jaxlib.mlir.ir", "subprocess_of_ours") if m in sys.modules]
print(len(compiled), *loaded, file=sys.stderr)
"""


@pytest.fixture
def run(tmp_path):
    """Run a program in a process of its own; gives what it printed, and what it said it had done."""
    (tmp_path / "kinds.py").write_text(KINDS)
    (tmp_path / "helpers.py").write_text(HELPERS)

    def run(program=PROGRAM, **more):
        given = {"ANABRANCH_CACHE": "1", "ANABRANCH_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": PATH}
        given["PYTHONDONTWRITEBYTECODE"] = "1"
        command = [sys.executable, "-c", program]
        done = subprocess.run(
            command, cwd=tmp_path, env={**os.environ, **given, **more}, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        return done.stdout, done.stderr.splitlines()[-1]

    return run


@pytest.mark.slow
def test_functions_of_all_kinds(run):
    """Neither libcst, nor MLIR, nor XLA's compiler."""
    plain, _ = run(ANABRANCH_DISABLE_JIT="1")
    first, made = run()
    second, found = run()
    assert first == second
    assert int(made.split()[0]) >= 14
    assert made.split()[1:] == ["libcst", "jaxlib.mlir.ir"]
    assert found == "0"
    assert first.count("step") == plain.count("step") == 3
    assert first.splitlines()[0] == plain.splitlines()[0]


CALL = """
import sys
from anabranch.runtime.xla import disk_cache
compiled, plain, llvm = [], disk_cache.compile_text, disk_cache.compile_llvm
disk_cache.compile_text = lambda *a: compiled.append(1) or plain(*a)
disk_cache.compile_llvm = lambda *a: compiled.append(1) or llvm(*a)
import kinds, numpy as np
{before}
print(kinds.loops(np.array([1.0, -2.0, 3.0])))
print(len(compiled), "libcst" in sys.modules, file=sys.stderr)
"""


@pytest.mark.slow
def test_what_decides_the_program_is_a_miss(run, tmp_path):
    """A helper of a helper, a global that it reads, flags; what decides nothing is none."""
    call = CALL.format(before="")
    assert run(call) == ("9.0\n", "1 True")
    assert run(call) == ("9.0\n", "0 False")

    def edited(old, new, file="helpers.py"):
        text = (tmp_path / file).read_text()
        assert old in text
        (tmp_path / file).write_text(text.replace(old, new))

    edited("v * SCALE if v > 1", "v * SCALE + 1 if v > 1")
    assert run(call) == ("10.0\n", "1 True")
    edited("SCALE = 2.0", "SCALE = 2.5")
    assert run(call) == ("5.75\n", "1 False")
    assert run(CALL.format(before="kinds.helpers.SCALE = 2.0")) == ("10.0\n", "0 False")
    assert run(call, XLA_FLAGS="--xla_cpu_enable_fast_math=false") == ("5.75\n", "1 False")
    assert run(call, PYTHONOPTIMIZE="1") == ("5.75\n", "0 True")
    edited("def scaled(v):", "# no code\ndef scaled(v):")
    assert run(call) == ("5.75\n", "0 True")
    assert run(call) == ("5.75\n", "0 False")


LAPACK = """
import sys
import numpy as np
from anabranch import jit

@jit
def solved(a):
    return np.linalg.inv(a) @ np.linalg.cholesky(a)

a = np.eye(3) * 2 + 0.1
first = solved(a)
print(any(name.startswith("scipy.linalg") for name in sys.modules))
import scipy.linalg
from scipy.linalg import cython_blas, lapack
assert scipy.linalg.cython_lapack.__pyx_capi__ and scipy.linalg.cython_blas is cython_blas
np.testing.assert_allclose(scipy.linalg.inv(a) @ scipy.linalg.cholesky(a, lower=True), first, atol=1e-12)
np.testing.assert_allclose(solved(a + 1.0), np.linalg.inv(a + 1.0) @ np.linalg.cholesky(a + 1.0), atol=1e-12)
"""


@pytest.mark.parametrize("before", ["", "import scipy.linalg\n"])
def test_lapack_needs_none_of_the_package_around_it(tmp_path, before):
    (tmp_path / "program.py").write_text(before + LAPACK)
    environment = {**os.environ, "PYTHONPATH": PATH, "ANABRANCH_CACHE": "0"}
    command = [sys.executable, "program.py"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, f"{bool(before)}\n"), done.stderr
