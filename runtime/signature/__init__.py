"""Arguments taken apart into leaves and a hashable key, and the static ones among them."""

from __future__ import annotations
