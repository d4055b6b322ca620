"""Arguments that calls had to know the values of, and that came to have many: one executable serves them all."""

from __future__ import annotations

import dataclasses
import time
import weakref
from collections.abc import Callable, Container, Sequence
from typing import Any

from anabranch.base.bounded_dict import BoundedDict
from anabranch.runtime.call.execution import Execution
from anabranch.runtime.config import settings
from anabranch.runtime.signature.flatten_to_key import Leaves, SignatureKey

# So many values have executables of their own, which are the faster ones, before one for all is tried.
_SEVERAL = 8
# Of so many calls that the executable for all answers on a fast path one goes the long way, where its time is noted.
_SAMPLED = 32


@dataclasses.dataclass(slots=True)
class _Values:
    """The values of the arguments of one signature."""

    count: int = 0  # how many have got an executable of their own
    seconds: float = 0.0  # how long the last such compilation took
    is_general: bool | None = None  # whether one executable serves all others; None before it is tried
    # How many seconds of calls by that one each value has had.
    spent: BoundedDict[SignatureKey, float] = dataclasses.field(default_factory=BoundedDict)


class ManyValues(BoundedDict[SignatureKey, _Values]):
    """By signature, the values that calls of a function had to know."""

    def __init__(self) -> None:
        super().__init__()
        self.serving: weakref.WeakSet[Execution] = weakref.WeakSet()  # the executables for all values

    def compiled(self, key: SignatureKey, execution: Execution, seconds: float, *, generally: bool) -> None:
        """Note a compilation, for one value or for all."""
        values = self.get(key) or _Values()
        if generally:
            self.serving.add(execution)
        else:
            values.count, values.seconds = values.count + 1, seconds
        self.put(key, values, settings().cache_size)

    def are_due(self, key: SignatureKey) -> bool:
        """Return whether it is time to try one executable for all values."""
        values = self.get(key)
        return values is not None and values.is_general is None and values.count >= _SEVERAL

    def serve_all(self, key: SignatureKey) -> None:
        """Have all values served by one executable, from now on."""
        values = self.get(key) or _Values()
        values.is_general = True
        self.put(key, values, settings().cache_size)

    def is_general(self, key: SignatureKey) -> bool:
        """Return whether an executable serves, or is to serve, all values."""
        values = self.get(key)
        return values is not None and values.is_general is True

    def refuse(self, key: SignatureKey) -> None:
        """Note that there is no executable for all values."""
        values = self.get(key) or _Values()
        values.is_general = False
        self.put(key, values, settings().cache_size)

    def are_served(self, key: SignatureKey, exact: SignatureKey, executables: Container[SignatureKey]) -> bool:
        """Return whether a call with these values runs the executable for all.

        It does not where the values have one of their own, and where their calls have taken as long as it takes to
        compile one.
        """
        values = self.get(key)
        if values is None or not values.is_general or exact in executables:
            return False
        return values.spent.get(exact, 0.0) < values.seconds

    def charge(self, key: SignatureKey, exact: SignatureKey, seconds: float) -> None:
        """Note how long a call by the executable for all has taken."""
        values = self.get(key)
        if values is not None:
            spent = values.spent.get(exact, 0.0) + seconds * _SAMPLED
            values.spent.put(exact, spent, settings().cache_size)


class ChargedExecution(Execution):
    """A call by an executable for all values, the time of which is charged to those of the call."""

    __slots__ = ("_charge", "_execution")

    def __init__(self, execution: Execution, charge: Callable[[float], None]) -> None:
        self.plan, self._execution, self._charge = execution.plan, execution, charge

    def run(self, leaves: Leaves) -> Any:
        """Run, and note the time."""
        start = time.perf_counter()
        result = self._execution.run(leaves)
        self._charge(time.perf_counter() - start)
        return result


# So many texts, or lengths of lists, have executables of their own before they are tried as run-time values.
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
