"""XLA's options for generated programs.

Most are compiled quickly: XLA spends most of its time in LLVM, which small programs say little of.
"""

from __future__ import annotations

import functools
from typing import Any

from anabranch import AnabranchError, jit

# One program in so many is compiled as a user's is.
_WHOLE = 10
_QUICK = {"xla_backend_optimization_level": 0, "xla_cpu_parallel_codegen_split_count": 1}
_QUICKER = {"xla_cpu_use_fusion_emitters": False}  # newer jaxlib releases have no choice there


def options_of(seed: int) -> dict[str, Any]:
    """The compiler options for the program of a seed."""
    return {} if seed % _WHOLE == 0 else quick_options()


@functools.cache
def quick_options() -> dict[str, Any]:
    """The options for quick compilation, of those that this jaxlib has."""
    try:
        jit(lambda n: -n, compiler_options=_QUICKER)(1)
    except AnabranchError:
        return _QUICK
    return _QUICK | _QUICKER
