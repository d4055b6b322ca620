"""Between Python objects and atoms: operands in, results out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from anabranch.base.grammar import a
from anabranch.base.value import Value
from anabranch.runtime.device import array as device, foreign
from anabranch.runtime.errors import IntegerRangeError, UnsupportedValueError
from anabranch.runtime.ir.interval import FULL
from anabranch.runtime.ir.program import Atom, Literal
from anabranch.runtime.tracing.builder import current
from anabranch.runtime.tracing.container_state import ArraySite
from anabranch.runtime.tracing.source_frames import Position, place
from anabranch.runtime.tracing.storage import UNKNOWN, Compact
from anabranch.runtime.values import atoms, number_sequence, registry
from anabranch.runtime.values.abstract import PYTHON_DTYPES, WORD, Abstract, Kind
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.failures.refusals import INTS_ARE_INT64, dtype_refusal
from anabranch.runtime.values.list_buffer import ListBuffer
from anabranch.runtime.values.tracer import DynamicShape, Tracer


def numpy_operand(x: object) -> Value:
    """An operand of a NumPy function: traced, ndarray, NumPy scalar or Python scalar; sequences become arrays."""
    if isinstance(x, Tracer) or type(x) in PYTHON_DTYPES:
        return x
    if isinstance(x, (np.ndarray, np.generic)):
        if isinstance(x, np.ndarray):
            foreign.check_operand(x)
        if not device.holds(x.dtype):
            raise dtype_refusal("an array", x.dtype)
        return x
    if isinstance(x, (list, tuple)):
        return registry.FUNCTIONS[np.array](x)
    if isinstance(x, number_sequence.NUMBERS):
        return number_sequence.as_array(x)
    if isinstance(x, device.Array):
        return current().trace.outside.capture(x)
    unwrap = getattr(x, "__anabranch_value__", None)
    if unwrap is not None:
        return numpy_operand(unwrap())
    if isinstance(x, (int, float, complex)):  # of a subclass, such as an IntEnum: its dtype is not weak
        return np.asarray(x)[()]
    raise UnsupportedValueError(f"{a(type(x).__name__)} ({x!r:.60}) is not an array or a number")


def shape_of(x: object) -> tuple[int, ...]:
    """The shape of an operand."""
    if isinstance(x, Tracer):
        return x.abstract.shape
    return x.shape if isinstance(x, (np.ndarray, np.generic, device.Array)) else ()


def as_atom(x: object, dtype: atoms.DType | None = None) -> Atom:
    """The operand's value as an atom, cast to `dtype`."""
    if isinstance(x, device.Array):
        x = current().trace.outside.capture(x)
    if isinstance(x, Tracer):
        if x.word_ is not None and dtype is not None and np.dtype(dtype).kind in "bufc" and _holds_words(dtype):
            return atoms.convert(x.word_, dtype)
        exact = getattr(x, "exact_", None)
        if exact is not None:
            exact.insist()
        atom: Atom = x.atom  # type: ignore[attr-defined]
        if dtype is None:
            return atom
        if x.abstract.kind is Kind.PYTHON and atom.type.dtype == atoms.INT64:
            _check_fits(x, np.dtype(dtype))
        return atoms.convert(atom, dtype)
    if isinstance(x, (np.ndarray, np.generic)):
        if isinstance(x, np.ndarray):
            foreign.check_operand(x)
        array = np.array(x)
        array.flags.writeable = False
        return atoms.convert(Literal(array), dtype) if dtype is not None else Literal(array)
    if type(x) in PYTHON_DTYPES:
        target = np.dtype(dtype) if dtype is not None else PYTHON_DTYPES[type(x)]
        if type(x) is int and target.kind == "c":
            return atoms.literal(complex(x), target)
        return atoms.literal(x, target)
    raise UnsupportedValueError(f"{a(type(x).__name__)} is not an array or a number")


def atom_as(x: object, abstract: Abstract) -> Atom:
    """The value of a number or array that from here on is known to be no more than this.

    Raises `IntegerRangeError` for one of Python's ints that int64 does not hold. NumPy, given one, raises an
    `OverflowError` of its own.
    """
    if abstract == WORD:
        return _word(x)
    if type(x) is int and abstract.kind is Kind.PYTHON and abstract.dtype == atoms.INT64:
        check_range(x)
    if abstract.kind is Kind.PYTHON and abstract.dtype == atoms.INT64 and getattr(x, "exact_", None) is not None:
        atom: Atom = x.atom  # type: ignore[attr-defined]
        return atom
    return as_atom(x, abstract.dtype)


def _holds_words(dtype: atoms.DType) -> bool:
    dtype = np.dtype(dtype)
    return dtype.kind != "u" or dtype.itemsize == WORD.dtype.itemsize


def _word(x: object) -> Atom:
    """One of Python's ints as a word; raises where it is below 0."""
    if type(x) in (int, bool):
        if not 0 <= x < 2**64:  # type: ignore[operator]
            raise IntegerRangeError(_NO_WORD)
        return atoms.literal(int(x), WORD.dtype)  # type: ignore[call-overload]
    if isinstance(x, Tracer) and x.word_ is not None:
        word: Atom = x.word_
        return word
    atom = as_atom(x, np.int64)
    low = getattr(x, "interval", FULL).low
    if low < 0:
        negative = atoms.ufunc(np.less, atom, atoms.literal(0, np.int64))
        run_time_checks.fail_if(negative, lambda _: IntegerRangeError(_NO_WORD))
    return atoms.convert(atom, WORD.dtype)


_NO_WORD = (
    "a Python int that goes beyond int64 in one place is below 0 in another, and compiled code holds such ints as "
    "uint64; use floats, or make the arguments that it comes from static"
)


def check_range(x: int) -> None:
    """Refuse an int that int64 does not hold.

    Raises `IntegerRangeError` for such an int.
    """
    if not -(2**63) <= x < 2**63:
        raise IntegerRangeError(
            f"an int of {x.bit_length()} bits becomes a run-time value here, and {INTS_ARE_INT64}; pass it as a "
            "static argument, or use a float"
        )


def _check_fits(x: Value, dtype: np.dtype) -> None:
    """NumPy raises for a Python int that an integer dtype cannot hold."""
    if dtype.kind not in "iu" or dtype == atoms.INT64:
        return
    info = np.iinfo(dtype)
    outside: Atom = atoms.literal(False)
    if x.interval.low < info.min:
        outside = atoms.ufunc(np.less, x.atom, atoms.literal(info.min, np.int64))
    if x.interval.high > info.max:
        outside = atoms.logical_or(outside, atoms.ufunc(np.greater, x.atom, atoms.literal(info.max, np.int64)))
    text = f"Python integer {{}} out of bounds for {dtype.name}"
    run_time_checks.fail_if(outside, run_time_checks.IntMessage(OverflowError, text), x.atom)


def numpy_result(atom: Atom) -> Value:
    """The result of a NumPy function with this value: a scalar for shape (), else a fresh array."""
    if atom.type.shape == ():
        # A scalar known while tracing is NumPy's own, which may be a shape or an index.
        return atom.value[()] if isinstance(atom, Literal) else current().trace.outside.constructors.scalar(atom)
    return array_of(atom)


def array_of(atom: Atom) -> Value:
    """A fresh array that holds the value (also 0-d), which a place in the user's code makes."""
    lists = current().trace.lists
    if lists.made_arrays is None:
        return standing_for(atom)
    site = ArraySite(place(), atom.type)
    arena = lists.arenas.get(site)
    if arena is not None:
        return arena.made(atom)
    made = standing_for(atom)
    lists.made_arrays[made.storage] = site
    return made


def standing_for(atom: Atom) -> Value:
    """The array of a value that may be, or be a part of, an array which is there already."""
    builder = current()
    return builder.trace.outside.constructors.array(builder.new_storage(atom))


def from_abstract(abstract: Abstract, atom: Atom) -> Value:
    """A value of the given kind."""
    if abstract.kind is Kind.ARRAY:
        return standing_for(atom)
    if abstract.kind is Kind.BUFFER:
        return ListBuffer(atom)
    made = current().trace.outside.constructors
    return made.python(atom) if abstract.kind is Kind.PYTHON else made.scalar(atom)


def python_number(*args: object) -> Value:
    """The Python scalar of an atom (and an interval, and what it is an offset of): plain where it is known."""
    return current().trace.outside.constructors.python(*args)


def is_dynamic_array(value: object) -> bool:
    """Return whether a value is an array whose size is known only at run time."""
    return isinstance(value, DynamicShape)


class Extent(Protocol):
    """The elements of an axis, known only at run time, as far as memory depends on them."""

    @property
    def follow(self) -> bool:
        """Return whether one element is beside the other."""


def with_extents(view: Any, extents: Sequence[Extent | None], origin: Position | None = None) -> Value:
    """New memory as an array of these extents, one for each axis; as it is where they are all None."""
    note_compact(view, extents)
    return part_of(view, extents, origin)


def note_compact(view: Any, extents: Sequence[Extent | None]) -> None:
    """Note that in NumPy there is no room beside the elements that these extents select of new memory."""
    if not any(extents) or view.path:
        return
    if isinstance(view.storage.strides, tuple):
        view.storage.strides = UNKNOWN
    elif view.storage.strides is None and (any(extents[1:]) or (extents[0] is not None and not extents[0].follow)):
        # Elements that follow one another on the first axis alone are where they are in NumPy.
        view.storage.strides = Compact(tuple(extents))


def part_of(view: Any, extents: Sequence[Extent | None], origin: Position | None = None) -> Value:
    """The part of an array that these extents select; the array itself where they are all None."""
    return current().trace.outside.constructors.part(view, extents, origin) if any(extents) else view
