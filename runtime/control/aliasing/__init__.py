"""Aliasing: which arrays may share memory, or be one object, after a branch or a loop."""

from __future__ import annotations
