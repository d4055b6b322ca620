"""The page of settings, made of the text that describes them: `python -m tests.docs.settings_page` writes it."""

from __future__ import annotations

import dataclasses
import inspect
import re
from pathlib import Path

from anabranch.runtime.config import Settings

PAGE = Path(__file__).parents[2] / "docs" / "settings.md"
_HEAD = """# Settings

Each is a variable of the environment, read when `anabranch` is imported, and a name that `anabranch.configure` takes
for a `with` block:

```python
import anabranch

with anabranch.configure(log_compiles=True, unroll_limit=100):
    f(x)
```

`checks`, `unroll_limit` and `recursion_limit` belong to a call's signature: one that is called under others is compiled
for them.

| name | variable | default | what it says |
|---|---|---|---|
"""


def page() -> str:
    """The text of the page."""
    text = inspect.cleandoc(Settings.__doc__ or "")
    found = re.findall(r"^(\w+) : (.*)\n((?:    .*\n?)+)", text[text.index("Attributes") :], re.MULTILINE)
    defaults = {f.name: f.default for f in dataclasses.fields(Settings)}
    rows = []
    for name, _, body in found:
        words = " ".join(body.split())
        variables = re.findall(r"`(ANABRANCH_\w+(?:=\w+)?)`", words)
        said = re.sub(r" ?\(`ANABRANCH_\w+`\)", "", words)
        default = "the user's cache folder" if name == "cache_dir" else f"`{defaults[name]}`"
        rows.append(f"| `{name}` | {', '.join(f'`{v}`' for v in variables)} | {default} | {said} |")
    assert [name for name, _, _ in found] == list(defaults)
    return _HEAD + "\n".join(rows) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page())
