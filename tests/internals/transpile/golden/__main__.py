"""The rewritten golden functions; `python -m tests.internals.transpile.golden` writes them down anew."""

from __future__ import annotations

import importlib.util
import inspect
import types
from pathlib import Path

from anabranch.runtime.control.calls.counterparts import counterpart
from anabranch.transpile import rewrite

FOLDER = Path(__file__).parent
CONSTRUCTS = sorted(f.stem for f in FOLDER.glob("*.py") if not f.stem.startswith("__"))


def rewritten(construct: str) -> str:
    """The functions of one file, rewritten, in their order."""
    spec = importlib.util.spec_from_file_location(f"golden_{construct}", FOLDER / f"{construct}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return "\n\n".join(_text(f) for f in vars(module).values() if getattr(f, "__module__", "") == module.__name__)


def _text(value: object) -> str:
    if isinstance(value, type):
        return "\n\n".join(_text(f) for f in vars(value).values() if isinstance(f, types.FunctionType))
    assert isinstance(value, types.FunctionType)
    generator = inspect.isgeneratorfunction(value)
    return rewrite(value, counterpart, generator=generator).source


if __name__ == "__main__":
    for construct in CONSTRUCTS:
        (FOLDER / f"{construct}.txt").write_text(rewritten(construct))
