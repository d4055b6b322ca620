"""Guards: the values that a traced function read from outside of it, and whether they are still the same."""

from __future__ import annotations
