"""Compiled and exported functions in other processes: without source and libcst, and refused where they do not fit."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import logging
import os
import pickle
import subprocess
import sys
import textwrap
from typing import NamedTuple

import numpy as np
import pytest

import anabranch
from anabranch import Compiled, SerializationError, asarray, jit
from anabranch.export import Exported, deserialize, export
from anabranch.runtime.call import container_format
from tests.behaviour.docs.parity_page import shows

TABLE = np.arange(4.0)
LOG = logging.getLogger("export")


class Pair(NamedTuple):
    low: object
    high: object


@dataclasses.dataclass
class Model:
    weight: object
    steps: object


class OddError(Exception):
    def __init__(self, where, value):
        super().__init__(f"{value} at {where}")
        self.where, self.value = where, value


def ways(function, *args, **kwargs):
    """The function compiled and saved, and exported, each as loaded from its bytes."""
    wrapped = jit(function)
    compiled = wrapped.lower(*args, **kwargs).compile()
    return [
        Compiled.deserialize(compiled.serialize()),
        deserialize(export(wrapped)(*args, **kwargs).serialize()).call,
    ]


def newton(x, tol):
    y = x
    while abs(y * y - x) > tol:
        y = 0.5 * (y + x / y)
    return y


def in_place(a, items, d):
    for i in range(3):
        a[i] = a[i] * 2 + TABLE[i]
    items.append(a.sum())
    d["n"] = d["n"] + 1
    return items, a[1:], d["n"], "text", None, {"twice": items}


def structures(p, m, n):
    m.weight = m.weight @ m.weight
    if n > 2:
        return Pair(p.high, m), None
    return Pair(p.low, m), [n]


def algebra(a):
    return np.linalg.inv(a), np.linalg.eigvalsh(a), np.sort(a.ravel())


def text(x, n):
    return f"x={x:.2f}, n={n}"


def given():
    return {
        newton: lambda: (2.0, 1e-12),
        in_place: lambda: (np.ones(4), [1.0], {"n": 3}),
        structures: lambda: (Pair(np.ones(2), np.zeros(2)), Model(np.eye(2) * 2, 4), 3),
        algebra: lambda: (np.array([[2.0, 1.0], [1.0, 3.0]]),),
        text: lambda: (1.5, 3),
    }


@pytest.mark.parametrize("function", given())
def test_calls_are_those_of_the_function(function):
    arguments = given()[function]
    for call in ways(function, *arguments()):
        want_args, got_args = arguments(), arguments()
        want, got = function(*want_args), call(*got_args)
        assert repr(got) == repr(want)
        assert repr(got_args) == repr(want_args)


def test_results_keep_their_identities():
    def f(a, items):
        return a, items, a[1:], [items, items]

    for call in ways(f, np.ones(3), [1.0]):
        a, items = np.ones(3), [2.0]
        first, second, view, pair = call(a, items)
        assert first is a
        assert second is pair[0] is pair[1] is items
        assert view.base is a

    def g(x):
        made = [x * 2]
        return made, made, (made, [x])

    for call in ways(g, 1.0):
        one, two, (three, four) = call(3.0)
        assert one is two is three
        assert one == [6.0]
        assert four == [3.0]


def test_arrays_on_the_device():
    for call in ways(lambda a, n: (a * n, n), asarray(np.ones(3)), 2):
        a, n = call(asarray(np.ones(3)), 5)
        assert isinstance(a, anabranch.Array)
        assert a.tolist() == [5.0] * 3
        assert n == 5


def test_donation_goes_along():
    f = jit(lambda a: a + 1, donate_argnums=0)
    a = asarray(np.ones(3))
    for call in (
        Compiled.deserialize(f.lower(a).compile().serialize()),
        deserialize(export(f)(a).serialize()).call,
    ):
        given = asarray(np.ones(3))
        assert call(given).tolist() == [2.0] * 3
        assert given.is_deleted()


def test_arrays_from_outside_are_stored(monkeypatch):
    table = np.arange(3.0)
    loaded = ways(lambda x: x + table, 1.0)
    table[:] = 100.0
    for call in loaded:
        assert call(1.0).tolist() == [1.0, 2.0, 3.0]


@pytest.mark.parametrize("device", [False, True])
def test_a_sort_that_has_run_can_be_saved(device):
    a = np.array([3.0, 1.0, 2.0])
    given = asarray(a) if device else a
    compiled = jit(np.sort).lower(given).compile()
    for _ in range(2):
        assert compiled(given).tolist() == [1.0, 2.0, 3.0]
        assert Compiled.deserialize(compiled.serialize())(given).tolist() == [1.0, 2.0, 3.0]
    loaded = Compiled.deserialize(compiled.serialize())
    assert loaded(given).tolist() == [1.0, 2.0, 3.0]
    assert Compiled.deserialize(loaded.serialize())(given).tolist() == [1.0, 2.0, 3.0]


def test_a_long_sort_is_saved_with_its_host_function():
    a = np.random.default_rng(0).random(3000)
    for call in ways(np.sort, a):
        assert call(a).tolist() == np.sort(a).tolist()
    assert "callback" not in export(np.sort)(a).mlir_module()


def raising(x, items, n):
    if x < 0:
        raise OddError("start", x * 2)
    if n == 7:
        raise ValueError("seven")
    assert n != 8, ("eight", n)
    return items[n] + np.array([1.0, 2.0])[n] + np.int8(1) * n


@pytest.mark.parametrize(
    ("args", "error", "message"),
    [
        ((-1.5, np.ones(9), 1), OddError, "-3.0 at start"),
        ((1.0, np.ones(9), 7), ValueError, "seven"),
        ((1.0, np.ones(9), 8), AssertionError, r"\('eight', 8\)"),
        ((1.0, np.ones(9), -12), IndexError, "index -12 is out of bounds for axis 0 with size 9"),
        ((1.0, np.ones(9), 5), IndexError, "index 5 is out of bounds for axis 0 with size 2"),
    ],
)
def test_exceptions_are_the_users(args, error, message):
    calls = ways(raising, 1.0, np.ones(9), 1)
    for call in calls:
        for _ in range(2):
            with pytest.raises(error, match=message) as caught:
                call(*args)
            if error is OddError:
                assert (caught.value.where, caught.value.value) == ("start", -3.0)
        assert call(1.0, np.ones(9), 1) == raising(1.0, np.ones(9), 1)


@pytest.mark.parametrize(
    "function",
    [
        lambda n: np.zeros(3, np.uint8) + n,
        lambda n: [4, 5].index(n),
        lambda n: (1, 2, 3)[n],
        lambda n: 1 // n,
        lambda n: {1: 2.0}[n],
        lambda n: np.take(np.ones(3), n),
        lambda n: list(range(10, 0, -1))[n],
    ],
)
@pytest.mark.parametrize("n", [0, 300, -9])
def test_failures_of_library_code(function, n):
    try:
        want = repr(function(n))
    except Exception as error:
        want = repr(error)
    for call in ways(function, 1):
        try:
            got = repr(call(n))
        except Exception as error:
            got = repr(error)
        assert got == want


def test_other_arguments_are_refused_by_name():
    compiled = Compiled.deserialize(jit(newton).lower(2.0, 1e-9).compile().serialize())
    with pytest.raises(anabranch.UnsupportedValueError, match="tol: compiled for Python float, called with Python int"):
        compiled(2.0, 1)
    exported = export(newton)(2.0, 1e-9)
    with pytest.raises(anabranch.UnsupportedValueError, match="tol: compiled for Python float, called with nothing"):
        exported.call(2.0)


def test_static_arguments_stay_out():
    def f(x, how, n):
        return getattr(np, how)(x) * n

    wrapped = jit(f, static_argnames=("how", "n"))
    compiled = Compiled.deserialize(wrapped.lower(np.zeros(2), "cos", n=3).compile().serialize())
    assert compiled(np.zeros(2)).tolist() == [3.0, 3.0]
    with pytest.raises(anabranch.UnsupportedValueError, match="was compiled with n=3; leave static"):
        compiled(np.zeros(2), n=3)
    assert str(compiled.in_tree) == "((*,), {})"
    # By itself static, and so an argument of each call.
    call = deserialize(export(f)(np.zeros(2), "cos", 3).serialize()).call
    assert call(np.zeros(2), "cos", 4).tolist() == [4.0, 4.0]
    with pytest.raises(anabranch.UnsupportedValueError, match="how: compiled for static 'cos'"):
        call(np.zeros(2), "sin", 4)


@shows("jax.export.Exported.in_tree", "jax.export.Exported.out_tree", "jax.export.Exported.fun_name")
@shows("jax.export.Exported.in_avals", "jax.export.Exported.out_avals", "jax.export.Exported.platforms")
@shows("jax.export.Exported.nr_devices", "jax.export.Exported.mlir_module(serialized)")
@shows("jax.export.Exported.mlir_module_serialized")
def test_what_an_exported_says_of_itself():
    exported = deserialize(export(in_place)(np.ones(4), [1.0], {"n": 3}).serialize())
    assert isinstance(exported, Exported)
    assert exported.fun_name == "in_place"
    assert exported.platforms == ("cpu",)
    assert str(exported.in_tree) == "((*, [*], {'n': *}), {})"
    assert exported.out_tree == jit(in_place).trace(np.ones(4), [1.0], {"n": 3}).out_tree
    assert "stablehlo" in exported.mlir_module()
    assert exported.mlir_module(serialized=True) == exported.mlir_module_serialized
    assert exported.nr_devices == 1
    assert exported.in_avals[0][0] == anabranch.ShapeDtypeStruct((4,), float)
    assert exported.out_avals == exported.out_info
    assert exported.compile() is exported.compile()


@shows("jax.export.export(fun_jit)", "jax.export.export(platforms)")
def test_export_takes_abstract_arguments_and_one_platform():
    exported = export(jit(newton), platforms=["cpu"])(anabranch.ShapeDtypeStruct((), float, weak_type=True), tol=1e-9)
    assert exported.call(9.0, tol=1e-9) == newton(9.0, 1e-9)
    with pytest.raises(SerializationError, match="exported for cpu, not for tpu"):
        export(newton, platforms=("tpu",))
    with pytest.raises(anabranch.UnsupportedOperationError, match="exported newton is called in a compiled function"):
        jit(lambda x: exported.call(x, 1e-9))(2.0)


# ---- refusals --------------------------------------------------------------------------------------------------------

COUNT = 0


def counts(x):
    global COUNT
    COUNT = COUNT + x
    return x


def prints_in_a_loop(n):
    for i in range(n):
        print(i)
    return n


def prints(x):
    print(x)
    return x


def writes_outside(x):
    TABLE[0] = x
    return x


def changes_a_list(x, kept=[]):  # noqa: B006
    kept.append(1)
    return x


def local_error(x):
    class Local(Exception):
        pass

    if x > 0:
        raise Local(x)
    return x


@pytest.mark.parametrize(
    ("function", "argument", "message"),
    [
        (counts, 1.0, "counts changes the global COUNT"),
        (prints_in_a_loop, 3, "host callbacks|prints, logs or warns"),
        (prints, 1.0, "prints calls print, which its own process does"),
        (writes_outside, 1.0, "writes into an array from outside"),
        (local_error, 1.0, r"an exception that it raises \(.*test_export.py:\d+\) cannot be pickled"),
        (lambda f: f(1.0), lambda x: x, "cannot be saved"),
        (lambda x: (x, pytest), 1.0, "cannot be saved: its result cannot be pickled"),
    ],
)
def test_what_cannot_leave_its_process(function, argument, message):
    compiled = jit(function).lower(argument).compile()
    with pytest.raises(SerializationError, match=message) as caught:
        compiled.serialize()
    assert isinstance(caught.value, anabranch.AnabranchError)
    with pytest.raises(SerializationError, match=message):
        export(function)(argument).serialize()


@pytest.fixture(scope="module")
def blobs():
    wrapped = jit(newton)
    return {
        Compiled.deserialize: wrapped.lower(2.0, 1e-9).compile().serialize(),
        deserialize: export(wrapped)(2.0, 1e-9).serialize(),
    }


@pytest.mark.parametrize("load", [Compiled.deserialize, deserialize])
def test_damaged_bytes(load, blobs):
    data = blobs[load]
    for place in (0, 3, 20, 60, len(data) // 2, len(data) - 1):
        damaged = bytearray(data)
        damaged[place] ^= 4
        with pytest.raises(SerializationError, match="damaged"):
            load(bytes(damaged))
    for wrong in (b"", b"anabranch", data[:-1], data[: len(data) // 2], data + b"x", b"\0" * 400):
        with pytest.raises(SerializationError, match="damaged"):
            load(wrong)


def test_one_kind_for_another(blobs):
    with pytest.raises(SerializationError, match="this is an exported function, not a compiled"):
        Compiled.deserialize(blobs[deserialize])
    with pytest.raises(SerializationError, match="this is a compiled function, not an exported"):
        deserialize(blobs[Compiled.deserialize])


@pytest.mark.parametrize("need", ["anabranch", "Python", "XLA", "platform", "processor"])
def test_other_versions_and_machines(need, blobs, monkeypatch):
    here = container_format.made_here()
    monkeypatch.setattr("anabranch.runtime.api.stages.compiled.made_here", lambda: {**here, need: "another"})
    with pytest.raises(SerializationError, match=f"was made for {need} .*, and here is another"):
        Compiled.deserialize(blobs[Compiled.deserialize])


def test_another_platform(blobs, monkeypatch):
    monkeypatch.setattr("anabranch.runtime.api.export.platform", lambda: "tpu")
    with pytest.raises(SerializationError, match="newton was exported for cpu, and this is tpu"):
        deserialize(blobs[deserialize])


def test_another_form(blobs, monkeypatch):
    monkeypatch.setattr("anabranch.runtime.api.export.FORM", "0")
    with pytest.raises(SerializationError, match=f"made for form {container_format.FORM}, and here is 0"):
        deserialize(blobs[deserialize])


# ---- other processes -------------------------------------------------------------------------------------------------

PROGRAM = """
def smooth(x, n, p):
    for _ in range(n):
        if x.sum() > p["limit"]:
            x = (x + np.roll(x, 1)) / 2
    if n < 0:
        raise ValueError(f"n is {n}")
    return {"x": x, "mean": np.linalg.norm(x), "p": p}
"""

LOADING = """
import sys, json
import numpy as np
from anabranch import Compiled
from anabranch.export import deserialize
folder = sys.argv[1]
calls = [Compiled.load(folder + "/compiled"), deserialize(open(folder + "/exported", "rb").read()).call]
rows = []
for call in calls:
    got = call(np.arange(4.0), 3, {"limit": 1.0})
    try:
        call(np.arange(4.0), -1, {"limit": 1.0})
        said = ""
    except ValueError as error:
        said = str(error)
    rows.append([got["x"].tolist(), float(got["mean"]), got["p"], said])
loaded = [name for name in ("libcst", "jax", "theirs", "numba") if name in sys.modules]
print(json.dumps([rows, loaded]))
"""


@pytest.fixture
def other_process(tmp_path):
    def run(program, *args, **env):
        path = tmp_path / "program.py"
        path.write_text(textwrap.dedent(program))
        known = {**os.environ, "ANABRANCH_CACHE": "0", **env}
        done = subprocess.run(
            [sys.executable, str(path), *args], env=known, capture_output=True, text=True, check=False, cwd=tmp_path
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@shows("jax.export.Exported.serialize(vjp_order)", "jax.export.deserialize(blob)", "jax.export.Exported.call")
def test_another_process_needs_neither_source_nor_libcst(other_process, tmp_path):
    (tmp_path / "theirs.py").write_text("import numpy as np\n" + PROGRAM)
    saving_program = """
    import sys, numpy as np, theirs
    from anabranch import jit
    from anabranch.export import export
    f = jit(theirs.smooth)
    args = (np.arange(4.0), 3, {"limit": 1.0})
    f.lower(*args).compile().save("compiled")
    open("exported", "wb").write(export(f)(*args).serialize())
    got = f(*args)
    print(got["x"].tolist(), float(got["mean"]))
    """
    x, mean = other_process(saving_program).strip().rsplit(" ", 1)
    (tmp_path / "theirs.py").unlink()
    rows, loaded = json.loads(other_process(LOADING, str(tmp_path)))
    assert loaded == []
    for row in rows:
        assert str(row[0]) == x
        assert row[1] == float(mean)
        assert row[2:] == [{"limit": 1.0}, "n is -1"]


def test_a_class_that_is_not_there(other_process, tmp_path):
    (tmp_path / "theirs.py").write_text(
        "import dataclasses\n@dataclasses.dataclass\nclass Point:\n    x: object\n"
        "def moved(p):\n    return Point(p.x + 1)\n"
    )
    other_process("""
    import theirs
    from anabranch import jit
    from anabranch.export import export
    f = jit(theirs.moved)
    f.lower(theirs.Point(1.0)).compile().save("compiled")
    open("exported", "wb").write(export(f)(theirs.Point(1.0)).serialize())
    """)
    program = """
    from anabranch import Compiled, SerializationError
    from anabranch.export import deserialize
    for load in (lambda: Compiled.load("compiled"), lambda: deserialize(open("exported", "rb").read())):
        try:
            print(load())
        except SerializationError as error:
            print(error)
    """
    there = """
    import theirs
    from anabranch import Compiled
    print(Compiled.load("compiled")(theirs.Point(2.0)))
    """
    assert other_process(there).strip() == "Point(x=3.0)"
    (tmp_path / "theirs.py").unlink()
    assert other_process(program).count("needs something that is not here: ModuleNotFoundError") == 2


def test_files_are_written_as_a_whole(tmp_path, monkeypatch):
    compiled = jit(newton).lower(2.0, 1e-9).compile()
    path = tmp_path / "newton"
    compiled.save(path)
    assert Compiled.load(str(path))(2.0, 1e-9) == newton(2.0, 1e-9)
    before = path.read_bytes()

    def full(*_):
        raise OSError("no space left on device")

    monkeypatch.setattr("os.replace", full)
    with pytest.raises(OSError, match="no space left"):
        compiled.save(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(FileNotFoundError):
        Compiled.load(tmp_path / "nothing")


# ---- bytes that have a right checksum, and are wrong -----------------------------------------------------------------


def resealed(data, kind, change, **needs):
    here = {"form": container_format.FORM} if kind == "exported function" else container_format.made_here()
    parts = container_format.unpack(data, kind, here, 3)
    change(parts)
    return container_format.pack(kind, {**here, **needs}, parts)


@pytest.mark.parametrize("part", [1, 2])
@pytest.mark.parametrize("content", [b"", b"no pickle", pickle.dumps(None), pickle.dumps((1, 2, 3))])
def test_parts_that_are_something_else(blobs, part, content):
    compiled, exported = blobs.values()
    for load, data, kind in (
        (Compiled.deserialize, compiled, "compiled function"),
        (deserialize, exported, "exported function"),
    ):
        with pytest.raises(SerializationError, match="what was saved"):
            load(resealed(data, kind, lambda parts: parts.__setitem__(part, content)))


def test_the_program_of_another_function():
    blobs = [jit(lambda x: x * 2).lower(x).compile().serialize() for x in (1.0, np.ones(3))]
    other = container_format.unpack(blobs[1], "compiled function", container_format.made_here(), 3)
    with pytest.raises(SerializationError, match="the program of one function and the arguments of another"):
        Compiled.deserialize(resealed(blobs[0], "compiled function", lambda parts: parts.__setitem__(0, other[0])))
    blobs = [export(lambda x: x * 2)(x).serialize() for x in (1.0, np.ones(3))]
    other = container_format.unpack(blobs[1], "exported function", {"form": container_format.FORM}, 3)
    mixed = deserialize(resealed(blobs[0], "exported function", lambda parts: parts.__setitem__(0, other[0])))
    with pytest.raises(SerializationError, match="the program of one function and the arguments of another"):
        mixed.call(1.0)


@pytest.mark.parametrize(
    ("count", "needs"), [(2, {}), (4, {}), (3, {"more": "of it"}), (3, {"Python": None}), (3, {"processor": 7})]
)
def test_headers_that_are_wrong(blobs, count, needs):
    parts = container_format.unpack(blobs[Compiled.deserialize], "compiled function", container_format.made_here(), 3)
    data = container_format.pack("compiled function", {**container_format.made_here(), **needs}, [*parts, b""][:count])
    with pytest.raises(SerializationError):
        Compiled.deserialize(data)


@pytest.mark.parametrize("header", [b"", b"[]", b"{}", b'{"kind": 1, "needs": {}, "sizes": []}', b"\xff", b"null"])
def test_headers_that_are_none(header):
    body = header + b"\n"
    data = b"anabranch saved\n" + hashlib.sha256(body).digest() + body
    for load in (Compiled.deserialize, deserialize):
        with pytest.raises(SerializationError, match=r"no .* function of anabranch's, or they are damaged"):
            load(data)


def test_a_module_of_a_newer_stablehlo(blobs):
    """Its reader may end the process at what it does not know, so it is not asked."""

    def newer(parts):
        parts[0] = parts[0].replace(b"StableHLO_v1.", b"StableHLO_v9.")

    exported = deserialize(resealed(blobs[deserialize], "exported function", newer))
    with pytest.raises(SerializationError, match=r"is for StableHLO 9\.\d+\.\d+, and here is 1\."):
        exported.call(2.0, 1e-9)


@pytest.mark.parametrize("data", [10**12, "text", None, [1, 2]])
def test_what_is_no_bytes(data):
    for load in (Compiled.deserialize, deserialize):
        with pytest.raises(TypeError, match="bytes-like"):
            load(data)
