"""Where Numba keeps `types` and `errors`, too."""

from __future__ import annotations

from anabranch.compat.numba import errors as errors, types as types
