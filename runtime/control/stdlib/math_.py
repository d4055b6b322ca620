"""The `math` module on traced values: Python's numbers in and out, and the errors that `math` raises."""

from __future__ import annotations

import math
from typing import Any

from anabranch.base.value import Value
from anabranch.runtime.config import settings
from anabranch.runtime.control import lists
from anabranch.runtime.control.stdlib import math_floats, math_ints
from anabranch.runtime.control.stdlib.choices import is_traced
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.tracing.builder import tracing
from anabranch.runtime.values.host_calls import functions, stage

_FUNCTIONS = {**math_floats.FUNCTIONS, **math_ints.FUNCTIONS}


class Mathematics:
    """Stands for the module `math` in rewritten code."""

    def __getattr__(self, name: str) -> Any:
        if name in _FUNCTIONS:
            return _FUNCTIONS[name]
        original = getattr(math, name)
        if not callable(original):
            return original

        def refusing(*args: object, **kwargs: object) -> Value:
            if name == "fsum" and settings().host_calls and len(args) == 1 and not kwargs:
                return _fsum(args[0])
            if any(map(_holds_traced, (*args, *kwargs.values()))):
                raise UnsupportedOperationError(
                    f"math.{name} of a value known only at run time is not supported; use NumPy's functions, or call "
                    "it outside of the compiled function"
                )
            return original(*args, **kwargs)

        return refusing


def _fsum(values: Value) -> Value:
    """`math.fsum`, which goes on with as many digits as it takes."""
    if not isinstance(values, (list, tuple)) and tracing():
        values = lists.COUNTERPARTS[list](values)
    if not functions.has_run_time_values(values):
        return math.fsum(values)
    return stage.call("math.fsum", math.fsum, (values,), {}, example=(0.0,))


def _holds_traced(value: object) -> bool:
    return is_traced(value) or (isinstance(value, (tuple, list)) and any(map(is_traced, value)))


mathematics = Mathematics()
COUNTERPARTS = {getattr(math, n): n for n in dir(math) if callable(getattr(math, n)) and not n.startswith("_")}
