"""The `assert` statement."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from anabranch.runtime.control.truth import truth
from anabranch.runtime.values import atoms, checks


def assert_(test: Any, message: Callable[[], Any] | None = None) -> None:
    """Raise `AssertionError` unless the test holds, at run time when it is known only then.

    As Python's statement, it does nothing under `python -O`.
    """
    if not __debug__:
        return
    decided = truth(test)
    if decided is True:
        return
    error = AssertionError(message()) if message is not None else AssertionError()
    if decided is False:
        raise error
    checks.fail_if(atoms.logical_not(decided), lambda _: error)
