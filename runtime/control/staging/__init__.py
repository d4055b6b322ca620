"""Staged forms of Python's own operators and functions: when they are called for, and what they refuse."""

from __future__ import annotations
