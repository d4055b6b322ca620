"""What is told of a generated program that shows a fault."""

from __future__ import annotations

import textwrap

from anabranch import jit
from property_tests.compiling import options_of
from property_tests.generation.programs import GeneratedProgram, program_of
from property_tests.generation.shrinking import smallest
from property_tests.oracles import Judgement, Verdict, judge

FAULTS = (Verdict.DIFFERENT, Verdict.ILL_TYPED)


def failure(program: GeneratedProgram, judgement: Judgement) -> str:
    """The program, both results, its rewriting, and the file that keeps it in tests/found."""
    calls = "".join(f"    {argset},\n" for argset in program.argsets)
    found = f'"""What went wrong."""\n\n{program.text}\n\nARGSETS = (\n{calls})\n'
    kept = "As a file of tests/found:\n\n" + textwrap.indent(found, "    ")
    return "\n\n".join([str(program), str(judgement), kept])


def failure_of(seed: int, shrink: bool = True) -> str:
    """The same of the program of a seed, made as small as it goes."""

    def judged(program: GeneratedProgram) -> Judgement:
        return judge(program, jit(program.function, compiler_options=options_of(seed)))

    program = program_of(seed)
    verdict = judged(program).verdict
    if shrink and verdict in FAULTS:
        program = smallest(seed, lambda smaller: judged(smaller).verdict is verdict)
    return failure(program, judged(program))
