"""What a traced function read from outside of it, and whether that is still so."""

from __future__ import annotations
