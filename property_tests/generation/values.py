"""Values of a kind as source text: a program's arguments."""

from __future__ import annotations

import math

from property_tests.generation.choices import Choices, one
from property_tests.generation.kinds import (
    Array,
    Bool,
    Complex,
    Dict,
    Element,
    Float,
    Generator,
    Growing,
    Int,
    Kind,
    List,
    Maybe,
    Record,
    Text,
    Tuple,
)

INTS = (0, 1, 2, 3, 5, 7, -1, -2, -3)
# Sums and products of these few are exact, so their order makes no difference.
FLOATS = (0.0, 1.0, 0.5, 2.0, -1.5, 4.0, 0.75, -0.25)


def value_text(choices: Choices, kind: Kind) -> str:
    """An expression that gives a value of the kind, in a module where NumPy is `np`."""
    match kind:
        case Int():
            return repr(one(choices, INTS))
        case Float():
            return repr(one(choices, FLOATS))
        case Complex():
            return f"complex({one(choices, FLOATS)}, {one(choices, FLOATS)})"
        case Bool():
            return repr(bool(choices.below(2)))
        case Maybe(held):
            return value_text(choices, held) if choices.below(2) else "None"
        case Text():
            return repr(one(choices, ("a", "b", "ab")))
        case Element(dtype):
            return f"np.{dtype}({_number(choices, dtype)})"
        case Array(dtype, shape):
            numbers = ", ".join(_number(choices, dtype) for _ in range(math.prod(shape)))
            flat = f"np.array([{numbers}], dtype=np.{dtype})"
            return flat if len(shape) == 1 else f"{flat}.reshape({shape})"
        case Tuple(items):
            return f"({''.join(value_text(choices, item) + ', ' for item in items)})"
        case List(item, length):
            return f"[{', '.join(value_text(choices, item) for _ in range(length))}]"
        case Growing(item):
            # A signature has the length, so it is the same in each set of arguments.
            return f"[{', '.join(value_text(choices, item) for _ in range(2))}]"
        case Dict(keys, value):
            return "{" + ", ".join(f"{key!r}: {value_text(choices, value)}" for key in keys) + "}"
        case Generator(maker):
            return f"{maker}({choices.below(4)})"
        case Record(name, fields):
            return f"{name}({', '.join(value_text(choices, field) for _, field in fields)})"
    raise TypeError(f"no values of {kind}")


def _number(choices: Choices, dtype: str) -> str:
    if dtype == "bool_":
        return repr(bool(choices.below(2)))
    if dtype.startswith("uint"):
        return repr(abs(one(choices, INTS)))
    if dtype.startswith("int"):
        return repr(one(choices, INTS))
    if dtype.startswith("complex"):
        return f"({one(choices, FLOATS)}+{choices.below(3)}j)"
    return repr(one(choices, FLOATS))
