"""Arrays whose size is known only at run time: a buffer of static capacity and the valid region in it."""

from __future__ import annotations
