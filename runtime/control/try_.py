"""The `try` statement: what fails at run time leads to the handler of its class.

The body runs in place, in a region that remembers what names and objects hold where something may fail. After it, one
branch on the error code runs the handler that catches what has failed, on what there was then, or the `else`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.base.signals import Interrupt
from anabranch.base.value import Value
from anabranch.runtime.control.branches import stage_branches
from anabranch.runtime.control.branches.join import MISSING
from anabranch.runtime.control.branches.own_errors import is_own
from anabranch.runtime.control.exits import NEXT
from anabranch.runtime.control.if_ import if_, where
from anabranch.runtime.errors import AnabranchError, ShapeMismatchError
from anabranch.runtime.ir.program import Atom, Literal
from anabranch.runtime.tracing.builder import current, tracing
from anabranch.runtime.tracing.failures import Caught, Details, Failure, UnreachableError
from anabranch.runtime.tracing.restarts import Restart
from anabranch.runtime.values import atoms
from anabranch.runtime.values.containers import TextWithInts
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.heap.try_regions import Point, TryRegion
from anabranch.runtime.values.python_numbers.python_scalar import python_scalar
from anabranch.runtime.values.pytrees import exceptions

Block = Callable[..., Any]
# What a way out of a region does, with the error code, for failures of these numbers.
_Enter = Callable[[Atom, tuple[int, ...]], Any]
Handler = tuple[Callable[[], Any] | None, Block]


def try_(
    body: Block,
    *handlers: Handler,
    orelse: Block | None = None,
    final: Block | None = None,
    exits: Sequence[str] = (),
) -> Value:
    """Run `body`, then `orelse`; where it raises, the first handler whose classes fit; `final` after all.

    A handler is its classes, asked when something was raised, and its block, which takes the exception where it has a
    parameter. With `exits`, blocks give an exit code, and the value where "return" is among them; so does this.
    """
    form = _Form(tuple(exits))
    if not tracing():
        return _run(body, handlers, orelse, final, form)
    if final is None:
        return _handle(body, handlers, orelse, form)
    return _finish(lambda: _handle(body, handlers, orelse, form), final, form)


@frozen
class _Form:
    """The form in which the blocks say how they were left."""

    exits: tuple[str, ...]

    def fell(self, result: Value) -> Value:
        """Return whether a block came to its end."""
        if not self.exits or result is None:
            return True
        return (result[0] if "return" in self.exits else result) == NEXT

    def after(self, result: Value, orelse: Block | None) -> Value:
        """The result of a body that has not raised, with the `else` that follows it."""
        return result if orelse is None else self.unless_left(result, orelse)

    def unless_left(self, result: object, following: Block) -> Value:
        """`following()` where a block came to its end, else what the block gave."""
        fell = self.fell(result)
        return following() if fell is True else if_(fell, following, lambda: result)


def _run(body: Block, handlers: Sequence[Handler], orelse: Block | None, final: Block | None, form: _Form) -> Value:
    """The statement as Python runs it."""
    try:
        try:
            result = body()
        except BaseException as error:
            return _caught(error, handlers)
        return form.after(result, orelse)
    finally:
        left = final() if final is not None else None
        if not form.fell(left):
            return left  # noqa: B012 - as the user's own finally does


def _caught(error: BaseException, handlers: Sequence[Handler]) -> Value:
    """Run the handler for an exception that is being handled; raise it again where there is none."""
    for kinds, block in handlers:
        if not passes(error) and (kinds is None or _catches(error, kinds())):
            return _enter(block, error)
    raise error


def passes(error: BaseException) -> bool:
    """Return whether no handler catches an exception: eager Python would not have raised it."""
    return isinstance(error, (AnabranchError, Interrupt, Restart)) and not isinstance(error, ShapeMismatchError)


def _enter(block: Block, error: BaseException) -> Value:
    if isinstance(error, ShapeMismatchError):
        context, error = error, ValueError(*error.args).with_traceback(error.__traceback__)
        error.__cause__, error.__context__ = context.__cause__, context.__context__
    return block(*(error,)[: block.__code__.co_argcount])


def _attempt(region: TryRegion, body: Block) -> Value:
    """The result of a body; MISSING where it raises for sure after something else may have failed."""
    regions = region.builder.trace.failures.regions
    regions.append(region)
    try:
        return body()
    except UnreachableError:
        if not region.failed(current()):
            raise
    except BaseException as error:
        if is_own(error) or not region.failed(current()):
            raise
        exceptions.record(atoms.literal(True), error, run_time_checks.frames_of(error))
    finally:
        regions.pop()
    return MISSING


def _handle(body: Block, handlers: Sequence[Handler], orelse: Block | None, form: _Form) -> Value:
    """Body, handlers and else."""
    kinds = tuple(classes for classes, _ in handlers if classes is not None)
    region = TryRegion((body, orelse, *(block for _, block in handlers)), kinds)
    try:
        value = _attempt(region, body)
    except BaseException as error:
        if is_own(error):
            raise
        return _caught(error, handlers)
    if not region.failed(current()):
        return form.after(value, orelse)
    found = _Catches(region, handlers)
    if not any(way.block is not None for way in found.ways):
        if not region.builder.trace.failures.regions:
            region.take_points()
        if value is MISSING:
            raise UnreachableError
        return form.after(value, orelse)
    success = None if value is MISSING else lambda: form.after(value, orelse)
    return _Fork(region, f"the try at {where(body)}").run(success, [w.enter for w in found.ways], found.numbers)


def _finish(inner: Callable[[], object], final: Block, form: _Form) -> Value:
    """The result of a block with a `finally`, which always runs; a failure goes on after it unless it is left."""
    region = TryRegion((inner, final))
    try:
        value = _attempt(region, inner)
    except BaseException as error:
        if is_own(error):
            raise
        return form.unless_left(final(), _raising(error))
    numbers = region.numbers() if region.failed(current()) else []
    if not numbers:
        return form.unless_left(final(), lambda: value)

    def failing(code: Atom, numbers: tuple[int, ...]) -> Value:
        again = _failing(code, run_time_checks.details_of(numbers))
        return form.unless_left(final(), again)

    def passing(code: Atom, _: tuple[int, ...]) -> Value:
        return _failing(code)()

    success = None if value is MISSING else lambda: form.unless_left(final(), lambda: value)
    ways, places = _distinct({n: passing if _passes(region, n) else failing for n in numbers})
    return _Fork(region, f"the try at {where(final)}").run(success, ways, places)


def _passes(region: TryRegion, number: int) -> bool:
    return passes(reconstructed(region.builder.trace.failures.numbered[number - 1]))


def may_raise(region: TryRegion) -> bool:
    """Return whether something in a region may fail that eager Python would raise, too."""
    return not all(_passes(region, number) for number in region.numbers())


def _distinct(wanted: Mapping[int, _Enter]) -> tuple[list[_Enter], dict[int, int]]:
    """The ways that failures take, each once, and the place among them of each failure's."""
    ways = list(dict.fromkeys(wanted.values()))
    return ways, {number: ways.index(way) for number, way in wanted.items()}


def _raising(error: BaseException) -> Block:
    def run() -> None:
        raise error

    return run


def _failing(code: Atom, details: Details = ()) -> Block:
    """Fail with this error code (again)."""

    def run() -> None:
        run_time_checks.fail_again(code, details)
        raise UnreachableError

    return run


@frozen
class _Way:
    """A handler with a failure that it catches; no block where nobody catches it."""

    block: Block | None
    failure: Failure

    def enter(self, code: Atom, numbers: tuple[int, ...]) -> Value:
        """Run the handler; a `raise` in it finds the exception."""
        if self.block is None:
            return _failing(code)()
        error = reconstructed(self.failure)
        known = current().trace.failures.caught[error] = Caught(
            error, code, numbers, run_time_checks.details_of(numbers)
        )
        context = error.__context__
        try:
            raise error
        except BaseException as caught:
            caught.__context__ = context or caught.__context__
            known.note()
            caught.__traceback__ = None
            return _enter(self.block, caught)


def _catches(error: BaseException, classes: Any) -> bool:
    """Return whether an `except` clause of these classes catches an error."""
    for cls in classes if isinstance(classes, tuple) else (classes,):
        if not (isinstance(cls, type) and issubclass(cls, BaseException)):
            raise TypeError("catching classes that do not inherit from BaseException is not allowed")
    return isinstance(error, classes)


class _Catches:
    """The handlers that catch the failures of a region: `numbers` has the way of each failure by its number."""

    def __init__(self, region: TryRegion, handlers: Sequence[Handler]) -> None:
        failures = region.builder.trace.failures.numbered
        kinds = [(BaseException if kinds is None else kinds(), block) for kinds, block in handlers]
        self.ways: list[_Way] = []
        self.numbers: dict[int, int] = {}
        places: dict[Hashable, int] = {}
        for number in region.numbers():
            failure = failures[number - 1]
            error = reconstructed(failure)
            fits = (block for classes, block in kinds if _catches(error, classes))
            block = None if passes(error) else next(fits, None)
            looks = block is not None and block.__code__.co_argcount
            key = (block, _identity(failure, error) if looks else None)
            if key not in places:
                places[key] = len(self.ways)
                self.ways.append(_Way(block, failure))
            self.numbers[number] = places[key]


def reconstructed(failure: Failure) -> BaseException:
    """The exception of a failure, with what it says of run-time values."""
    values = [current().read(storage) for storage in failure.details]
    if failure.reconstruct is not None:
        return failure.reconstruct(values)
    error = failure.make([np.zeros((), np.int64)] * len(values))
    if values:
        error.args = (
            TextWithInts(lambda ns: str(failure.make(list(map(np.asarray, ns)))), tuple(map(python_scalar, values))),
        )
    return error


def _identity(failure: Failure, error: BaseException) -> Hashable:
    """The identity of an exception, for a handler that looks at it."""
    plain = all(type(a) in (str, int, float, bool) for a in error.args)
    return (type(error), *((type(a), repr(a)) for a in error.args)) if plain and not vars(error) else failure


class _Fork:
    """The branch on the error code after a region."""

    def __init__(self, region: TryRegion, what: str) -> None:
        self.region, self.what = region, what
        self.code = region.builder.read(region.builder.trace.failures.error_code)
        self.points = region.take_points()
        self.tidy: list[bool] = []

    def run(self, success: Block | None, ways: Sequence[_Enter], numbers: Mapping[int, int]) -> Value:
        """The value of `ways[numbers[k]]` where failure `k` happened, of `success` where none did."""
        blocks = [] if success is None else [self._succeeding(success)]
        for place, way in enumerate(ways):
            blocks.append(self._failing(way, tuple(k for k, n in numbers.items() if n == place)))
        if len(blocks) == 1:
            return blocks[0]()
        selector = self._selector(len(blocks), {k: n + (success is not None) for k, n in numbers.items()})
        value = stage_branches.stage(selector, blocks, self.what)
        if len(self.tidy) == len(blocks) and all(self.tidy):
            self.region.leave()
        return value

    def _selector(self, count: int, numbers: Mapping[int, int]) -> Atom:
        before = changes = 0
        which: Atom = atoms.literal(0, np.int32)
        last = which
        for number, place in numbers.items():
            if place == before:
                continue
            before, changes = place, changes + 1
            last = atoms.ufunc(np.greater_equal, self.code, atoms.literal(number, np.int32))
            which = atoms.select(last, atoms.literal(place, np.int32), which)
        if count > 2 or isinstance(which, Literal):
            return which
        return last if changes == 1 else atoms.ufunc(np.equal, which, atoms.literal(1, np.int32))

    def _succeeding(self, block: Block) -> Block:
        return self._with_code(self.region.entry, block)

    def _failing(self, way: _Enter, numbers: tuple[int, ...]) -> Block:
        # The defaults lead to all that this may put back, also to objects that names of the body have left since.
        def run(
            points: Sequence[Point] = self.points,
            roots: tuple[object, ...] = (*self.region.roots, *stage_branches.targets(self.points)),
        ) -> Value:
            return stage_branches.as_at_failure(points, roots, lambda: way(self.code, numbers))

        return self._with_code(self.region.entry, run)

    def _with_code(self, start: Atom, block: Block) -> Block:
        """Run a block with the error code as it was before the region, and see whether that stays."""

        def run(block: Block = block, roots: tuple[object, ...] = self.region.roots) -> Value:
            builder = current()
            code = builder.trace.failures.error_code
            builder.write(code, start)
            begun = builder.read(code)
            value = block()
            self.tidy.append(builder.read(code) is begun)
            return value

        return run
