"""The hash of a key: the place in a table at which a search for it begins.

Equal keys have equal hashes, whatever their types: 1, 1.0, True and np.int64(1) are one key. Which place it is decides
nothing but how long a search takes; whether a key is there is decided by `==`.
"""

from __future__ import annotations

import functools
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from anabranch.base.grammar import a
from anabranch.base.value import Value
from anabranch.runtime.control.containers import object_keys
from anabranch.runtime.control.texts.characters import Characters
from anabranch.runtime.control.texts.text_operations import wanted_characters
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.ir.interval import Interval
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.values import atoms, text_tables, wrap
from anabranch.runtime.values.arrays.numpy_scalar import NumPyScalar
from anabranch.runtime.values.attributes import class_of
from anabranch.runtime.values.containers import is_hashed_object
from anabranch.runtime.values.control_of_atoms import repeated
from anabranch.runtime.values.dynamic_shapes import size_arithmetic
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.hashed import Hashed
from anabranch.runtime.values.host_types.host_type import HostTyped
from anabranch.runtime.values.lazy_text import Text
from anabranch.runtime.values.python_numbers.python_scalar import PythonScalar, python_scalar
from anabranch.runtime.values.tracer import Tracer
from anabranch.runtime.values.union import UnionValue
from anabranch.runtime.values.union_base import are_numbers
from anabranch.runtime.values.union_operations import UNKNOWN

_UINT64 = np.dtype(np.uint64)
_GOLDEN = 0x9E3779B97F4A7C15  # 2**64 by the golden ratio: the high bits of a product depend on all bits of the other
_FRACTION = 2.0**52


def start_of(key: Value, size: int) -> Atom:
    """The place, in a table of so many (a power of two), at which the search for a key begins."""
    bits = size.bit_length() - 1
    mixed = _hash(key)
    return atoms.convert(_shift_right(mixed, 64 - bits), np.int64) if bits else atoms.literal(0, np.int64)


def as_int(key: Value) -> Value:
    """The hash of a part of a key as an int of 31 bits: it leaves room for the arithmetic that hashes are joined by."""
    return python_scalar(atoms.convert(_shift_right(_hash(key), 33), np.int64), Interval(0, 2**31 - 1))


def _hash(key: Value) -> Atom:
    """An uint64 whose high bits depend on all of the key."""
    if (found := text_tables.look_up(_of_constant, key)) is not UNKNOWN:
        return atoms.convert(wrap.as_atom(found, np.int64), _UINT64)
    if text_tables.is_constant(key) or isinstance(key, np.generic):
        return atoms.literal(_of_constant(key) % 2**64, _UINT64)
    if isinstance(key, (Text, UnionValue)) and (characters := wanted_characters(key)) is not None:
        return _of_characters(characters)
    if isinstance(key, UnionValue):
        if not are_numbers(key):
            return wrap.as_atom(key.each(lambda option: wrap.numpy_result(_hash(option))), _UINT64)
        key = key.resolve()
    if isinstance(key, tuple):
        whole: Atom = atoms.literal(len(key), _UINT64)
        for part in key:
            # Parts in another order have another hash.
            whole = _mixed(atoms.ufunc(np.bitwise_xor, _shift_right(whole, 3), _hash(part)))
        return whole
    if isinstance(key, (PythonScalar, NumPyScalar)):
        return _of_number(key)
    if isinstance(key, HostTyped) and key.key_ is not None:
        return _of_time(wrap.as_atom(key.key_))
    if isinstance(key, frozenset):
        return _of_set(_sum([_of_member(member) for member in key]), len(key))
    if isinstance(key, Hashed) and key.native is frozenset:
        return _of_set(_of_members(key), key.count_)
    if isinstance(key, Tracer):
        raise TypeError(f"unhashable type: '{class_of(key).__module__}.{class_of(key).__name__}'")
    if is_hashed_object(key):
        return _hash(object_keys.compared_of(key))
    hash(key)  # raises
    raise _refusal(key)


def _of_members(key: Hashed) -> Atom:
    """The sum over the members of a frozenset that are known only at run time, in whatever order they are."""
    return key.folded_(lambda member, sofar: atoms.ufunc(np.add, sofar, _of_member(member)), atoms.literal(0, _UINT64))


def _of_member(member: Value) -> Atom:
    """That of a member, of which sums differ where sets do: those of multiples would not."""
    bits = _hash(member)
    return _mixed(atoms.ufunc(np.bitwise_xor, bits, _shift_right(bits, 29)))


def _of_set(members: Atom, count: Value) -> Atom:
    return _mixed(atoms.ufunc(np.bitwise_xor, members, atoms.convert(wrap.as_atom(count, np.int64), _UINT64)))


def _sum(parts: Sequence[Atom]) -> Atom:
    zero: Atom = atoms.literal(0, _UINT64)
    return functools.reduce(lambda a, b: atoms.ufunc(np.add, a, b), parts, zero)


def _refusal(key: object) -> UnsupportedOperationError:
    if isinstance(key, complex):
        return UnsupportedOperationError(
            "a complex number is a key of a dict or a member of a set whose keys are known only at run time; use a "
            "tuple of its parts"
        )
    return UnsupportedOperationError(
        f"{a(type(key).__name__)} is a key of a dict or a member of a set whose keys are known only at run time; "
        "keys can be numbers, texts, None, members of enumerations and tuples of these"
    )


def _of_constant(key: Any) -> int:
    """The hash of a key that is known while tracing, as an int64."""
    if isinstance(key, tuple):
        whole = len(key)
        for part in key:
            whole = ((whole >> 3) ^ (_of_constant(part) % 2**64)) * _GOLDEN % 2**64
        return _signed(whole)
    if isinstance(key, str):
        return _signed(_of_known(key))
    if isinstance(key, bytes):
        return _signed(zlib.crc32(key) * _GOLDEN)
    if key is None:
        return 0
    if text_tables.is_member(key):
        return _signed(zlib.crc32(f"{type(key).__qualname__}.{key.name}".encode()) * _GOLDEN)
    if isinstance(key, (np.datetime64, np.timedelta64)):
        if np.isnat(key):
            raise UnsupportedOperationError(_NAT)
        return _of_constant(key.view(np.int64))
    if isinstance(key, (complex, np.complexfloating)):
        raise _refusal(complex(key))
    if not isinstance(key, (bool, int, float, np.generic)):
        raise _refusal(key)
    if isinstance(key, (bool, int, np.integer, np.bool_)) and -(2**63) <= int(key) < 2**63:
        return _signed(int(key) * _GOLDEN)
    value = float(key)
    if value != value:
        raise UnsupportedOperationError(_NAN)
    with np.errstate(invalid="ignore"):
        floor = np.floor(value)
        fraction = (value - floor) * _FRACTION if np.isfinite(value) else 0.0
        rest = (int(fraction) * _GOLDEN % 2**64) >> 1 if fraction else 0
        return _signed((int(np.float64(floor).astype(np.int64)) % 2**64 ^ rest) * _GOLDEN)


def _signed(bits: int) -> int:
    return (bits + 2**63) % 2**64 - 2**63


_NAT = "NaT is a key of a dict or a member of a set, which Python looks up by the object; leave it out"
_NAN = "NaN is a key of a dict or a member of a set, which Python looks up by the object; leave it out"


def _of_time(ints: Atom) -> Atom:
    nat = atoms.literal(np.iinfo(np.int64).min, np.int64)
    run_time_checks.fail_if(atoms.ufunc(np.equal, ints, nat), lambda _: UnsupportedOperationError(_NAT))
    return _mixed(atoms.convert(ints, _UINT64))


def _of_number(key: Any) -> Atom:
    atom = wrap.as_atom(key)
    kind = atom.type.dtype.kind
    if kind == "c":
        raise _refusal(1j)
    if kind != "f":
        return _mixed(atoms.convert(atom, _UINT64))
    value = atoms.convert(atom, np.float64)
    run_time_checks.fail_if(
        atoms.ufunc(np.not_equal, value, value),
        lambda _: UnsupportedOperationError(_NAN),
    )
    whole = atoms.ufunc(np.floor, value)
    fraction = atoms.ufunc(np.multiply, atoms.ufunc(np.subtract, value, whole), atoms.literal(_FRACTION))
    finite = atoms.ufunc(np.isfinite, value)
    fraction = atoms.select(finite, fraction, atoms.literal(0.0))
    low = _mixed(atoms.convert(atoms.convert(fraction, np.int64), _UINT64))
    # Of a whole number the hash is that of the int.
    rest = atoms.select(
        atoms.ufunc(np.equal, fraction, atoms.literal(0.0)), atoms.literal(0, _UINT64), _shift_right(low, 1)
    )
    return _mixed(atoms.ufunc(np.bitwise_xor, atoms.convert(atoms.convert(whole, np.int64), _UINT64), rest))


def _mixed(bits: Atom) -> Atom:
    return atoms.ufunc(np.multiply, bits, atoms.literal(_GOLDEN, _UINT64))


def _shift_right(bits: Atom, by: int) -> Atom:
    return atoms.ufunc(np.right_shift, bits, atoms.literal(by, _UINT64))


_START, _PRIME = 0xCBF29CE484222325, 0x100000001B3


def _of_known(text: str) -> int:
    """The hash of a text that is known while tracing, as an unsigned number of 64 bits."""
    whole = _START
    for character in text:
        whole = (whole ^ ord(character)) * _PRIME % 2**64
    return whole * _GOLDEN % 2**64


def _of_characters(text: Characters) -> Atom:
    """The same hash of a text that is known only at run time, an uint64."""
    size = size_arithmetic.atom_of(text.length)

    def goes_on(carries: Sequence[Atom]) -> Atom:
        return atoms.ufunc(np.less, carries[0], size)

    def step(carries: Sequence[Atom]) -> list[Atom]:
        place, whole = carries
        code = atoms.convert(text.code(place), _UINT64)
        mixed = atoms.ufunc(np.multiply, atoms.ufunc(np.bitwise_xor, whole, code), atoms.literal(_PRIME, _UINT64))
        return [atoms.ufunc(np.add, place, atoms.literal(1, np.int64)), mixed]

    whole = repeated(goes_on, step, [atoms.literal(0, np.int64), atoms.literal(_START, _UINT64)])[1]
    return atoms.ufunc(np.multiply, whole, atoms.literal(_GOLDEN, _UINT64))
