"""Programs that once showed a fault: each is a module of this folder with a function `f` and calls of it, ARGSETS."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from property_tests.generation.programs import GeneratedProgram
from property_tests.oracles import Verdict, judge

FOUND = sorted(p for p in Path(__file__).parent.glob("*.py") if p.stem != "test_found")


@pytest.mark.parametrize("path", FOUND, ids=lambda path: path.stem)
def test_found(path: Path) -> None:
    judgement = judge(program_in(path))
    assert judgement.verdict is Verdict.EQUAL, str(judgement)


def program_in(path: Path) -> GeneratedProgram:
    """The program of a module, and its calls."""
    text = path.read_text()
    values = [
        node.value
        for node in ast.parse(text).body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "ARGSETS"
    ]
    assert len(values) == 1
    assert isinstance(values[0], ast.Tuple)
    return GeneratedProgram(text, tuple(ast.unparse(argset) for argset in values[0].elts))
