"""The one source of random inputs."""

from __future__ import annotations

import numpy as np


def generator() -> np.random.Generator:
    """A generator in the same state every time: every process of a benchmark draws the same inputs."""
    return np.random.default_rng(2718)
