"""A stable sort by `<` alone, as a function that is rewritten and staged as the user's own are."""

from __future__ import annotations

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
