"""Python's built-in functions and modules on run-time values."""

from __future__ import annotations
