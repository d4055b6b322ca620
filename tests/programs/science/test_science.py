"""Each program, plainly and compiled; those in `refused.txt` are refused, and leave it when they begin to run.

Those in `slow.txt` are left out: their first calls take longer than the tests have room for.
"""

from __future__ import annotations

import pytest

from anabranch import AnabranchError
from tests.programs.science.catalogue import PROGRAMS
from tests.programs.science.comparison import REFUSED, SLOW, compare, read_names
from tests.programs.science.table import ScienceProgram

REFUSALS, TOO_SLOW = read_names(REFUSED), read_names(SLOW)


def _parameters():
    for program in PROGRAMS:
        marks = [pytest.mark.skip(reason=TOO_SLOW[program.name])] if program.name in TOO_SLOW else []
        if program.name in REFUSALS:
            reason = REFUSALS[program.name]
            marks.append(pytest.mark.xfail(strict=True, raises=AnabranchError, reason=reason))
        if program.wrong:
            marks.append(pytest.mark.xfail(strict=True, raises=AssertionError, reason=program.wrong))
        yield pytest.param(program, id=program.name, marks=marks)


@pytest.mark.parametrize("program", list(_parameters()))
def test_program(program: ScienceProgram) -> None:
    compare(program)


def test_each_name_is_one_program() -> None:
    names = [program.name for program in PROGRAMS]
    assert len(names) == len(set(names)) >= 200


def test_the_lists_name_programs() -> None:
    assert set(REFUSALS) | set(TOO_SLOW) <= {program.name for program in PROGRAMS}
