"""The page of settings; `python -m tests.behaviour.docs.settings_page` makes it of the text that describes them."""

from __future__ import annotations

import dataclasses
import inspect
import re
from pathlib import Path

from anabranch.runtime.config import Settings

PAGE = Path(__file__).parents[3] / "docs" / "settings.md"
_HEAD = """# Settings

Each is an argument of `jit`, a name that `anabranch.configure` takes for a `with` block, and a variable of the
environment:

```python
import anabranch

@anabranch.jit(unroll_budget=1000)
def f(x):
    ...

with anabranch.configure(log_compiles=True):
    f(x)
```

The argument of `jit` holds for calls of that function, whatever the others say; `configure` holds within its block, in
its thread and its `asyncio` task. Variables are read when the first name is asked of `anabranch`. They are on as `1`,
`true`, `yes` or `on`, off as `0`, `false`, `no`, `off` or the empty text; what is not understood is warned of, and left
out. A name that is no setting, or a value of another type, is a `TypeError` of `jit` and of `configure`.

`checks`, `zero_division_errors`, `unroll_budget`, `recursion_limit`, `capacity`, `capacity_limit`, `disable_passes`,
`host_calls`, `native_loops`, `fastmath` and `threads` belong to a call's signature: one that is called under others is
compiled for them.
`with anabranch.disable_jit():` is `configure(disable_jit=True)`.

| name | `jit` | block | variable | default | what it says |
|---|---|---|---|---|---|
"""
_VARIABLES = {"cache_dir": "`ANABRANCH_CACHE_DIR`, `ANABRANCH_CACHE=0`"}
_DEFAULTS = {"cache_dir": "the user's cache folder"}
_GIVEN = {"fastmath": '("reassoc",)'}
_EXAMPLES = {bool: "{}", int: "10", float: "2.5", tuple: '("cse",)', type(None): '"folder"'}


def page() -> str:
    """The text of the page."""
    text = inspect.cleandoc(Settings.__doc__ or "")
    found = re.findall(r"^(\w+) : (.*)\n((?:    .*\n?)+)", text[text.index("Attributes") :], re.MULTILINE)
    defaults = {f.name: f.default for f in dataclasses.fields(Settings)}
    rows = []
    for name, _, body in found:
        default = defaults[name]
        given = f"{name}={_GIVEN.get(name) or _EXAMPLES[type(default)].format(not default)}"
        variable = _VARIABLES.get(name, f"`ANABRANCH_{name.upper()}`")
        cells = (
            f"`{name}`", f"`jit(f, {given})`", f"`configure({given})`", variable,
            _DEFAULTS.get(name, f"`{default}`"), " ".join(body.split()),
        )  # fmt: skip
        rows.append(f"| {' | '.join(cells)} |")
    assert [name for name, _, _ in found] == list(defaults)
    return _HEAD + "\n".join(rows) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page())
