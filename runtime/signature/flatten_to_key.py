"""Arguments taken apart: a hashable signature, the run-time leaves, and the layout that puts them together again."""

from __future__ import annotations

import functools
from collections.abc import Collection, Container, Sequence
from typing import Any, TypeAlias

import numpy as np

from anabranch.base.by_identity import ByIdentity, IdentityDict, IdentitySet
from anabranch.base.frozen import frozen
from anabranch.base.grammar import a
from anabranch.runtime._jaxlib import Buffer, put
from anabranch.runtime.device import array as device, foreign
from anabranch.runtime.errors import AliasError, IntegerRangeError, UnsupportedValueError
from anabranch.runtime.host.generator_state import OutsideGenerator, kind_of
from anabranch.runtime.ir.array_type import native
from anabranch.runtime.signature import object_fields as parts
from anabranch.runtime.signature.object_fields import set_structure
from anabranch.runtime.signature.shape_dtype_struct import ShapeDtypeStruct
from anabranch.runtime.signature.static_keys import Static, is_static, key_of
from anabranch.runtime.values import containers, random_generators
from anabranch.runtime.values.abstract import PYTHON_DTYPES
from anabranch.runtime.values.dynamic_lists import list_arguments
from anabranch.runtime.values.failures.refusals import INTS_ARE_INT64, argument_refusal, dtype_refusal, shown
from anabranch.runtime.values.host_calls import changing_objects
from anabranch.runtime.values.host_types import structures


@frozen
class RepeatedArgument:
    """A list, dict or object that is an argument, or part of one, for the second time."""

    index: int


# The key of an argument says of which kind it is, and all that its layout and the checks of later calls are made from:
#
#     int, float, complex, bool                           a Python number: its class
#     (np.generic, dtype)                                 a NumPy scalar
#     (np.ndarray, shape, dtype, writeable, strides)      an array; None for the strides of a contiguous one
#     (Array, shape, dtype)                               an array on the device
#     (Structure, key, key, …)                            a container, with the keys of its parts
#     RepeatedArgument(index)                             a mutable container that was met before
#     ("static", class, …)                                a value that is plain Python while tracing
#
# The first four are leaves. That of a call: the keys of positional arguments, names and keys of the others, which
# leaves are an array that another leaf before is, and the settings.
ArgumentKey: TypeAlias = type | tuple[Any, ...] | RepeatedArgument
SignatureKey: TypeAlias = tuple[Any, ...]
# What an argument is called in messages, or the part of which container it is, and its key there.
Path: TypeAlias = "str | tuple[Path, containers.Structure, object]"


_BEYOND = 2**63
_ARRAYS = (np.ndarray, np.recarray, bytearray, memoryview)


def is_leaf(key: ArgumentKey) -> bool:
    """Return whether the key of an argument is that of a number or array."""
    if type(key) is tuple:
        return not isinstance(key[0], (str, containers.Structure))
    return not isinstance(key, RepeatedArgument)


def _named(path: Path) -> str:
    return path if isinstance(path, str) else parts.part_name(_named(path[0]), *path[1:])


class Leaves:
    """A call's arguments taken apart: the run-time leaves, and the key that says what executable they need."""

    __slots__ = (
        "_inside",
        "_parts",
        "_places",
        "arrays",
        "containers",
        "foreign",
        "generators",
        "originals",
        "run_time_sequences",
        "sequences",
        "statics",
        "values",
    )  # fmt: skip
    static_types: frozenset[type] = frozenset()  # classes of numbers that are no leaves

    def __init__(self, run_time_sequences: Collection[int] = ()) -> None:
        self.values: list[Any] = []  # the leaves, in the order in which they are met
        self.arrays: list[np.ndarray | device.Array] = []  # the arrays among them
        self.statics: list[Any] = []  # the values that are plain Python while tracing, in the order of their keys
        self.containers: list[Any] = []  # the mutable ones, in the order in which they are met
        self.foreign: foreign.Foreign | None = None  # the arrays of other libraries, where there are any
        # Generators of random numbers, by the leaf that is the words of their state.
        self.generators: dict[int, Any] = {}
        # The objects that arrays are the memory of, with their structures, by the identities of the arrays.
        self.originals: dict[tuple[ByIdentity, ...], tuple[containers.Structure, Any]] = {}
        self._parts: IdentityDict[Any, list[Any]] = IdentityDict()  # of objects that are made of arrays
        self._places: IdentityDict[Any, int] = IdentityDict()  # of the containers
        self.sequences: list[str | bytes | int] = []  # texts, bytes, and the lengths of lists of numbers
        self.run_time_sequences = run_time_sequences  # the places of those that are not known
        self._inside = False  # whether what comes is part of an object

    def key(self, value: Any, path: Path) -> ArgumentKey:
        """The key of an argument; its leaves are appended to `values`."""
        kind = type(value)
        hosted: containers.Structure | None = None
        if kind in _ARRAYS or isinstance(value, np.generic):
            hosted = structures.structure_of(value) or changing_objects.structure_of(value)
        if hosted is not None:
            return self._hosted(value, hosted, path)
        if kind is np.ndarray:
            if not device.holds(value.dtype):
                raise dtype_refusal(f"argument '{_named(path)}': an array", value.dtype)
            self.values.append(value)
            self.arrays.append(value)
            flags = value.flags
            strides = None if flags.c_contiguous else value.strides
            return (np.ndarray, value.shape, value.dtype, flags.writeable, strides)
        if kind in PYTHON_DTYPES:
            if kind is int and _BEYOND <= value < 2 * _BEYOND:
                return self._hosted(value, structures.WORD, path)
            if kind is int and not -_BEYOND <= value < _BEYOND:
                raise IntegerRangeError(
                    f"argument '{_named(path)}' is an int of {value.bit_length()} bits, and {INTS_ARE_INT64}; pass a "
                    "float, or name the parameter in static_argnames"
                )
            self.values.append(value)
            return kind
        if kind is device.Array:
            self.values.append(value)
            self.arrays.append(value)
            return (device.Array, value.shape, value.dtype)
        if isinstance(value, np.generic) and (value.dtype.kind in "biufc" or _is_ml_dtype(value.dtype)):
            if not device.holds(value.dtype):
                raise dtype_refusal(f"argument '{_named(path)}': a scalar", value.dtype)
            self.values.append(value)
            return (np.generic, value.dtype)
        if kind is Static:
            return self.static(value, value.key)
        if kind is str or kind is bytes:
            if self._is_run_time(value):
                coded = structures.STRUCTURES[kind]
                return self._taken_apart(coded, coded.children(value), path)
        elif kind is list and value and type(value[0]) in list_arguments.STRUCTURES and isinstance(path, str):
            listed = list_arguments.STRUCTURES[type(value[0])]
            numbers = listed.parts(value) if self._is_run_time(len(value)) else None
            if numbers is not None:
                return self._repeated(value) or self._taken_apart(listed, numbers, path)
        if is_static(value):
            return self.static(value, self._static_key(value, path))
        if isinstance(value, ShapeDtypeStruct):
            if not device.holds(value.dtype):
                raise dtype_refusal(f"argument '{_named(path)}': an array", value.dtype)
            self.values.append(value)
            return value.key()
        library = changing_objects.structure_of(value)
        if library is not None and library.mutable:
            return self._repeated(value) or self._hosted(value, library, path)
        if library is not None:
            return self._hosted(value, library, path)
        if foreign.is_foreign(kind):
            self.foreign = self.foreign or foreign.Foreign()
            return self.key(self.foreign.seen(value, _named(path)), path)
        generator = kind_of(value)
        structure = random_generators.structure_of(value, generator) or set_structure(value)
        if structure is None:
            raise argument_refusal(_named(path), value)
        repeated = self._repeated(value) if structure.mutable else None
        if repeated is not None:
            return repeated
        if generator is not None:
            self.generators[len(self.values)] = value
        outside, self._inside = not self._inside, self._inside or parts.is_object(structure)
        key = self._part if self._inside else self.key
        pairs = zip(structure.keys, structure.children(value), strict=True)
        found = (structure, *[key(c, (path, structure, k)) for k, c in pairs])
        self._inside = self._inside and not outside
        return found

    def _is_run_time(self, sequence: str | bytes | int) -> bool:
        """Note a text, or the length of a list; return whether it is no plain Python while tracing."""
        self.sequences.append(sequence)
        return len(self.sequences) - 1 in self.run_time_sequences

    def _taken_apart(self, structure: containers.Structure, parts: Sequence[Any], path: Path) -> ArgumentKey:
        pairs = zip(structure.keys, parts, strict=True)
        return (structure, *[self.key(part, (path, structure, k)) for k, part in pairs])

    def _repeated(self, value: object) -> RepeatedArgument | None:
        """The key of a mutable container that has been met before; one that has not is noted, and gives None."""
        place = self._places.setdefault(value, len(self.containers))
        if place < len(self.containers):
            return RepeatedArgument(place)
        self.containers.append(value)
        return None

    def _hosted(self, value: Any, structure: containers.Structure, path: Path) -> ArgumentKey:
        """The key of an object that is made of arrays, which are views of its memory."""
        parts = self._parts.setdefault(value, structure.children(value))
        first = len(self.values)
        found = [self.key(part, (path, structure, k)) for part, k in zip(parts, structure.keys, strict=True)]
        self.originals[tuple(map(ByIdentity, self.values[first:]))] = structure, value
        return (structure, *found)

    def static(self, value: object, key: tuple[Any, ...]) -> ArgumentKey:
        """The key of what is plain Python while tracing, by what tells it apart."""
        self.statics.append(value)
        return ("static", *key)

    def _part(self, value: object, path: Path) -> ArgumentKey:
        """The key of a part of an object."""
        if parts.is_carried(value):
            return self.key(value, path)
        return self.static(value, (type(value), ByIdentity(value)))

    def _static_key(self, value: object, path: Path) -> tuple[Any, ...]:
        try:
            return key_of(value)
        except TypeError:
            raise UnsupportedValueError(
                f"argument '{_named(path)}' is {a(type(value).__name__)} ({shown(value)}), which is static and holds "
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

    def append_captured(self, array: Any) -> None:
        """Append an array from outside, or the words of a generator: an input like the arguments.

        Raises `AliasError` when it is also an argument.
        """
        if isinstance(array, OutsideGenerator):
            if any(c is array.generator for c in self.containers):
                raise AliasError(f"a generator from outside of the function is passed to it, too; {_ONE_WAY}")
            self.generators[len(self.values)] = array.generator
            array = array.read()
        if isinstance(array, np.ndarray):
            if any(a is array for a in self.arrays):
                raise AliasError(f"an array from outside of the function is passed to it, too; {_ONE_WAY}")
            self.arrays.append(array)
        self.values.append(array)

    def aliases(self) -> tuple[tuple[int, int], ...]:
        """The leaves that are an array of an earlier leaf, each with the first that it is."""
        if len(self.arrays) < 2 or len(IdentitySet(self.arrays)) == len(self.arrays):
            return ()
        arrays = [(leaf, v) for leaf, v in enumerate(self.values) if isinstance(v, (np.ndarray, device.Array))]
        first: IdentityDict[Any, int] = IdentityDict()
        same = [(leaf, first.setdefault(array, leaf)) for leaf, array in arrays]
        return tuple([(leaf, earlier) for leaf, earlier in same if earlier < leaf])


def buffers(values: Sequence[object]) -> list[np.ndarray]:
    """Leaves as arrays for the executable."""
    dtypes = PYTHON_DTYPES
    return [_native(v) if type(v) is np.ndarray else np.asarray(v, dtypes.get(type(v))) for v in values]


@functools.lru_cache(maxsize=1024, typed=True)
def _known_number(value: float) -> Any:
    return put(np.asarray(value, PYTHON_DTYPES[type(value)])).array


def number_on_device(value: complex) -> Any:
    """Jaxlib's array of a Python number, the same one for a number that was there before.

    Raises `OverflowError` for a Python int beyond int64.
    """
    # Zeros of both signs are equal.
    if value and type(value) is not complex:
        return _known_number(value)
    return put(np.asarray(value, PYTHON_DTYPES[type(value)])).array


class LeavesButNumbers(Leaves):
    """The same where Python's numbers are part of what a call is, as text and None are."""

    __slots__ = ()
    static_types = frozenset(PYTHON_DTYPES)

    def key(self, value: Any, path: Path) -> ArgumentKey:
        """The key of an argument."""
        return self.static(value, key_of(value)) if type(value) in self.static_types else super().key(value, path)


def on_device(leaves: Sequence[object]) -> list[Buffer]:
    """Leaves on the device: Arrays as they are, the rest copied there.

    Raises `DeletedArrayError`.
    """
    return [v.buffer if isinstance(v, device.Array) else put(np.asarray(v, PYTHON_DTYPES.get(type(v)))) for v in leaves]


def check_sharing(leaves: Leaves, mutated: Sequence[int]) -> None:
    """Refuse a call in which the function writes to an array that shares memory with another argument.

    The same array passed twice is no such case: it is one array inside the function, too. Raises `AliasError`.
    """
    for leaf in mutated:
        written = leaves.values[leaf]
        for other in leaves.arrays:
            if other is written or isinstance(other, device.Array):
                continue
            if np.may_share_memory(other, written) and _overlap(other, written):
                raise AliasError(
                    "two arguments share memory and the function writes to one of them; pass a copy of one"
                )


_ONE_WAY = "reach it only through the argument, or pass a copy"


def check_outside(leaves: Leaves, mutated: Sequence[int], outside: Container[Any]) -> None:
    """Refuse a call in which an array that the function writes to is one that it also reads from outside.

    Raises `AliasError`.
    """
    for leaf in mutated:
        if leaves.values[leaf] in outside:
            raise AliasError(
                "the function writes to an array of an argument that it also reaches from outside, through a "
                f"function or an object that is not passed to it; {_ONE_WAY}"
            )


def check_objects(leaves: Leaves, outside: Container[object]) -> None:
    """Refuse a call in which an object that the function knows from outside is an argument, too, where it writes.

    Raises `AliasError`.
    """
    for value in leaves.containers:
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
