"""The comparison of Arrays with ndarrays."""

from __future__ import annotations

import numpy as np

from anabranch import Array


def same(got, wanted):
    """An Array where NumPy has an ndarray or a scalar of its own; the same parts of containers; plain objects equal."""
    if isinstance(wanted, (list, tuple)):
        assert type(got) is type(wanted)
        for g, w in zip(got, wanted, strict=True):
            same(g, w)
    elif isinstance(wanted, (np.ndarray, np.generic)):
        assert type(got) is Array, type(got)
        assert got.dtype == wanted.dtype
        assert got.shape == wanted.shape
        exact = wanted.dtype.kind not in "fc"
        with np.errstate(all="ignore"):
            np.testing.assert_allclose(np.asarray(got), wanted, rtol=0 if exact else 1e-5)
    else:
        assert type(got) is type(wanted)
        assert got == wanted
