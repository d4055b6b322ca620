"""The program of docs/export.md runs."""

from __future__ import annotations

import re
from pathlib import Path

from tests.internals.transpile.eager_rewriting import module_from_text

PAGE = Path(__file__).parents[3] / "docs" / "export.md"


def test_the_program_runs(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (block,) = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    module_from_text(block, "docs/export.md")
    first, second = capsys.readouterr().out.splitlines()
    assert first == second
