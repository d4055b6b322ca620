"""Texts and lists among the arguments: known while tracing, or of known length, until there come to be many of them."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from anabranch.base.bounded_dict import BoundedDict
from anabranch.runtime.config import settings
from anabranch.runtime.signature.flatten_to_key import SignatureKey

# So many texts, or lengths of lists, have executables of their own before they are tried as run-time values.
_SEVERAL = 8
# A call with more of them is compiled for each.
_MOST = 64


@dataclasses.dataclass(slots=True)
class _Group:
    """Calls that differ in their texts, and in the lengths of their lists, alone."""

    first: Sequence[str | bytes | int]  # the texts and lengths of the first one
    varied: frozenset[int] = frozenset()  # the places of those that another call had others for
    count: int = 0  # how many have got an executable of their own


class ManySequences:
    """Which texts and lists of a function's arguments, by their places among these, are of any contents and length."""

    def __init__(self) -> None:
        self.places: frozenset[int] = frozenset()  # those that are
        self._groups: BoundedDict[SignatureKey, _Group] = BoundedDict()
        self._refused: BoundedDict[SignatureKey, bool] = BoundedDict()

    def clear(self) -> None:
        """Forget all."""
        self.__init__()  # type: ignore[misc]

    def wanted(self, group: SignatureKey, sequences: Sequence[str | bytes | int]) -> frozenset[int]:
        """Note a call that is to be compiled for its texts and lengths; return the places of those to try without.

        Parameters
        ----------
        group : SignatureKey
            The signature of the call without any of them.
        sequences : sequence of str, bytes or int
            The texts, and the lengths of lists.
        """
        if not sequences or len(sequences) > _MOST:
            return frozenset()
        found = self._groups.get(group) or _Group(sequences)
        varied = {k for k, (a, b) in enumerate(zip(sequences, found.first, strict=True)) if a != b}
        found.count, found.varied = found.count + 1, found.varied | varied
        self._groups.put(group, found, settings().cache_size)
        return found.varied if found.count > _SEVERAL else frozenset()

    def are_refused(self, key: SignatureKey) -> bool:
        """Return whether calls of a signature can't be compiled without these texts and lengths."""
        return key in self._refused

    def refuse(self, key: SignatureKey) -> None:
        """Note that they can't be."""
        self._refused.put(key, True, settings().cache_size)
