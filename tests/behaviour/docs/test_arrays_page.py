"""The programs of docs/arrays.md run, one after the other."""

from __future__ import annotations

import re
from pathlib import Path

from tests.internals.transpile.eager_rewriting import module_from_text

PAGE = Path(__file__).parents[3] / "docs" / "arrays.md"


def test_programs_run(capsys):
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert len(blocks) == 4
    module_from_text("\n".join(blocks), "docs/arrays.md")
    assert "True" in capsys.readouterr().out
