"""A mapping in which the oldest entries make room."""

from __future__ import annotations

from anabranch.base.bounded_dict import BoundedDict


def test_the_oldest_make_room():
    entries = BoundedDict[str, int]()
    assert [entries.put(key, n, 2) for n, key in enumerate("abac")] == [[], [], [], ["b"]]
    assert list(entries.items()) == [("a", 2), ("c", 3)]
    assert entries.put("d", 4, 1) == ["a", "c"]
    assert entries.put("e", 5, 0) == ["d", "e"]
    assert not entries
