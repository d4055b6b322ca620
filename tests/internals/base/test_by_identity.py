"""Mappings and sets of objects by identity."""

import weakref

from anabranch.base.by_identity import IdentityDict, IdentitySet, reached


class Thing:
    def __eq__(self, other):
        return True

    __hash__ = None


def test_equal_objects_without_a_hash_are_different_keys():
    one, other = Thing(), Thing()
    made = IdentityDict([(one, 1)])
    made[other] = 2
    assert (made[one], made[other], len(made)) == (1, 2, 2)
    assert [key is want for key, want in zip(made, (one, other), strict=True)] == [True, True]
    assert made.setdefault(one, 7) == 1
    assert made.get(Thing()) is None
    assert made.get(Thing(), 5) == 5
    copy = made.copy()
    made.discard(one)
    made.discard(one)
    assert one not in made
    assert other in made
    del made[other]
    assert (list(made), list(made.values())) == ([], [])
    assert [value for _, value in copy.items()] == [1, 2]
    copy.clear()
    assert len(copy) == 0


def test_members_of_a_set():
    one, other = Thing(), Thing()
    made = IdentitySet([one])
    made.update([one, other])
    assert len(made) == 2
    assert one in made
    assert Thing() not in made
    third = Thing()
    assert made.admit(third)
    assert not made.admit(third)
    made.discard(third)
    made.discard(one)
    made.discard(one)
    assert one not in made
    assert list(map(id, made)) == [id(other)]


def test_keys_and_members_stay():
    # Else another object might be made at the same place, and be taken for the one that has gone.
    kept = []
    for made in (IdentityDict(), IdentitySet()):
        key = Thing()
        if isinstance(made, IdentityDict):
            made[key] = 1
        else:
            made.add(key)
        kept.append(weakref.ref(key))
        del key
        assert kept[-1]() is not None


def test_what_objects_lead_to_is_met_once():
    inner = [1]
    outer = [inner, inner]
    outer.append(outer)
    met = list(reached([outer], lambda x: x if isinstance(x, list) else ()))
    assert [x for x in met if x is outer] == [outer]
    assert sum(x is inner for x in met) == 1
    assert sum(x == 1 for x in met if isinstance(x, int)) == 1
