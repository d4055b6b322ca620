"""The `try` statement: it runs while tracing, so its handlers see only what is raised while tracing."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.trace import current, tracing


@contextlib.contextmanager
def try_block() -> Iterator[None]:
    """Around the body of a `try` with handlers.

    Raises
    ------
    UnsupportedOperationError
        When something in the body may raise under a condition known only at run time: no handler would see it.
    """
    if not tracing():
        yield
        return
    builder = current()
    before = len(builder.trace.failures)
    yield
    if len(builder.trace.failures) > before:
        failure = builder.trace.failures[before]
        where = f" (at {failure.frames[-1][0]}:{failure.frames[-1][1]})" if failure.frames else ""
        raise UnsupportedOperationError(
            f"the body of a try statement may raise under a condition known only at run time{where}, which its except "
            "clauses cannot catch in compiled code; test the condition with an if statement instead"
        )
