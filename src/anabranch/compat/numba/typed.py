"""Numba's typed containers: Python's own."""

from __future__ import annotations

from anabranch.runtime.compat.typed_containers import Dict as Dict, List as List
