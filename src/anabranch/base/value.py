"""The type of the user's values, as signatures name it."""

from __future__ import annotations

from typing import Any, TypeAlias

# A value that the user's program computes with: traced or plain, of whatever class Python and NumPy take there, so that
# the type checker asks nothing of it. What is only tested, stored or passed on is an `object`.
Value: TypeAlias = Any
