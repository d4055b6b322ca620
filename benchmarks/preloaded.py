"""Imported by the process that those of the kernels are forks of."""

from __future__ import annotations

from benchmarks.worker import preload

preload()
