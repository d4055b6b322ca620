"""The outcome of one run of a function: its result or exception, what it printed, and its arguments afterwards."""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from anabranch.runtime.testing.value_parts import arrays_of, copied


class Outcome:
    """One run on copies of the arguments.

    Parameters
    ----------
    function : callable
    args : sequence
    kwargs : mapping

    Attributes
    ----------
    value : object
        What it returned; None where it raised.
    error : Exception or None
    text : str
        What it printed.
    args, kwargs
        The copies, as the run left them.
    arrays : list of ndarray
        Those among the copies before the run.
    """

    def __init__(self, function: Callable[..., object], args: Sequence[object], kwargs: Mapping[str, object]) -> None:
        self.args: tuple[Any, ...]
        self.kwargs: dict[str, Any]
        self._given = copied((tuple(args), dict(kwargs)))
        self.args, self.kwargs = copied(self._given)
        self.arrays = list(arrays_of((self.args, self.kwargs)))
        self.value: Any = None
        self.error: Exception | None = None
        text = io.StringIO()
        with contextlib.redirect_stdout(text), warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                self.value = function(*self.args, **self.kwargs)
            except Exception as error:  # compared like a result
                self.error = error
        self.text = text.getvalue()

    def given(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments as they were before the run, in copies."""
        args, kwargs = copied(self._given)
        return args, kwargs
