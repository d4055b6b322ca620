"""Progress bars in a function that is traced: over what a loop counts over, over other iterables, or moved by hand.

The count is memory of the Program, as arrays are, so loops carry it. Each write is an op that lets the host see it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NoReturn

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.control.exits import BREAK, NEXT
from anabranch.runtime.control.iteration.push_iterator import Consumer, PushIterator
from anabranch.runtime.control.sequences.countable import Countable
from anabranch.runtime.control.sequences.iterators import OfOne
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.host.progress_bars import Shown, Slot
from anabranch.runtime.ir.interval import Interval
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.ops.host_callback import progress_tick
from anabranch.runtime.tracing.builder import current
from anabranch.runtime.values import atoms, effects, wrap
from anabranch.runtime.values.containers import has_traced
from anabranch.runtime.values.lazy_text import Text
from anabranch.runtime.values.python_numbers.python_scalar import PythonScalar, python_scalar

_MOST = 2**62
_WRITTEN_LAST = -_MOST


class Count:
    """The count of a bar, which is opened when the computation gets here.

    Parameters
    ----------
    name
        The library's function, for messages.
    make
        Makes the bar on the host, of its options.
    options
        Some may be known only at run time.
    """

    def __init__(self, name: str, make: Callable[[Mapping[str, Any]], Shown], options: Mapping[str, Value]) -> None:
        self.name, self._slot = name, Slot()
        known = {key: value for key, value in options.items() if not (has_traced(value) or isinstance(value, Text))}
        open_ = self._slot.open
        effects.emit(
            name,
            lambda found: open_(lambda: make(known | found)),
            {key: value for key, value in options.items() if key not in known},
            at_once=True,
            is_repeated=True,
        )
        self._storage = current().new_storage(atoms.literal(0, np.int64))
        self._address = wrap.as_atom(current().trace.outside.capture(self._slot.address))

    @property
    def atom(self) -> Atom:
        """The steps that were done, as far as it was written."""
        return current().read(self._storage)

    @property
    def shown(self) -> Any:
        """The library's bar, when the function runs."""
        return self._slot.shown

    @property
    def number(self) -> Value:
        """The same as a number of Python's."""
        return python_scalar(self.atom, Interval(-_MOST, _MOST))

    def begin(self) -> None:
        """Let there be no last step, as long as there was none."""
        current().write(self._storage, atoms.literal(-1, np.int64))

    def write(self, count: Atom) -> None:
        """Write another count, which the host sees."""
        builder = current()
        counter, code = builder.trace.output.counter, builder.read(builder.trace.failures.error_code)
        number, count = builder.bind(progress_tick, builder.read(counter), code, count, self._address)
        builder.write(counter, number)
        builder.write(self._storage, count)

    def do(self, perform: Callable[[Any], None], value: Value, *, even_after_failures: bool = False) -> None:
        """Emit an effect."""
        effects.emit(self.name, perform, value, at_once=True, even_after_failures=even_after_failures)

    def finish(self, count: Atom) -> None:
        """End the bar with a count; in a try statement also where something has failed, with what was written last.

        Elsewhere the host ends it then, and also where a failure may be a buffer that was too small: such a run begins
        anew, with the bar.
        """
        slot, builder = self._slot, current()
        trace = builder.trace
        is_caught = bool(trace.failures.regions) and not trace.capacities
        if is_caught:
            fine = atoms.ufunc(np.equal, builder.read(trace.failures.error_code), atoms.literal(0, np.int32))
            count = atoms.select(fine, count, atoms.literal(_WRITTEN_LAST, np.int64))

        def perform(found: Any) -> None:
            slot.finish(None if found == _WRITTEN_LAST else int(found))

        self.do(perform, python_scalar(count, Interval(_WRITTEN_LAST, _MOST)), even_after_failures=is_caught)

    def end_after(self, left: Atom, length: Atom | None) -> None:
        """End the bar after a loop, of which each step has written how many came before it.

        Parameters
        ----------
        left
            Whether the loop was left, so that its last step is not done.
        length
            How many steps there are at most.
        """
        done = atoms.ufunc(np.add, self.atom, atoms.literal(1, np.int64))
        if length is not None:
            done = atoms.ufunc(np.minimum, done, length)
        self.finish(atoms.select(left, self.atom, done))

    def call(self, method: str, args: tuple[Value, ...], options: Mapping[str, Value]) -> None:
        """Emit a call of a method of the library's bar."""
        slot = self._slot

        def perform(found: Any) -> None:
            count, args, options = found
            slot.call(method, int(count), args, options)

        self.do(perform, (self.number, args, dict(options)))


def whole_number(what: str, number: Value) -> None:
    """Refuse any other number of steps.

    Raises `UnsupportedOperationError`.
    """
    if not isinstance(number, (int, np.integer, PythonScalar)) or getattr(number, "python", int) not in (int, bool):
        raise UnsupportedOperationError(
            f"{what} in compiled code takes an int; count in units of which each step is a whole number"
        )


class TqdmBar:
    """The attributes and methods of a bar of tqdm beside iteration."""

    _count: Count
    _total: Value
    _first: Value

    def update(self, n: Value = 1) -> None:
        """Note that `n` more steps are done."""
        whole_number("update() of a progress bar", n)
        count = self._count
        count.write(atoms.ufunc(np.add, count.atom, wrap.as_atom(n, np.int64)))

    @property
    def n(self) -> Value:
        """How many steps are done."""
        return self._count.number + self._first

    @n.setter
    def n(self, n: Value) -> None:
        self._count.write(wrap.as_atom(n - self._first, np.int64))

    @property
    def total(self) -> Value:
        """How many there are, or None."""
        if self._total is _UNKNOWN:
            raise UnsupportedOperationError(
                "the total of a progress bar is read in compiled code after it may have been changed; keep it in a "
                "variable of its own"
            )
        return self._total

    @total.setter
    def total(self, total: Value) -> None:
        self._count.call("__setattr__", ("total", total), {})
        self._total = _UNKNOWN

    def reset(self, total: Value = None) -> None:
        """Begin anew."""
        self._count.call("reset", (total,), {})
        if total is not None:
            self._total = _UNKNOWN
        self._count.write(atoms.literal(0, np.int64))

    def __enter__(self) -> Value:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        # Where the block fails the host ends the bar.
        if kind is None:
            self._count.finish(self._count.atom)

    def close(self) -> None:
        """End the bar."""
        self._count.call("close", (), {})

    def __bool__(self) -> bool:
        return True

    def __getattr__(self, name: str) -> NoReturn:
        _refused(name)

    def __setattr__(self, name: str, value: Value) -> None:
        if not (name.endswith("_") or name.startswith("_") or name in ("n", "total", "items", *_PUSHING)):
            instead = "call set_description()" if name == "desc" else "give it to the bar when that is made"
            raise UnsupportedOperationError(
                f"{name} of a progress bar is set in compiled code, which would be seen only while the function is "
                f"traced; {instead}"
            )
        super().__setattr__(name, value)


_UNKNOWN = object()
# What a loop over it keeps in it.
_PUSHING = ("returned", "sender")
# Methods that look at nothing but the bar.
_PASSED_ON = (
    "clear", "display", "refresh", "set_description", "set_description_str", "set_postfix", "set_postfix_str",
    "unpause",
)  # fmt: skip
SHOWN = {*_PASSED_ON, "update", "n", "total", "reset", "close"}


def _passed_on(method: str) -> Callable[..., None]:
    def call(self: TqdmBar, *args: Value, **options: Value) -> None:
        self._count.call(method, args, options)

    return call


for _method in _PASSED_ON:
    setattr(TqdmBar, _method, _passed_on(_method))


def _refused(name: str) -> NoReturn:
    if name.startswith("_"):
        raise AttributeError(name)
    raise UnsupportedOperationError(
        f"{name} of a progress bar is not supported in compiled code; there are {', '.join(sorted(SHOWN))}"
    )


class _Sample:
    """Has the attributes of a bar."""

    __slots__ = ()

    def __getattr__(self, name: str) -> NoReturn:
        _refused(name)


_Sample.__name__ = "tqdm"
for _name in SHOWN:
    setattr(_Sample, _name, None)


class CountedBar(TqdmBar, OfOne, sample=_Sample):
    """A bar over what a loop counts over."""

    def __init__(self, count: Count, items: Countable, is_sized: bool, first: Value, total: Value) -> None:
        self._count, self._first, self._total, self._is_sized = count, first, total, is_sized
        super().__init__(items)

    @property
    def is_sized(self) -> bool:  # type: ignore[override]
        """Return whether `len` may be asked of it."""
        return self._is_sized

    def take_up(self) -> None:
        """Note that the iteration begins, with no step so far."""
        super().take_up()
        self._count.begin()

    def at(self, index: int | PythonScalar) -> Value:
        self._count.write(wrap.as_atom(index, np.int64))
        return self.items.at(index)

    def end(self, left: Atom) -> None:
        self._count.end_after(left, wrap.as_atom(self.items.length, np.int64))
        super().end(left)


class PushedBar(TqdmBar, PushIterator, sample=_Sample):
    """A bar over items that are given away one by one, or are gone over while tracing; or over none."""

    def __init__(self, count: Count, source: Iterable[Value] | None, first: Value, total: Value) -> None:
        self._count, self._first, self._total, self.source_ = count, first, total, source
        super().__init__()

    def run(self, consume: Consumer) -> None:
        """Count each item, and the end."""
        count, source = self._count, self.source_
        count.begin()

        def counted(item: Value) -> Value:
            count.write(atoms.ufunc(np.add, count.atom, atoms.literal(1, np.int64)))
            return consume(item)

        assert isinstance(source, PushIterator)
        source.for_each(counted, may_stop=True)

    def pull(self) -> Iterator[Value]:
        """The items one by one."""
        if self.source_ is None:
            raise TypeError("'NoneType' object is not iterable")
        self._count.begin()
        items = self.source_.passing() if isinstance(self.source_, PushIterator) else iter(self.source_)
        for place, item in enumerate(items):
            self._count.write(atoms.literal(place, np.int64))
            yield item
        self.ended_(NEXT)

    def for_each(self, consume: Consumer, may_stop: bool) -> None:
        """Push what is left."""
        super().for_each(consume, may_stop)
        if not may_stop:
            self.ended_(NEXT)

    def ended_(self, code: Value) -> None:
        """End the bar after a loop that was left with an exit code."""
        left = atoms.literal(code >= BREAK) if isinstance(code, int) else (code >= BREAK).atom
        self._count.end_after(left, None)
