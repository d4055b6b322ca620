"""Arguments of any kind: the plain function's answer, or an error, and never a dead process."""

from __future__ import annotations

import inspect

import pytest
from hypothesis import given, strategies as st

from property_tests.fuzzing.calls import WAYS
from property_tests.fuzzing.programs import PROGRAMS
from property_tests.fuzzing.values import arrays, atoms, numbers, values
from property_tests.fuzzing.worker import working


@pytest.fixture(scope="module")
def worker():
    with working() as made:
        yield made


usual = st.one_of(numbers, arrays)


@st.composite
def arguments(draw, program, parts):
    """Arguments for a function, now and then too few or too many, by place or by name."""
    parameters = list(inspect.signature(PROGRAMS[program]).parameters.values())
    wanted = [p for p in parameters if p.kind is not p.VAR_KEYWORD]
    args: list[str] = []
    kwargs: dict[str, str] = {}
    for p in wanted:
        if p.default is not p.empty and draw(st.booleans()):
            continue
        if p.kind is p.KEYWORD_ONLY or kwargs or draw(st.integers(0, 9)) == 9:
            kwargs[p.name] = draw(parts)
        else:
            args.append(draw(parts))
    if draw(st.integers(0, 19)) == 19:
        if args and draw(st.booleans()):
            args.pop()
        else:
            args.append(draw(parts))
    if draw(st.integers(0, 19)) == 19:
        kwargs[draw(st.sampled_from(["x", "y", "z", "self", "args", "", "é", "not a name"]))] = draw(parts)
    return args, kwargs


@st.composite
def calls(draw):
    program = draw(st.sampled_from(sorted(PROGRAMS)))
    parts = draw(st.sampled_from([values, values, atoms, usual]))
    each = draw(st.lists(arguments(program, parts | usual), min_size=1, max_size=3))
    names = [n for n, p in inspect.signature(PROGRAMS[program]).parameters.items()]
    options = {}
    for option, most in (("static_argnames", 1), ("donate_argnames", 5)):
        if draw(st.integers(0, 2 + most)) == 2 + most:
            options[option] = repr(draw(st.lists(st.sampled_from(names), max_size=2, unique=True)))
    return {"way": draw(st.sampled_from(WAYS)), "program": program, "options": options, "calls": each}


@given(calls())
def test_any_arguments(worker, case):
    assert worker.ask("calls.call", **case) is None
