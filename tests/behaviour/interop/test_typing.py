"""Type checkers on compiled functions: wrong arguments are found, and results are of the right type."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

import anabranch

PROGRAM = Path(__file__).parent / "typed_calls.py"
LINES = PROGRAM.read_text().splitlines()
PACKAGE = Path(anabranch.__file__).parents[1]
INSTALLED = any(part.endswith("-packages") for part in PACKAGE.parts)


def lines_with(checker: str) -> set[int]:
    marks = {number: re.search(r"# error(?:: (\w+))?", line) for number, line in enumerate(LINES, 1)}
    return {number for number, mark in marks.items() if mark and mark[1] in (None, checker)}


def check(found: dict[int, list[str]], revealed: dict[int, str], checker: str) -> None:
    assert set(found) == lines_with(checker), {n: t for n, t in found.items() if n not in lines_with(checker)}
    wanted = {n: m[1] for n, line in enumerate(LINES, 1) if (m := re.search("# is: (.*)", line))}
    assert len(wanted) > 10
    for number, kind in wanted.items():
        short = re.sub(r"\b(?:\w+\.)+", "", revealed[number])
        assert short.startswith(kind), (LINES[number - 1], revealed[number])


@pytest.mark.slow
def test_mypy(tmp_path):
    pytest.importorskip("mypy")
    shutil.copy(PROGRAM, tmp_path)
    environment = dict(os.environ) if INSTALLED else {**os.environ, "MYPYPATH": str(PACKAGE)}
    environment.pop("PYTHONPATH", None)
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--config-file=",
        "--no-pretty",
        "--cache-dir=cache",
        PROGRAM.name,
    ]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    found, revealed = defaultdict(list), {}
    for number, kind, text in re.findall(rf"^{PROGRAM.name}:(\d+): (\w+): (.*)$", done.stdout, re.MULTILINE):
        if kind == "error":
            found[int(number)].append(text)
        elif told := re.match('Revealed type is "(.*)"', text):
            revealed[int(number)] = told[1]
    assert found, done.stdout + done.stderr
    check(found, revealed, "mypy")


@pytest.mark.slow
def test_pyright(tmp_path):
    command = next((found for name in ("basedpyright", "pyright") if (found := shutil.which(name))), None)
    if command is None:
        pytest.skip("pyright is not installed")
    shutil.copy(PROGRAM, tmp_path)
    settings = {"include": [PROGRAM.name], "extraPaths": [str(PACKAGE)], "typeCheckingMode": "standard"}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings))
    done = subprocess.run(
        [command, "--outputjson", "--pythonpath", sys.executable],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    found, revealed = defaultdict(list), {}
    for report in json.loads(done.stdout)["generalDiagnostics"]:
        number, text = report["range"]["start"]["line"] + 1, report["message"]
        if report["severity"] == "error":
            found[number].append(text)
        elif told := re.match('Type of .* is "(.*)"', text, re.DOTALL):
            revealed[number] = told[1]
    assert found, done.stdout + done.stderr
    check(found, revealed, "pyright")
