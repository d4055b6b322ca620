"""The plain function run eagerly against the jitted one: results, mutations, printed text and exceptions alike."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from anabranch import jit
from anabranch.runtime.api.jitted import Wrapped
from anabranch.runtime.testing.compare_outcomes import Tolerance, first_difference, value_difference
from anabranch.runtime.testing.outcomes import Outcome as Outcome
from anabranch.runtime.testing.stage_bisection import stages
from tests.slow_tests import sampled

# In units in the last place: what XLA's own functions are off by, and sums in another order.
ULPS = 64.0
NEAR = Tolerance(ULPS)


def check(
    function: Callable[..., Any],
    *args: Any,
    ulps: float = ULPS,
    static: tuple[str, ...] = (),
    **kwargs: Any,
) -> Any:
    """Assert that `jit(function)` does what `function` does; gives the jitted result, or the exception.

    It is called three times: compiled, run again by its signature, and on the fast path. The stages on the way to XLA
    are run of every fourth function, or of each with `--slow`.
    """
    tolerance = Tolerance(ulps)
    wrapped = jit(function, static_argnames=static)
    want, got = _three_calls(wrapped, function, args, kwargs, tolerance)
    if want.error is not None:
        return got.error
    if sampled(function.__name__, 4):
        check_stages(wrapped, args, kwargs, want, tolerance)
    return got.value


def check_calls(function: Callable[..., Any], *argsets: tuple[Any, ...], ulps: float = ULPS) -> None:
    """Assert that one compiled function does what the plain one does, of each of several lists of arguments.

    The stages on the way to XLA are run of the first list alone: they are the same Programs for all.
    """
    wrapped, tolerance = jit(function), Tolerance(ulps)
    outcomes = [_three_calls(wrapped, function, args, {}, tolerance)[0] for args in argsets]
    if outcomes[0].error is None:
        check_stages(wrapped, argsets[0], {}, outcomes[0], tolerance)


def check_ints(function: Callable[..., Any], *argsets: tuple[Any, ...]) -> None:
    """Assert that a function's ints are Python's, or refused where one is beyond int64, as without machine code."""
    native, reference = jit(function), jit(function, native_loops=False)
    for args in argsets:
        want, outcomes = function(*args), []
        for form in (native, reference):
            try:
                outcomes.append(form(*args))
            except OverflowError:
                outcomes.append(OverflowError)
        assert outcomes[0] == outcomes[1]
        assert outcomes[0] in (want, OverflowError)


def _three_calls(
    wrapped: Wrapped[..., Any],
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    tolerance: Tolerance,
) -> tuple[Outcome, Outcome]:
    """Return what the plain function did, and what the compiled one did first."""
    want, got = Outcome(function, args, kwargs), Outcome(wrapped, args, kwargs)
    if want.error is None and got.error is not None:
        raise got.error
    alike(want, got, tolerance)
    for _ in range(2):
        alike(want, Outcome(wrapped, args, kwargs), tolerance, "called again: ")
    return want, got


def check_stages(
    wrapped: Wrapped[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], want: Outcome, tolerance: Tolerance
) -> None:
    """Assert that each stage on the way to XLA gives the result: the rewriting, the Program, the optimised one."""
    for stage, run in stages(wrapped)[:-1]:
        got = Outcome(run, args, kwargs)
        if got.error is not None:
            raise got.error
        same(want.value, got.value, f"the result of {stage}", tolerance)


def alike(want: Outcome, got: Outcome, tolerance: Tolerance = NEAR, where: str = "") -> None:
    """Assert that two runs did the same."""
    difference = first_difference(want, got, tolerance=tolerance)
    assert difference is None, f"{where}{difference}"


def same(want: Any, got: Any, where: str = "the result", tolerance: Tolerance = NEAR) -> None:
    """Assert that two values are alike in type, structure, dtype, shape and value."""
    difference = value_difference(want, got, where, tolerance)
    assert difference is None, difference
