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
    """

    def __init__(self, function: Callable[..., object], args: Sequence[object], kwargs: Mapping[str, object]) -> None:
        # The copies, as the run left them.
        self.args: tuple[Any, ...]
        self.kwargs: dict[str, Any]
        self._given = copied((tuple(args), dict(kwargs)))
        self.args, self.kwargs = copied(self._given)
        self.arrays = list(arrays_of((self.args, self.kwargs)))  # those among the copies before the run
        self.value: Any = None  # what it returned; None where it raised
        self.error: Exception | None = None
        text = io.StringIO()
        with contextlib.redirect_stdout(text), warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                self.value = function(*self.args, **self.kwargs)
            except Exception as error:  # compared like a result
                self.error = error
        self.text = text.getvalue()  # what it printed

    def given(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments as they were before the run, in copies."""
        args, kwargs = copied(self._given)
        return args, kwargs
