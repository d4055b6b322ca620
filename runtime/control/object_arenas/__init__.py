"""Objects whose number is known only at run time: their attributes lie in columns."""

from __future__ import annotations
