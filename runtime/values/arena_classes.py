"""Classes whose instances lie in an arena, and arenas that are one, since what lies in them meets."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.tracing.builder import current, tracing
from anabranch.runtime.tracing.container_state import ClassSite, demand
from anabranch.runtime.tracing.restarts import Restart
from anabranch.runtime.values import user_classes
from anabranch.runtime.values.containers import Structure


def need(cls: type, names: tuple[str, ...]) -> None:
    """Have the instances of a class lie in an arena with these attributes; nothing where they do, or cannot.

    Raises `Restart` where they could have done so since they were made.
    """
    if tracing() and can_lie_in_one(cls):
        _need(ClassSite.of(cls), names)


def _need(site: Hashable, names: tuple[str, ...]) -> None:
    classes = current().trace.lists.arena_classes
    if classes is None or not names:
        return
    known = classes.get(site, ())
    more = tuple(name for name in names if name not in known)
    if more:
        classes[site] = known + more
        raise Restart(lists=True)


def need_of(*values: Value) -> None:
    """The same for the classes of some objects that the function has made."""
    for value in values:
        if value in current().trace.identity.created and can_lie_in_one(type(value)):
            need(type(value), tuple(user_classes.attributes(value)))


def need_of_made(among: Iterable[type] | None = None) -> None:
    """The same for the classes of the objects that branches, loops and recursive functions have made.

    With `among` only for those of these classes.
    """
    sites = None if among is None else set(map(ClassSite.of, among))
    for site, names in current().trace.lists.made_in_bodies.items():
        if sites is None or site in sites:
            _need(site, names)


def can_lie_in_one(cls: type) -> bool:
    """Return whether the instances of a class can lie in an arena: what they hold is in one place alone."""
    if not user_classes.is_users_class(cls) or hasattr(cls, "arena_"):
        return False
    if user_classes.slot_names(cls) and user_classes.has_dict(cls):
        return False
    if issubclass(cls, (tuple, list, dict, set, BaseException)) or type(cls) is not type:
        return False
    if any("__init_subclass__" in vars(c) for c in cls.__mro__[:-1]):
        return False  # what stands for an instance is one of a subclass, which the user's code would hear of
    own = (cls.__new__, cls.__getattribute__, cls.__setattr__, cls.__delattr__)
    usual = (object.__new__, object.__getattribute__, object.__setattr__, object.__delattr__)
    return own == usual and not hasattr(cls, "__getattr__")


@frozen
class Joined:
    """Among the sites of arenas: what two of them make lies in one."""

    one: Hashable
    other: Hashable


def first_of(sites: Iterable[Hashable]) -> dict[Hashable, Hashable]:
    """Of each site one of those with which it shares an arena, the same one for all of them."""
    firsts: dict[Hashable, Hashable] = {}
    for site in sites:
        firsts.update((one, one) for one in ((site.one, site.other) if isinstance(site, Joined) else (site,)))
    for pair in sites:
        if isinstance(pair, Joined):
            old, new = firsts[pair.other], firsts[pair.one]
            firsts.update({site: new for site, first in firsts.items() if first == old})
    return firsts


def join(structures: Iterable[Structure]) -> None:
    """Have containers that differ in nothing but their arenas lie in one; those that lie in none, too.

    Raises `Restart` where there are such.
    """
    found: dict[Value, Hashable] = {}
    natives: dict[bool, set[type]] = {True: set(), False: set()}
    lists = current().trace.lists
    for structure in structures:
        natives[structure.is_in_arena].add(getattr(structure.cls, "native", structure.cls))
        if structure.is_in_arena:
            site = getattr(structure.extra, "site", None)
            first = found.setdefault(structure.cls, site)
            if site is not None and first != site:
                demand(lists.arena_sites, {Joined(first, site)})
    if natives[True] & natives[False]:
        lists.demand_arenas(lists.copied_sites)
