"""The `math` module on traced values: Python's numbers in and out, and the errors that `math` raises."""

from __future__ import annotations

import math
from typing import Any

from anabranch.base.value import Value
from anabranch.runtime.config import settings
from anabranch.runtime.control import lists
from anabranch.runtime.control.stdlib import math_floats, math_ints
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

        def by_host(*args: object, **kwargs: object) -> Value:
            """The function by Python's own code, for which it takes as many digits as it needs."""
            if tracing():
                args = tuple(a if _is_plain(a) else lists.COUNTERPARTS[list](a) for a in args)
            if not functions.has_run_time_values((args, kwargs)):
                return original(*args, **kwargs)
            if not settings().host_calls:
                raise UnsupportedOperationError(
                    f"math.{name} of a value known only at run time is a call of the host, which host_calls=False "
                    "forbids; use NumPy's functions, or call it outside of the compiled function"
                )
            return stage.call(f"math.{name}", original, args, kwargs, example=None if name == "sumprod" else (0.0,))

        return by_host


def _is_plain(value: object) -> bool:
    """Return whether a value is a number or holds its items side by side."""
    return isinstance(value, (list, tuple)) or not hasattr(value, "__iter__")


mathematics = Mathematics()
COUNTERPARTS = {getattr(math, n): n for n in dir(math) if callable(getattr(math, n)) and not n.startswith("_")}
