"""Dicts and sets whose keys may be known only at run time."""

from __future__ import annotations
