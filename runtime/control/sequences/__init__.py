"""What a staged `for` can count over: ranges, arrays, lists, text, and iterators over these."""

from __future__ import annotations
