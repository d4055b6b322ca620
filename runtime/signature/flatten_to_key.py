"""Arguments taken apart: a hashable signature, the run-time leaves, and the layout that puts them together again."""

from __future__ import annotations

import functools
from collections.abc import Container, Sequence
from typing import Any, TypeAlias

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.base.grammar import a
from anabranch.runtime._jaxlib import Buffer, put
from anabranch.runtime.device import array as device, foreign
from anabranch.runtime.errors import AliasError, IntegerRangeError, UnsupportedValueError
from anabranch.runtime.ir.array_type import native
from anabranch.runtime.signature import object_fields as parts
from anabranch.runtime.signature.shape_dtype_struct import ShapeDtypeStruct
from anabranch.runtime.signature.static_keys import Static, is_static, key_of
from anabranch.runtime.values import containers
from anabranch.runtime.values.abstract import PYTHON_DTYPES, Abstract, Kind, python_abstract
from anabranch.runtime.values.failures.refusals import INTS_ARE_INT64, argument_refusal, dtype_refusal, shown
from anabranch.runtime.values.pytrees import layout as layouts


@frozen
class RepeatedArgument:
    """A list, dict or object that is an argument, or part of one, for the second time."""

    index: int


# The description of an argument; and of a call: positional arguments, named ones, which arrays are one, the settings.
ArgumentKey: TypeAlias = type | tuple[Any, ...] | RepeatedArgument
SignatureKey: TypeAlias = tuple[Any, ...]


_BEYOND = 2**63


class Leaves:
    """The run-time leaves of a call's arguments, and the key that says what executable they need."""

    __slots__ = ("arrays", "containers", "device", "foreign", "inside", "values")
    static_types: frozenset[type] = frozenset()  # classes of numbers that are no leaves

    def __init__(self) -> None:
        self.values: list[Any] = []
        self.device: dict[int, str] = {}  # Arrays by their places among the values, for messages
        self.arrays: list[np.ndarray] = []
        self.containers: dict[int, Any] = {}  # mutable ones by identity, in the order in which they are met
        self.foreign: foreign.Foreign | None = None  # the arrays of other libraries, where there are any
        self.inside = False  # whether what comes is part of an object

    def key(self, value: Any, where: str) -> ArgumentKey:
        """The hashable description of an argument; its leaves are appended to `values`."""
        kind = type(value)
        if kind is np.ndarray:
            if not device.holds(value.dtype):
                raise dtype_refusal(f"argument '{where}': an array", value.dtype)
            self.values.append(value)
            self.arrays.append(value)
            flags = value.flags
            if flags.c_contiguous:
                return (value.shape, value.dtype, flags.writeable)
            return (value.shape, value.dtype, flags.writeable, value.strides)
        if kind in PYTHON_DTYPES:
            if kind is int and not -_BEYOND <= value < _BEYOND:
                raise IntegerRangeError(
                    f"argument '{where}' is an int of {value.bit_length()} bits, and {INTS_ARE_INT64}; pass a float, "
                    "or name the parameter in static_argnames"
                )
            self.values.append(value)
            return kind
        if kind is device.Array:
            self.device[len(self.values)] = f"argument '{where}'"
            self.values.append(value)
            return (device.Array, value.shape, value.dtype)
        if isinstance(value, np.generic) and (value.dtype.kind in "biufc" or _is_ml_dtype(value.dtype)):
            if not device.holds(value.dtype):
                raise dtype_refusal(f"argument '{where}': a scalar", value.dtype)
            self.values.append(value)
            return (np.generic, value.dtype)
        if kind is Static:
            return ("static", *value.key)
        if is_static(value):
            return ("static", *self._static_key(value, where))
        if isinstance(value, ShapeDtypeStruct):
            if not device.holds(value.dtype):
                raise dtype_refusal(f"argument '{where}': an array", value.dtype)
            if value.device is not None:
                self.device[len(self.values)] = f"argument '{where}'"
            self.values.append(value)
            return value.key()
        if foreign.is_foreign(kind):
            self.foreign = self.foreign or foreign.Foreign()
            return self.key(self.foreign.seen(value, where), where)
        structure = containers.structure_of(value)
        if structure is None:
            raise argument_refusal(where, value)
        if structure.mutable:
            if id(value) in self.containers:
                return RepeatedArgument(list(self.containers).index(id(value)))
            self.containers[id(value)] = value
        outside, self.inside = not self.inside, self.inside or parts.is_object(structure)
        key = self._part if self.inside else self.key
        pairs = zip(structure.keys, structure.children(value), strict=True)
        found = (structure, *[key(c, parts.part_name(where, structure, k)) for k, c in pairs])
        self.inside = self.inside and not outside
        return found

    def _part(self, value: object, where: str) -> ArgumentKey:
        """The key of a part of an object."""
        return self.key(value, where) if parts.is_carried(value) else ("static", type(value), parts.ByIdentity(value))

    def _static_key(self, value: object, where: str) -> tuple[Any, ...]:
        try:
            return key_of(value)
        except TypeError:
            raise UnsupportedValueError(
                f"argument '{where}' is {a(type(value).__name__)} ({shown(value)}), which is static and holds "
                "something without a hash; pass that as an argument of its own"
            ) from None

    @property
    def returns_arrays(self) -> bool:
        """Return whether results are Arrays because of arguments from other libraries."""
        return self.foreign is not None and self.foreign.returns_arrays

    def callers(self, leaf: int, view: np.ndarray) -> Any:
        """Return what the caller gets for the array of a leaf, or a view of it, that is returned."""
        array = self.values[leaf]
        original = None if self.foreign is None else self.foreign.original(array)
        if original is None or view is array:
            return view if original is None else original
        return view if isinstance(original, np.ndarray) else device.placed(view)

    def append_captured(self, array: np.ndarray | device.Array) -> None:
        """Append an array from outside, an input like the arguments.

        Raises
        ------
        AliasError
            When it is also an argument.
        """
        if any(a is array for a in self.arrays):
            raise AliasError(f"an array from outside of the function is passed to it, too; {_ONE_WAY}")
        self.values.append(array)
        if isinstance(array, device.Array):
            return
        self.arrays.append(array)

    def aliases(self) -> tuple[int, ...]:
        """For each array the first one that is the same object; () when all differ."""
        if len(self.arrays) < 2 or len(set(map(id, self.arrays))) == len(self.arrays):
            return ()
        first: dict[int, int] = {}
        same = tuple(first.setdefault(id(a), i) for i, a in enumerate(self.arrays))
        return same if len(first) < len(same) else ()


def buffers(values: Sequence[object]) -> list[np.ndarray]:
    """Leaves as arrays for the executable."""
    dtypes = PYTHON_DTYPES
    return [_native(v) if type(v) is np.ndarray else np.asarray(v, dtypes.get(type(v))) for v in values]


@functools.lru_cache(maxsize=1024, typed=True)
def _known_number(value: float) -> Any:
    return put(np.asarray(value, PYTHON_DTYPES[type(value)])).array


def number_on_device(value: complex) -> Any:
    """Jaxlib's array of a Python number, the same one for a number that was there before.

    Raises
    ------
    OverflowError
        For a Python int beyond int64.
    """
    # Zeros of both signs are equal.
    if value and type(value) is not complex:
        return _known_number(value)
    return put(np.asarray(value, PYTHON_DTYPES[type(value)])).array


class LeavesButNumbers(Leaves):
    """The same where Python's numbers are part of what a call is, as text and None are."""

    __slots__ = ()
    static_types = frozenset(PYTHON_DTYPES)

    def key(self, value: Any, where: str) -> ArgumentKey:
        """The hashable description of an argument."""
        return ("static", *key_of(value)) if type(value) in self.static_types else super().key(value, where)


def on_device(leaves: Sequence[object]) -> list[Buffer]:
    """Leaves on the device: Arrays as they are, the rest copied there.

    Raises
    ------
    DeletedArrayError
    """
    return [v.buffer if isinstance(v, device.Array) else put(np.asarray(v, PYTHON_DTYPES.get(type(v)))) for v in leaves]


def check_sharing(leaves: Leaves, mutated: Sequence[int]) -> None:
    """Refuse a call in which the function writes to an array that shares memory with another argument.

    The same array passed twice is no such case: it is one array inside the function, too.

    Raises
    ------
    AliasError
    """
    for leaf in mutated:
        written = leaves.values[leaf]
        for other in leaves.arrays:
            if other is not written and np.may_share_memory(other, written) and _overlap(other, written):
                raise AliasError(
                    "two arguments share memory and the function writes to one of them; pass a copy of one"
                )


_ONE_WAY = "reach it only through the argument, or pass a copy"


def check_outside(leaves: Leaves, mutated: Sequence[int], outside: Container[Any]) -> None:
    """Refuse a call in which an array that the function writes to is one that it also reads from outside.

    Raises
    ------
    AliasError
    """
    for leaf in mutated:
        if id(leaves.values[leaf]) in outside:
            raise AliasError(
                "the function writes to an array of an argument that it also reaches from outside, through a "
                f"function or an object that is not passed to it; {_ONE_WAY}"
            )


def check_objects(leaves: Leaves, outside: Container[object]) -> None:
    """Refuse a call in which an object that the function knows from outside is an argument, too, where it writes.

    Raises
    ------
    AliasError
    """
    for value in leaves.containers.values():
        if value in outside:
            raise AliasError(
                f"{a(type(value).__name__)} from outside of the function is passed to it, too, and the function "
                f"changes such objects; {_ONE_WAY}"
            )


def _overlap(a: np.ndarray, b: np.ndarray) -> bool:
    try:
        return np.shares_memory(a, b, max_work=100_000)  # type: ignore[arg-type]
    except np.exceptions.TooHardError:
        return True


def _is_ml_dtype(dtype: np.dtype) -> bool:
    return dtype.kind == "V" and device.holds(dtype)


def _native(array: np.ndarray) -> np.ndarray:
    """The array in the machine's byte order."""
    return array if array.dtype.isnative else array.astype(native(array.dtype))


def layout_of(
    value: object, seen: dict[int, int], static_types: frozenset[type] = frozenset(), inside: bool = False
) -> layouts.Layout:
    """The layout of an argument: numbers and arrays are leaves, containers nodes, the rest is static.

    `seen` numbers the mutable containers of the call's arguments by identity. Values of the classes in `static_types`
    are static, too. `inside` says that the value is part of an object.
    """
    if type(value) in static_types or (inside and not parts.is_carried(value)):
        return layouts.Constant(value)
    if isinstance(value, Static):
        return layouts.Constant(value)
    if is_static(value):
        return layouts.Constant(value)
    if type(value) in PYTHON_DTYPES:
        return layouts.Leaf(python_abstract(type(value)))
    if isinstance(value, np.generic):
        return layouts.Leaf(Abstract((), value.dtype, Kind.SCALAR))
    if isinstance(value, device.Array):
        return layouts.Leaf(Abstract(value.shape, value.dtype, Kind.ARRAY))
    if type(value) is np.ndarray:
        return layouts.Leaf(Abstract(value.shape, native(value.dtype), Kind.ARRAY))
    if isinstance(value, ShapeDtypeStruct):
        return layouts.Leaf(value.abstract())
    if foreign.is_foreign(type(value)):
        return layout_of(foreign.seen(value, ""), seen)
    structure = containers.structure_of(value)
    if structure is None:
        return layouts.Constant(value)
    if structure.mutable:
        if id(value) in seen:
            return layouts.Constant(RepeatedArgument(seen[id(value)]))
        seen[id(value)] = len(seen)
    inside = inside or parts.is_object(structure)
    return layouts.Node(structure, tuple([layout_of(c, seen, static_types, inside) for c in structure.children(value)]))


def describe(names: Sequence[str], layout: Sequence[layouts.Layout]) -> str:
    """`x: float64[3], n: int`, for messages."""
    return ", ".join(f"{n}: {_text(t)}" for n, t in zip(names, layout, strict=False))


def _text(layout: layouts.Layout) -> str:
    match layout:
        case layouts.Leaf(abstract):
            return str(abstract)
        case layouts.Node(structure, children):
            return f"{structure.cls.__name__}({', '.join(map(_text, children))})"
    return "static"
