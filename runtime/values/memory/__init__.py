"""The memory of arrays and lists: views of it, the order of its elements, and what may share it."""

from __future__ import annotations
