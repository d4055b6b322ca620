"""Numba's CUDA as it is where there is no device: packages that have kernels besides can be imported."""

from __future__ import annotations

from typing import Any

from anabranch.runtime.compat.uncallable import CudaSupportError as CudaSupportError, kernel


def is_available() -> bool:
    """Return False: there is no device.

    Examples
    --------
    >>> from anabranch.compat.numba import cuda
    >>> cuda.is_available()
    False
    """
    return False


def jit(signature_or_function: Any = None, **options: Any) -> Any:
    """The kernel, which can be defined and not called."""
    return kernel(signature_or_function) if callable(signature_or_function) else kernel


def list_devices() -> Any:
    """Raise `CudaSupportError`: there is no device."""
    raise CudaSupportError("there are no CUDA devices under anabranch.compat.numba")


select_device = current_context = get_current_device = to_device = list_devices
