"""Ufuncs of other libraries on traced values, such as those of `scipy.special`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.host.library_ufuncs import named
from anabranch.runtime.numpy.core import traced_inside
from anabranch.runtime.numpy.rules import Rules
from anabranch.runtime.numpy.ufuncs import StagedUfunc
from anabranch.runtime.values import registry


class StagedLibraryUfunc(StagedUfunc):
    """The staged counterpart of such a ufunc, which the library's own loops compute; `outer` is its only method."""

    def _refuse(self, method: str, *args: Value, **kwargs: Value) -> Value:
        if traced_inside((args, kwargs)):
            raise UnsupportedOperationError(
                f"{named(self.ufunc)}.{method} is not supported in compiled code; write the loop over its elements"
            )
        return getattr(self.ufunc, method)(*args, **kwargs)

    def reduce(self, *args: Value, **kwargs: Value) -> Value:
        """Refuse what is traced."""
        return self._refuse("reduce", *args, **kwargs)

    def accumulate(self, *args: Value, **kwargs: Value) -> Value:
        """Refuse what is traced."""
        return self._refuse("accumulate", *args, **kwargs)

    def reduceat(self, *args: Value, **kwargs: Value) -> Value:
        """Refuse what is traced."""
        return self._refuse("reduceat", *args, **kwargs)

    def at(self, *args: Value, **kwargs: Value) -> None:
        """Refuse what is traced."""
        self._refuse("at", *args, **kwargs)


@functools.cache
def staged_ufunc(ufunc: np.ufunc) -> Callable[..., Any] | None:
    """The staged counterpart of another library's ufunc; None where there is none."""
    return None if named(ufunc) is None else StagedLibraryUfunc(ufunc)


registry.UFUNC_MAKERS.append(staged_ufunc)
rules = Rules()
