"""Each program of the catalogue, eagerly and compiled: values, dtypes, changed arguments, exceptions, printed text."""

from __future__ import annotations

import inspect

import pytest

from tests.behaviour.programs.catalogue import CASES, concrete
from tests.equivalence import ULPS
from tests.program_table import Program


def _parameters():
    for group, name, function, argsets in CASES:
        names = list(inspect.signature(function).parameters)
        static = tuple(names[i] for i, spec in enumerate(argsets[0]) if spec[0] == "s")
        values = tuple(tuple(concrete(spec) for spec in specs) for specs in argsets)
        marks = [pytest.mark.slow] if name == "recursion_traced" else []
        yield pytest.param(Program(function, values, static, ULPS, False), id=f"{group}-{name}", marks=marks)


@pytest.mark.parametrize("program", list(_parameters()))
def test_program(program: Program) -> None:
    program.check()


def test_there_are_126() -> None:
    assert len(CASES) == 126
