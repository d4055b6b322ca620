"""Traced ndarrays: handles, views, indexing, and the memory that they share."""

from __future__ import annotations
