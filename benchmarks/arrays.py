"""Names for the array types the kernels take, and the one source of random inputs."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

FloatArray: TypeAlias = npt.NDArray[np.float64]
IntArray: TypeAlias = npt.NDArray[np.int64]
Size: TypeAlias = Literal["small", "full"]


def generator() -> np.random.Generator:
    """A generator in the same state every time: every process of a benchmark draws the same inputs."""
    return np.random.default_rng(2718)
