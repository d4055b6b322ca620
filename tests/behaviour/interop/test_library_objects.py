"""Objects of libraries that are made of arrays, as arguments: pandas, scipy.sparse, np.ma and np.matrix."""

from __future__ import annotations

import sys
import types

import numpy as np
import pytest

from anabranch import jit
from anabranch.runtime.errors import AnabranchError, UnsupportedOperationError
from tests.equivalence import check

X = np.array([1.0, 2.0, 3.0])


def same(want, got) -> None:
    """Assert that two results are alike, to the types of their parts."""
    assert type(want) is type(got)
    if isinstance(want, (tuple, list)):
        assert len(want) == len(got)
        for one, other in zip(want, got, strict=True):
            same(one, other)
    elif type(want).__module__.startswith("pandas"):
        name = {"Series": "series", "DataFrame": "frame"}.get(type(want).__name__, "index")
        getattr(sys.modules["pandas"].testing, f"assert_{name}_equal")(want, got)
    elif type(want).__module__.startswith("xarray"):
        sys.modules["xarray"].testing.assert_identical(want, got)
    elif hasattr(want, "toarray"):
        assert (want.format, want.shape, want.dtype) == (got.format, got.shape, got.dtype)
        np.testing.assert_array_equal(want.toarray(), got.toarray())
    elif isinstance(want, np.ma.MaskedArray):
        assert (want.dtype, want.fill_value) == (got.dtype, got.fill_value)
        np.testing.assert_array_equal(np.ma.getmaskarray(want), np.ma.getmaskarray(got))
        np.testing.assert_array_equal(want.filled(0), got.filled(0))
    else:
        assert np.asarray(want).dtype == np.asarray(got).dtype
        np.testing.assert_array_equal(want, got)


def alike(function, *args) -> None:
    """Assert that the compiled function does what the plain one does, called three times."""
    compiled = jit(function)
    for _ in range(3):
        same(function(*args), compiled(*args))


# ---- scipy.sparse ----------------------------------------------------------------------------------------------------


@pytest.fixture
def sparse():
    return pytest.importorskip("scipy.sparse")


def _matrices(sparse):
    whole = sparse.csr_matrix(np.array([[1.0, 0, 2], [0, 3, 0], [0, 0, 4]]))
    return whole, sparse.csc_array(whole), sparse.coo_matrix(whole), sparse.dia_matrix(whole)


def test_sparse_matrices(sparse) -> None:
    def computed(m, x):
        return m @ x, m * 2.0, m.shape, m.data.sum(), m.toarray() + 1, m, m.sum()

    for m in _matrices(sparse)[1:3]:
        alike(computed, m, X)


def test_what_a_sparse_matrix_is_made_of(sparse) -> None:
    def product(m, x):
        y = np.zeros(m.shape[0])
        for i in range(m.shape[0]):
            for k in range(m.indptr[i], m.indptr[i + 1]):
                y[i] += m.data[k] * x[m.indices[k]]
        return y, x @ m, m.T, m[1], m @ m

    alike(product, _matrices(sparse)[0], X)


def test_a_sparse_matrix_in_a_loop(sparse) -> None:
    def solved(m, b, n):
        x = np.zeros_like(b)
        r = b - m @ x
        p = r.copy()
        rs = r @ r
        for _ in range(n):
            step = m @ p
            alpha = rs / (p @ step)
            x = x + alpha * p
            r = r - alpha * step
            new = r @ r
            if new < 1e-20:
                break
            p = r + (new / rs) * p
            rs = new
        return x

    m = sparse.csr_matrix(np.array([[4.0, 1, 0], [1, 3, 0], [0, 0, 2]]))
    np.testing.assert_allclose(jit(solved)(m, X, 5), solved(m, X, 5), rtol=1e-12)


def test_writes_reach_the_matrix(sparse) -> None:
    def scaled(m):
        m.data *= 2
        m.data[0] = 7
        return m

    mine, theirs = _matrices(sparse)[0].copy(), _matrices(sparse)[0].copy()
    compiled = jit(scaled)
    for _ in range(3):
        scaled(mine)
        assert compiled(theirs) is theirs
        same(mine, theirs)


def test_what_is_made_of_arrays_shares_their_memory(sparse) -> None:
    def transposed(m):
        t = m.T
        m.data[0] = 7.0
        return t

    def made(x, columns, starts):
        m = sparse.csr_matrix((x, columns, starts))
        x[0] = 100.0
        m.data[1] = 50.0
        return m.toarray(), m @ np.ones(3), x

    def masked(x):
        m = np.ma.array(x, mask=x > 2)
        m[0] = 9.0
        x[1] = 8.0
        return m.sum(), m.filled(0.0), x

    same(transposed(_matrices(sparse)[0]), jit(transposed)(_matrices(sparse)[0]))
    check(made, np.arange(1.0, 5.0), np.array([0, 2, 1, 2]), np.array([0, 2, 3, 4]))
    check(masked, np.arange(1.0, 5.0))


# ---- pandas ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def pd():
    return pytest.importorskip("pandas")


def test_series(pd) -> None:
    def computed(s):
        return s * 2 + 1, s.sum(), s.mean(), len(s), s.shape, s.values * 2, s, np.sqrt(s), s[s > 1], s.index

    def methods(s, k):
        return s.iloc[k], s.rolling(2).mean(), s.cumsum(), (s > 1).sum(), s - s.shift(1), s.to_numpy().sum()

    for s in (
        pd.Series([1, 2, 3], index=["a", "b", "c"], name="n"),
        pd.Series([1.0, 2], index=[10, 20]),
    ):
        alike(computed, s)
    alike(methods, pd.Series([1.0, 2, 3], index=pd.date_range("2020-01-01", periods=3)), 1)


def test_a_loop_over_a_series(pd) -> None:
    def doubled(s):
        found = []
        for v in s:
            found.append(v * 2)
        return found, [v + 1 for v in s]

    alike(doubled, pd.Series([1, 2, 3], index=[5, 6, 7]))


def test_data_frames(pd) -> None:
    def computed(f):
        return f["a"] * 2, f.a.values.sum(), f["a"] + f["b"], f, f.shape, f[["a", "b"]], f[f["a"] > 1], len(f)

    def methods(f):
        sums = [f[name].sum() for name in ("a", "b")]
        sizes = f.groupby("c")["a"].mean(), f.assign(d=f["a"] * f["b"]), f.sort_values("a", ascending=False)
        return sums, sizes, f[["a", "b"]].apply(lambda row: row.sum(), axis=1)

    frame = pd.DataFrame({"a": [1.0, 2, 3], "b": [4, 5, 6], "c": ["x", "y", "x"]})
    alike(computed, frame)
    alike(methods, frame)


def test_a_loop_over_columns(pd) -> None:
    def total(f):
        p, q, found = f["a"].to_numpy(), f["b"].values, 0.0
        for i in range(len(f)):
            if p[i] > 1:
                found += p[i] * q[i]
        return found

    compiled = jit(total)
    for scale in (1, 2, 3):
        frame = pd.DataFrame({"a": X * scale, "b": X})
        assert compiled(frame) == total(frame)


def test_frames_that_are_made(pd) -> None:
    def made(x):
        return pd.DataFrame({"u": x, "v": x * 2}), pd.Series(x * 2).mean()

    alike(made, X)


def test_what_is_no_number_is_told_apart(pd) -> None:
    def grouped(f):
        return f.groupby("c")["a"].sum(), f

    compiled = jit(grouped)
    frame = pd.DataFrame({"a": [1.0, 2, 3], "c": ["x", "y", "x"]})
    for place, text in ((0, "y"), (0, "x")):
        same(grouped(frame), compiled(frame))
        frame.loc[place, "c"] = text
    frame.index.name = "rows"
    same(grouped(frame), compiled(frame))
    doubled = jit(lambda s: s * 2)
    for name in (1, True):
        assert type(doubled(pd.Series(X, name=name)).name) is type(name)


def test_what_is_refused_of_frames(pd) -> None:
    frame = pd.DataFrame({"a": X})
    for function, words in ((lambda f: f.to_csv("x.csv"), "the method to_csv of a pandas.DataFrame"),):
        with pytest.raises(UnsupportedOperationError, match=words):
            jit(function)(frame)
    with pytest.raises(UnsupportedOperationError, match="the setting host_calls forbids"):
        jit(lambda f: f.sum(), host_calls=False)(frame)
    assert jit(lambda f: f["a"].values.sum(), host_calls=False)(frame) == 6.0


# ---- changes of pandas objects in place ------------------------------------------------------------------------------


@pytest.fixture
def changing(pd):
    if int(pd.__version__.partition(".")[0]) < 3:
        pytest.skip("before pandas 3 its objects may see each other's changes")
    return pd


def _made(pd):
    series = pd.Series([1.0, 2, 3], index=["p", "q", "r"], name="n")
    dates = pd.to_datetime(["2020-01-01", "2021-01-01", "2022-01-01"])
    return pd.DataFrame({"a": [1.0, 2, 3], "b": [4, 5, 6], "c": ["x", "y", "x"], "t": dates}), series


def changed(function, pd, *args) -> None:
    """Assert that a function of a frame and a series changes the caller's, and returns what the plain one does."""
    for options in ({}, {"native_loops": False}):
        compiled = jit(function, **options)
        for _ in range(3):
            want, got = _made(pd), _made(pd)
            same(function(*want, *args), compiled(*got, *args))
            same(want, got)


def _columns(f, s):
    f["d"] = f["a"] * 2
    f["a"] = 0.5
    f["b"] += 1
    f.insert(1, "k", f["a"] ** 2)
    del f["c"]
    s.name = "z"
    return f.pop("d"), f.shape, s.name


def _items(f, s):
    f.loc[1, "a"] = 9.0
    f.loc[f["b"] > 4, "a"] = -1.0
    f.iloc[0, 1], f.at[2, "b"] = 7, 8
    s["q"] = 7.0
    s[s > 6] = 0.0
    s += 1
    s.iloc[0] = s.iloc[0] * 2
    return f["a"].sum(), s.sum()


def _names(f, s):
    g = f
    g["z"] = f["a"].where(f["t"] < f["t"].max(), 0.0)
    f.columns = ["u", "v", "w", "t", "z"]
    f.index = [5, 6, 7]
    other = f.assign(q=1)
    other["u"] = 3.0
    s.update(other["u"])
    return f["u"].sum(), g is f, other


@pytest.mark.parametrize("function", [_columns, _items, _names], ids=lambda f: f.__name__.strip("_"))
def test_changes_reach_the_caller(changing, function) -> None:
    changed(function, changing)


def test_changes_in_branches_and_loops(changing) -> None:
    def both(f, s, x, n):
        if x[0] > 0:
            f["b"] = f["b"] * 2
        else:
            f.loc[0, "b"] = 17
        for i in range(n):
            f.iloc[i, 0] = i * 10.0
        try:
            f["a"] = f["a"] + 1
            s.iloc[0] = x[n + 5]
        except IndexError:
            s.iloc[1] = 5.0
        return f.b.sum()

    changed(both, changing, X, 2)
    changed(both, changing, -X, 3)


def test_a_frame_in_an_object_a_dict_and_twice(changing) -> None:
    def held(holder, d):
        holder.frame["q"] = d["x"] * 2
        d["same"]["r"] = 1.0
        return d["frame"]["q"].sum(), d["same"] is d["frame"]

    want, got = ({}, {})
    for one, function in ((want, held), (got, jit(held))):
        frame, inner = _made(changing)[0], _made(changing)[0]
        holder = types.SimpleNamespace(frame=inner)
        one["result"] = function(holder, {"x": X, "frame": frame.assign(q=1.0), "same": frame} | {"frame": inner})
        one["frames"] = frame, inner
    same(want["frames"], got["frames"])
    assert want["result"] == got["result"]


def test_a_frame_that_the_function_makes_is_changed(changing) -> None:
    def made(x):
        out = changing.DataFrame({"u": x})
        out["v"] = out["u"] * 2
        out.loc[out["v"] > 2, "u"] = 0.0
        return out

    alike(made, X)


def test_a_column_that_is_missing(changing) -> None:
    def caught(f, s):
        try:
            f["no"]
        except KeyError:
            f["no"] = 1.0
        return f["no"].sum()

    changed(caught, changing)
    with pytest.raises(KeyError, match="none"):
        jit(lambda f: f["none"])(_made(changing)[0])


def test_changes_that_something_else_may_see_are_refused(changing) -> None:
    def array(f, s):
        v = f["a"].values
        f.loc[0, "a"] = 99.0
        return v.sum()

    def looking(f, s):
        g = f.groupby("c")
        f["a"] = f["a"] * 2
        return g["a"].sum()

    def sometimes(f, s):
        if s.iloc[0] > 0:
            f["n"] = 1.0

    for function, words in (
        (array, r"of which an array \(values\) was taken before"),
        (looking, "while there is another one that was made of it"),
        (sometimes, "has these columns, names and dtypes or others"),
    ):
        with pytest.raises(AnabranchError, match=words):
            jit(function)(*_made(changing))


# ---- xarray ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def xr():
    return pytest.importorskip("xarray")


def test_an_array_of_labels_shares_memory_with_what_it_is_made_of(xr) -> None:
    def through_values(x):
        xr.DataArray(x).values[0] = 9.0
        return x

    def through_items(x):
        labelled = xr.DataArray(x)
        labelled[1] = 9.0
        x[0] = 7.0
        return x, labelled.sum().values

    check(through_values, np.arange(3.0))
    check(through_items, np.arange(3.0))


def _array(xr):
    pandas = pytest.importorskip("pandas")
    coords = {"x": [1, 2, 3], "t": pandas.to_datetime(["2020-01-01", "2020-01-02"]), "lab": ("t", ["a", "b"])}
    return xr.DataArray(np.arange(6.0).reshape(2, 3), coords, ("t", "x"), "n", {"unit": "m"})


def _dataset(xr):
    return xr.Dataset({"temp": _array(xr), "p": ("x", X), "s": ((), 3)}, attrs={"title": "q"})


def test_labelled_arrays(xr) -> None:
    def methods(d, i):
        return (
            d.mean("t"),
            d * 2 + 1,
            d.shape,
            d.dims,
            d.isel(x=i),
            d.sel(x=2),
            d[0],
            d.max().item(),
            np.sqrt(d),
            d.T,
            d,
        )

    def loop(d, n):
        total = 0.0
        for i in range(d.values.shape[0]):
            for v in d.values[i]:
                if v > 1:
                    total += v
        for _ in range(n):
            d = d * 0.5 + d.mean()
        return total, d

    alike(methods, _array(xr), 1)
    alike(loop, _array(xr), 3)


def test_writes_reach_labelled_arrays(xr) -> None:
    def written(d):
        d.values[0, 0] = 99.0
        d.data[1, :] *= 2
        d[0, 1] = 5.0
        d += 1
        return d

    mine, theirs = _array(xr), _array(xr)
    compiled = jit(written)
    for _ in range(3):
        written(mine)
        assert compiled(theirs) is theirs
        same(mine, theirs)


def test_datasets(xr) -> None:
    def computed(s):
        more = s.assign(q=s["p"] * 2), xr.where(s["p"] > 1, s["p"], 0.0), s["temp"].groupby("t").mean()
        return s["temp"].mean("x"), s["p"].values * 2, s.mean(), s["temp"], s.p.sum(), list(s), s, more

    def made(x):
        return xr.DataArray(x, dims=["k"]).rolling(k=2).mean(), xr.Dataset({"a": ("z", x)})

    alike(computed, _dataset(xr))
    alike(made, X)
    with pytest.raises(UnsupportedOperationError, match=r"the attribute attrs of a xarray.DataArray"):
        jit(lambda d: d.attrs)(_array(xr))


# ---- numpy.longdouble ------------------------------------------------------------------------------------------------

L = np.array([1, 2, 3], np.longdouble) / 7
needs_long = pytest.mark.skipif(np.dtype(np.longdouble).itemsize == 8, reason="longdouble is float64 here")


@needs_long
def test_long_doubles() -> None:
    def computed(x):
        return x * 2 + 1, x.sum(), x[0], x.shape, x.dtype, np.sqrt(x), len(x), x, [v * 2 for v in x], np.dot(x, x)

    def scalar(s):
        if s > 0:
            s = s + 1
        return s, 1 / s, np.sin(s), float(s), f"{s}"

    def made(x, y, n):
        total = x[0]
        for i in range(n):
            total = total + x[i % 3] * x[i % 3]
        return total, y.astype(np.longdouble) * x, np.zeros(3, np.longdouble) + x, np.longdouble(y[0]) * 2

    def written(x):
        x[1] = 5
        x += 1
        return x.max()

    alike(computed, L)
    alike(computed, L * (1 + 2j))
    alike(computed, np.asfortranarray(np.arange(6).reshape(2, 3).astype(np.longdouble) / 3)[:, 0])
    alike(scalar, np.longdouble(1) / 3)
    alike(made, L, X, 5)
    mine, theirs = L.copy(), L.copy()
    same(written(mine), jit(written)(theirs))
    same(mine, theirs)


# ---- numpy.ma and numpy.matrix ---------------------------------------------------------------------------------------


def test_masked_arrays() -> None:
    def computed(m):
        return m + 1, m.mean(), m.filled(0), m.data * 2, m, np.sqrt(m), m.shape, m > 1

    alike(computed, np.ma.array([1.0, 2, 3], mask=[0, 1, 0], fill_value=9.0))
    alike(computed, np.ma.array([[1, 2], [3, 4]]))
    alike(lambda x: np.ma.masked_where(x > 1, x).mean(), X)


def test_masks_are_values() -> None:
    def kept(m):
        total = 0.0
        for i in range(len(m.data)):
            if not m.mask[i]:
                total += m.data[i]
        return total, m.sum()

    compiled = jit(kept)
    for mask in ([0, 1, 0], [1, 1, 0], [0, 0, 0]):
        m = np.ma.array(X, mask=mask)
        same(kept(m), compiled(m))


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
def test_matrices() -> None:
    def computed(w, x):
        return w * w, w.T, w.A + 1, w, w[0, 1], w.sum(), w[0], np.linalg.inv(w), x * w, np.multiply(x, w)

    alike(computed, np.array([[1.0, 2], [3, 4]]).view(np.matrix), np.array([[1.0, 2], [5, 6]]))


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
def test_a_known_array_before_a_matrix() -> None:
    known = np.array([[1.0, 2], [0, 1]])
    alike(lambda w: (known * w, np.ones((2, 2)) * w), np.array([[1.0, 2], [3, 4]]).view(np.matrix))


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
def test_writes_reach_masked_arrays_and_matrices() -> None:
    def matrix(w):
        w[0, 1] = 7.0
        w += 1
        return w

    def masked(m):
        m[0] = 5.0
        m[1] = np.ma.masked
        m *= 2
        return m

    arrays = np.array([[1.0, 2], [3, 4]]).view(np.matrix), np.ma.array(X, mask=[0, 0, 1])
    for function, array in zip((matrix, masked), arrays, strict=True):
        mine, theirs = array.copy(), array.copy()
        assert jit(function)(theirs) is theirs
        function(mine)
        same(mine, theirs)


# ---- arrays of them --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "convert", [np.asarray, np.array, np.asanyarray, np.ascontiguousarray, np.atleast_1d], ids=lambda f: f.__name__
)
def test_arrays_of_library_objects(convert):
    pandas, xarray = pytest.importorskip("pandas"), pytest.importorskip("xarray")

    def twice(x):
        return convert(x) * 2

    for given in (
        pandas.Series(X),
        xarray.DataArray(X),
        pandas.DataFrame({"a": X, "b": X}),
        pandas.DataFrame({"a": X, "b": [1, 2, 3]}),
        np.ma.array(X, mask=[0, 1, 0]),
    ):
        alike(twice, given)


def test_an_array_of_a_series_of_another_dtype():
    pandas = pytest.importorskip("pandas")

    def converted(x):
        return np.asarray(x, dtype=np.float32), np.array(x, int)

    alike(converted, pandas.Series(X))
