"""The public surface: `jit` and its kin, the stages, and what they tell of a compilation."""

from __future__ import annotations
