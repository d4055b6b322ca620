"""The stages on a function's way to XLA, each run by itself: which of them made a difference."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from anabranch import transpile
from anabranch.runtime import check, ir
from anabranch.runtime.control import vocabulary
from anabranch.runtime.control.call import counterpart
from anabranch.runtime.functions import plain_function
from anabranch.runtime.wrapped import Wrapped

Stage = tuple[str, Callable[..., Any]]


def stages(function: Wrapped[..., Any]) -> list[Stage]:
    """The stages in order, each as a function of the same arguments.

    "rewriting" runs the rewritten source as plain Python, "tracing" evaluates the Program with NumPy, "optimising" the
    optimised one, "XLA" calls the compiled function.
    """
    return [
        ("rewriting", _rewritten(function)),
        ("tracing", lambda *args, **kwargs: _evaluated(function, args, kwargs, optimised=False)),
        ("optimising", lambda *args, **kwargs: _evaluated(function, args, kwargs, optimised=True)),
        ("XLA", function),
    ]


def _rewritten(function: Wrapped[..., Any]) -> Callable[..., Any]:
    plain = plain_function(function.__anabranch_function__)
    if not transpile.needs_rewriting(plain):
        return plain
    return transpile.rewrite(plain, counterpart).bind(plain, vocabulary)


def _evaluated(function: Wrapped[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], optimised: bool) -> Any:
    """The result of NumPy's evaluation of the Program, which is checked to be well-formed."""
    traced = function.trace(*copy.deepcopy(args), **copy.deepcopy(dict(kwargs)))
    program = traced.lower().program if optimised else traced.program
    check.check(program)
    leaves = function._signature(tuple(args), dict(kwargs))[1]
    for array in traced.plan.hoisted:
        leaves.hoist(array)
    outputs = ir.evaluate(program, *leaves.buffers())
    return traced.plan.finish([np.array(o) for o in outputs], leaves)
