"""Calls in rewritten code: counterparts, the user's functions, recursion, wrappers, effects outside."""

from __future__ import annotations
