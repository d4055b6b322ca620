"""The stages: what each says of a function, and what a `Compiled` does with arguments that it was not made for."""

from __future__ import annotations

import dataclasses
import inspect
import pathlib
import typing
from typing import NamedTuple

import numpy as np
import pytest

import anabranch
from anabranch import ShapeDtypeStruct, UnsupportedValueError, asarray, jit
from anabranch.export import deserialize, export
from anabranch.runtime.signature.pytree import OneOf
from tests.behaviour.docs.parity_page import shows

FACTOR = 2.0


class Pair(NamedTuple):
    low: object
    high: object


@dataclasses.dataclass
class Model:
    weight: object
    bias: object


def scaled(x, p, n=3, *, mode="up"):
    for _ in range(n):
        if x.sum() > 0:
            x = x * p["w"]
    return {"x": x, "total": x.sum(), "n": n, "mode": mode}


P = {"w": 2.0, "k": np.arange(2)}


@shows("jax.stages.Traced.args_info", "jax.stages.Lowered.args_info", "jax.stages.Compiled.args_info")
@shows("jax.stages.ArgInfo.shape", "jax.stages.ArgInfo.dtype")
def test_args_info_is_a_tree_of_the_arguments():
    traced = jit(scaled).trace(np.ones(3, np.float32), P, n=2)
    (x, p), named = traced.args_info
    assert traced.lower().args_info == traced.lower().compile().args_info == traced.args_info
    assert (x.shape, x.dtype, x.donated, x.weak_type) == ((3,), np.float32, False, False)
    assert (p["w"].shape, p["w"].dtype, p["w"].weak_type) == ((), np.float64, True)
    assert p["k"].shape == (2,)
    assert list(named) == ["n"]
    assert named["n"].weak_type


@shows("jax.stages.Traced.in_tree", "jax.stages.Traced.out_tree")
@shows("jax.stages.Lowered.in_tree", "jax.stages.Compiled.in_tree")
def test_trees_have_the_structure():
    traced = jit(scaled, static_argnames=("n", "mode")).trace(np.ones(3), P, 3)
    assert str(traced.in_tree) == "((*, {'w': *, 'k': *}), {})"
    assert str(traced.out_tree) == "{'x': *, 'total': *, 'n': *, 'mode': 'up'}"
    assert traced.in_tree.num_leaves == 3
    assert traced.lower().in_tree == traced.lower().compile().in_tree == traced.in_tree
    assert traced.in_tree == jit(scaled, static_argnums=2).trace(np.ones(5), P, 7).in_tree
    assert traced.in_tree != jit(scaled, static_argnums=2).trace(np.ones(5), p=P, n=7).in_tree
    assert hash(traced.in_tree) == hash(jit(scaled, static_argnums=2).trace(np.ones(5), P, 7).in_tree)


@shows("jax.stages.Traced.out_info", "jax.stages.Lowered.out_info", "jax.stages.Compiled.out_info")
def test_out_info_says_what_a_call_gives():
    wrapped = jit(scaled)
    for stage in (t := wrapped.trace(np.ones((2, 3)), P), t.lower(), t.lower().compile()):
        assert stage.out_info["x"] == ShapeDtypeStruct((2, 3), np.float64)
        assert stage.out_info["total"] == ShapeDtypeStruct((), np.float64)
        assert stage.out_info["n"] == ShapeDtypeStruct((), np.int64, weak_type=True)
        assert stage.out_info["mode"] == "up"
    got = wrapped(np.ones((2, 3)), P)
    assert got["x"].shape == (2, 3)
    assert type(got["n"]) is int


@pytest.mark.parametrize(
    "value",
    [
        (1.0, [np.ones(2), None], {"a": "text"}),
        Pair(np.ones(1), (2, 3)),
        Model(np.ones(2), {"b": 1}),
        [],
    ],
)
@shows("jax.stages.Traced.in_avals", "jax.stages.Lowered.in_avals", "jax.stages.Compiled.in_avals")
def test_what_a_function_was_traced_with_traces_it_again(value):
    def f(v):
        return v

    traced = jit(f).trace(value)
    args, kwargs = traced.in_avals
    assert jit(f).trace(*args, **kwargs).in_tree == traced.in_tree
    assert jit(f).trace(*args, **kwargs).args_info == traced.args_info
    assert traced.lower().in_avals == traced.lower().compile().in_avals == traced.in_avals


def test_unflatten_builds_a_tree():
    tree = jit(lambda m: m).trace(Model(1.0, [2, (3,)])).in_tree
    (args, kwargs) = tree.unflatten("abc")
    assert args[0] == Model("a", ["b", ("c",)])
    assert kwargs == {}
    assert [str(c) for c in tree.children()] == ["(Model(weight=*, bias=[*, (*,)]),)", "{}"]
    assert (tree.num_leaves, tree.num_nodes) == (3, 9)
    with pytest.raises(ValueError, match="3 leaves, 2 were given"):
        tree.unflatten("ab")


@pytest.mark.parametrize(
    ("one", "same", "other"),
    [
        ("a", "".join("a"), "b"),
        (np.dtype("f4"), np.dtype(">f4").newbyteorder("="), np.dtype("f8")),
        (pathlib.PurePath("a/b"), pathlib.PurePath("a") / "b", pathlib.PurePath("b")),
        (slice(1, 2), slice(1, 2), slice(1, 3)),
        (None, None, "None"),
        (np.sin, np.sin, np.cos),
    ],
)
def test_trees_are_equal_where_what_they_hold_is(one, same, other):
    trees = [jit(lambda x, how: x).trace(1.0, how).in_tree for how in (one, same, other)]
    assert trees[0] == trees[1]
    assert hash(trees[0]) == hash(trees[1])
    assert trees[0] != trees[2]
    assert trees[0].unflatten([7]) == ((7, one), {})


def test_a_list_given_twice_is_one_in_the_tree():
    row = [1.0]
    tree = jit(lambda a, b: a[0] + b[0]).trace(row, row).in_tree
    (a, b), _ = tree.unflatten([5.0])
    assert a is b


@shows("jax.stages.Compiled.out_tree", "jax.stages.Lowered.out_tree")
def test_results_that_are_the_callers_own():
    def f(items, d, n):
        items.append(n * 2)
        d["new"] = items
        return d, n

    lowered = jit(f).lower([1.0], {"old": np.ones(2)}, 3)
    assert str(lowered.out_tree) == "({'old': *, 'new': [*, *]}, *)"
    assert str(lowered.compile().out_tree) == str(lowered.out_tree)
    d, n = lowered.out_info
    assert d["old"].shape == (2,)
    assert d["new"][1] == n == ShapeDtypeStruct((), int, weak_type=True)


def test_a_result_of_two_kinds():
    def f(x):
        return x * 2 if x > 0 else None

    info = jit(f).eval_shape(1.0)
    assert info == OneOf((None, ShapeDtypeStruct((), float, weak_type=True)))
    assert jit(f).trace(1.0).out_tree.num_leaves == 1


def test_a_function_that_always_raises():
    def f(x):
        print(x)
        raise ValueError("never")

    assert jit(f).eval_shape(1.0) is typing.NoReturn


def test_text_made_at_run_time_is_a_leaf():
    assert jit(lambda x: (f"x={x}", x)).eval_shape(1.5)[0].dtype == np.dtype(str)


# ---- abstract arguments ----------------------------------------------------------------------------------------------


@shows(
    "jax.ShapeDtypeStruct(shape)", "jax.ShapeDtypeStruct(dtype)", "jax.stages.Wrapped.trace", "jax.stages.Wrapped.lower"
)
def test_abstract_arguments_stand_for_arrays():
    wrapped = jit(scaled, static_argnames=("n", "mode"))
    stand_in = {"w": ShapeDtypeStruct((), float, weak_type=True), "k": ShapeDtypeStruct((2,), int)}
    compiled = wrapped.lower(ShapeDtypeStruct((3,), "f4"), stand_in, n=2).compile()
    got, want = compiled(np.ones(3, np.float32), P), scaled(np.ones(3, np.float32), P, 2)
    np.testing.assert_array_equal(got["x"], want["x"])
    assert got["x"].dtype == want["x"].dtype == np.float32


@shows("jax.stages.Wrapped.eval_shape", "jax.eval_shape(fun)")
def test_eval_shape_computes_nothing():
    huge = ShapeDtypeStruct((1 << 30, 1 << 20), float)
    assert jit(lambda a: (a.T @ a[:, 0], a.shape[0])).eval_shape(huge) == (
        ShapeDtypeStruct((1 << 20,), float),
        ShapeDtypeStruct((), int, weak_type=True),
    )
    assert anabranch.eval_shape(lambda a, *, k: a * k, np.ones(2), k=1j) == ShapeDtypeStruct((2,), complex)


@shows("jax.ShapeDtypeStruct(weak_type)")
def test_weak_structs_are_python_numbers():
    f = jit(lambda x, n: (x + n, n / 2))
    weak = ShapeDtypeStruct((), int, weak_type=True)
    assert f.eval_shape(np.ones(1, np.float32), weak)[0].dtype == np.float32
    assert f.eval_shape(np.ones(1, np.float32), ShapeDtypeStruct((), int))[0].dtype == np.float64
    with pytest.raises(UnsupportedValueError, match="no Python number"):
        ShapeDtypeStruct((2,), int, weak_type=True)
    with pytest.raises(UnsupportedValueError, match="no Python number"):
        ShapeDtypeStruct((), np.float32, weak_type=True)


def test_structs_of_arrays_on_the_device():
    compiled = jit(lambda a: a + 1).lower(ShapeDtypeStruct((2,), float, device="cpu")).compile()
    got = compiled(asarray([1.0, 2.0]))
    assert isinstance(got, anabranch.Array)
    assert got.tolist() == [2.0, 3.0]
    with pytest.raises(UnsupportedValueError, match="compiled for Array"):
        compiled(np.ones(2))
    assert jit(lambda a: a + 1).eval_shape(asarray([1.0])) == ShapeDtypeStruct((1,), float, device="cpu")


def test_a_struct_is_no_value():
    with pytest.raises(UnsupportedValueError, match="a call needs the array itself"):
        jit(lambda x: x + 1)(ShapeDtypeStruct((3,), float))
    with pytest.raises(UnsupportedValueError, match="dtype object"):
        jit(lambda x: x).lower(ShapeDtypeStruct((3,), object))


# ---- text ------------------------------------------------------------------------------------------------------------


@shows("jax.stages.Lowered.as_text(dialect)")
def test_text_in_both_dialects():
    lowered = jit(lambda x: np.sqrt(x) + 1).lower(np.ones(3))
    assert "stablehlo.sqrt" in lowered.as_text()
    assert lowered.as_text("stablehlo") == lowered.as_text()
    assert lowered.as_text("hlo").startswith("HloModule main")
    with pytest.raises(UnsupportedValueError, match="'mhlo'"):
        lowered.as_text("mhlo")


@shows("jax.stages.Lowered.as_text(debug_info)")
def test_debug_info_is_the_users_line():
    def f(table, n):
        for i in range(n):
            if table["a"][i] > 0:
                table["a"][i] = np.sin(table["a"][i])
        return table["a"]

    lowered = jit(f).lower({"a": np.ones(3)}, 2)
    _, start = inspect.getsourcelines(f)
    text, hlo = lowered.as_text(debug_info=True), lowered.as_text("hlo", debug_info=True)
    sine = next(line for line in text.splitlines() if "stablehlo.sine" in line)
    assert f'loc("{__file__}":{start + 3}:' in sine
    assert "loc(\"table['a']\")" in text
    assert f'source_file="{__file__}" source_line={start + 3}' in hlo
    assert "loc(" not in lowered.as_text()
    assert "metadata" not in lowered.as_text("hlo")


@shows("jax.stages.Lowered.compiler_ir(dialect)")
def test_objects_of_the_compilers():
    lowered = jit(lambda x: x + 1).lower(1.0)
    assert "stablehlo.add" in str(lowered.compiler_ir())
    assert "add" in lowered.compiler_ir("hlo").as_hlo_text()
    with pytest.raises(UnsupportedValueError, match="'llvm'"):
        lowered.compiler_ir("llvm")


@shows("jax.stages.Lowered.cost_analysis", "jax.stages.Compiled.cost_analysis")
def test_costs_before_and_after_compilation():
    lowered = jit(lambda a: a @ a).lower(np.ones((8, 8)))
    assert lowered.cost_analysis()["flops"] >= 2 * 8**3 - 8**2
    assert lowered.compile().cost_analysis()["flops"] >= 2 * 8**3 - 8**2


@shows("jax.stages.Compiled.memory_analysis", "jax.stages.Compiled.as_text", "jax.stages.Compiled.runtime_executable")
def test_what_a_compiled_says_of_itself():
    compiled = jit(lambda a: a + 1).lower(np.ones(100)).compile()
    assert compiled.memory_analysis()["argument"] == compiled.memory_analysis()["output"] == 800
    assert compiled.as_text().startswith("HloModule")
    assert compiled.runtime_executable().hlo_modules()


@shows("jax.stages.Wrapped.__call__", "jax.stages.Wrapped.clear_cache", "jax.jit(fun)")
def test_a_wrapped_function():
    wrapped = jit(scaled)
    assert wrapped(np.ones(2), P)["total"] == scaled(np.ones(2), P)["total"]
    assert wrapped.cache_info().currsize == 1
    wrapped.clear_cache()
    assert wrapped.cache_info().currsize == 0


@shows("jax.stages.Traced.__call__", "jax.stages.Traced.out_avals")
def test_a_traced_function_can_be_called():
    traced = jit(scaled, static_argnames=("n", "mode")).trace(np.ones(2), P, 2)
    assert traced(np.ones(2), P)["total"] == 8.0
    assert traced.out_avals == traced.out_info
    with pytest.raises(UnsupportedValueError, match="x: compiled for"):
        traced(np.ones(3), P)


@shows("jax.stages.Traced.fun_name")
def test_names():
    traced = jit(scaled).trace(np.ones(2), P)
    assert [s.fun_name for s in (traced, traced.lower(), traced.lower().compile())] == ["scaled"] * 3


@shows("jax.stages.Traced.jaxpr")
def test_the_program_stands_for_the_jaxpr():
    traced = jit(lambda x: x + 1).trace(1.5)
    assert "add" in str(traced.program)
    assert traced.as_text() == str(traced.program)


@shows("jax.stages.Traced.lower(lowering_platforms)")
def test_there_is_one_platform():
    traced = jit(lambda x: x + 1).trace(1.5)
    assert traced.lower(lowering_platforms=("cpu",)).as_text() == traced.lower().as_text()
    with pytest.raises(UnsupportedValueError, match="tpu"):
        traced.lower(lowering_platforms=("tpu",))


@shows("jax.stages.Lowered.compile(compiler_options)")
def test_options_of_the_compiler_reach_it():
    lowered = jit(lambda a: np.exp(a) * 2 + 1).lower(np.ones(64))
    few = lowered.compile({"xla_backend_optimization_level": 0})
    assert few(np.zeros(64)).tolist() == lowered.compile()(np.zeros(64)).tolist()
    with pytest.raises(UnsupportedValueError, match="No such compile option: 'xla_does_not_exist'"):
        lowered.compile({"xla_does_not_exist": True})
    with pytest.raises(UnsupportedValueError, match="not a valid bool"):
        lowered.compile(compiler_options={"xla_cpu_enable_fast_math": "perhaps"})


# ---- calls of a Compiled ---------------------------------------------------------------------------------------------


@shows("jax.stages.Compiled.__call__", "jax.jit(static_argnums)", "jax.jit(static_argnames)")
def test_static_arguments_are_left_out():
    wrapped = jit(scaled, static_argnums=2, static_argnames="mode")
    compiled = wrapped.lower(np.ones(2), P, 4, mode="down").compile()
    for got in (compiled(np.ones(2), P), compiled(np.ones(2), p=P), compiled(x=np.ones(2), p=P)):
        assert got["n"] == 4
        assert got["x"].tolist() == [16.0, 16.0]
    with pytest.raises(UnsupportedValueError, match="was compiled with mode='down'; leave static arguments out"):
        compiled(np.ones(2), P, mode="down")
    with pytest.raises(UnsupportedValueError, match=r"for 2 positional arguments \(without the static n, mode\)"):
        compiled(np.ones(2), P, 4)


def test_defaults_beside_static_arguments():
    def f(x, n, scale=3.0):
        return x * scale + n

    compiled = jit(f, static_argnames="n").lower(2.0, 1).compile()
    assert str(compiled.in_tree) == "((*,), {})"
    assert compiled(2.0) == 7.0
    assert compiled(5.0) == 16.0
    with pytest.raises(UnsupportedValueError, match="scale: compiled for a call without it"):
        compiled(5.0, scale=1.0)


@pytest.mark.parametrize(
    ("args", "kwargs", "message"),
    [
        ((np.ones(4), P), {}, r"x: compiled for float64\[3\], called with float64\[4\]"),
        ((np.ones(3, "f4"), P), {}, r"x: compiled for float64\[3\], called with float32\[3\]"),
        ((1.0, P), {}, r"x: compiled for float64\[3\], called with Python float"),
        ((np.ones(3), {"w": 1}), {}, r"p\['w'\]: compiled for Python float, called with Python int"),
        ((np.ones(3), {"w": 1.0}), {}, r"p\['k'\]: compiled for int64\[2\], called with nothing"),
        ((np.ones(3), {**P, "z": 1}), {}, r"p\['z'\]: compiled for a call without it, called with Python int"),
        ((np.ones(3),), {}, r"p\['w'\]: compiled for Python float, called with nothing"),
        ((np.ones(3), P), {"n": 2}, r"n: compiled for a call without it, called with Python int"),
        ((np.ones(3)[::-1], P), {}, r"x: compiled for float64\[3\], called with float64\[3\] of strides"),
        ((np.ones(3), P, 2), {}, r"for 2 positional arguments, called with 3"),
        ((np.ones(3), P), {"x": 2}, r"argument 'x' by position and by name"),
    ],
)
@shows("jax.stages.Compiled.__call__")
def test_other_arguments_are_refused_by_name(args, kwargs, message):
    compiled = jit(scaled).lower(np.ones(3), P).compile()
    with pytest.raises(UnsupportedValueError, match=message) as caught:
        compiled(*args, **kwargs)
    assert isinstance(caught.value, TypeError)


def test_arrays_that_are_one_are_another_signature():
    def f(a, b):
        a += 1
        return b.sum()

    a = np.ones(2)
    apart, one = jit(f).lower(np.ones(2), np.ones(2)).compile(), jit(f).lower(a, a).compile()
    assert one(a, a) == 4.0
    with pytest.raises(UnsupportedValueError, match="not compiled for"):
        apart(a, a)
    with pytest.raises(UnsupportedValueError, match="two of the arrays"):
        one(a, a.copy())


def test_varargs_are_named_by_place():
    compiled = jit(lambda *rows: rows[0] + rows[1]).lower(1.0, 2.0).compile()
    assert compiled(3.0, 4.0) == 7.0
    with pytest.raises(UnsupportedValueError, match=r"rows\[1\]: compiled for Python float, called with Python int"):
        compiled(3.0, 4)


def test_a_compiled_does_not_outlive_what_it_read(monkeypatch):
    f = jit(lambda x: x * FACTOR)
    compiled = f.lower(3.0).compile()
    assert compiled(3.0) == 6.0
    monkeypatch.setitem(globals(), "FACTOR", 5.0)
    with pytest.raises(anabranch.StaleExecutableError, match="reads from outside"):
        compiled(3.0)
    assert f(3.0) == 15.0
    monkeypatch.setitem(globals(), "FACTOR", 2.0)


def test_methods_leave_their_instance_out():
    class Scale:
        def __init__(self, k):
            self.k = k

        @jit
        def of(self, x):
            return x * self.k

    compiled = Scale(3.0).of.lower(2.0).compile()
    assert compiled(2.0) == 6.0
    assert str(compiled.in_tree) == "((*,), {})"


def test_mutated_arguments_are_written_back():
    def f(a):
        a[0] = 7.0

    compiled = jit(f).lower(np.ones(2)).compile()
    a = np.zeros(2)
    assert compiled(a) is None
    assert a.tolist() == [7.0, 0.0]
    assert compiled.out_info is None


def test_stages_are_shown_with_their_signature():
    def f(x, n, flag=False):
        return x * n if flag else x

    traced = jit(f, static_argnames="flag").trace(np.ones(3), 2, flag=True)
    shown = "f(x: float64[3], n: Python int, flag: static True)>"
    for stage in (traced, traced.lower(), traced.lower().compile()):
        assert repr(stage) == f"<anabranch.{type(stage).__name__} {f.__qualname__[:-1]}{shown}"


@pytest.mark.parametrize(
    "name", ["inline", "keep_unused", "device", "backend", "in_shardings", "out_shardings", "nope"]
)
def test_arguments_that_jit_does_not_have(name):
    with pytest.raises(TypeError, match=f"jit has no argument '{name}'.*; leave it out"):
        jit(abs, **{name: None})


def test_a_keyword_may_be_called_self():
    def named(**kwargs):
        return kwargs

    f = jit(named)
    assert f(self=1) == f.lower(self=1).compile()(self=1) == {"self": 1}
    assert f.trace(self=1).out_info == f.eval_shape(self=1)
    # Settings that are not the default ones come after the arguments.
    assert f.explain(self=1).signature.startswith("self: Python int")
    assert "named" in f.source(self=1)
    assert deserialize(export(f)(self=1).serialize()).call(self=2) == {"self": 2}


def test_the_repr_of_a_program_that_prints_is_its_text():
    def f(x):
        for value in x:
            if value > 0:
                print("found", value)
        return x

    program = jit(f).trace(np.ones(3)).program
    assert repr(program) == str(program)
    assert "host_callback" in repr(program)
