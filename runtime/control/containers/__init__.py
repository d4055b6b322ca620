"""Operations on containers that look at their items: order, equality, membership, reductions."""

from __future__ import annotations
