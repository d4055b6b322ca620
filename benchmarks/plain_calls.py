"""Single calls of NumPy's functions on arrays, compiled and not: `python -m benchmarks.plain_calls [--only WORD]`.

There is nothing to fuse and no loop to compile, so that nothing is gained, and NumPy's own code is to be matched. Both
run in turns in one process, and the best call counts. `--aligned` passes arrays at addresses that are taken without a
copy, and so shows what of a call is the copy of its arguments.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from anabranch import jit
from benchmarks.arrays import generator

_ALIGNMENT = 64


@dataclass(frozen=True, slots=True)
class Case:
    """One call, and its arguments."""

    name: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...]


def _of_vectors(n: int) -> Iterator[Case]:
    """Calls on n numbers."""
    rng = generator()
    x, other, mask = rng.standard_normal(n), rng.standard_normal(n), rng.random(n) < 0.3
    counted, places, few = rng.integers(0, 1000, n), rng.integers(0, n, n), rng.integers(0, n, max(n // 100, 1))
    rising, single, whole = np.sort(x), x.astype(np.float32), rng.integers(0, 2**40, n)
    yield Case("nonzero", lambda m: np.nonzero(m), (mask,))
    yield Case("flatnonzero of floats", lambda x: np.flatnonzero(x > 1), (x,))
    yield Case("argwhere", lambda m: np.argwhere(m), (mask,))
    yield Case("count_nonzero", lambda m: np.count_nonzero(m), (mask,))
    yield Case("bincount", lambda k: np.bincount(k), (counted,))
    yield Case("bincount with weights", lambda k, x: np.bincount(k, x), (counted, x))
    yield Case("take", lambda x, i: np.take(x, i), (x, places))
    yield Case("x[i]", lambda x, i: x[i], (x, places))
    yield Case("x[mask]", lambda x, m: x[m], (x, mask))
    yield Case("compress", lambda m, x: np.compress(m, x), (mask, x))
    yield Case("where", lambda m, x, y: np.where(m, x, y), (mask, x, other))
    yield Case("histogram", lambda x: np.histogram(x, 50), (x,))
    yield Case("sort floats", lambda x: np.sort(x), (x,))
    yield Case("sort float32", lambda x: np.sort(x), (single,))
    yield Case("sort ints", lambda x: np.sort(x), (whole,))
    yield Case("argsort", lambda x: np.argsort(x), (x,))
    yield Case("argsort ints", lambda x: np.argsort(x), (whole,))
    yield Case("median", lambda x: np.median(x), (x,))
    yield Case("percentile", lambda x: np.percentile(x, 90), (x,))
    # The order on either side of the element is NumPy's own affair, and differs between processors.
    yield Case("partition", lambda x: np.partition(x, 100 % x.shape[0])[100 % x.shape[0]], (x,))
    yield Case("searchsorted", lambda x, v: np.searchsorted(x, v), (rising, other))
    yield Case("searchsorted, few", lambda x, v: np.searchsorted(x, v), (rising, other[: max(n // 100, 1)]))
    yield Case("digitize", lambda x, b: np.digitize(x, b), (x, np.linspace(-3, 3, 50)))
    yield Case("interp", lambda v, x, y: np.interp(v, x, y), (other, rising, x))
    yield Case("unique", lambda x: np.unique(x), (counted,))
    yield Case("unique floats", lambda x: np.unique(x), (x,))
    yield Case("isin", lambda k, t: np.isin(k, t), (counted, counted[:50].copy()))
    yield Case("cumsum", lambda x: np.cumsum(x), (x,))
    yield Case("cumprod", lambda x: np.cumprod(x), (x,))
    yield Case("maximum.accumulate", lambda x: np.maximum.accumulate(x), (x,))
    yield Case("diff", lambda x: np.diff(x), (x,))
    yield Case("add.at", lambda t, k, x: np.add.at(t, k, x), (np.zeros(1000), counted, x))
    yield Case("x[i] += y, few", lambda x, i: _bumped(x, i), (x.copy(), few))
    yield Case("put", lambda x, i, y: np.put(x, i, y), (x.copy(), few, other[: len(few)].copy()))
    yield Case("sum", lambda x: np.sum(x), (x,))
    yield Case("mean", lambda x: np.mean(x), (x,))
    yield Case("std", lambda x: np.std(x), (x,))
    yield Case("max", lambda x: np.max(x), (x,))
    yield Case("argmax", lambda x: np.argmax(x), (x,))
    yield Case("dot", lambda x, y: np.dot(x, y), (x, other))
    yield Case("fft", lambda x: np.fft.fft(x), (x,))
    yield Case("rfft", lambda x: np.fft.rfft(x), (x,))
    yield Case("roll", lambda x: np.roll(x, 7), (x,))
    yield Case("repeat", lambda x: np.repeat(x, 2), (x,))
    yield Case("concatenate", lambda x, y: np.concatenate((x, y)), (x, other))
    yield Case("clip", lambda x: np.clip(x, -1, 1), (x,))
    yield Case("exp", lambda x: np.exp(x), (x,))


def _bumped(x: Any, i: Any) -> Any:
    x[i] += 1
    return x


def _of_windows(n: int) -> Iterator[Case]:
    """Convolutions of n numbers."""
    rng = generator()
    x, kernel, short = rng.standard_normal(n), rng.standard_normal(101), rng.standard_normal(5)
    yield Case("convolve by 101", lambda x, v: np.convolve(x, v), (x, kernel))
    yield Case("convolve by 5", lambda x, v: np.convolve(x, v), (x, short))
    yield Case("convolve by 101, same", lambda x, v: np.convolve(x, v, "same"), (x, kernel))
    yield Case("correlate by 101", lambda x, v: np.correlate(x, v), (x, kernel))


def _of_tables(n: int) -> Iterator[Case]:
    """Calls on n by n numbers."""
    rng = generator()
    a, stack = rng.standard_normal((n, n)), rng.standard_normal((n * n // 1000, 10, 10))
    yield Case("sum, axis 0", lambda a: np.sum(a, axis=0), (a,))
    yield Case("sum, axis 1", lambda a: np.sum(a, axis=1), (a,))
    yield Case("mean, axis 0", lambda a: np.mean(a, axis=0), (a,))
    yield Case("std, axis 0", lambda a: np.std(a, axis=0), (a,))
    yield Case("var, axis 1", lambda a: np.var(a, axis=1), (a,))
    yield Case("sort, axis 0", lambda a: np.sort(a, axis=0), (a,))
    yield Case("sort, axis 1", lambda a: np.sort(a, axis=1), (a,))
    yield Case("median, axis 1", lambda a: np.median(a, axis=1), (a,))
    yield Case("cumsum, axis 0", lambda a: np.cumsum(a, axis=0), (a,))
    yield Case("cumsum, axis 1", lambda a: np.cumsum(a, axis=1), (a,))
    yield Case("argmax, axis 1", lambda a: np.argmax(a, axis=1), (a,))
    yield Case("fft2", lambda a: np.fft.fft2(a), (a,))
    yield Case("fft, axis 0", lambda a: np.fft.fft(a, axis=0), (a,))
    yield Case("A.T copied", lambda a: a.T.copy(), (a,))
    yield Case("outer", lambda x, y: np.outer(x, y), (a[0].copy(), a[1].copy()))
    yield Case("stacked solve", lambda s, b: np.linalg.solve(s, b), (stack, stack[:, :, :1].copy()))
    yield Case("stacked inv", lambda s: np.linalg.inv(s), (stack,))


def _of_products(n: int) -> Iterator[Case]:
    """Products of matrices of n rows."""
    rng = generator()
    a, b = rng.standard_normal((n, n)), rng.standard_normal((n, n))
    few, thin = max(n // 16, 1), max(n // 8, 1)
    stack, right = rng.standard_normal((few, few, 1, thin)), rng.standard_normal((thin, thin))
    yield Case("A @ B", lambda a, b: a @ b, (a, b))
    yield Case("A @ x", lambda a, x: a @ x, (a, b[0].copy()))
    yield Case("A.T @ B", lambda a, b: a.T @ b, (a, b))
    yield Case("A.T @ A", lambda a: a.T @ a, (a,))
    yield Case("A @ A.T", lambda a: a @ a.T, (a,))
    yield Case("A @ A.T float32", lambda a: a @ a.T, (a.astype(np.float32),))
    yield Case("A @ B complex", lambda a, b: a @ b, (a + 1j * b, b + 1j * a))
    yield Case("stack @ matrix", lambda s, b: s @ b, (stack, right))
    yield Case("matrix @ stack", lambda b, s: b @ s, (right, stack.reshape(few, thin, few)))
    yield Case("stack @ stack", lambda s, t: s @ t, (rng.standard_normal((few, 32, 32)), np.ones((few, 32, 32))))
    yield Case("tensordot", lambda s, b: np.tensordot(s, b, 1), (stack, right))
    yield Case("einsum ij,jk,kl", lambda a, b: np.einsum("ij,jk,kl->il", a, b, a, optimize=True), (a, b))
    yield Case("einsum bi,bj->bij", lambda a, b: np.einsum("bi,bj->bij", a, b), (a[:, :50].copy(), b[:, :50].copy()))
    yield Case("einsum ii", lambda a: np.einsum("ii->", a), (a,))
    yield Case("cov", lambda a: np.cov(a), (a,))


def _of_matrices(n: int) -> Iterator[Case]:
    """LAPACK's work on an n by n matrix."""
    rng = generator()
    a = rng.standard_normal((n, n))
    definite = a @ a.T + n * np.eye(n)
    yield Case("cholesky", lambda a: np.linalg.cholesky(a), (definite,))
    yield Case("solve", lambda a, b: np.linalg.solve(a, b), (a, a[0].copy()))
    yield Case("solve, many", lambda a, b: np.linalg.solve(a, b), (a, definite))
    yield Case("inv", lambda a: np.linalg.inv(a), (a,))
    yield Case("det", lambda a: np.linalg.det(a), (a,))
    yield Case("qr", lambda a: np.linalg.qr(a), (a,))
    yield Case("eigh", lambda a: np.linalg.eigh(a), (definite,))
    yield Case("eigvalsh", lambda a: np.linalg.eigvalsh(a), (definite,))
    yield Case("svd", lambda a: np.linalg.svd(a), (a,))
    yield Case("svdvals", lambda a: np.linalg.svd(a, compute_uv=False), (a,))
    yield Case("lstsq", lambda a, b: np.linalg.lstsq(a, b)[0], (a[:, : n // 2].copy(), a[0].copy()))
    if n <= 500:
        yield Case("eig", lambda a: np.linalg.eig(a), (a,))


FAMILIES: dict[str, tuple[Callable[[int], Iterator[Case]], tuple[int, ...]]] = {
    "vectors": (_of_vectors, (10_000, 1_000_000)),
    "windows": (_of_windows, (100_000,)),
    "tables": (_of_tables, (1000,)),
    "products": (_of_products, (100, 1000)),
    "matrices": (_of_matrices, (100, 500, 1000)),
}


def placed(argument: Any, offset: int) -> Any:
    """A copy of an array so many bytes behind an aligned address; all else as it is."""
    if not isinstance(argument, np.ndarray):
        return argument
    memory = np.empty(argument.nbytes + 2 * _ALIGNMENT, np.uint8)
    start = -memory.ctypes.data % _ALIGNMENT + offset
    copy = memory[start : start + argument.nbytes].view(argument.dtype).reshape(argument.shape)
    copy[...] = argument
    return copy


def measure(case: Case, budget: float, offset: int) -> tuple[float, float]:
    """The best milliseconds of NumPy's calls and of compiled ones, in turns for so many seconds."""
    arguments = tuple(placed(a, offset) for a in case.arguments)
    functions: tuple[Callable[..., Any], ...] = (case.function, jit(case.function))
    best = [float("inf"), float("inf")]
    for function in 2 * functions:
        function(*arguments)
    end = time.perf_counter() + budget
    while True:
        for i, function in enumerate(functions):
            start = time.perf_counter()
            result = function(*arguments)
            best[i] = min(best[i], time.perf_counter() - start)
            del result
        if time.perf_counter() > end:
            return 1e3 * best[0], 1e3 * best[1]


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="calls and families with this in their names")
    parser.add_argument("--budget", type=float, default=0.4, help="seconds for each call")
    parser.add_argument("--aligned", action="store_true", help="pass arrays that are taken without a copy")
    options = parser.parse_args()
    print(f"{'call':28}{'n':>9}{'NumPy ms':>11}{'compiled':>11}{'ratio':>8}")
    for family, (of_size, sizes) in FAMILIES.items():
        for size in sizes:
            for case in of_size(size):
                if options.only in f"{family} {case.name}":
                    plain, compiled = measure(case, options.budget, 0 if options.aligned else 16)
                    mark = " *" if compiled > 1.05 * plain and plain > 0.02 else ""
                    row = f"{case.name:28}{size:9}{plain:11.3f}{compiled:11.3f}{compiled / plain:8.2f}{mark}"
                    print(row, flush=True)


if __name__ == "__main__":
    main()
