"""Sequences that a staged `for` counts over: ranges, arrays, lists, text, and iterators over these."""

from __future__ import annotations
