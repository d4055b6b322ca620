"""Operations on containers that hold run-time values, or are indexed by them."""

from __future__ import annotations
