"""How each construct is written: a module registers its statements and expressions."""

from property_tests.generation.constructs import assignments, branches, elements, exits, loops, scalars

__all__ = ["assignments", "branches", "elements", "exits", "loops", "scalars"]
