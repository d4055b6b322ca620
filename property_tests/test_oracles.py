"""The oracles tell apart what is equal, refused, different (and at which stage), and what makes no sense."""

from __future__ import annotations

import pytest

from anabranch import jit
from property_tests import oracles
from property_tests.failures import failure, failure_of
from property_tests.generation.programs import GeneratedProgram, program_of
from property_tests.generation.shrinking import smallest
from property_tests.oracles import Verdict, judge

PLAIN = "import numpy as np\n\ndef f(n):\n    k = 0\n    if n > 1:\n        k = n * 2\n    return k\n"


def program(text: str, *argsets: str) -> GeneratedProgram:
    return GeneratedProgram(text, argsets or ("(3, )", "(0, )"))


def test_equal() -> None:
    assert judge(program(PLAIN)).verdict is Verdict.EQUAL
    assert judge(program(PLAIN.replace("n * 2", "print(n) or n"))).verdict is Verdict.EQUAL


def one_more(run):
    return lambda n: run(n) + 1


@pytest.mark.parametrize("stage", ["rewriting", "tracing", "optimising", "XLA"])
def test_the_stage_of_a_difference(stage: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = oracles.stages

    def with_fault(wrapped):
        return [(name, one_more(run) if name == stage else run) for name, run in plain(wrapped)]

    monkeypatch.setattr(oracles, "stages", with_fault)
    if stage == "XLA":
        call = oracles.Wrapped.__call__
        monkeypatch.setattr(oracles.Wrapped, "__call__", lambda self, n: call(self, n) + 1)
    judgement = judge(program(PLAIN))
    assert (judgement.verdict, judgement.stage) == (Verdict.DIFFERENT, stage)
    text = failure(program(PLAIN), judgement)
    assert all(part in text for part in ("k = n * 2", "ab.if_(", f"made by:  {stage}", "ARGSETS = (\n        (3, ),"))


def test_refused() -> None:
    text = "import numpy as np\n\ndef f(name1):\n    name2 = int(name1[0])\n    return hash(name2)\n"
    judgement = judge(program(text, "(np.array([3]), )"))
    assert judgement.verdict is Verdict.REFUSED
    assert judgement.key.startswith("ConcretizationError a hash")
    assert "name2" not in judgement.key


def test_ill_typed() -> None:
    senseless, other = (program(f"def f(n):\n    return {text}\n") for text in ("n.name", "n"))
    assert judge(senseless, jit(other.function)).verdict is Verdict.ILL_TYPED
    meant = "def f(n):\n    if n > 1:\n        raise TypeError('large')\n    return n\n"
    assert judge(program(meant)).verdict is Verdict.EQUAL


def test_ints_beyond_64_bits() -> None:
    beyond = "def f(n):\n    k = 1\n    for i in range(n):\n        k = k * 3\n    return k % 7\n"
    assert judge(program(beyond, "(70, )", "(2, )")).verdict is Verdict.EQUAL
    assert not oracles.meets_long_ints(program(beyond), (30,))


def test_globals_start_anew_for_each_run() -> None:
    counting = "k = 1\n\ndef f(n):\n    global k\n    k += n\n    return k\n"
    assert judge(program(counting)).verdict is Verdict.EQUAL


def test_a_program_gets_smaller() -> None:
    def shows(found: GeneratedProgram) -> bool:
        return "while" in found.text

    seed = next(seed for seed in range(1000) if shows(program_of(seed)) and program_of(seed).text.count("\n") > 40)
    small = smallest(seed, shows, seconds=8)
    assert shows(small)
    assert small.text.count("\n") * 2 < program_of(seed).text.count("\n")
    assert "the result" not in failure_of(0)
