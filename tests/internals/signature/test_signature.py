"""Which calls share an executable, and that each signature is compiled once."""

from __future__ import annotations

import collections
import dataclasses
import threading

import numpy as np
import pytest

import anabranch
from anabranch import AliasError, IntegerRangeError, ShapeDtypeStruct, UnsupportedValueError, jit
from anabranch.runtime.api.jitted import Wrapped
from anabranch.runtime.signature.flatten_to_key import Leaves

Point = collections.namedtuple("Point", "x y")
Pair = collections.namedtuple("Pair", "x y")


@dataclasses.dataclass
class Box:
    x: object
    y: object


def key(*values):
    leaves = Leaves()
    return (*(leaves.key(v, f"a{i}") for i, v in enumerate(values)), leaves.aliases())


def readonly(a):
    a.flags.writeable = False
    return a


A = np.zeros((3, 4))
DIFFERENT = {
    "float against float64": (1.0, np.float64(1.0)),
    "float against 0-d": (1.0, np.array(1.0)),
    "float64 against 0-d": (np.float64(1.0), np.array(1.0)),
    "bool against int": (True, 1),
    "bool against bool_": (True, np.True_),
    "int against float": (1, 1.0),
    "int against int64": (1, np.int64(1)),
    "float against complex": (1.0, 1j),
    "dtype": (np.zeros(3), np.zeros(3, np.float32)),
    "signedness": (np.zeros(3, np.int64), np.zeros(3, np.uint64)),
    "byte order": (np.zeros(3), np.zeros(3, ">f8")),
    "scalar dtype": (np.float64(1), np.float32(1)),
    "shape": (np.zeros(3), np.zeros(4)),
    "dimensions": (np.zeros(3), np.zeros((3, 1))),
    "writeable": (np.zeros(3), readonly(np.zeros(3))),
    "order": (A, np.asfortranarray(A)),
    "strides": (np.zeros(6)[::2], np.zeros(9)[::3]),
    "list against tuple": ([1.0], (1.0,)),
    "lengths": ((1.0,), (1.0, 2.0)),
    "nesting": (((1.0,), 2.0), (1.0, (2.0,))),
    "dict keys": ({"a": 1.0}, {"b": 1.0}),
    "order of a dict": ({"a": 1.0, "b": 1}, {"b": 1, "a": 1.0}),
    "tuple against namedtuple": ((1.0, 2.0), Point(1.0, 2.0)),
    "classes of namedtuples": (Point(1.0, 2.0), Pair(1.0, 2.0)),
    "dataclass against namedtuple": (Point(1.0, 2.0), Box(1.0, 2.0)),
    "strings": ("a", "b"),
    "None against float": (None, 1.0),
}
ALIKE = {
    "floats": (1.0, -0.0),
    "bools": (True, False),
    "arrays": (np.zeros(3), np.ones(3)),
    "contiguous rows": (np.zeros((6, 2))[:3], np.zeros((3, 2))),
    "lists": ([1.0, np.zeros(2)], [2.0, np.ones(2)]),
    "dicts": ({"a": 1.0}, {"a": 2.0}),
    "dataclasses": (Box(1.0, 2), Box(3.0, 4)),
    "scalars": (np.float32(1), np.float32(2)),
    "abstract": (np.zeros((3, 4)), ShapeDtypeStruct((3, 4), np.float64)),
}


@pytest.mark.parametrize("name", sorted(DIFFERENT))
def test_different_signatures(name):
    a, b = DIFFERENT[name]
    assert key(a) != key(b)


@pytest.mark.parametrize("name", sorted(ALIKE))
def test_alike_signatures(name):
    a, b = ALIKE[name]
    assert key(a) == key(b)
    assert hash(key(a)) == hash(key(b))


def test_the_same_array_twice_is_another_signature():
    a, b = np.zeros(3), np.zeros(3)
    assert key(a, a) != key(a, b)
    assert key(a, b, a) != key(a, b, b)


@pytest.mark.parametrize("value", [object(), np.array([None]), np.array(["a"], ">U1")])
def test_unsupported_arguments(value):
    with pytest.raises(UnsupportedValueError, match="argument 'a0'"):
        key(value)


@pytest.fixture
def compiles(monkeypatch):
    """The functions that were traced, one entry for each time."""
    seen = []
    plain = Wrapped._trace

    def count(self, *args):
        seen.append(self.__anabranch_function__.__name__)
        return plain(self, *args)

    monkeypatch.setattr(Wrapped, "_trace", count)
    return seen


def test_one_compilation_for_each_signature(compiles):
    def twice(x):
        return x + x

    compiled = jit(twice)
    for _ in range(2):
        for x in (1, 2, 1.0, 2.0, True, np.float32(1), np.ones(3), np.zeros(3), np.ones(4)):
            got, want = compiled(x), twice(x)
            assert type(got) is type(want)
            np.testing.assert_array_equal(got, want)
    assert len(compiles) == 6


def test_one_compilation_under_sixteen_threads(compiles):
    def work(a, n):
        t = 0.0
        for i in range(n):
            t += a[i % 3] * i
        return t

    compiled = jit(work)
    barrier, answers, errors = threading.Barrier(16), [], []

    def call(k):
        try:
            barrier.wait()
            for n in range(20):
                answers.append((k, n, compiled(np.full(3, float(k)), n)))
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=call, args=(k,)) for k in range(16)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not errors
    assert len(answers) == 320
    assert all(value == k * n * (n - 1) / 2 for k, n, value in answers)
    assert compiles == ["work"]


def test_static_arguments(compiles):
    def repeat(x, n):
        return [x] * n

    compiled = jit(repeat, static_argnames="n")
    for n in (2, 3, 2, 3, 2):
        assert compiled(1.5, n) == [1.5] * n
        assert compiled(1.5, n=n) == [1.5] * n
    assert compiles == ["repeat"] * 2


@pytest.mark.parametrize(("a", "b"), [(1, 1.0), (1, True), (0.0, -0.0), ((1,), (1.0,)), ("1", 1), (None, 0)])
def test_static_arguments_are_told_apart_by_type(a, b):
    def describe(x, s):
        return repr(s), x

    compiled = jit(describe, static_argnums=1)
    assert compiled(1, a) == (repr(a), 1)
    assert compiled(1, b) == (repr(b), 1)
    assert compiled(1, a) == (repr(a), 1)


def test_overlapping_arguments_that_are_written_are_refused():
    def write(a, b):
        a[0] = 1.0
        return b.sum()

    def read(a, b):
        return a.sum() + b.sum()

    base = np.arange(6.0)
    with pytest.raises(AliasError):
        jit(write)(base[:4], base[2:])
    assert jit(read)(base[:4], base[2:]) == read(base[:4], base[2:])
    assert jit(write)(base[:3], base[3:]) == 12.0
    assert base[0] == 1.0


STRINGS = np.array(["a", "b"], np.dtypes.StringDType())


@pytest.mark.parametrize("array", [STRINGS, np.array(["a"], ">U1")])
def test_arrays_that_no_program_holds(array):
    """As arguments, on the device, and as constants beside what is traced."""
    for call in (jit(lambda x: x), anabranch.asarray):
        with pytest.raises(UnsupportedValueError, match="cannot be"):
            call(array)
    with pytest.raises(UnsupportedValueError, match="cannot be compiled"):
        jit(lambda y: array + y)(1)


@pytest.mark.parametrize("array", [np.zeros(2, "M8[s]"), np.zeros(2, "i4,f8")])
def test_arrays_that_no_device_holds(array):
    with pytest.raises(UnsupportedValueError, match="cannot be put on the device"):
        anabranch.asarray(array)


def test_an_int_beyond_64_bits():
    f = jit(lambda a, n: (a, n))
    for n in (2**64, -(2**63) - 1, 10**5000):
        with pytest.raises(IntegerRangeError, match=r"argument 'n\[1\]' is an int of \d+ bits"):
            f(1.0, [1, n])
    for _ in range(3):
        assert f(1.0, 2) == (1.0, 2)
    with pytest.raises(IntegerRangeError, match="argument 'n' is an int of 65 bits"):
        f(1.0, 2**64)
    assert f(1.0, 3) == (1.0, 3)
    assert jit(lambda n: n)(-(2**63)) == -(2**63)


class Unspeakable:
    """Says that it is a list, and cannot be shown."""

    __slots__ = ()
    __class__ = property(lambda _: list)  # type: ignore[assignment]

    def __repr__(self):
        raise RuntimeError("no words")


def test_an_argument_that_lies_about_its_class_is_refused():
    with pytest.raises(
        UnsupportedValueError, match=r"argument 'x' is an Unspeakable .* not an array, scalar or pytree"
    ):
        jit(lambda x: x)(Unspeakable())
