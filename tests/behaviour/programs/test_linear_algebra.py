"""Linear algebra and Fourier transforms inside users' control flow, and what they raise at run time."""

from __future__ import annotations

import traceback

import numpy as np
import pytest

from anabranch import jit
from tests.program_table import Program, Table

case = Table()
RNG = np.random.default_rng(8)
SQUARE = RNG.normal(size=(3, 3))
DEFINITE = SQUARE @ SQUARE.T + np.eye(3)
SINGULAR = np.ones((3, 3))
TALL = RNG.normal(size=(5, 3))
VECTOR = np.array([1.0, -2.0, 0.5])


@case((DEFINITE, VECTOR), (-DEFINITE, VECTOR), (SINGULAR, VECTOR))
def solver_by_definiteness(a, b):
    try:
        factor = np.linalg.cholesky(a)
    except np.linalg.LinAlgError:
        return np.linalg.lstsq(a, b)[0], False
    half = np.linalg.solve(factor, b)
    return np.linalg.solve(factor.T, half), True


@case((SQUARE, 3), (DEFINITE, 0), (SINGULAR, 2), (SINGULAR, 0))
def inverse_powers(a, n):
    total = np.eye(3)
    for _ in range(n):
        total = total @ np.linalg.inv(a)
    return total


@case((SQUARE, VECTOR, 1.0), (SQUARE, VECTOR, -1.0), (SINGULAR, VECTOR, -1.0), (SINGULAR, VECTOR, 1.0))
def solve_in_a_branch(a, b, x):
    if x > 0:
        y = np.linalg.solve(a, b)
        a[0] = y
    else:
        y = b * x
    return y.sum(), a


@case((DEFINITE, VECTOR, 1e-9), (DEFINITE, VECTOR, 0.1))
def power_iteration(a, v, tol):
    last = 0.0
    while True:
        v = a @ v
        size = np.linalg.norm(v)
        v = v / size
        if abs(size - last) < tol:
            break
        last = size
    w, vectors = np.linalg.eigh(a)
    return abs(size - w[-1]) < 1e-3, np.abs(vectors[:, -1] @ v) > 0.9


@case((TALL, np.arange(5.0)), (np.outer(np.arange(5.0), VECTOR), np.arange(5.0)), (TALL * 0, np.ones((5, 2))))
def residuals_or_none(a, b):
    x, residuals, rank, s = np.linalg.lstsq(a, b)
    return x, residuals, rank, s


@case((TALL, np.arange(5.0)), (TALL.T, VECTOR))
def how_many_residuals(a, b):
    found = np.linalg.lstsq(a, b)
    return found[0] @ found[0], int(found[2]) + 1


@case((SQUARE,), (DEFINITE,))
def named_results(a):
    e, q, s, d = np.linalg.eigh(a), np.linalg.qr(a), np.linalg.svd(a), np.linalg.slogdet(a)
    return e.eigenvalues, e, q.Q @ q.R - a < 1e-9, s.S, s, d.sign * np.exp(d.logabsdet), d


@case((np.stack([SQUARE, DEFINITE, SINGULAR]), 1e-6))
def determinants_one_by_one(stack, tol):
    found = []
    count = 0
    for a in stack:
        d = np.linalg.det(a)
        found.append(d)
        if abs(d) > tol:
            count += np.linalg.matrix_rank(a)
    return found, count


@case((SQUARE,), (SINGULAR,), (np.full((3, 3), np.nan),))
def condition(a):
    try:
        c = np.linalg.cond(a, 1)
        if c > 1e6:
            return "ill"
        return "well"
    except np.linalg.LinAlgError as error:
        return str(error)


@case((np.arange(8.0), 2.0), (np.sin(np.arange(16.0)), -2.0))
def low_pass(signal, cut):
    spectrum = np.fft.rfft(signal)
    frequencies = np.fft.rfftfreq(signal.size, d=1 / signal.size)
    if cut > 0:
        spectrum[frequencies > cut] = 0
    return np.fft.irfft(spectrum, signal.size), np.fft.fftshift(np.fft.fftfreq(signal.size))


@case((np.arange(6.0).reshape(2, 3), 3), (np.arange(6.0).reshape(2, 3), 0))
def convolved_again_and_again(image, n):
    kernel = np.fft.fft2(np.array([[0.5, 0.25, 0.0], [0.25, 0.0, 0.0]]))
    for _ in range(n):
        image = np.fft.ifft2(np.fft.fft2(image) * kernel).real
    return image


@case((np.arange(4.0), np.zeros(4, complex)), (-np.arange(4.0), np.zeros(4, complex)))
def into_an_argument(x, out):
    if x[1] > 0:
        np.fft.fft(x, out=out)
    return out[1:]


@case((SQUARE, 2), (SINGULAR, 2), (DEFINITE, 0))
def helper_that_gives_up(a, n):
    def inverse(m):
        if abs(np.linalg.det(m)) < 1e-12:
            return None
        return np.linalg.inv(m)

    for i in range(n):
        made = inverse(a)
        if made is None:
            return i, a
        a = made + i
    return n, a


@case((np.stack([SQUARE, SINGULAR, DEFINITE]),), (np.stack([SQUARE, DEFINITE, SQUARE]),))
def first_that_is_singular(stack):
    for i, a in enumerate(stack):
        try:
            x = np.linalg.solve(a, VECTOR)
        except np.linalg.LinAlgError as error:
            text = str(error)
            break
        finally:
            last = i
    else:
        return -1, x, last
    return i, text, last


@case((SQUARE,), (SINGULAR,))
def write_at_last(a):
    out = np.zeros(3)
    try:
        out[:] = np.linalg.solve(a, VECTOR)
    finally:
        a[0, 0] = 7
    return out


@case((SQUARE, 1), (SQUARE, 0), (SQUARE, -1))
def residuals_of_a_branch(a, n):
    if n > 0:
        x, rest, rank, s = np.linalg.lstsq(np.vstack([a, a[:1]]), np.arange(4.0))
    elif n == 0:
        x, rest, rank, s = np.linalg.lstsq(a, VECTOR)
    else:
        x, rest, rank, s = np.linalg.lstsq(np.vstack([a * 0, a[:1]]), np.arange(4.0))
    return x, rest, rank, s


@case((SQUARE,), (SINGULAR,))
def a_residual_that_may_be_missing(a):
    rest = np.linalg.lstsq(np.vstack([a, a[:1]]), np.arange(4.0))[1]
    return rest.size, rest.sum(), rest[0]


@case((SQUARE, 3))
def transforms_of_rows(a, n):
    total = np.zeros((2, 3), complex)
    for i in range(n):
        np.fft.fft(a[i], out=total[1])
        a[i] = np.fft.ifft(total[1] + total[0]).real
        total[0] += total[1]
    return total


@case((SQUARE,), (SINGULAR,), (SQUARE * np.nan,))
def caught_as_a_value_error(a):
    try:
        return np.linalg.inv(a).sum()
    except ValueError as error:
        return error.args


@case((SQUARE, 1), (SINGULAR, 1), (SINGULAR, 0))
def raised_as_another(a, n):
    try:
        for _ in range(n):
            a = np.linalg.inv(a)
    except np.linalg.LinAlgError as error:
        raise RuntimeError("no inverse", n) from error
    return a


@case((SQUARE,), (SINGULAR,))
def ranks_in_text(a):
    print(np.linalg.matrix_rank(a), np.linalg.det(a) > 0.5)
    return np.linalg.matrix_rank(a[0]) + 1


@case((np.arange(6.0), np.sin(np.arange(6.0)), 1.0), (np.ones(6), np.ones(6), 0.0), (np.ones(6), np.ones(6), 1.0))
def fit_or_mean(x, y, ptp):
    if x.max() - x.min() < ptp:
        return y.mean(), np.zeros(3)
    c, _, _, s, _ = np.polyfit(x, y, 2, full=True)
    return np.polyval(c, x[0]), np.round(s, 9)  # those of points at one place are noise


@pytest.mark.parametrize("program", case.programs)
def test_as_eager(program: Program) -> None:
    program.check()


@pytest.mark.parametrize("program", case.static_programs)
def test_static(program: Program) -> None:
    program.check_static()


def inverted(a, x):
    if x > 0:
        a = np.linalg.inv(a)  # inverts
    return a


def factored(a, x):
    for _ in range(2):
        a = np.linalg.cholesky(a)  # factors
    return a * x


def decomposed(a, x):
    return np.linalg.svd(a * x)  # decomposes


def values(a, x):
    return np.linalg.eigvals(a / (x - 1))  # divides by zero


@pytest.mark.parametrize(
    ("function", "argument", "line"),
    [
        (inverted, SINGULAR, "inverts"),
        (factored, -DEFINITE, "factors"),
        (decomposed, SQUARE * np.nan, "decomposes"),
        (values, SQUARE, "divides by zero"),
    ],
)
def test_failures_have_numpys_message_at_the_users_line(function, argument, line) -> None:
    with np.errstate(all="ignore"), pytest.raises(np.linalg.LinAlgError) as eager:
        function(argument, 1.0)
    with pytest.raises(np.linalg.LinAlgError) as compiled:
        jit(function)(argument, 1.0)
    assert str(compiled.value) == str(eager.value)
    last = traceback.extract_tb(compiled.value.__traceback__)[-1]
    assert line in (last.line or "")


def test_results_are_of_numpys_classes() -> None:
    got = jit(lambda a: (np.linalg.eig(a), np.linalg.svd(a)))(SQUARE)
    assert [type(g) for g in got] == [type(np.linalg.eig(SQUARE)), type(np.linalg.svd(SQUARE))]


def test_out_of_transforms_back_is_written() -> None:
    x, out = np.arange(4.0), np.zeros(6)

    def transformed(x, out):
        return np.fft.hfft(x, out=out)

    assert jit(transformed)(x, out) is out
    np.testing.assert_allclose(out, np.fft.hfft(x), atol=1e-14)


def test_out_of_transforms_back_along_two_axes_is_written() -> None:
    x, out = np.arange(12.0).reshape(4, 3) + 0j, np.zeros((4, 4))

    def transformed(x, out):
        return np.fft.irfft2(x, out=out)

    assert jit(transformed)(x, out) is out
    np.testing.assert_allclose(out, np.fft.irfft2(x), atol=1e-14)
