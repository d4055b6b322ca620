"""From a function and the layouts of its arguments to a Program: one trace, and how its errors are told."""

from __future__ import annotations
