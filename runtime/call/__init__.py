"""A call of a compiled function: the executable and what is done around it on the host."""

from __future__ import annotations
