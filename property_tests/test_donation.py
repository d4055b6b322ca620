"""Donation changes no result: random functions of random states, with random arguments donated, now and again."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, strategies as st

from anabranch import Array, DeletedArrayError, DonationError, asarray, jit

SHAPES = [(), (3,), (2, 3), (0,)]
DTYPES = [np.float64, np.int32, np.float32]

leaf = st.tuples(st.sampled_from(SHAPES), st.sampled_from(DTYPES), st.booleans())
argument = st.one_of(
    leaf,
    st.lists(leaf, min_size=1, max_size=3),
    st.dictionaries(st.sampled_from("abc"), leaf, min_size=1, max_size=3),
    st.tuples(leaf, st.lists(leaf, min_size=1, max_size=2)),
)
step = st.tuples(st.sampled_from(["same", "twice", "sum", "cast", "whole", "in place", "drop"]), st.integers(0, 5))


def made(form, number):
    """A value of a form; Arrays of a computation, which own their memory, and ndarrays."""
    if isinstance(form, list):
        return [made(f, number + i) for i, f in enumerate(form)]
    if isinstance(form, dict):
        return {k: made(f, number + i) for i, (k, f) in enumerate(form.items())}
    if isinstance(form[0], tuple) and len(form) == 3 and isinstance(form[2], bool):
        shape, dtype, device = form
        values = (np.arange(np.prod(shape, dtype=int)).reshape(shape) + number).astype(dtype)
        return asarray(values) + dtype(0) if device else values
    return tuple(made(f, number + i) for i, f in enumerate(form))


def leaves(value):
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [x for part in value for x in leaves(part)]
    return [value]


def applied(args, steps):
    results = []
    for what, place in steps:
        value = args[place % len(args)]
        parts = leaves(value)
        if what == "same":
            results.append(parts[0])
        elif what == "twice":
            results.append([p * 2 for p in parts])
        elif what == "sum":
            results.append(sum(p.sum() for p in parts))
        elif what == "cast":
            results.append(parts[-1].astype(np.float64))
        elif what == "whole":
            results.append(value)
        elif what == "in place" and isinstance(value, (dict, list)):
            key = next(iter(value)) if isinstance(value, dict) else 0
            value[key] = value[key] + 1
    return results


def told(value):
    """Return the contents of a value, and the classes of its leaves."""
    if isinstance(value, dict):
        return {k: told(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [told(v) for v in value]
    return isinstance(value, Array), np.asarray(value).dtype.name, np.asarray(value).tolist()


@given(
    st.lists(argument, min_size=1, max_size=3),
    st.lists(step, min_size=1, max_size=5),
    st.sets(st.integers(0, 2)),
)
def test_donation_changes_no_result(forms, steps, donated):
    donated = [d for d in donated if d < len(forms)]

    def f(*args):
        return applied(args, steps)

    def arguments():
        return [made(form, 10 * i) for i, form in enumerate(forms)]

    plain, with_donation = jit(f), jit(f, donate_argnums=donated)
    given_args = arguments()
    want = told(plain(*given_args))
    want_args = told(given_args)
    for _ in range(2):
        args = arguments()
        before = [leaves(a) for a in args]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            got = with_donation(*args)
        assert told(got) == want
        for i, parts in enumerate(before):
            for part in parts:
                if isinstance(part, Array) and part.is_deleted():
                    assert i in donated
        for i, arg in enumerate(args):
            if i not in donated:
                assert told(arg) == want_args[i]


@given(leaf, st.booleans())
def test_an_array_is_given_once(form, both):
    value = made((form[0], form[1], True), 1)
    f = jit(lambda a, b: (a + b, a - b), donate_argnums=(0, 1) if both else 0)
    try:
        f(value, value)
    except DonationError:
        assert not value.is_deleted()
    want = told(jit(lambda a, b: (a + b, a - b))(value, value))
    assert told(f(value, value.copy())) == want
    assert value.is_deleted()
    with pytest.raises(DeletedArrayError, match="donated"):
        value.tolist()
