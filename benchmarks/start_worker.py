"""One task of `benchmarks.start` in a fresh process; it imports nothing that its task does not need."""
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

from time import perf_counter, process_time

STARTED = perf_counter()

import json  # noqa: E402
import os  # noqa: E402
import sys  # noqa: E402
import tempfile  # noqa: E402
import types  # noqa: E402
from collections.abc import Callable, Iterable  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import Any  # noqa: E402

CHAIN = 2_000


def first_call(peer: str, kernel: str) -> dict[str, float]:
    """Milliseconds of the import, and from the start to the first result."""
    prepare = {"anabranch": _anabranch, "jax": _jax, "numba": _numba}[peer]
    decorate = prepare()
    imported = perf_counter()
    from benchmarks.kernels import load

    found = load(kernel)
    arguments = found.arguments("tiny")
    function = decorate(found.jax_form() if peer == "jax" else found.function)
    ready = perf_counter()
    _wait(function(*arguments))
    called = perf_counter()
    return {"import": 1e3 * (imported - STARTED), "call": 1e3 * (called - ready), "all": 1e3 * (called - STARTED)}


def _anabranch() -> Callable[..., Any]:
    from anabranch import jit

    return jit


def _jax() -> Callable[..., Any]:
    import jax

    jax.config.update("jax_enable_x64", True)
    jax.config.update("jax_compilation_cache_dir", os.environ["START_CACHE"])
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
    made: Callable[..., Any] = jax.jit
    return made


def _numba() -> Callable[..., Any]:
    import numba

    return lambda function: numba.njit(function, cache=True)


def _wait(result: Any) -> None:
    for leaf in result if isinstance(result, tuple) else (result,):
        getattr(leaf, "block_until_ready", lambda: None)()


def stages(peer: str, kernel: str) -> dict[str, float]:
    """Milliseconds of tracing and of lowering, after another function went the same way."""
    from benchmarks.kernels import load

    decorate = {"anabranch": _anabranch, "jax": _jax}[peer]()
    for name in ("factorisations.thomas", kernel):
        found = load(name)
        function = decorate(found.jax_form() if peer == "jax" else found.function)
        times = _traced_and_lowered(function, found.arguments("tiny"), perf_counter)
    return {"trace": times[0], "lower": times[1]}


def _traced_and_lowered(function: Any, arguments: Iterable[Any], clock: Callable[[], float]) -> tuple[float, float]:
    start = clock()
    traced = function.trace(*arguments)
    middle = clock()
    traced.lower()
    return 1e3 * (middle - start), 1e3 * (clock() - middle)


def per_op(peer: str, program: str) -> dict[str, float]:
    """Microseconds of processor time for tracing and lowering, for each operation that the text holds."""
    import numpy as np

    from benchmarks import column

    decorate = {"anabranch": _anabranch, "jax": _jax}[peer]()
    if program == "chain":
        plain: Any = _chain()
        arguments, operations = (np.ones(8), np.ones(8)), CHAIN
    else:
        plain, arguments = column.column, column.arguments("small")
        operations = _operations(plain)
    if peer == "jax":
        import jax.numpy

        plain = types.FunctionType(plain.__code__, {**plain.__globals__, "np": jax.numpy})
    best = (float("inf"), float("inf"))
    for _ in range(7):
        # Another code object, so that nothing is kept of the round before.
        copy = types.FunctionType(plain.__code__.replace(), plain.__globals__, plain.__name__)
        best = min(best, _traced_and_lowered(decorate(copy), arguments, process_time), key=sum)
    return {"trace": 1e3 * best[0] / operations, "lower": 1e3 * best[1] / operations}


def _chain() -> Any:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "chain_of_adds.py").write_text(
            "def chain(x, y):\n" + "    x = x + y\n" * CHAIN + "    return x\n"
        )
        sys.path.insert(0, folder)
        import chain_of_adds  # type: ignore[import-not-found]

        from anabranch import jit

        jit(chain_of_adds.chain).source()  # while the file is there
        return chain_of_adds.chain


def _operations(function: Any) -> int:
    """How many operators, calls and subscripts a function's text holds."""
    import dis

    counted = ("BINARY_OP", "BINARY_SUBSCR", "BINARY_SLICE", "UNARY_NEGATIVE", "CALL", "COMPARE_OP")
    return sum(i.opname in counted for i in dis.get_instructions(function.__code__))


TASKS: dict[str, Callable[..., dict[str, float]]] = {"first_call": first_call, "stages": stages, "per_op": per_op}

if __name__ == "__main__":
    print(json.dumps(TASKS[sys.argv[1]](*sys.argv[2:])))
