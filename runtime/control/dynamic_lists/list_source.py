"""Methods of lists and deques as functions that are rewritten and staged as the user's own are."""

from __future__ import annotations

import collections
from typing import Any


def places_in_order(keys: list[Any]) -> list[int]:
    """The places of keys in order, by merges of twice as many each time; equal keys stay as they were."""
    count = len(keys)
    order = list(range(count))
    merged = list(range(count))
    width = 1
    while width < count:
        for place in range(count):
            merged[place] = order[place]
        for start in range(0, count, 2 * width):
            middle, end = min(start + width, count), min(start + 2 * width, count)
            left, right = start, middle
            for place in range(start, end):
                if right < end and (left >= middle or keys[merged[right]] < keys[merged[left]]):
                    order[place] = merged[right]
                    right += 1
                else:
                    order[place] = merged[left]
                    left += 1
        width *= 2
    return order


def rotate(items: collections.deque[Any], n: int) -> None:
    """As `deque.rotate`: as few items as can be go from the one end to the other."""
    count = len(items)
    if count > 1:
        steps = n % count
        if 2 * steps <= count:
            for _ in range(steps):
                items.appendleft(items.pop())
        else:
            for _ in range(count - steps):
                items.append(items.popleft())
