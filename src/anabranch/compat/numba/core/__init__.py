"""Where Numba keeps `config`, `errors` and `types`, too."""

from __future__ import annotations

from anabranch.compat.numba import config as config, errors as errors, types as types
from anabranch.compat.numba.core import (
    caching as caching,
    cgutils as cgutils,
    registry as registry,
    serialize as serialize,
)
