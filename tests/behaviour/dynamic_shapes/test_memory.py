"""Arrays of run-time size as memory: views that write through, copies that do not; and NumPy's operations on them."""

from __future__ import annotations

import numpy as np
import pytest

from tests.program_table import Program, Table

case = Table()
v = np.arange(6.0) + 1
A = np.arange(24.0).reshape(4, 6)


@case((v.copy(), 3), (v.copy(), 6), (v.copy(), 1))
def a_slice_of_a_slice(a, n):
    x = a[:n]
    w = x[1:]
    w[0] = 50
    x[-1] += 7
    return (a, x, w)


@case((v.copy(), 3))
def masks_copy(a, n):
    b = a[a > n]
    a[0] = 100
    m = a > n
    c = a[m]
    m[1] = True
    a[-1] = -5
    return (a, b, c, m)


@case((v.copy(), 4))
def a_slice_sees_writes_to_its_array(a, n):
    x = a[1:n]
    for i in range(len(a)):
        a[i] += x.sum()
    return (x, a)


@case((v.copy(), v.copy() * 3, 2, True), (v.copy(), v.copy() * 3, 2, False), (v.copy(), v.copy() * 3, 6, False))
def one_of_two_slices(a, b, n, c):
    if c:
        x = a[:n]
    else:
        x = b[n:]
    x[0] = 99
    x *= 2
    a[1] += 1
    return (x, a, b)


@case((v.copy(), 4), (v.copy(), 6), (v.copy(), 2))
def overlapping_slices(a, n):
    a[1:n] = a[: n - 1]
    a[: n - 2] += a[2:n]
    return a


@case((v.copy(), 3), (v.copy(), 2))
def outputs(a, n):
    np.add(a[:n], 1, out=a[:n])
    np.multiply(a[:n], a[:n], a[n : 2 * n])
    return a


@case((v.copy(), 2), (v.copy(), 3))
def swapped_slices(a, k):
    a[:k], a[k : 2 * k] = (a[k : 2 * k].copy(), a[:k].copy())
    return a


@case((A.copy(), 1, 4), (A.copy(), 2, 0))
def parts_of_rows(A, i, j):
    r = A[i, :j]
    r[r > 3] = 0
    A[i + 1][:j] = r * 2
    return (A, r[r > 0], A[:i, j])


@case((v.copy(), 5), (v.copy(), 4), (v.copy(), 2))
def a_slice_narrowed_in_a_loop(a, n):
    x = a[:n]
    for i in range(3):
        x = x[1:]
        x[0] += 10
    return (x, a)


@case((v.copy(), 4), (v.copy(), 0))
def two_names_for_slices(a, n):
    x = a[:n]
    y = x
    for i in range(n):
        y[i] = x[-1] + i
        x = a[i:n]
    return (x, y, a)


def reverse_scaled(u, s):
    u[:] = u[::-1] * s
    return u.sum()


@case((v.copy(), 4), (v.copy(), 0))
def slices_for_a_helper(a, n):
    r = reverse_scaled(a[:n], 2.0) + reverse_scaled(a[n:], 3.0)
    return (r, a)


@case(*[(v.copy(), s, k) for s in (0, 1, 7, -2) for k in (1, 2, 5)], copies=True)
def steps_known_only_at_run_time(a, s, k):
    x = a[s::k]
    x += 1
    y = a[::-k]
    z = a[s:-1:k]
    return (x, y, a, z, len(x), len(y), len(z))


@case(*[(v.copy(), s, k) for s in (0, 1, 7, -2) for k in (1, 2, 5, -1, -2)])
def assigned_with_steps(a, s, k):
    a[s::k] = 7
    a[:s:k] += 1
    return a


@case((v.copy(), 3))
def shapes_of_slices(a, n):
    x = a[:n].reshape(-1, 1)
    x[0] = 9
    y = a[:n][None]
    y += 1
    z = a[:n].T
    z[0] = -1
    return (a, x, y)


@case((A.copy(), 2, 3), (A.copy(), 4, 6), (A.copy(), 1, 1), copies=True)
def two_windows(A, n, m):
    B = A[:n, :m]
    B[0] += 1
    B[:, 0] *= 2
    B.T[0] -= 1
    C = B.copy()
    C[0] = 5
    B.ravel()[0] = 77
    return (A, B, C, B.ravel())


@case((v.copy(), 3), (v.copy(), 10))
def masks_assigned(a, n):
    m = a > n
    a[m] += 10
    a[m] *= a[m]
    a[~m] = a[m].sum()
    return a


@case((v.copy(), 4), (v.copy(), 0))
def masks_of_slices(a, n):
    m = a[:n] > 2
    a[:n][m] = 0
    b = a[:n][m]
    return (a, b, a[:n][~m])


@case((v.copy(), 4), (v.copy(), 3), (v.copy(), 1))
def a_slice_for_a_mask(a, n):
    m = a > 2
    a[m] = a[:n]
    return a


@case((v[:3].copy(), v.copy(), 3), (v[:3].copy(), v.copy(), 4), (v[:1].copy(), v.copy(), 4))
def an_array_for_a_slice(a, b, n):
    b[:n] = a
    return b


@case((v[:3].copy(), v.copy(), 3), (v[:3].copy(), v.copy(), 4), (v[:3].copy(), v.copy(), 1))
def a_slice_added_to_an_array(a, b, n):
    a += b[:n]
    return a


@case((v.copy(), 4))
def a_loop_left_by_a_slice(a, n):
    s = 0.0
    while n > 0:
        x = a[:n]
        if x[0] > 2:
            break
        s += x.sum()
        n -= 1
        a[:n] += 1
    return (s, x, a)


@case(
    (v.copy(), np.array([0, 2, 1, 0, 5, 3]), 3),
    (v.copy(), np.array([0, 2, 1, 0, 5, 3]), 5),
    (v.copy(), np.array([0, 2, 9, 0, 5, 3]), 3),
    (v.copy(), np.array([0, -2, -9, 0, 5, 3]), 2),
    (v.copy(), np.array([0, -2, -9, 0, 5, 3]), 0),
)
def indices_of_run_time_number(a, idx, n):
    x = a[:n]
    k = idx[:n]
    x[k] = x[k] * 2 + 1
    a[k] -= 1
    return (a, x[k], a[k])


@case((v, 3), (v, 0))
def elementwise(a, n):
    return (
        np.sqrt(a[:n] ** 2) + np.arange(6)[:n],
        a[:n] == a[:n],
        a[:n] ** np.array([2]),
        -a[:n],
        abs(a[:n]),
        divmod(a[:n], 2.0),
    )


@case((np.array([1, -2, 3], np.int8), 2), (np.array([1, -2, 3], np.int8), 0))
def small_integers(i8, n):
    return (
        i8[:n] ** 2,
        i8[:n] // 2,
        i8[:n] % 3,
        i8[:n] << 1,
        ~i8[:n],
        i8[:n].sum(),
        i8[:n].prod(),
        i8[:n].mean(),
        i8[:n].min(),
    )


@case((np.array([2, 3, 4]), np.array([1, 2, -1]), 2), (np.array([2, 3, 4]), np.array([1, 2, -1]), 3))
def integer_powers(ii, jj, n):
    return ii[:n] ** jj[:n]


@case((v, 3), (v, 0))
def pythons_own_reductions(a, n):
    return ([x for x in a[:3]], max(a[:n]), min(a[:n]), sum(a[:n]), any(a[:n] > 1), all(a[:n] > 0))


@case((v, 3), (v, 0))
def sizes_and_truth(a, n):
    x = a[:n]
    if x.size:
        r = x.max()
    else:
        r = 0.0
    return (r, (x > 1).any(), x.shape, x.ndim, x.size * 2, x.dtype == np.float64)


@case((A, 2), (A, 4), (A, 1))
def reductions_and_products(A, n):
    return (
        A[:n].sum(axis=0),
        A[:n].sum(axis=1),
        A[:n].mean(axis=0),
        A[:n].max(axis=1),
        A[:n].argmax(axis=1),
        A[:n].argmax(),
        A[:n].T @ A[:n],
        A[:n] @ A[:n].T,
        A[:n].cumsum(axis=0),
        A[:n].cumsum(),
        np.einsum("ij,ij->i", A[:n], A[:n]),
        A[:n].std(axis=0),
    )


@case((v, 3, 3), (v, 3, 2), (v, 1, 3))
def matmul_of_two_sizes(a, n, m):
    return a[:n] @ a[:m]


@case((v, 3, 3), (v, 3, 2))
def dot_of_two_sizes(a, n, m):
    return np.dot(a[:n], a[:m])


@case((v, 3), (v, 2), (v, 1))
def a_mismatch_that_is_caught(a, n):
    try:
        return (a[:n] + a[:3]).sum()
    except ValueError:
        return -1.0


@pytest.mark.parametrize("program", case.programs)
def test_memory(program: Program) -> None:
    program.check()
