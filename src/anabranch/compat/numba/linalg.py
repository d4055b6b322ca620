"""Numba's own LAPACK, which packages import: it can't be called, and NumPy's linear algebra is compiled."""

from __future__ import annotations

from typing import Any, NoReturn

from anabranch.runtime.errors import UnsupportedOperationError


class _LAPACK:
    def __getattr__(self, name: str) -> Any:
        def refused(*args: Any) -> NoReturn:
            raise UnsupportedOperationError(
                f"{name} of Numba's LAPACK takes addresses of arrays, which compiled code has none of here; write "
                "numpy.linalg.solve, or another function of numpy.linalg"
            )

        return refused
