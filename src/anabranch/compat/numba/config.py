"""Numba's settings, under their names: noted, without effect."""

from __future__ import annotations

CACHE_DIR = ""
DISABLE_JIT = 0
NUMBA_DEFAULT_NUM_THREADS = 1
NUMBA_NUM_THREADS = 1
THREADING_LAYER = "default"
