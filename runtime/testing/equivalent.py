"""`equivalent`: a Hypothesis test of a function in one line."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import hypothesis
from hypothesis import HealthCheck, strategies as st

from anabranch.runtime.api.jit import jit
from anabranch.runtime.api.jitted import Wrapped
from anabranch.runtime.testing.check import assert_equivalent
from anabranch.runtime.testing.compare_outcomes import Tolerance
from anabranch.runtime.testing.outcomes import Patience
from anabranch.runtime.testing.strategies import Strategy

# The first example of each signature is compiled, which takes longer than any deadline that is meant for the others.
PATIENT = hypothesis.settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


def equivalent(
    *,
    tolerance: Tolerance | None = None,
    settings: hypothesis.settings | None = None,
    compiler: Callable[[Any], Callable[..., object]] = jit,
    patience: Patience | None = None,
    **arguments: Strategy,
) -> Callable[[Callable[..., Any]], Callable[[], None]]:
    """Make a test of a function: that it does the same plainly and compiled, whatever the arguments are.

    Parameters
    ----------
    tolerance : Tolerance, optional
        How far floating-point numbers may be apart.
    settings : hypothesis.settings, optional
        For example `settings(max_examples=1000, deadline=None)`; without, those in force, with no deadline.
    compiler : callable
        As of `check_equivalent`.
    patience : Patience, optional
        Leaves out arguments on which the plain function takes too long; without, each run is waited for.
    **arguments : strategy
        One for each parameter of the function.

    Returns
    -------
    callable
        Takes the function, gives a test without parameters, of the function's name, for pytest or to call. Its
        attribute `function` is the function.

    Examples
    --------
    >>> from anabranch.testing import arrays, equivalent, integers
    >>> @equivalent(x=arrays(float, 5), n=integers(-6, 6))
    ... def test_shift(x, n):
    ...     return x[n:]
    >>> test_shift()
    """

    def decorate(function: Callable[..., object]) -> Callable[[], None]:
        # Compiled once for all examples.
        compiled = function if isinstance(function, Wrapped) else compiler(function)
        plain = compiled if isinstance(compiled, Wrapped) else function

        @functools.wraps(compiler)
        def once(_: object) -> Callable[..., Any]:
            return compiled

        def compare(given: dict[str, Any]) -> None:
            assert_equivalent(plain, tolerance=tolerance, compiler=once, **given)

        def test(given: dict[str, Any]) -> None:
            if patience is None:
                compare(given)
            elif patience.ends(getattr(plain, "__wrapped__", plain), given):
                with patience.compiled(function.__name__, given):
                    compare(given)

        for name in ("__name__", "__qualname__", "__module__", "__doc__"):
            setattr(test, name, getattr(function, name, None))
        made: Any = hypothesis.given(given=st.fixed_dictionaries(arguments))(test)
        made = (settings or hypothesis.settings(PATIENT))(made)
        made.function = function
        checked: Callable[[], None] = made
        return checked

    return decorate
