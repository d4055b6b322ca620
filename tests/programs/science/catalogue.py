"""All programs; each module of a field adds its own to the table when it is imported."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

from tests.programs.science.table import PROGRAMS

__all__ = ["FIELDS", "PROGRAMS"]

FIELDS = [
    "odes",
    "filters",
    "markov",
    "monte_carlo",
    "finance",
    "images",
    "clustering",
    "graphs",
    "dynamic_programming",
    "molecular",
    "samplers",
    "splines",
    "optimisers",
    "linear_solvers",
    "text",
    "geometry",
    "numbers",
    "tables",
    "simulations",
    "trees",
    "statistics",
    "layers",
    "physics",
    "biology",
    "surveys",
]
if find_spec("scipy"):
    FIELDS.append("scipy_users")
for field in FIELDS:
    import_module(f"tests.programs.science.{field}")
