"""The report of a generated program that shows a fault."""

from __future__ import annotations

import textwrap

from property_tests.families import FAULTS, GENERAL, Family
from property_tests.generation.programs import GeneratedProgram
from property_tests.oracles import Judgement


def failure(program: GeneratedProgram, judgement: Judgement) -> str:
    """The program, both results, its rewriting, and the file that keeps it in tests/behaviour/found."""
    calls = "".join(f"    {argset},\n" for argset in program.argsets)
    found = f'"""What went wrong."""\n\n{program.text}\n\nARGSETS = (\n{calls})\n'
    kept = "As a file of tests/behaviour/found:\n\n" + textwrap.indent(found, "    ")
    return "\n\n".join([str(program), str(judgement), kept])


def failure_of(seed: int, family: Family = GENERAL, shrink: bool = True) -> str:
    """Return the same of the program of a seed, made as small as it goes."""
    program = family.program_of(seed)
    verdict = family.judged(program, seed).verdict
    if shrink and verdict in FAULTS:
        program = family.smallest(seed, lambda smaller: family.judged(smaller, seed).verdict is verdict)
    return failure(program, family.judged(program, seed))
