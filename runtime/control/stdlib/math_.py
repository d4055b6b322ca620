"""The `math` module on traced values: Python's numbers in and out, and the errors that `math` raises."""

from __future__ import annotations

import math
from typing import Any

from anabranch.base.value import Value
from anabranch.runtime.control.stdlib import math_floats, math_ints
from anabranch.runtime.control.stdlib.choices import is_traced
from anabranch.runtime.errors import UnsupportedOperationError

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
            if any(map(_holds_traced, (*args, *kwargs.values()))):
                raise UnsupportedOperationError(
                    f"math.{name} of a value known only at run time is not supported; use NumPy's functions, or call "
                    "it outside of the compiled function"
                )
            return original(*args, **kwargs)

        return refusing


def _holds_traced(value: object) -> bool:
    return is_traced(value) or (isinstance(value, (tuple, list)) and any(map(is_traced, value)))


mathematics = Mathematics()
COUNTERPARTS = {getattr(math, n): n for n in dir(math) if callable(getattr(math, n)) and not n.startswith("_")}
