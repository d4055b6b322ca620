"""The forms of a jitted function and of a traced one in notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from anabranch.base.html_text import code, element, folded, table, text
from anabranch.runtime.errors import AnabranchError

if TYPE_CHECKING:
    from anabranch.runtime.api.compiled_signatures import CompiledSignatures
    from anabranch.runtime.api.memory_cache import Entry
    from anabranch.runtime.api.stages import Traced


def of_function(function: CompiledSignatures[..., Any], entries: Sequence[Entry]) -> str:
    """Its name, what is compiled of it, and its rewritten source."""
    info = function.cache_info()
    counts = f"{info.hits} calls found an executable, {info.misses} did not"
    try:
        source = function.source()
    except (AnabranchError, OSError) as error:
        source = str(error)
    rows = [(entry.signature, entry.compiler, entry.why) for entry in entries]
    compiled = [table(rows, ("signature", "by", "compiled because"))] if rows else []
    return element(
        "div", element("code", text(repr(function))), element("p", text(counts)), *compiled,
        folded("rewritten source", code(source)),
    )  # fmt: skip


def of_traced(traced: Traced) -> str:
    """The signature, the result, and the Program."""
    rows = [("result", traced.out_info), ("equations", len(traced.program.equations))]
    return element("div", element("code", text(repr(traced))), table(rows), folded("Program", code(traced.program)))
