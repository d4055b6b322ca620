"""126 small programs of plain Python and NumPy control flow, each with the arguments to run it on.

Each program is an ordinary function: what it should do is what it does when Python runs it.
"""

from __future__ import annotations

# Each of these modules adds its programs to CASES when it is imported.
from tests.behaviour.programs import arrays_and_algorithms, control_flow, objects_and_functions  # noqa: F401
from tests.behaviour.programs.cases import CASES, concrete

__all__ = ["CASES", "concrete"]
