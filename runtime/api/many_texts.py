"""Texts among the arguments: known while tracing, until there come to be many of them."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from anabranch.base.bounded_dict import BoundedDict
from anabranch.runtime.config import settings
from anabranch.runtime.signature.flatten_to_key import SignatureKey

# So many texts have executables of their own before they are tried as run-time values.
_SEVERAL = 8
# A call with more texts is compiled for each of them.
_MOST = 64


@dataclasses.dataclass(slots=True)
class _Group:
    """Calls that differ in their texts alone.

    Attributes
    ----------
    first : sequence of str or bytes
        The texts of the first one.
    varied : frozenset of int
        The places of those that another call had others for.
    count : int
        How many have got an executable of their own.
    """

    first: Sequence[str | bytes]
    varied: frozenset[int] = frozenset()
    count: int = 0


class ManyTexts:
    """Which texts of a function's arguments, by their places among these, are run-time values.

    Attributes
    ----------
    places : frozenset of int
        Those that are.
    """

    def __init__(self) -> None:
        self.places: frozenset[int] = frozenset()
        self._groups: BoundedDict[SignatureKey, _Group] = BoundedDict()
        self._refused: BoundedDict[SignatureKey, bool] = BoundedDict()

    def clear(self) -> None:
        """Forget all."""
        self.__init__()  # type: ignore[misc]

    def wanted(self, group: SignatureKey, texts: Sequence[str | bytes]) -> frozenset[int]:
        """Note a call that is to be compiled for its texts; return the places of those to try as run-time values.

        Parameters
        ----------
        group : SignatureKey
            The signature of the call with all texts as run-time values.
        texts : sequence of str or bytes
            Those that are known.
        """
        if not texts or len(texts) > _MOST:
            return frozenset()
        found = self._groups.get(group) or _Group(texts)
        varied = {k for k, (a, b) in enumerate(zip(texts, found.first, strict=True)) if a != b}
        found.count, found.varied = found.count + 1, found.varied | varied
        self._groups.put(group, found, settings().cache_size)
        return found.varied if found.count > _SEVERAL else frozenset()

    def are_refused(self, key: SignatureKey) -> bool:
        """Return whether calls of a signature with texts as run-time values can't be compiled."""
        return key in self._refused

    def refuse(self, key: SignatureKey) -> None:
        """Note that they can't be."""
        self._refused.put(key, True, settings().cache_size)
