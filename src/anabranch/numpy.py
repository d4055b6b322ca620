"""NumPy's functions on `anabranch.Array`s: a namespace that follows the array API standard, 2024.12.

Outside of compiled functions each operation is compiled for its operands' types and runs on the device; within one it
is what NumPy's function of that name is there. NumPy's functions beyond the standard are here, too, where they are
compiled.
"""

from __future__ import annotations

from typing import Any

import numpy as _numpy

from anabranch.runtime.eager import array_api as _standard

__array_api_version__ = _standard.VERSION
linalg = _standard.Extension(_numpy.linalg)
fft = _standard.Extension(_numpy.fft)


def __array_namespace_info__() -> _standard.Info:  # noqa: N807 - the standard's name
    """Return what the namespace can do: capabilities, dtypes, devices."""
    return _standard.Info()


def __getattr__(name: str) -> Any:
    value = globals()[name] = _standard.attribute(_numpy, name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_standard.names(_numpy)})
