"""Generated programs do what eager Python does, at each stage on the way to XLA."""

from __future__ import annotations

from hypothesis import HealthCheck, Phase, given, settings

from property_tests.compiling import quick_options
from property_tests.failures import failure, failure_of
from property_tests.families import FAULTS, GENERAL
from property_tests.generation.programs import GeneratedProgram, program_of, programs
from property_tests.observing import judged, kinds_of, supported_kinds
from property_tests.statistics import Statistics


def test_programs_of_seeds(block: int, programs_in_a_block: int, statistics: Statistics) -> None:
    """Each program is that of its seed in every run; the first that fails is shown as small as it goes."""
    for seed in range(block * programs_in_a_block, (block + 1) * programs_in_a_block):
        if judged(program_of(seed), statistics, **GENERAL.options_of(seed)).verdict in FAULTS:
            raise AssertionError(f"seed {seed}\n\n{failure_of(seed, shrink=Phase.shrink in settings.default.phases)}")


@settings(suppress_health_check=list(HealthCheck))
@given(programs())
def test_programs_of_hypothesis(program: GeneratedProgram) -> None:
    judgement = judged(program, Statistics(), compiler_options=quick_options())
    assert judgement.verdict not in FAULTS, failure(program, judgement)


def test_every_supported_kind_of_node_is_generated() -> None:
    met: set[str] = set()
    for number in range(2000):
        met |= kinds_of(program_of(number).text)
        if met >= supported_kinds():
            break
    assert not supported_kinds() - met
