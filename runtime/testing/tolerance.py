"""How far numbers may be apart and still count as the same."""

from __future__ import annotations

from typing import Any

import numpy as np

from anabranch.base.frozen import frozen


@frozen
class Tolerance:
    """The bounds within which floating-point numbers count as the same; all else must be equal.

    Attributes
    ----------
    ulps : float
        In units in the last place of the larger of the two: sums are added up in another order than NumPy's.
    atol : float
        As a number, for results that are differences of numbers that are nearly the same.
    copies : bool
        Whether what is returned may be a copy where the plain function returns an argument, a part or a view of it, as
        is documented of names that a loop binds to one of several arrays or lists, and a copy that is read-only where
        the view is not, as is documented of rows of run-time length.

    Examples
    --------
    >>> import numpy as np
    >>> from anabranch.testing import Tolerance, assert_equivalent
    >>> assert_equivalent(np.sort, np.array([2.0, 1.0]), tolerance=Tolerance(ulps=0))
    """

    ulps: float = 4096.0
    atol: float = 0.0
    copies: bool = False

    def far(self, want: np.ndarray, got: np.ndarray) -> np.ndarray:
        """Which elements of two arrays of one shape and dtype are further apart."""
        if want.dtype.kind in "mM":
            return np.asarray((want != got) & ~(np.isnat(want) & np.isnat(got)))
        if want.dtype.kind not in "fc":
            return np.asarray(want != got)
        with np.errstate(all="ignore"):
            same = (want == got) | (_nan(want) & _nan(got))
            if want.dtype.kind == "c":
                parts = zip((want.real, want.imag), (got.real, got.imag), strict=True)
                return np.asarray(~same & np.logical_or(*[self._far(a, b, np.abs(want)) for a, b in parts]))
            return np.asarray(~same & self._far(want, got, np.abs(want)))

    def _far(self, want: np.ndarray, got: np.ndarray, scale: np.ndarray) -> np.ndarray:
        larger = np.maximum(scale, np.abs(got))
        allowed = self.atol + self.ulps * np.spacing(larger)
        near = (want == got) | (_nan(want) & _nan(got)) | (np.abs(want - got) <= allowed)
        return np.asarray(~near)

    def distance(self, want: Any, got: Any) -> str:
        """How far apart two numbers are, for a message; nothing for what is no finite float."""
        a, b = np.asarray(want), np.asarray(got)
        if a.dtype.kind not in "fc" or not (np.isfinite(a).all() and np.isfinite(b).all()):
            return ""
        with np.errstate(all="ignore"):
            unit = np.spacing(np.maximum(np.abs(a), np.abs(b)))
            return f"{float(np.abs(a - b) / unit):.3g} units in the last place apart"


def _nan(value: np.ndarray) -> np.ndarray:
    return np.asarray(np.isnan(value))
