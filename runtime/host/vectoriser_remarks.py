"""LLVM's remarks on the loops of a module: which it has vectorised, and what stands in the way of the others."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from typing import NamedTuple

from anabranch.runtime.host import llvm_pipeline

_SECONDS = 60.0
_REMARK = re.compile(r"[^\n]*?:(\d+):\d+: (.*)", re.DOTALL)
_VECTORISED = re.compile(r"vectorized loop \(vectorization width: (\d+)")
# What stands in the way has the place of that, and comes before the verdict, which has the loop's.
_VERDICT, _REASON = "loop not vectorized", "loop not vectorized: "


class Remark(NamedTuple):
    """A remark of LLVM's on a loop."""

    line: int  # the loop's, of the module's debug information
    width: int  # how many steps are done at once; 0 where the loop is not vectorised
    reasons: tuple[str, ...] = ()  # what stands in the way of that, in LLVM's words


def remarks(modules: Sequence[str]) -> list[list[Remark]] | None:
    """LLVM's remarks on the loops of each module, which have debug information, asked in a process of its own.

    None where it cannot be asked here.
    """
    program = llvm_pipeline.__file__
    if not modules:
        return []
    if not (sys.executable and os.path.isfile(program)):
        return None
    # Beside the program are modules with names of the standard library's.
    command, given = [sys.executable, "-P", program], llvm_pipeline.END.join(modules)
    try:
        done = subprocess.run(command, input=given, capture_output=True, text=True, timeout=_SECONDS, check=False)
    except (OSError, subprocess.SubprocessError):
        return None
    said = done.stderr.split(llvm_pipeline.END)[: len(modules)]
    return None if done.returncode else list(map(_read, said))


def _read(text: str) -> list[Remark]:
    found, reasons = list[Remark](), list[str]()
    for part in text.split("remark: ")[1:]:
        place = _REMARK.fullmatch(part.strip())
        if place is None:
            continue
        line, words = int(place[1]), place[2]
        width = _VECTORISED.match(words)
        if width is not None:
            found.append(Remark(line, int(width[1])))
        elif words == _VERDICT:
            found.append(Remark(line, 0, tuple(reasons)))
        else:
            reasons.append(words.removeprefix(_REASON))
            continue
        reasons.clear()
    return found
