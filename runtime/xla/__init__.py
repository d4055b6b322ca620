"""XLA: modules compiled, loaded from disk, run, and kept working across `fork`."""

from __future__ import annotations
