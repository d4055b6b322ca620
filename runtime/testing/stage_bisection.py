"""The stages on a function's way to XLA, each run by itself: which of them made a difference."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from anabranch import transpile
from anabranch.runtime.api.jitted import Wrapped
from anabranch.runtime.call.auto_static import known_key
from anabranch.runtime.call.plan import Plan
from anabranch.runtime.config import settings
from anabranch.runtime.control import vocabulary
from anabranch.runtime.control.calls.counterparts import counterpart
from anabranch.runtime.frontend.function_info import plain_function
from anabranch.runtime.ir import interpret, program as ir, verify
from anabranch.runtime.passes import optimise
from anabranch.runtime.signature.flatten_to_key import Leaves, SignatureKey, buffers
from anabranch.runtime.testing.outcomes import copied
from anabranch.runtime.values.effects import called_here

Stage = tuple[str, Callable[..., Any]]


def stages(function: Wrapped[..., Any]) -> list[Stage]:
    """The stages in order, each as a function of the same arguments.

    "rewriting" runs the rewritten source as plain Python, "tracing" evaluates the Program with NumPy, "optimising" the
    optimised one, "XLA" calls the compiled function. What a call before has compiled is what is evaluated; for other
    arguments the function is traced, once for both.
    """
    programs = _Programs(function)
    return [
        ("rewriting", _rewritten(function)),
        ("tracing", functools.partial(programs.evaluated, optimised=False)),
        ("optimising", functools.partial(programs.evaluated, optimised=True)),
        ("XLA", function),
    ]


def _rewritten(function: Wrapped[..., Any]) -> Callable[..., Any]:
    plain = plain_function(function.__anabranch_function__)
    if not transpile.needs_rewriting(plain):
        return plain
    return transpile.rewrite(plain, counterpart).bind(plain, vocabulary)


class _Programs:
    """The Programs of a function, evaluated by NumPy; those of the last trace are kept."""

    def __init__(self, function: Wrapped[..., Any]) -> None:
        self._function = function
        self._key: SignatureKey | None = None
        self._plan: Plan | None = None
        self._optimised: ir.Program | None = None

    def evaluated(self, /, *args: Any, optimised: bool, **kwargs: Any) -> Any:
        """The result of NumPy's evaluation of the Program, which is checked to be well-formed."""
        plan = self._planned(args, kwargs)
        program = self._lowered(plan) if optimised else plan.program
        leaves: Leaves = self._function._signature(args, kwargs)[1]
        for array in plan.captured:
            leaves.append_captured(array)
        with called_here(moves_bars=False):
            outputs = interpret.evaluate(program, *buffers(plan.inputs(leaves.values)))
        return plan.finish([np.array(o) for o in outputs], leaves)

    def _planned(self, args: Sequence[object], kwargs: Mapping[str, object]) -> Plan:
        function = self._function
        key, leaves, _ = function._signature(tuple(args), dict(kwargs))
        compiled = function._executables.get(function._exact(key, leaves))
        if compiled is not None and compiled.plan.guards.hold():
            plan = compiled.plan
        elif (
            self._plan is not None
            # The last trace was of this signature, with the values that it had to know.
            and self._key == known_key(key, leaves.values, self._plan.known)
            and self._plan.guards.hold()
        ):
            plan = self._plan
        else:
            given, named = copied((tuple(args), dict(kwargs)))
            plan = function.trace(*given, **named).plan
        if plan is not self._plan:
            verify.check(plan.program)
            self._plan, self._optimised = plan, None
        self._key = known_key(key, leaves.values, plan.known)
        return plan

    def _lowered(self, plan: Plan) -> ir.Program:
        """Return the Program that is lowered."""
        if self._optimised is None:
            self._optimised = optimise(plan.program, settings().disable_passes)
            verify.check(self._optimised)
        return self._optimised
