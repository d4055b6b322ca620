"""Host calls staged: the arguments as arrays, the op, and what becomes of its results and its failures."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.errors import StructureMismatchError, UnsupportedOperationError
from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.interval import Interval
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.ops.host_call import Outcome, ViewError, exception_of, host_call
from anabranch.runtime.tracing.builder import current
from anabranch.runtime.tracing.capacity import Capacity, OverflowedError, capacity_at
from anabranch.runtime.tracing.storage import OfLibrary
from anabranch.runtime.tracing.upper_layers import TryRegion
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.abstract import Kind
from anabranch.runtime.values.arrays import dynamic_array
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.dynamic_shapes import capacity_requests
from anabranch.runtime.values.dynamic_shapes.valid_region import Window
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.host_calls import deferred, functions, library_objects, results, texts, trial
from anabranch.runtime.values.host_calls.prepared_call import Trial, prepared_call, sharing, values_of_leaves
from anabranch.runtime.values.memory import memory_layout
from anabranch.runtime.values.python_numbers.python_scalar import python_scalar
from anabranch.runtime.values.pytrees import layout as layouts, pack_unpack

# Classes of exceptions that handlers of compiled code tell apart, each before those that it is a class of.
_CLASSES: tuple[type[Exception], ...] = (
    np.linalg.LinAlgError, UnicodeError, ValueError, ZeroDivisionError, OverflowError, FloatingPointError,
    ArithmeticError, IndexError, KeyError, LookupError, AttributeError, TypeError, NotImplementedError, RecursionError,
    RuntimeError, AssertionError, MemoryError, StopIteration, OSError, Warning, Exception,
)  # fmt: skip


# ---- failures --------------------------------------------------------------------------------------------------------


@frozen
class _Raised:
    """Makes the exception that a call has raised; before it has, one of the class."""

    cls: type[BaseException]

    def __call__(self, found: list[np.ndarray]) -> BaseException:
        error = exception_of(int(found[0]))
        if error is not None:
            return error
        try:
            return self.cls()
        except TypeError:
            return self.cls.__new__(self.cls)  # of arguments that are not known yet


@frozen
class _Refused:
    """Makes the error for a result that the program has no form for."""

    def __call__(self, found: list[np.ndarray]) -> BaseException:
        return StructureMismatchError(str(exception_of(int(found[0]))))


@frozen
class _Misfit:
    """Makes the error for a result of another size: the call is compiled anew, with that size known at run time."""

    capacities: tuple[Capacity, ...]

    def __call__(self, found: list[np.ndarray]) -> BaseException:
        axis, needed = map(int, found)
        return OverflowedError(self.capacities[axis], needed)


def _fail(ended: Atom, outcome: int, make: Callable[[list[np.ndarray]], BaseException], *details: Atom) -> None:
    pred = atoms.ufunc(np.equal, ended, atoms.literal(outcome, np.int64))
    run_time_checks.record_failure(pred, make, None, run_time_checks.user_frames(), details)


# ---- the call --------------------------------------------------------------------------------------------------------


@deferred.stages
def call(
    name: str,
    function: object,
    args: tuple[Value, ...],
    kwargs: dict[str, Value],
    example: tuple[Value] | None = None,
    is_ordered: bool = False,
) -> Value:
    """Stage `function(*args, **kwargs)` on the host.

    Parameters
    ----------
    name : str
        For messages.
    function
    args
    kwargs
    example : tuple of one object, optional
        A result like all others; by default that of a trial is.
    is_ordered : bool
        It is an effect.

    Raises
    ------
    UnsupportedOperationError
        Where the result is no number, no array of numbers, and no container of these.
    """
    value = functions.prepared((function, args, kwargs))
    given = layouts.with_leaves(layouts.describe(value), lambda _: False)
    inputs = [packed.atom for packed in pack_unpack.pack(value, given)]
    may_view, tried = False, None
    if example is None:
        try:
            tried = trial.result_of(name, prepared_call(name, given, None, (), (), is_ordered).tried, inputs)
        except ViewError as error:
            # The attribute of an object that is made anew is nobody else's, and not written to.
            is_own = function is deferred.attribute_of and isinstance(args[0], deferred.Deferred)
            if not is_own and not library_objects.keep((function, args, kwargs), name):
                raise UnsupportedOperationError(str(error)) from None
            may_view, kept = True, prepared_call(name, given, None, (), (), is_ordered, may_view=True)
            tried = trial.result_of(name, kept.tried, inputs)
        example = (tried.made,)
    result = results.structure_of(example[0])
    if results.is_hidden(result) and deferred.can_be_made_again(example[0]):
        _bound(name, given, inputs, result, is_ordered, may_view=may_view)  # for what its making raises
        if tried is not None and tried.holds:
            library_objects.keep_arrays(value, name)
        return deferred.made_again(example[0], value)
    if results.is_hidden(result):
        raise UnsupportedOperationError(
            f"{name} returns {result.value._what}, which is no number and no array of numbers, and cannot be held in "  # type: ignore[union-attr]
            "compiled code; call it outside, or do all that needs it in a function with @anabranch.host"
        )
    shared = sharing(results.flattened(name, result, example[0]))
    links = _Links() if tried is None else _Links.of(tried, list(values_of_leaves(value, given)), name)
    made = _bound(name, given, inputs, result, is_ordered, shared, may_view, links)
    if type(made) is not tuple or is_ordered:
        return made
    parts = [
        deferred.made_again(of, (deferred.part_of, (k, *value), {}))
        if isinstance(part, results.Hidden) and deferred.can_be_made_again(of)
        else part
        for k, (part, of) in enumerate(zip(made, example[0], strict=True))
    ]
    return tuple(parts)


def _bound(
    name: str,
    given: layouts.Layout,
    inputs: Sequence[Atom],
    result: layouts.Layout,
    is_ordered: bool,
    shared: frozenset[int] = frozenset(),
    may_view: bool = False,
    links: _Links | None = None,
) -> Value:
    """Bind the op; returns what stands for the result."""
    builder = current()
    trace = builder.trace
    leaves = [leaf for leaf in layouts.leaves(result) if leaf is not None]
    of = f"of what {name} returns for {' '.join(str(atom.type) for atom in inputs)}"
    capacities: list[Capacity] = []
    room = []
    for place, leaf in enumerate(leaves):
        shape, dynamic = [], []
        for axis, size in enumerate(leaf.abstract.shape):
            capacity = _capacity(f"axis {axis} of array {place} {of}", size)
            capacities.append(capacity)
            shape.append(capacity.size)
            dynamic.append(capacity.learned)
        room.append((tuple(shape), tuple(dynamic)))
    outs = [ArrayType(shape, leaf.abstract.dtype) for leaf, (shape, _) in zip(leaves, room, strict=True)]
    outs.append(ArrayType((sum(sum(dynamic) for _, dynamic in room),), np.dtype(np.int64)))
    classes = _classes(trace.failures.regions)
    links = links or _Links()
    made = prepared_call(name, given, result, tuple(room), classes, is_ordered, shared, may_view, links.places)
    code = builder.read(trace.failures.error_code)
    number = builder.read(trace.output.counter) if is_ordered else atoms.literal(0, np.int32)
    after, ended, detail, needed, *arrays, sizes = builder.bind(
        host_call, number, code, *inputs, call=made, outs=tuple(outs)
    )
    if is_ordered:
        builder.write(trace.output.counter, after)
    _fail(ended, Outcome.REFUSED, _Refused(), detail)
    if capacities:
        _fail(ended, Outcome.MISFIT, _Misfit(tuple(capacities)), detail, needed)
    for place, cls in enumerate(classes):
        _fail(ended, Outcome.RAISED + place, _Raised(cls), detail)
    refused = dict.fromkeys(shared | links.views, f"an array of what {name} has returned")
    return _Building(arrays, room, sizes, refused, links.arguments).value(result)


@frozen
class _Links:
    """The arrays of a result that are arguments, or views of some."""

    places: tuple[tuple[int, int], ...] = ()  # as `PreparedCall.aliased`
    # The arguments, by the places of the arrays of the result.
    arguments: Mapping[int, TracedArray] = MappingProxyType({})
    views: frozenset[int] = frozenset()  # the places of those that are views

    @classmethod
    def of(cls, tried: Trial, arguments: Sequence[Value], name: str) -> _Links:
        """Those of a trial; `arguments` are the values of the leaves of what is given."""
        named = {place: arguments[leaf] for place, leaf in tried.aliased}
        if not all(isinstance(argument, TracedArray) for argument in named.values()):
            raise UnsupportedOperationError(
                f"{name} returns an argument whose size is known only at run time, or one of several, which compiled "
                "code would take for a new array; return a copy, in a function with @anabranch.host"
            )
        return cls(tried.aliased, named, tried.views)


def _classes(regions: Sequence[TryRegion]) -> tuple[type[BaseException], ...]:
    """The classes of exceptions that the handlers around tell apart, each before those that it is a class of."""
    if not regions:
        return (Exception,)
    named: list[Any] = []
    for region in regions:
        for kinds in region.kinds:
            with contextlib.suppress(Exception):  # it is asked again where it matters
                found = kinds()
                named += found if isinstance(found, tuple) else [found]
    own = {cls for cls in named if isinstance(cls, type) and issubclass(cls, Exception) and cls not in _CLASSES}
    return (*sorted(own, key=lambda cls: -len(cls.__mro__)), *_CLASSES)


def _capacity(what: str, size: int) -> Capacity:
    """The capacity of an axis of a result: its size in the trial, or where another was met, more than that."""
    place = capacity_requests.place_of(what)
    known = capacity_at(place)
    return current().trace.capacities.setdefault(place, known if known.learned else Capacity(place, size))


class _Building:
    """Builds what stands for a result, of its arrays and the sizes of their axes."""

    def __init__(
        self,
        arrays: Sequence[Atom],
        room: Sequence[tuple[tuple[int, ...], tuple[bool, ...]]],
        sizes: Atom,
        shared: Mapping[int, str],
        arguments: Mapping[int, TracedArray],
    ) -> None:
        self._arrays, self._room, self._sizes, self._count = iter(arrays), iter(room), sizes, 0
        self._shared, self._arguments, self._place = shared, arguments, -1

    def value(self, layout: layouts.Layout) -> Value:
        """The value of a layout."""
        match layout:
            case layouts.Leaf():
                return self._leaf(layout)
            case layouts.Node(texts.HostTextStructure(), (number,)):
                return texts.text(self.value(number))
            case layouts.Node(structure, children):
                made = structure.build([self.value(child) for child in children])
                current().trace.identity.created.add(made)
                return made
        assert isinstance(layout, layouts.Constant)
        return layout.value

    def _leaf(self, layout: layouts.Leaf) -> Value:
        atom, (shape, dynamic) = next(self._arrays), next(self._room)
        self._place += 1
        if self._place in self._arguments:
            return self._arguments[self._place]
        made = wrap.from_abstract(layout.abstract, atom)
        if layout.abstract.kind is not Kind.ARRAY:
            return made
        if shape == layout.abstract.shape and not any(dynamic):
            memory_layout.set_traits(made, layout.traits)
        if self._place in self._shared:
            made.storage.readonly = OfLibrary(f"{self._shared[self._place]}, which shares memory with another one,")
        if not any(dynamic):
            return made
        extents = [
            Window(0, self._size(most)) if may_differ else None for most, may_differ in zip(shape, dynamic, strict=True)
        ]
        wrap.note_compact(made, extents)
        return dynamic_array.make(made, extents)

    def _size(self, most: int) -> Value:
        place = self._count
        self._count += 1
        return python_scalar(atoms.reshape(atoms.cut(self._sizes, place, place + 1), ()), Interval(0, most))
