"""`heapq.merge` as a generator, which is rewritten and staged as the user's own are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any


def merge(
    columns: tuple[Any, ...],
    count: Callable[[Any, int], int],
    item: Callable[[Any, int, int], Any],
    key: Callable[[Any], Any] | None,
    sign: int,
    heapify: Callable[[Any], Any],
    replace: Callable[[Any, Any], Any],
    pop: Callable[[Any], Any],
) -> Iterator[Any]:
    """As `heapq.merge`; among equal items `sign` has those of the earlier column, or of the later, come first.

    The heap has the rank of the next item of each column, the number of the column, and the item if it is no rank.
    """
    heap: list[Any] = []
    places = []
    for column in range(len(columns)):
        places.append(0)
        if count(columns, column) > 0:
            first = item(columns, column, 0)
            heap.append((first, sign * column) if key is None else (key(first), sign * column, first))
    heapify(heap)
    while len(heap) > 0:
        head = heap[0]
        yield head[-1] if key is not None else head[0]
        column = sign * head[1]
        places[column] += 1
        if places[column] < count(columns, column):
            following = item(columns, column, places[column])
            if key is None:
                replace(heap, (following, head[1]))
            elif len(heap) > 1:
                replace(heap, (key(following), head[1], following))
            else:  # the last column is not ranked any more
                heap[0] = (head[0], head[1], following)
        else:
            pop(heap)
