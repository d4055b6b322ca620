"""Exceptions that leave the computation: their arguments and attributes may be run-time values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from anabranch.base.by_identity import IdentityDict, IdentitySet
from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.errors import UnsupportedOperationError, forget_attempts
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.tracing.builder import current
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.failures import ended_iterators, run_time_checks
from anabranch.runtime.values.memory import views
from anabranch.runtime.values.pytrees import host_values, layout as layouts, pack_unpack


@frozen
class HeldException:
    """Makes an exception of what it held."""

    layout: layouts.Layout

    def __call__(self, found: list[np.ndarray]) -> BaseException:
        made: BaseException = host_values.build(self.layout, iter(found))
        return made


def record(pred: Atom, error: BaseException, frames: run_time_checks.Frames) -> None:
    """Raise a copy of this exception, with the values that it holds now, at run time where `pred` is true."""
    if run_time_checks.raise_again(error):
        return
    caught = current().trace.failures.caught.get(error)
    if caught is not None:  # changed by the handler that raises it again, from where it was
        frames = current().trace.failures.numbered[caught.numbers[0] - 1].frames
    error = ended_iterators.instead_of(error)
    error.__traceback__ = None
    forget_attempts(error)
    layout = layouts.with_leaves(layouts.describe(error, current().trace.outside.is_outside), lambda _: False)
    packed = pack_unpack.pack(error, layout)
    regions = current().trace.failures.regions
    found = list(_containers(layout))
    held = [(region, IdentitySet(c for c in found if region.has_seen(c))) for region in regions]
    shared = [(region, region.reaches(c)) for region in regions for c in found if not region.has_seen(c)]

    def reconstruct(values: list[Atom]) -> BaseException:
        own = {i: p.handle for i, p in enumerate(packed) if p.handle is not None and _is_known_here(p.handle)}
        arrays: list[TracedArray | None] = []
        # The exception is handled where the outermost of the statements that have been left since is.
        left = [region for region, _ in held if all(region is not r for r in regions)]
        known = next((there for region, there in held if region in left[:1]), IdentitySet[Value]())
        is_inner = any(c not in known for region, there in held if region in left[1:] for c in there)
        if is_inner or any(reached for region, reached in shared if region in left[:1]):
            raise UnsupportedOperationError(
                "an exception is handled that carries a list, dict or object which was made in the try statement and "
                "is known by another name, too, through which it may have changed; make it before the try statement, "
                "or raise the exception with a copy"
            )
        made: BaseException = _Unpacking(arrays, own, known).unpack(layout, iter(values))
        for i, array in enumerate(arrays):
            if array is not None and i not in own:  # a copy: a write to it would be seen nowhere else
                current().freeze(array.storage)
        return made

    on_host = HeldException(host_values.hosted(layout, IdentityDict(), IdentityDict()))
    run_time_checks.record_failure(pred, on_host, reconstruct, frames, [p.atom for p in packed])


def _containers(layout: layouts.Layout) -> Iterator[Value]:
    """The lists, dicts and objects that a layout is of."""
    match layout:
        case layouts.Node(structure, children, source):
            if structure.mutable:
                yield source
            for child in children:
                yield from _containers(child)


class _Unpacking(pack_unpack.Unpacking):
    """Makes an exception of atoms: containers that a handler knows are those very ones, as they are then."""

    def __init__(
        self, made: list[TracedArray | None], reuse: Mapping[int, TracedArray], held: IdentitySet[Value]
    ) -> None:
        super().__init__(made, reuse)
        self._held = held

    def unpack(self, layout: layouts.Layout, values: Iterator[Atom]) -> Value:
        """The value with these atoms."""
        made = super().unpack(layout, values)
        return layout.source if isinstance(layout, layouts.Node) and layout.source in self._held else made


def _is_known_here(array: TracedArray) -> bool:
    """Return whether a handler that is traced now may hold an array that the exception carries, and not its copy."""
    return not views.positions(array.path) and any(array.storage in b.env for b in current().outwards())
