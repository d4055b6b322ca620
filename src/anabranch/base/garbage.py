"""Blocks that make many objects which live on, in which the collector of garbage looks at no older ones."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator

# After so many new objects the collector looks at these, not after Python's 700: few of a trace's go before its end.
_OFTEN = 20_000
# So many objects are frozen at most when Python starts: some hundreds in Python 3.12.
_PYTHONS_OWN = 1_000


@contextlib.contextmanager
def of_new_objects_alone() -> Iterator[None]:
    """Have garbage collected within among the objects alone that are made within, and less often.

    A compilation makes a hundred thousand objects, and so does the import of what it takes. Each time that their number
    has grown by a quarter, the collector would go through all that the process has. What was garbage before is found
    after the block. Where the user has frozen objects, or another thread is in such a block, nothing changes.
    """
    if gc.get_freeze_count() > _PYTHONS_OWN:
        yield
        return
    young, *older = gc.get_threshold()
    gc.freeze()
    if young:  # at 0 the collector is off
        gc.set_threshold(max(young, _OFTEN), *older)
    try:
        yield
    finally:
        gc.set_threshold(young, *older)
        gc.unfreeze()
