"""How long tracing takes beside JAX: `python -m benchmarks.tracing [--filter TEXT]`.

For each kernel that has a form for JAX, milliseconds of the processor: of anabranch's rewriting, tracing and passes,
and of JAX's tracing of its form and lowering to StableHLO. Nothing is compiled. Each round has a copy of the function,
of which nothing is known from before, and JAX forgets what it has traced; the best round counts.
"""
# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

import argparse
import os
import types
from collections.abc import Callable
from statistics import geometric_mean
from time import process_time
from typing import Any

os.environ.setdefault("ANABRANCH_CACHE", "0")

from anabranch import jit, transpile
from anabranch.runtime.control.calls.counterparts import counterpart
from benchmarks.kernel import Kernel
from benchmarks.kernels import all_kernels
from benchmarks.start_worker import _traced_and_lowered
from benchmarks.table import aligned


def ours(kernel: Kernel) -> tuple[float, ...]:
    """Milliseconds of rewriting, tracing, and passes."""
    plain: Any = kernel.function
    fresh = types.FunctionType(plain.__code__.replace(), plain.__globals__, plain.__name__, plain.__defaults__)
    start = process_time()
    if transpile.needs_rewriting(fresh):
        transpile.rewrite(fresh, counterpart)
    rewriting = 1e3 * (process_time() - start)
    return rewriting, *_traced_and_lowered(jit(fresh), kernel.arguments("small"), process_time)


def of_jax(kernel: Kernel) -> tuple[float, ...]:
    """Milliseconds to the jaxpr of JAX's form, and from there to StableHLO."""
    import jax

    jax.clear_caches()
    return _traced_and_lowered(kernel.jax_form(), kernel.arguments("small"), process_time)


def best(measure: Callable[[Kernel], tuple[float, ...]], kernel: Kernel, rounds: int) -> tuple[float, ...]:
    """The times of the quickest of so many rounds."""
    return min((measure(kernel) for _ in range(rounds)), key=sum)


def table(names: str, rounds: int) -> str:
    """A line for each kernel whose name has this text in it, and the geometric mean of the ratios."""
    lines, ratios = [["kernel", "rewriting", "tracing", "passes", "jaxpr", "StableHLO", "ours/JAX's"]], list[float]()
    for name, kernel in all_kernels().items():
        if names in name and kernel.jax_form() is not None:
            mine, others = best(ours, kernel, rounds), best(of_jax, kernel, rounds)
            ratios.append(sum(mine) / sum(others))
            lines.append([name, *(f"{t:.1f}" for t in (*mine, *others)), f"{ratios[-1]:.2f}"])
    mean = geometric_mean(ratios)
    return "\n".join([*aligned(lines), f"geometric mean of {len(ratios)}: {mean:.2f} of JAX's time"])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tracing", description=__doc__)
    parser.add_argument("--filter", default="", help="only kernels whose name has this in it")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    print(table(options.filter, options.rounds))
