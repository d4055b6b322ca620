"""How each construct is written: a module registers its statements and expressions."""

from property_tests.generation.constructs import (
    array_expressions,
    array_writes,
    assignments,
    branches,
    elements,
    exits,
    loops,
    reductions,
    scalars,
    sizes,
    views,
)

__all__ = [
    "array_expressions",
    "array_writes",
    "assignments",
    "branches",
    "elements",
    "exits",
    "loops",
    "reductions",
    "scalars",
    "sizes",
    "views",
]
