"""Functions that Numba makes machine code of by its own means: they can be defined here, and not called."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NoReturn

from anabranch.runtime.errors import UnsupportedOperationError


class CudaSupportError(ImportError):
    """There is no device for Numba's kernels."""


class Uncallable:
    """A function that can't be called, with the error that says why."""

    __anabranch_static__ = True

    def __init__(self, function: Callable[..., Any], error: Exception) -> None:
        functools.update_wrapper(self, function)
        del self.__dict__["__wrapped__"]  # what it does here is not what that does
        self.error = error

    def __getitem__(self, launch: Any) -> Uncallable:
        """The kernel, for blocks and threads."""
        return self

    def __call__(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Raise the error."""
        raise self.error


def kernel(function: Callable[..., Any]) -> Uncallable:
    """A function for `cuda.jit`."""
    return Uncallable(
        function,
        CudaSupportError(
            f"{function.__qualname__} is a kernel of Numba's for CUDA, which can't be called under "
            "anabranch.compat.numba"
        ),
    )


def intrinsic(function: Callable[..., Any]) -> Uncallable:
    """A function for `extending.intrinsic`."""
    return Uncallable(
        function,
        UnsupportedOperationError(
            f"{function.__qualname__} is made of LLVM's instructions by numba.extending.intrinsic, which can't be "
            "called under anabranch.compat.numba; write it in Python, or decorate a Python function with anabranch.host"
        ),
    )
