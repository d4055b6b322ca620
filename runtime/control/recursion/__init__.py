"""Functions that call themselves to a depth known only at run time."""

from __future__ import annotations
