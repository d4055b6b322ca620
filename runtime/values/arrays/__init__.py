"""Traced ndarrays and NumPy scalars: their handles, of static size or not, and indexing."""

from __future__ import annotations
