"""Traced numbers of Python's own, with Python's arithmetic and Python's errors."""

from __future__ import annotations
