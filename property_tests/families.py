"""Families of generated programs: the program of a seed, how it is compiled, how a failing one is made smaller."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from anabranch import jit
from anabranch.runtime.api.jitted import Wrapped
from property_tests.alias_programs import alias_program
from property_tests.compiling import options_of, quick_options
from property_tests.feature_programs import (
    draws,
    failing,
    generators,
    identities,
    nested,
    objects,
    queues,
    recursive,
    tables,
    texts,
)
from property_tests.feature_programs.grammar import Grammar
from property_tests.generation import fewer_lines, shrinking
from property_tests.generation.programs import GeneratedProgram, program_of
from property_tests.large_array_programs import large_array_program
from property_tests.large_array_values import SUMS
from property_tests.oracles import Judgement, Verdict, judge, judge_calls

FAULTS = (Verdict.DIFFERENT, Verdict.ILL_TYPED)


@dataclass(frozen=True, slots=True)
class Family:
    """Generated programs that are compiled and made smaller in one way.

    Attributes
    ----------
    program_of : callable
        Seed -> program, the same in every run.
    options_of : callable
        Seed -> the options of `jit` for that program.
    smallest : callable
        (seed, shows) -> the smallest program found for which `shows` is still true.
    judge : callable
        (program, compiled function) -> what the oracles say.
    """

    program_of: Callable[[int], GeneratedProgram]
    options_of: Callable[[int], dict[str, Any]]
    smallest: Callable[[int, Callable[[GeneratedProgram], bool]], GeneratedProgram]
    judge: Callable[[GeneratedProgram, Wrapped[..., Any]], Judgement] = judge

    def judged(self, program: GeneratedProgram, seed: int) -> Judgement:
        """Return what the oracles say of a program that is compiled as that of the seed."""
        return self.judge(program, jit(program.function, **self.options_of(seed)))


def _has_native_loops(seed: int) -> bool:
    """Return whether loops of the program of a seed may be machine code: else they are XLA's."""
    return seed % 4 != 0


GENERAL = Family(
    program_of,
    lambda seed: {"compiler_options": options_of(seed), "native_loops": _has_native_loops(seed)},
    shrinking.smallest,
)

# No int becomes static for the sake of a loop or a size: what arrays share is to be found out at run time.
SHARED_ARRAYS = Family(
    alias_program,
    lambda seed: {
        "auto_static": False,
        "compiler_options": quick_options(),
        "native_loops": _has_native_loops(seed),
    },
    lambda seed, shows: fewer_lines.smallest(alias_program(seed), shows),
)


# Machine code computes whole arrays; one program in so many is XLA's.
_XLAS = 8
LARGE_ARRAYS = Family(
    large_array_program,
    lambda seed: {
        "auto_static": seed % 2 == 0,
        "compiler_options": quick_options(),
        "native_loops": seed % _XLAS != 0,
    },
    lambda seed, shows: fewer_lines.smallest(large_array_program(seed), shows),
    functools.partial(judge_calls, tolerance=SUMS),
)


def _of_feature(grammar: Grammar) -> Family:
    """The programs of a grammar. Only their calls are compared: most are loops, which NumPy takes long to evaluate."""
    return Family(
        grammar.program_of,
        lambda seed: {"compiler_options": quick_options(), "native_loops": _has_native_loops(seed)},
        lambda seed, shows: fewer_lines.smallest(grammar.program_of(seed), shows),
        judge_calls,
    )


FEATURES = {
    "tables": _of_feature(tables.GRAMMAR),
    "nested": _of_feature(nested.GRAMMAR),
    "objects": _of_feature(objects.GRAMMAR),
    "texts": _of_feature(texts.GRAMMAR),
    "recursive": _of_feature(recursive.GRAMMAR),
    "generators": _of_feature(generators.GRAMMAR),
    "failing": _of_feature(failing.GRAMMAR),
    "queues": _of_feature(queues.GRAMMAR),
    "draws": _of_feature(draws.GRAMMAR),
    "identities": _of_feature(identities.GRAMMAR),
}
FAMILIES = {"general": GENERAL, "shared-arrays": SHARED_ARRAYS, "large-arrays": LARGE_ARRAYS, **FEATURES}
