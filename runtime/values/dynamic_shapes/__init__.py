"""Sizes known only at run time: the valid region of a buffer, arithmetic on sizes, compaction and broadcasting."""

from __future__ import annotations
