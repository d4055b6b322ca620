"""The `assert` statement."""

from __future__ import annotations

from collections.abc import Callable

from anabranch.runtime.control.branches import stage_branches
from anabranch.runtime.control.branches.truth import truth
from anabranch.runtime.tracing.builder import current
from anabranch.runtime.tracing.failures import UnreachableError
from anabranch.runtime.values import atoms
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.heap.snapshot import Attempt
from anabranch.runtime.values.pytrees import exceptions


def assert_(test: object, message: Callable[[], object] | None = None) -> None:
    """Raise `AssertionError` unless the test holds, at run time when it is known only then.

    As Python's statement, it does nothing under `python -O`.
    """
    if not __debug__:
        return
    decided = truth(test)
    if decided is True:
        return
    if decided is False:
        raise AssertionError(message()) if message is not None else AssertionError()
    if message is None or _is_plain(message):
        exceptions.record(atoms.logical_not(decided), _error(message), run_time_checks.user_frames())
    else:
        stage_branches.stage(decided, (lambda: _fail(message), lambda: None), "assert")


def _error(message: Callable[[], object] | None) -> AssertionError:
    return AssertionError() if message is None else AssertionError(message())


def _is_plain(message: Callable[[], object]) -> bool:
    """Return whether the message is there already: it neither computes, writes, prints nor raises."""
    builder = current()
    trying, failures = Attempt(message), len(builder.trace.failures.numbered)
    try:
        message()
    except Exception:  # raised again where the message is wanted
        return False
    plain = builder.written == trying.start.written and not trying.adds_equations
    plain = plain and len(builder.trace.failures.numbered) == failures and not trying.heap.changes()
    trying.undo()
    return plain


def _fail(message: Callable[[], object]) -> None:
    exceptions.record(atoms.literal(True), _error(message), run_time_checks.user_frames())
    raise UnreachableError
