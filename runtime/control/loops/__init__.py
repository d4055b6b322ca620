"""Staging loops: what a loop carries, and the equation that it becomes."""

from __future__ import annotations
