"""Blocks that make many objects which live on, in which the collector of garbage looks at no older ones."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator


@contextlib.contextmanager
def of_new_objects_alone() -> Iterator[None]:
    """Have garbage collected within among the objects alone that are made within.

    A compilation makes a hundred thousand objects, and so does the import of what it takes. Each time that their number
    has grown by a quarter, the collector would go through all that the process has. What was garbage before is found
    after the block. Where the user has frozen objects, or another thread is in such a block, nothing changes.
    """
    if gc.get_freeze_count():
        yield
        return
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
