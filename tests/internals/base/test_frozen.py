"""The package's own frozen classes are as `dataclasses` makes them."""

from __future__ import annotations

import copy
import dataclasses
import pickle

import pytest

from anabranch.base.frozen import frozen, mutable


@frozen
class Ours:
    """A point."""

    x: int
    y: tuple[int, ...] = ()
    hidden: int = dataclasses.field(default=0, compare=False, repr=False)

    def doubled(self):
        return 2 * self.x


@frozen
class OursMore(Ours):
    rows: list[int] = dataclasses.field(default_factory=list)

    def __post_init__(self):
        self.rows.append(self.x)


@dataclasses.dataclass(frozen=True, slots=True)
class Theirs:
    """A point."""

    x: int
    y: tuple[int, ...] = ()
    hidden: int = dataclasses.field(default=0, compare=False, repr=False)

    def doubled(self):
        return 2 * self.x


@dataclasses.dataclass(frozen=True, slots=True)
class TheirsMore(Theirs):
    rows: list[int] = dataclasses.field(default_factory=list)

    def __post_init__(self):
        self.rows.append(self.x)


@frozen(eq=False)
class ByIdentity:
    x: int


def seen(point, more):
    """Return what can be seen of the two classes, without their names."""
    a, b = point(1, (2,)), more(1, rows=[5])
    replaced = dataclasses.replace(b, x=7)
    match b:
        case more(x, y, hidden, rows):
            parts = (x, y, hidden, list(rows))
    return [
        *(repr(o).partition("(")[2] for o in (a, b, replaced)),
        (a == point(1, (2,), 9), a != point(2, (2,)), hash(a) == hash(point(1, (2,), 3)), a == b, point(1) == more(1)),
        [(f.name, f.type, f.default is dataclasses.MISSING) for f in dataclasses.fields(more)],
        (
            parts,
            dataclasses.asdict(b),
            a.doubled(),
            point.__slots__,
            more.__slots__,
            more.__match_args__,
            point.__doc__,
        ),
        [type(o)(*o) if isinstance(o, tuple) else (o.x, o.y, o.hidden) for o in (copy.copy(a), copy.deepcopy(b))],
        pickle.loads(pickle.dumps(b)) == b,
        (dataclasses.is_dataclass(point), hasattr(a, "__dict__"), point.__qualname__ == point.__name__),
    ]


def test_the_same_can_be_seen():
    assert seen(Ours, OursMore) == seen(Theirs, TheirsMore)


@pytest.mark.parametrize("cls", [Ours, Theirs])
def test_nothing_can_be_set(cls):
    point = cls(1)
    for name in ("x", "new"):
        with pytest.raises((dataclasses.FrozenInstanceError, TypeError)):
            setattr(point, name, 2)
    with pytest.raises(dataclasses.FrozenInstanceError):
        del point.x
    with pytest.raises(TypeError):
        cls()
    with pytest.raises(TypeError):
        cls(1, (), 0, 3)


def test_by_identity():
    a, b = ByIdentity(1), ByIdentity(1)
    assert a != b
    assert len({a, b, a}) == 2


@mutable
class Counter:
    name: str
    count: int = 0
    rows: list[int] = dataclasses.field(default_factory=list)


def test_fields_of_a_mutable_one_may_be_set_and_are_its_own():
    one, other = Counter("a"), Counter("a")
    one.count += 1
    one.rows.append(1)
    assert (one.count, one.rows, other.count, other.rows) == (1, [1], 0, [])
    assert one != other
    assert "rows" not in repr(one)
    with pytest.raises(AttributeError):
        one.another = 1
    assert vars_of(pickle.loads(pickle.dumps(one))) == vars_of(copy.copy(one)) == ("a", 1, [1])


def vars_of(counter):
    return tuple(getattr(counter, field.name) for field in dataclasses.fields(counter))
