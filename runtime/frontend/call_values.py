"""The values of the arguments in the call that a function is traced for, where it is traced for one."""

from __future__ import annotations

import contextvars
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from anabranch.base.context_values import having
from anabranch.runtime.call.plan import held_leaves
from anabranch.runtime.device.array import Array
from anabranch.runtime.host.generator_state import OutsideGenerator

_values: contextvars.ContextVar[Sequence[Any]] = contextvars.ContextVar("call values", default=())
_NUMBERS = (np.ndarray, np.generic, bool, int, float, complex, Array)


def with_call_values(leaves: Sequence[Any]) -> AbstractContextManager[object]:
    """Trace for a call with these leaves of its arguments."""
    return having(_values, leaves)


def of_inputs(packs: Sequence[range | tuple[int, ...]], captured: Sequence[Any]) -> list[Any]:
    """The values of a Program's inputs: the arguments', of which some hold several leaves, and arrays from outside."""
    leaves = [_known(value) for value in _values.get()]
    found: list[Any] = []
    for held in held_leaves(packs, len(leaves)):
        if isinstance(held, int):
            found.append(leaves[held])
            continue
        row = [leaves[k] for k in held]
        found.append(None if any(x is None for x in row) else np.array(row))
    outside = (a.read() if isinstance(a, OutsideGenerator) else np.asarray(a) for a in captured)
    return [*found, *outside] if leaves or not packs else []


def _known(value: object) -> Any:
    return value if isinstance(value, _NUMBERS) else None
