"""Random programs of shared arrays, judged like all others: what each name, item and attribute holds in the end."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import pytest
from hypothesis import event, given, strategies as st

from anabranch import jit
from property_tests.alias_programs import alias_program
from property_tests.compiling import quick_options
from property_tests.failures import FAULTS, failure
from property_tests.generation.programs import GeneratedProgram
from property_tests.oracles import Judgement, judge


def judged(program: GeneratedProgram) -> Judgement:
    """What the oracles say where no int becomes known for the sake of a loop or a size."""
    return judge(program, jit(program.function, auto_static=False, compiler_options=quick_options()))


@given(seed=st.integers(0, 2**32))
def test_programs_of_shared_arrays(seed: int) -> None:
    program = alias_program(seed)
    judgement = judged(program)
    event(str(judgement.verdict))
    if judgement.verdict in FAULTS:
        found = smallest(program)
        pytest.fail(f"seed {seed}\n{failure(found, judged(found))}")


def smallest(program: GeneratedProgram) -> GeneratedProgram:
    """The program without the lines and blocks that the fault does not need."""
    for text in _smaller(program.text):
        fewer = dataclasses.replace(program, text=text)
        try:
            faulty = judged(fewer).verdict in FAULTS
        except Exception:  # no Python any more
            continue
        if faulty:
            return smallest(fewer)
    return program


def _smaller(text: str) -> Iterator[str]:
    """The text without one statement of the function, or with what is in a block in place of it."""
    lines = text.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("def f("))
    for i in range(start + 1, len(lines) - 1):
        depth = _depth(lines[i])
        end = next((j for j in range(i + 1, len(lines)) if lines[j] and _depth(lines[j]) <= depth), len(lines))
        if lines[i]:
            yield "\n".join([*lines[:i], *lines[end:]])
            yield "\n".join([*lines[:i], *[line[4:] for line in lines[i + 1 : end]], *lines[end:]])


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())
