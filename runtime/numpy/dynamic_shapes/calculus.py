"""Interpolation and convolution of arrays whose size is known only at run time."""

from __future__ import annotations

from anabranch.base.value import Value
from anabranch.runtime.numpy.rules import Rules
from anabranch.runtime.values import wrap

rules = Rules()


def _of_run_time_size(*xs: object) -> Value:
    """The first of the arrays whose size is known only at run time."""
    return next(x for x in xs if wrap.is_dynamic_array(x))
