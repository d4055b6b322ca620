"""Arrays of other libraries: as arguments, on the same memory or refused, and as what reads results."""

from __future__ import annotations

import array
import gc
import weakref

import numpy as np
import pytest

import anabranch
from anabranch import AliasError, UnsupportedOperationError, UnsupportedValueError, jit

X = np.arange(6.0).reshape(2, 3)


class Exporter:
    """An array of a library that is not there: it speaks DLPack and nothing else."""

    def __init__(self, held, device=(1, 0)):
        self.held, self.device = held, device

    def __dlpack__(self, **how):
        return self.held.__dlpack__(**how)

    def __dlpack_device__(self):
        return self.device


def torch_tensor(x):
    torch = pytest.importorskip("torch")
    return torch.from_numpy(x.copy())


def jax_array(x):
    pytest.importorskip("jax")
    import jax.numpy as jnp

    return jnp.asarray(x)


MAKERS = [Exporter, torch_tensor, jax_array]
WRITABLE = [Exporter, torch_tensor]


@jit
def many(x):
    halves = [x / 2, {"sum": x.sum()}]
    return x, x[1:], halves, x.shape, 2.5, np.ones(2)


@pytest.mark.parametrize("make", MAKERS)
def test_results_are_arrays_and_an_argument_that_is_returned_is_itself(make):
    given = make(X.astype(np.float32))
    same, part, (half, held), shape, number, constant = many(given)
    assert same is given
    for result, wanted in (
        (part, X[1:]),
        (half, X / 2),
        (held["sum"], X.sum()),
        (constant, np.ones(2)),
    ):
        assert type(result) is anabranch.Array
        np.testing.assert_array_equal(result, wanted)
    assert half.dtype == np.float32
    assert (shape, number) == ((2, 3), 2.5)


@pytest.mark.parametrize("make", MAKERS)
def test_one_executable_with_ndarrays(make):
    f = jit(lambda x: x + 1)
    ndarray = X.astype(np.float32)
    given = make(ndarray.copy())
    ndarray.flags.writeable = make in (torch_tensor, Exporter)  # jax's arrays are read-only
    assert type(f(ndarray)) is np.ndarray
    f(given)
    assert f.cache_info()[:2] == (1, 1)


@pytest.mark.parametrize("make", MAKERS)
def test_in_containers_by_keyword_and_beside_others(make):
    f = jit(lambda d, *, y: d["a"][0] @ y + d["b"])
    x = X.astype(np.float32)
    for y in (np.ones(3, np.float32), make(np.ones(3, np.float32)), anabranch.asarray(np.ones(3, np.float32))):
        result = f({"a": [make(x)], "b": 1}, y=y)
        assert type(result) is anabranch.Array
        np.testing.assert_array_equal(result, x.sum(1) + 1)


@pytest.mark.parametrize("make", MAKERS)
def test_stages(make):
    given = make(X.astype(np.float32))
    compiled = jit(lambda x: x * 2).lower(given).compile()
    result = compiled(given)
    assert type(result) is anabranch.Array
    np.testing.assert_array_equal(result, X * 2)


@pytest.mark.parametrize("make", WRITABLE)
def test_writes_reach_their_memory(make):
    @jit
    def f(x, y):
        x[0] = y.sum()
        return x

    given = make(X.copy())
    assert f(given, make(X.copy())) is given
    np.testing.assert_array_equal(np.from_dlpack(given), [[15.0] * 3, [3.0, 4.0, 5.0]])
    assert f(given, given) is given
    np.testing.assert_array_equal(np.from_dlpack(given), [[57.0] * 3, [3.0, 4.0, 5.0]])


def test_what_a_failing_call_wrote_is_not_there():
    @jit
    def f(x, i):
        x[0] = 1
        return x[i]

    given = Exporter(np.zeros(3))
    with pytest.raises(IndexError):
        f(given, 7)
    assert given.held[0] == 0


def test_overlapping_memory_is_refused():
    held = np.zeros(6)

    @jit
    def f(x, y):
        x[0] = 1
        return y.sum()

    with pytest.raises(AliasError):
        f(Exporter(held[:4]), Exporter(held[2:]))
    assert f(Exporter(held[:3]), Exporter(held[3:])) == 0.0


def test_memory_is_not_copied_on_the_way_in_nor_out():
    """The largest arrays are read where they are; what is computed stays where it was computed."""
    f = jit(lambda x: x[:1] + 1)
    memory = np.zeros(8 * 2**20 + 64, np.uint8)
    big = memory[-memory.ctypes.data % 64 :][: 8 * 2**20].view(np.float64)
    f(Exporter(big))
    copies = []
    from anabranch.runtime import _jaxlib
    from anabranch.runtime.host import staging

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(staging, "aligned_copy", lambda *a: copies.append(a))
        patch.setattr(_jaxlib, "aligned_copy", lambda *a: copies.append(a))
        assert float(f(Exporter(big))[0]) == 1.0
    assert not copies


def test_memory_is_free_after_the_call():
    class Held(np.ndarray):
        pass

    held = np.ones(2**18)
    base = weakref.ref(held)
    result = jit(lambda x: x + 1)(Exporter(held))
    del held
    gc.collect()
    assert base() is None
    assert float(result[0]) == 2.0


def test_a_write_after_the_call_changes_no_result():
    held = np.ones(2**18)
    result, part = jit(lambda x: (x + 1, x[1:]))(Exporter(held))
    held[:] = 50
    assert float(result[0]) == 2.0
    assert float(part[0]) == 1.0


def test_read_only_memory():
    held = np.ones(3)
    held.flags.writeable = False

    @jit
    def f(x):
        x[0] = 2

    with pytest.raises(ValueError, match="read-only"):
        f(Exporter(held))


def test_layouts_and_shapes():
    f = jit(lambda x: x * 2)
    for x in (X.T, X[:, ::2], X[:0], np.array(3.5), np.broadcast_to(np.arange(3), (2, 3)).copy()):
        np.testing.assert_array_equal(f(Exporter(x)), x * 2)


def test_another_device():
    with pytest.raises(UnsupportedValueError, match=r"'x' is a .*Exporter on another device \(.*\); move it to the"):
        jit(lambda x: x)(Exporter(X, device=(2, 0)))


def test_a_global_that_was_written_to_is_read_again():
    held = np.ones(3)
    outside = Exporter(held)

    @jit
    def f(x):
        return x * float(outside.held[0])

    assert f(2.0) == 2.0
    held[0] = 5
    assert f(2.0) == 10.0


@pytest.mark.parametrize("make", MAKERS)
def test_outside_of_compiled_functions(make):
    given, wanted = make(X.astype(np.float32)), X.astype(np.float32)
    for made in (anabranch.asarray(given), anabranch.from_dlpack(given), anabranch.device_put([given])[0]):
        assert type(made) is anabranch.Array
        np.testing.assert_array_equal(made, wanted)
    assert anabranch.asarray(given, dtype=np.float64).dtype == np.float64
    result = anabranch.numpy.add(given, anabranch.asarray(wanted))
    assert type(result) is anabranch.Array
    np.testing.assert_array_equal(result, 2 * wanted)


@pytest.mark.parametrize("make", WRITABLE)
def test_donated_ones_keep_their_memory(make):
    f = jit(lambda x: x + 1, donate_argnums=0)
    given = make(X)
    for _ in range(2):
        np.testing.assert_array_equal(f(given), X + 1)
    np.testing.assert_array_equal(np.from_dlpack(given), X)


@pytest.mark.parametrize("make", MAKERS)
def test_djit(make):
    f = anabranch.djit(lambda x, n: x[:n] * 2)
    for n in (1, 2):
        result = f(make(X.astype(np.float32)), n)
        assert type(result) is anabranch.Array
        np.testing.assert_array_equal(result, X[:n] * 2)


# ---- PyTorch -------------------------------------------------------------------------------------------------------


def test_torch_round_trip():
    torch = pytest.importorskip("torch")
    f = jit(lambda x: x * x[0])
    for dtype in (torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.int8, torch.complex64):
        t = torch.arange(6).reshape(2, 3).to(dtype)
        back = torch.from_dlpack(f(t))
        assert back.dtype == dtype
        assert torch.equal(back, t * t[0])


def test_torch_bfloat16_becomes_an_array():
    torch = pytest.importorskip("torch")
    for make in (anabranch.asarray, anabranch.from_dlpack):
        assert make(torch.ones(3, dtype=torch.bfloat16)).dtype.name == "bfloat16"


def test_torch_cannot_write_into_an_array():
    torch = pytest.importorskip("torch")
    a = anabranch.asarray(X)
    tensor = torch.from_dlpack(a)
    tensor += 1
    np.testing.assert_array_equal(a, X)
    # and can say otherwise
    shared = torch.from_dlpack(a, copy=False)
    assert shared.data_ptr() == np.asarray(a).ctypes.data


def test_torch_tensors_that_are_refused():
    torch = pytest.importorskip("torch")
    f = jit(lambda x: x * 2)
    cases = [
        (torch.ones(3, requires_grad=True), r"argument 'x' is a torch.Tensor that requires grad, .* pass x.detach\(\)"),
        (torch.nn.Parameter(torch.ones(3)), "torch.Parameter that requires grad"),
        (torch.ones(3, device="meta"), "gives no array for the CPU"),
        (torch.ones(3, dtype=torch.complex64).conj(), "conjugate bit"),
        (torch.eye(3).to_sparse(), "layout"),
    ]
    for tensor, text in cases:
        with pytest.raises(UnsupportedValueError, match=text):
            f(tensor)
    for function in (lambda x: x + cases[0][0], lambda x: cases[0][0] + x, lambda x: torch.sin(x)):
        with pytest.raises(UnsupportedOperationError, match=r"torch meets a value .* pass arrays of torch"):
            jit(function)(X)


def test_torch_globals_that_were_written_to_are_read_again():
    torch = pytest.importorskip("torch")
    outside = torch.ones(3)
    functions = (
        lambda x: x + outside.numpy(),
        lambda x: x * float(outside[0]),
        lambda x: x * outside.sum().item(),
    )
    for function in functions:
        outside[:] = 1
        compiled = jit(function)
        np.testing.assert_array_equal(compiled(X), function(X))
        outside[:] = 5
        np.testing.assert_array_equal(compiled(X), function(X))


# ---- jax -----------------------------------------------------------------------------------------------------------


def test_jax_arrays_are_read_only():
    given = jax_array(X)

    @jit
    def f(x):
        x[0] = 1

    with pytest.raises(ValueError, match="read-only"):
        f(given)
    given.delete()
    with pytest.raises(UnsupportedValueError, match="it was deleted"):
        f(given)


def test_jax_takes_arrays():
    jax = pytest.importorskip("jax")
    a = anabranch.asarray(X.astype(np.float32))
    for back in (jax.numpy.asarray(a), jax.dlpack.from_dlpack(a), jax.jit(lambda x: x * 1)(jax.numpy.asarray(a))):
        np.testing.assert_array_equal(back, X)
    half = jit(lambda x: x * x)(jax.numpy.ones(3, jax.numpy.bfloat16))
    assert jax.numpy.asarray(half).dtype == jax.numpy.bfloat16


def test_values_that_jax_traces_are_refused():
    jax = pytest.importorskip("jax")
    f = jit(lambda x: x * 2)
    for transform in (jax.jit, jax.vmap, lambda g: jax.grad(lambda x: g(x).sum())):
        with pytest.raises(UnsupportedValueError, match="argument 'x' is a value that jax traces"):
            transform(lambda x: f(x))(np.ones(3, np.float32))
    out = jax.ShapeDtypeStruct((3,), np.float32)
    called = jax.jit(lambda x: jax.pure_callback(lambda y: np.asarray(f(y)), out, x))
    np.testing.assert_array_equal(called(np.ones(3, np.float32)), [2, 2, 2])


def test_jax_functions_of_run_time_values_are_refused_and_of_others_are_constants():
    jnp = pytest.importorskip("jax.numpy")
    constant = jnp.arange(3)
    for function in (lambda x: x + constant, lambda x: constant * x, lambda x: jnp.sin(x)):
        with pytest.raises(UnsupportedOperationError, match=r"jax meets a value .* pass arrays of jax"):
            jit(function)(np.ones(3))
    np.testing.assert_array_equal(jit(lambda x: x + np.asarray(jnp.ones(3)))(np.ones(3)), [2, 2, 2])


# ---- what is no array, or more than one ----------------------------------------------------------------------------


class Angle(np.ndarray):
    pass


def pandas_texts():
    return pytest.importorskip("pandas").Series(["a"])


def xarray_array():
    return pytest.importorskip("xarray").DataArray(["a"])


def sparse_lists():
    return pytest.importorskip("scipy.sparse").lil_matrix(np.eye(2))


@pytest.mark.parametrize(
    ("make", "advice"),
    [
        (
            lambda: np.ma.array(["a", "b"], mask=[0, 1]),
            r"a numpy.MaskedArray; pass x.filled\(value\), or x.data",
        ),
        (lambda: X.view(Angle), r"Angle, a subclass of numpy.ndarray with methods of its own; pass numpy.asarray\(x\)"),
        (lambda: array.array("d", [1.0]), r"a array.array; pass an array on the same memory, numpy.asarray\(x\)"),
        (pandas_texts, r"a pandas.Series; pass its values, x.to_numpy\(\)"),
        (xarray_array, r"a xarray.DataArray; pass its values, x.to_numpy\(\)"),
        (sparse_lists, r"a scipy.lil_matrix; pass a dense array, x.toarray\(\)"),
    ],
)
def test_what_to_pass_instead(make, advice):
    given = make()
    with pytest.raises(UnsupportedValueError, match=advice):
        jit(lambda x: x)(given)
    with pytest.raises(
        UnsupportedValueError, match=advice.replace("(x", r"(x\['k'\]\[0\]").replace(" x.", r" x\['k'\]\[0\].")
    ):
        jit(lambda x: x)({"k": [given]})


def test_bytes_are_static():
    assert jit(lambda x, b: x * len(b))(2, b"abc") == 6


def test_a_mapped_file(tmp_path):
    mapped = np.memmap(tmp_path / "data", dtype=float, mode="w+", shape=3)

    @jit
    def f(x):
        x[0] = 7
        return x, x + 1, x[1:]

    same, more, part = f(mapped)
    assert same is mapped
    assert type(more) is np.ndarray
    assert np.shares_memory(part, mapped)
    assert np.fromfile(tmp_path / "data")[0] == 7


def test_a_frame_outside_that_was_written_to_is_read_again():
    frame = pytest.importorskip("pandas").DataFrame({"a": [1.0, 2.0]})
    function = lambda x: x * frame["a"].sum() + frame["a"].to_numpy()  # noqa: E731
    compiled = jit(function)
    np.testing.assert_array_equal(compiled(2.0), function(2.0))
    frame.loc[0, "a"] = 9.0
    np.testing.assert_array_equal(compiled(2.0), function(2.0))


# Arrays of classes of their own outside of the function: NumPy's own computing with them is not known to compiled code.
MATRIX, ANGLE = X.view(np.matrix), X.view(Angle)
MASKED = np.ma.array(X, mask=X > 4)
RECORDS = np.rec.array([(1, 2.0), (3, 4.0)], dtype=[("a", int), ("b", float)])
REFUSED = (
    lambda x: x * MATRIX,
    lambda x: MATRIX * x,
    lambda x: x @ MATRIX.T,
    lambda x: np.multiply(x, MATRIX),
    lambda x: x + MATRIX[0],
    lambda x: x + MASKED,
    lambda x: np.concatenate([x, MASKED]),
    lambda x: x + ANGLE,
)


@pytest.mark.parametrize("function", REFUSED)
def test_subclasses_from_outside_that_meet_run_time_values(function):
    with pytest.raises(
        UnsupportedValueError, match=r"knows plain arrays only; .* use .*numpy.asarray\(a\)|use a.filled"
    ):
        jit(function)(X)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x * np.asarray(MATRIX),
        lambda x: x * np.array(MATRIX),
        lambda x: x * MATRIX.sum() + MATRIX.A,
        lambda x: x * MASKED.sum(),
        lambda x: x * MASKED.filled(0.0),
        lambda x: x + np.asarray(MASKED),
        lambda x: x * RECORDS.b.sum() + RECORDS["a"][0],
    ],
)
def test_subclasses_from_outside_that_do_not(function):
    compiled = jit(function)
    for change in (lambda: None, lambda: MATRIX.__setitem__((0, 1), 50.0), lambda: MASKED.__setitem__((0, 1), 60.0)):
        before = X.copy()
        change()
        np.testing.assert_array_equal(compiled(before), function(before))
    MASKED[0, 0] = np.ma.masked
    np.testing.assert_array_equal(compiled(before), function(before))
    MASKED.mask = [[False, False, False], [False, False, True]]
    MATRIX[0, 1] = 1.0
