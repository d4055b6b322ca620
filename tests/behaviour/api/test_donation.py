"""Donated arguments: whose memory results take over, what is deleted, and what stays."""

from __future__ import annotations

import copy
import dataclasses
import logging
import pickle
import threading
import types
import warnings

import numpy as np
import pytest

import anabranch
from anabranch import DeletedArrayError, DonationError, asarray, jit
from tests.behaviour.docs.parity_page import shows

BIG = np.arange(100_000.0)


def added(a, b):
    return a + b


def computed(value):
    """An Array in memory of XLA's own, which it can hand on; `asarray` gives one in NumPy's."""
    return asarray(value) + 0


def pickled(a):
    return pickle.loads(pickle.dumps(a))


def address(array):
    return array.buffer.array.unsafe_buffer_pointer()


@shows("jax.jit(donate_argnums)", "jax.stages.ArgInfo.donated")
def test_a_result_stands_on_donated_memory():
    f = jit(added, donate_argnums=0)
    a, b = computed(BIG), asarray(BIG)
    place = address(a)
    result = f(a, b)
    assert address(result) == place
    assert a.is_deleted()
    assert not b.is_deleted()
    np.testing.assert_array_equal(result, BIG + BIG)
    lowered = f.lower(asarray(BIG), b)
    assert "tf.aliasing_output = 0" in lowered.as_text()
    assert "tf.aliasing_output = 0" in lowered.as_text(debug_info=True)
    assert lowered.compile().memory_analysis()["alias"] == BIG.nbytes
    assert jit(added).lower(asarray(BIG), b).compile().memory_analysis()["alias"] == 0
    assert [info.donated for info in lowered.args_info[0]] == [True, False]


@shows("jax.stages.Traced.donate_argnums", "jax.stages.Lowered.donate_argnums", "jax.stages.Compiled.donate_argnums")
def test_which_leaves_are_donated():
    def f(x, pair, *, k):
        return x, [p + 1 for p in pair], k

    pair = [asarray(1.0), asarray(2.0)]
    traced = jit(f, donate_argnums=1, donate_argnames="k").trace(asarray(1.0), pair, k=asarray(3))
    assert traced.donate_argnums == traced.lower().donate_argnums == (1, 2, 3)
    assert traced.lower().compile().donate_argnums == (1, 2, 3)


def test_a_donated_array_says_so():
    f = jit(added, donate_argnames="a")
    a = asarray([1.0, 2.0])
    f(a, a.copy())
    for use in (lambda: a + 1, lambda: np.asarray(a), lambda: a.tolist(), lambda: f(a, asarray([1.0, 2.0])), a.copy):
        with pytest.raises(DeletedArrayError, match=r"donated to a call of added \(donate_argnums"):
            use()
    assert "deleted" in repr(a)
    assert a.shape == (2,)
    deleted = asarray([1.0])
    deleted.delete()
    with pytest.raises(DeletedArrayError, match="was deleted; use a copy"):
        deleted.tolist()


@pytest.mark.parametrize(
    ("how", "kept"),
    [
        ({"donate_argnums": (0, 1)}, "c"),
        ({"donate_argnums": [-1]}, "ab"),
        ({"donate_argnums": -2}, "ac"),
        ({"donate_argnames": ("a", "c")}, "b"),
        ({"donate_argnames": "b", "donate_argnums": 0}, "c"),
        ({"donate_argnums": None, "donate_argnames": None}, "abc"),
        ({"donate_argnums": ()}, "abc"),
    ],
)
@shows("jax.jit(donate_argnames)")
def test_positions_and_names(how, kept):
    def f(a, b, c):
        return a + 1, b + 1, c + 1

    for by_name in (False, True):
        arrays = {name: asarray([1.0, 2.0]) for name in "abc"}
        jit(f, **how)(**arrays) if by_name else jit(f, **how)(*arrays.values())
        assert "".join(n for n, v in arrays.items() if not v.is_deleted()) == kept


def test_varargs_and_keywords():
    def f(a, *rest, **named):
        return a * 2, [r * 2 for r in rest], {k: v * 2 for k, v in named.items()}

    def deleted(**how):
        a, b, c, d = arrays = [asarray([1.0]) for _ in range(4)]
        jit(f, **how)(a, b, c, d=d)
        return [x.is_deleted() for x in arrays]

    assert deleted(donate_argnums=1) == [False, True, False, False]
    assert deleted(donate_argnums=-1) == [False, False, True, False]
    assert deleted(donate_argnames="rest") == [False, True, True, False]
    assert deleted(donate_argnames="named") == [False, False, False, True]
    assert deleted(donate_argnames="d") == [False, False, False, True]


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"donate_argnums": 0, "static_argnums": 0}, "added: a cannot be static and donated"),
        ({"donate_argnums": 0, "static_argnames": "a"}, "added: a cannot be static and donated"),
        ({"donate_argnums": 2}, "donate_argnums has 2, but added has 2 positional parameters"),
        ({"donate_argnums": -3}, "donate_argnums has -3"),
        ({"donate_argnames": "z"}, "donate_argnames has 'z'"),
        ({"donate_argnums": "a"}, "donate_argnums holds positions"),
        ({"donate_argnames": 1}, "donate_argnames holds names"),
    ],
)
def test_what_cannot_be_donated(how, message):
    with pytest.raises(DonationError, match=message) as caught:
        jit(added, **how)
    assert isinstance(caught.value, ValueError)


def test_static_first_and_donated_later():
    with pytest.raises(DonationError, match="static and donated"):
        jit(jit(added, static_argnums=0), donate_argnums=0)
    f = jit(jit(added, donate_argnums=0), donate_argnums=1)
    a, b = asarray([1.0]), asarray([1.0])
    with pytest.warns(UserWarning, match="no result can take over"):
        f(a, b)
    assert (a.is_deleted(), b.is_deleted()) == (True, False)


def test_parts_of_objects_are_named_as_they_are_read():
    f = jit(lambda p, *rest: p.x.sum() + rest[0]["k"].sum(), donate_argnums=(0, 1))
    with pytest.warns(UserWarning, match=r"donated: p\.x \(f64\[2\]\), \*args\[0\]\['k'\] \(f64\[3\]\)"):
        f(types.SimpleNamespace(x=asarray([1.0, 2.0])), {"k": asarray([1.0, 2.0, 3.0])})


def test_a_donation_that_cannot_be_used_warns_once():
    f = jit(lambda a, b: (a.sum(), b), donate_argnums=0)
    a = asarray([1.0, 2.0])
    with pytest.warns(UserWarning, match=r"memory of what is donated: a \(f64\[2\]\)") as caught:
        assert f(a, 1)[0].item() == 3.0
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert f(a, 1)[0].item() == 3.0  # it is kept
    assert not a.is_deleted()


def test_ndarrays_and_numbers_stay():
    f = jit(lambda a, n: (a + n, n), donate_argnums=(0, 1))
    a = np.ones(3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert f(a, 2)[0].tolist() == f(a, 2)[0].tolist() == [3.0] * 3
    assert a.tolist() == [1.0] * 3


def test_an_ndarray_beside_an_array():
    f = jit(added, donate_argnums=(0, 1))
    a, b = np.ones(3), asarray(np.ones(3))
    assert f(a, b).tolist() == [2.0] * 3
    assert a.tolist() == [1.0] * 3
    assert b.is_deleted()


# ---- others that have the memory ------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [lambda a: a.copy(), copy.copy, copy.deepcopy, pickled])
def test_copies_live_on(make):
    a = asarray(BIG)
    a = computed(a)
    other = make(a)
    jit(lambda a: a * 2, donate_argnums=0)(a)
    assert a.is_deleted()
    assert not other.is_deleted()
    np.testing.assert_array_equal(other, BIG)
    jit(lambda a: a * 2, donate_argnums=0)(other)
    assert other.is_deleted()


def test_a_copy_as_another_argument():
    a = computed(BIG)
    b = a.copy()
    np.testing.assert_array_equal(jit(added, donate_argnums=0)(a, b), BIG * 2)
    np.testing.assert_array_equal(b, BIG)


@pytest.mark.parametrize("dtype", [np.float64, np.int8, "bfloat16"])
def test_views_of_the_memory_keep_it(dtype):
    a = anabranch.numpy.asarray(np.arange(100_000) % 100, dtype=np.dtype(dtype) if dtype != "bfloat16" else bfloat16())
    a = a + a - a
    view = np.asarray(a)
    before = view.copy()
    result = jit(lambda a: a + a, donate_argnums=0)(a)
    assert a.is_deleted()
    np.testing.assert_array_equal(view, before)
    np.testing.assert_array_equal(result, before + before)


def bfloat16():
    import ml_dtypes

    return np.dtype(ml_dtypes.bfloat16)


def test_the_same_array_twice():
    f = jit(added, donate_argnums=0)
    a = asarray([1.0])
    with pytest.raises(DonationError, match="added: a is donated, and the same Array is b; pass a copy"):
        f(a, a)
    assert a.tolist() == [1.0]
    with pytest.raises(DonationError, match="the same Array is"):
        jit(lambda a, b: (a + b, a - b), donate_argnums=(0, 1))(a, a)
    with pytest.raises(DonationError, match=r"rows\[0\] is donated, and the same Array is rows\[1\]"):
        jit(lambda rows: [r + 1 for r in rows], donate_argnums=0)([a, a])


def test_the_same_array_from_outside():
    a = asarray([1.0])
    with pytest.raises(DonationError, match="the same Array is an array that the function reads from outside"):
        jit(lambda x: x + a, donate_argnums=0)(a)
    assert jit(lambda x: x + a, donate_argnums=0)(a.copy()).tolist() == [2.0]


# ---- results that are arguments --------------------------------------------------------------------------------------


def test_an_argument_that_is_returned():
    a = asarray(BIG)
    place = address(a)
    result = jit(lambda a: a, donate_argnums=0)(a)
    assert a.is_deleted()
    assert address(result) == place
    np.testing.assert_array_equal(result, BIG)
    result, more = jit(lambda a: (a, a + 1), donate_argnums=0)(result)
    np.testing.assert_array_equal(result, BIG)
    np.testing.assert_array_equal(more, BIG + 1)


def test_an_argument_that_is_returned_in_one_branch():
    f = jit(lambda a, n: a if n > 0 else a * 2, donate_argnums=0)
    for n, want in ((1, BIG), (-1, BIG * 2)):
        a = computed(BIG)
        np.testing.assert_array_equal(f(a, n), want)
        assert a.is_deleted()


def test_a_dict_of_parameters():
    @jit(donate_argnums=0)
    def step(params, rate):
        return {name: value - rate * value for name, value in params.items()}

    params = {"w": computed(BIG), "b": computed([1.0])}
    places = {name: address(value) for name, value in params.items()}
    after = step(params, 0.5)
    assert {name: address(value) for name, value in after.items()} == places
    assert all(value.is_deleted() for value in params.values())
    np.testing.assert_array_equal(after["w"], BIG * 0.5)


def test_a_dict_that_is_changed_in_place():
    @jit(donate_argnums=0)
    def step(params):
        params["w"] = params["w"] * 2
        return params

    params = {"w": asarray(BIG), "b": asarray([1.0])}
    old = dict(params)
    assert step(params) is params
    np.testing.assert_array_equal(params["w"], BIG * 2)
    assert params["b"].tolist() == [1.0]
    assert old["w"].is_deleted()
    assert old["b"].is_deleted()


def test_a_container_that_is_given_back_keeps_its_arrays():
    f = jit(lambda params: (params, params["w"] * 2), donate_argnums=0)
    params = {"w": asarray(BIG)}
    with pytest.warns(UserWarning, match=r"params\['w'\]"):
        same, twice = f(params)
    assert same is params
    np.testing.assert_array_equal(params["w"], BIG)
    np.testing.assert_array_equal(twice, BIG * 2)

    @jit(donate_argnums=0)
    def inner(params):
        params["new"] = params["in"]["w"] * 2
        return None

    params = {"in": {"w": asarray(BIG)}}
    with pytest.warns(UserWarning, match=r"params\['in'\]\['w'\]"):
        inner(params)
    np.testing.assert_array_equal(params["in"]["w"], BIG)
    np.testing.assert_array_equal(params["new"], BIG * 2)


@dataclasses.dataclass(frozen=True)
class State:
    x: object
    n: object


def test_a_frozen_state_through_a_loop():
    @jit(donate_argnums=0)
    def step(state):
        return State(state.x + state.n, state.n + 1)

    state = State(asarray(np.zeros(3)), asarray(1))
    for _ in range(5):
        before, state = state, step(state)
        assert before.x.is_deleted()
        assert before.n.is_deleted()
    assert state.x.tolist() == [15.0] * 3
    assert state.n.item() == 6


# ---- calls that fail ------------------------------------------------------------------------------------------------


def test_an_exception_of_the_computation_comes_after_the_donation():
    @jit(donate_argnums=0)
    def f(a, n):
        if n < 0:
            raise ValueError(f"negative: {n}")
        return a + n

    a = computed(BIG)
    with pytest.raises(ValueError, match="negative: -1"):
        f(a, -1)
    assert a.is_deleted()
    with pytest.raises(DeletedArrayError, match="donated"):
        a.tolist()


def test_what_is_refused_before_leaves_the_array():
    f = jit(added, donate_argnums=0)
    a, gone = asarray([1.0]), asarray([1.0])
    gone.delete()
    with pytest.raises(DeletedArrayError):
        f(a, gone)
    with pytest.raises(OverflowError):
        f(a, 1 << 80)
    with pytest.raises(anabranch.UnsupportedValueError):
        f(a, object())
    with pytest.raises(anabranch.UnsupportedValueError):
        f.lower(a, a.copy()).compile()(a)
    assert a.tolist() == [1.0]


def test_a_callback_that_raises(caplog):
    class Stop(logging.Handler):
        def emit(self, record):
            raise KeyError("stop")

    log = logging.getLogger("donation")
    log.addHandler(Stop())

    @jit(donate_argnums=0)
    def f(a, n):
        for i in range(n):
            log.warning("step %s", i)
        return a + n

    a = asarray([1.0])
    with pytest.raises(KeyError, match="stop"):
        f(a, 2)
    assert a.is_deleted()
    b = asarray([1.0])
    assert f(b, 0).tolist() == [1.0]


def test_two_threads_that_donate_one_array():
    f = jit(lambda a: np.sort(a) + 1, donate_argnums=0)
    f(asarray(BIG))
    for _ in range(20):
        a, got, failed = computed(BIG), [], []
        start = threading.Barrier(4)

        def call(a=a, got=got, failed=failed, start=start):
            start.wait()
            try:
                got.append(f(a))
            except DeletedArrayError as error:
                failed.append(error)

        threads = [threading.Thread(target=call) for _ in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        assert len(got) == 1
        assert len(failed) == 3
        np.testing.assert_array_equal(got[0], BIG + 1)


def test_methods_and_nested_calls():
    class Model:
        def __init__(self):
            self.scale = 2.0

        @jit(donate_argnums=1)
        def step(self, a):
            return a * self.scale

    a = asarray([1.0])
    assert Model().step(a).tolist() == [2.0]
    assert a.is_deleted()

    inner = jit(lambda a: a * 2, donate_argnums=0)
    a = asarray([1.0])
    assert jit(lambda a: inner(a) + a)(a).tolist() == [3.0]  # within another function there is nothing to donate
    assert not a.is_deleted()


def test_a_compiled_donates_too():
    compiled = jit(added, donate_argnums=0).lower(asarray([1.0]), 2.0).compile()
    a = asarray([5.0])
    assert compiled(a, 2.0).tolist() == [7.0]
    assert a.is_deleted()


def test_disabled_jit_donates_nothing():
    a = asarray([1.0])
    with anabranch.disable_jit():
        assert jit(added, donate_argnums=0)(a, 1.0).tolist() == [2.0]
    assert not a.is_deleted()


@shows("jax.jit(compiler_options)")
def test_options_of_the_compiler():
    for wrong in ([("xla_backend_optimization_level", 0)], 1, "text"):
        with pytest.raises(TypeError, match="compiler_options is a mapping of XLA's flags to their values"):
            jit(added, compiler_options=wrong)
    for none in ({"\0": None}, {1: 2}, {"\ud800": 1}, {"xla_dump_to": None}, {"xla_dump_to": "\ud800"}):
        with pytest.raises(anabranch.UnsupportedValueError, match=r"^compiler_options: "):
            jit(added, compiler_options=none)
        with pytest.raises(anabranch.UnsupportedValueError, match=r"^compiler_options: "):
            jit(added).lower(1.0, 2.0).compile(none)
    f = jit(added, compiler_options={"xla_does_not_exist": 1})
    with pytest.raises(anabranch.UnsupportedValueError, match="xla_does_not_exist"):
        f(1.0, 2.0)
    with pytest.raises(anabranch.UnsupportedValueError, match="xla_does_not_exist"):
        f.lower(1.0, 2.0).compile()
    assert jit(added, compiler_options={"xla_backend_optimization_level": 0})(1.0, 2.0) == 3.0


def test_static_and_donated_arguments_side_by_side():
    def f(n, a, *rest, k=2.0, **named):
        return a * n + k, [r + 1 for r in rest], named

    wrapped = jit(f, static_argnums=0, donate_argnums=(1, -1), donate_argnames="z")
    for call in (lambda *a, z: wrapped(3, *a, z=z), None):
        a, b, c, z = arrays = [computed([1.0]) for _ in range(4)]
        lowered = wrapped.lower(3, a, b, c, z=z)
        assert lowered.donate_argnums == (0, 2, 3)
        got = (call or lowered.compile())(a, b, c, z=z)
        assert repr(got) == repr(jit(f)(3, *[asarray([1.0])] * 3, z=asarray([1.0])))
        assert [x.is_deleted() for x in arrays] == [True, False, True, True]


@pytest.mark.parametrize(
    "function",
    [
        lambda a: (a[::-1], a.reshape(1, -1), a.T, a),
        lambda a: (a, a, [a]),
        lambda a: np.linalg.inv(np.outer(a, a) + np.eye(3))[0] + a,
        lambda a: np.sort(a) + np.cumsum(a),
    ],
)
def test_results_that_share_the_memory(function):
    want = function(np.arange(3.0))
    a = computed(np.arange(3.0))
    got = jit(function, donate_argnums=0)(a)
    for g, w in zip(got, want, strict=True):
        np.testing.assert_allclose(g[0] if isinstance(g, list) else g, w[0] if isinstance(w, list) else w)
    assert a.is_deleted()


def test_an_exception_that_the_function_catches():
    @jit(donate_argnums=0)
    def f(a, i):
        try:
            return a[i] * a
        except IndexError:
            return a

    for i, want in ((1, [2.0, 4.0]), (5, [1.0, 2.0])):
        a = computed([1.0, 2.0])
        assert f(a, i).tolist() == want
        assert a.is_deleted()
