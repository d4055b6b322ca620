"""Bytes that are no longer what was written: refused or made anew, and never run."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from property_tests.fuzzing.damage import FUNCTIONS, THROUGH
from property_tests.fuzzing.worker import working


@pytest.fixture(scope="module")
def worker():
    with working() as made:
        yield made


name = st.sampled_from(FUNCTIONS)
kind = st.sampled_from(["compiled", "exported"])
# Shares of the whole, and places near the ends, where formats, checksums, headers and lengths are.
place = st.one_of(st.integers(0, 400), st.floats(0, 1, exclude_max=True), st.integers(-64, -1))
more = st.binary(max_size=40).map(bytes.hex)
damage = st.one_of(
    st.tuples(st.just("flip"), place, st.integers(0, 7)),
    st.tuples(st.sampled_from(["cut", "behead", "zeros", "another's"]), place),
    st.tuples(st.sampled_from(["insert", "overwrite"]), place, more),
    st.tuples(st.just("only"), st.just(0), more | st.binary(max_size=400).map(bytes.hex)),
)
damages = st.lists(damage, min_size=1, max_size=3)
versions = st.dictionaries(
    st.sampled_from(["anabranch", "Python", "XLA", "platform", "processor", "form", "more"]),
    st.text(max_size=5) | st.none() | st.integers(),
    max_size=2,
)


@given(kind, name, name, damages, st.sampled_from(THROUGH))
def test_saved_functions(worker, kind, name, other, damages, through):
    case = {"kind": kind, "name": name, "other": other, "damages": damages, "through": through}
    assert worker.ask("damage.saved", **case) is None


@given(kind, name, name, st.integers(0, 2), st.lists(damage, max_size=2), versions)
def test_saved_functions_with_a_right_checksum(worker, kind, name, other, part, damages, header):
    case = {"kind": kind, "name": name, "other": other, "part": part, "damages": damages, "header": header}
    assert worker.ask("damage.sealed", **case) is None


@given(name, name, damages)
def test_executables(worker, name, other, damages):
    assert worker.ask("damage.executable", name=name, other=other, damages=damages) is None


@given(name, damages)
def test_texts_of_modules(worker, name, damages):
    assert worker.ask("damage.text", name=name, damages=damages) is None


@given(st.lists(name, min_size=1, max_size=2, unique=True), st.integers(0, 9), st.integers(0, 9), damages)
def test_entries_on_disk(worker, names, entry, other, damages):
    assert worker.ask("damage.cached", names=names, entry=entry, other=other, damages=damages) is None
