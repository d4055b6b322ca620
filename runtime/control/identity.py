"""`is` and `is not`: of objects as Python has them, and of those that run-time conditions have chosen."""

from __future__ import annotations

import functools

import numpy as np

from anabranch.base.by_identity import IdentitySet
from anabranch.base.value import Value
from anabranch.runtime.control import boolean
from anabranch.runtime.control.aliasing import object_numbers, split_containers
from anabranch.runtime.control.branches.truth import truth
from anabranch.runtime.control.columnar import node_access
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.tracing.builder import current, tracing
from anabranch.runtime.tracing.storage import OnDevice, OnDeviceOutside
from anabranch.runtime.values import arena_array, atoms, text_tables, wrap
from anabranch.runtime.values.abstract import Kind, abstract_of
from anabranch.runtime.values.arena_array import ArrayInArena
from anabranch.runtime.values.arena_object import ObjectInArena, are_same
from anabranch.runtime.values.arrays.numpy_scalar import NumPyScalar
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.containers import structure_of
from anabranch.runtime.values.dynamic_lists.growable_list import Growable
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.lazy_text import Text
from anabranch.runtime.values.memory import aliasing
from anabranch.runtime.values.python_numbers.python_operands import kind_of
from anabranch.runtime.values.python_numbers.python_scalar import PythonScalar, is_python_scalar, python_scalar
from anabranch.runtime.values.pytrees.node_reference import Reference
from anabranch.runtime.values.run_time_container import RunTimeContainer
from anabranch.runtime.values.tracer import Tracer
from anabranch.runtime.values.union import UnionValue


def is_(a: object, b: object) -> Value:
    """`a is b`: identity; with a run-time alternative, whether it is the one."""
    for choice, other in ((a, b), (b, a)):
        if isinstance(choice, Reference) and not (isinstance(other, UnionValue) and not isinstance(other, Reference)):
            same = node_access.is_(choice, other)
            return same if isinstance(same, bool) else python_scalar(same)
        if isinstance(choice, UnionValue) and not isinstance(choice, Reference):
            value = choice.without_undefined()
            if not isinstance(value, UnionValue):
                return is_(value, other)
            if is_python_scalar(other) and any(map(is_python_scalar, value.options)):
                return value.each(functools.partial(is_, other))  # which fails for that option alone
            result: Atom = atoms.literal(False)
            for i, option in enumerate(value.options):
                same = truth(is_(option, other))
                if same is not False:
                    chosen = value.chosen(i)
                    held = chosen if same is True else atoms.logical_and(chosen, same)
                    result = atoms.logical_or(result, held)
            return python_scalar(result)
    if isinstance(a, ObjectInArena) and isinstance(b, ObjectInArena):
        return are_same(a, b)
    if isinstance(a, RunTimeContainer) and isinstance(b, RunTimeContainer) and None not in (a.arena_, b.arena_):
        return a.arena_ is b.arena_ and a.number_ == b.number_
    if (
        isinstance(a, RunTimeContainer)
        and isinstance(b, RunTimeContainer)
        and a is not b
        and a.native is b.native is tuple
    ):
        return boolean.and_(a.count_ == 0, lambda: b.count_ == 0)  # there is one empty tuple
    if isinstance(a, Growable) and isinstance(b, Growable) and a.row_binding is not None and b.row_binding is not None:
        return a is b or (a.row_binding.table is b.row_binding.table and a.row_binding.index == b.row_binding.index)
    if (_is_bool(a) and _is_bool(b)) or (_is_numpy_bool(a) and _is_numpy_bool(b)):
        # There is one True and one False, Python's and NumPy's: two bools are one object where they are equal.
        return python_scalar(wrap.as_atom(a == b, np.bool_))
    if isinstance(a, ArrayInArena) or isinstance(b, ArrayInArena):
        return arena_array.are_same(a, b)
    if isinstance(a, TracedArray) and isinstance(b, TracedArray):
        return _is_one_array(a, b)
    if (isinstance(a, PythonScalar) or isinstance(b, PythonScalar)) and is_python_scalar(a) and is_python_scalar(b):
        return _is_one_number(a, b)
    if tracing():
        split_containers.check_identity(a, b)
    if a is b or a is None or b is None or not tracing():
        return a is b
    merged = current().trace.identity.merged
    if a not in merged and b not in merged:
        return False
    return _is_one_of_parts(a, b)


def _is_one_of_parts(a: object, b: object) -> bool:
    """Return whether two tuples, frozen objects or NumPy scalars are one, of which some stand for one of several.

    Those that differ are two. Of others it is not known, which is an error at run time.
    """
    sized = wrap.is_dynamic_array(a), wrap.is_dynamic_array(b)
    if any(sized):
        if all(sized) or isinstance(a, TracedArray) or isinstance(b, TracedArray):
            raise object_numbers.undecided("ndarray")
        return False
    structures = structure_of(a), structure_of(b)
    if structures[0] is not None and structures[0] == structures[1] and structures[0].mutable:
        raise object_numbers.undecided(type(a).__name__)
    kind = type(a).__name__ if structures[0] is not None else "NumPy scalar"
    text = (
        f"whether this {kind} is that one is not known: they are equal, and compiled code does not keep the identity "
        "of values from arguments, indices, or run-time branches and loops; compare with =="
    )
    run_time_checks.fail_if(
        atoms.logical_not(_differ(a, b)), run_time_checks.IntMessage(UnsupportedOperationError, text)
    )
    return False


def _differ(a: object, b: object) -> Atom:
    """Return whether two values are surely two objects, as they are not worth the same."""
    if a is b or isinstance(a, Text) or isinstance(b, Text):
        return atoms.literal(False)
    if a is None or b is None:
        return atoms.literal(True)
    for choice, other in ((a, b), (b, a)):
        if isinstance(choice, UnionValue):
            result: Atom = atoms.literal(False)
            for i, option in enumerate(choice.options):
                result = atoms.logical_or(result, atoms.logical_and(choice.chosen(i), _differ(option, other)))
            return result
    kinds = [x.abstract if isinstance(x, Tracer) else abstract_of(x) for x in (a, b)]
    if kinds[0] is not None and kinds[1] is not None:
        if kinds[0] != kinds[1]:
            return atoms.literal(True)
        return _are_two_arrays(a, b) if kinds[0].kind is Kind.ARRAY else _are_worth_different(a, b)
    if text_tables.is_constant(a) and text_tables.is_constant(b):
        return atoms.literal(not text_tables.alike(a, b))
    structures = structure_of(a), structure_of(b)
    if structures[0] != structures[1] or structures[0] is None or structures[0].mutable:
        return atoms.literal(a is not b)
    result = atoms.literal(False)
    for one, other in zip(structures[0].children(a), structures[0].children(b), strict=True):
        result = atoms.logical_or(result, _differ(one, other))
    return result


def _are_two_arrays(a: object, b: object) -> Atom:
    try:
        return atoms.logical_not(wrap.as_atom(is_(a, b), np.bool_))
    except UnsupportedOperationError:
        return atoms.literal(False)


def _are_worth_different(a: object, b: object) -> Atom:
    """Return whether two numbers of one kind differ; a NaN does not differ from a NaN."""
    one, other = wrap.as_atom(a), wrap.as_atom(b)
    alike = atoms.ufunc(np.equal, one, other)
    if one.type.dtype.kind not in "biu":
        nans = [atoms.ufunc(np.not_equal, x, x) for x in (one, other)]
        alike = atoms.logical_or(alike, atoms.logical_and(*nans))
    return atoms.logical_not(alike)


def _is_one_number(a: Value, b: Value) -> Value:
    """Return whether two Python numbers are one object: unequal ones are not, and equal small ints are.

    Python keeps one object for each small int. For other equal numbers it is not known, which is an error at run time.
    """
    kind = kind_of(a)
    if a is b or kind_of(b) is not kind:
        return a is b
    if isinstance(a, PythonScalar) and isinstance(b, PythonScalar) and a.atom is b.atom:
        return True
    equal = a == b
    unknown = wrap.as_atom(equal, np.bool_)
    if kind is int:
        large = atoms.logical_or(*(wrap.as_atom(x, np.bool_) for x in (a < _SMALL[0], a > _SMALL[1])))
        unknown = atoms.logical_and(unknown, large)
    run_time_checks.fail_if(unknown, _UNKNOWN_NUMBER)
    return equal


_SMALL = (-5, 256)
_UNKNOWN_NUMBER = run_time_checks.IntMessage(
    UnsupportedOperationError,
    "whether two equal numbers are one object is not known, since compiled code has no objects for numbers; "
    "compare with ==",
)


def _is_one_array(a: TracedArray, b: TracedArray) -> Value:
    """Return whether two arrays are one object: where a condition has chosen them, whether it has chosen the same."""
    if a is b or (a.shape, a.dtype) != (b.shape, b.dtype):
        return a is b
    if not any(_may_be_merged(x) for x in (a, b)) and not aliasing.memory(a.storage) & aliasing.memory(b.storage):
        if not a.path and not b.path and {type(x.storage.readonly) for x in (a, b)} == {OnDevice, OnDeviceOutside}:
            raise UnsupportedOperationError(
                "whether an Array among the arguments is one from outside of the function is not known; pass both as "
                "arguments"
            )
        return False
    return python_scalar(object_numbers.are_one(a, b))


def _may_be_merged(array: TracedArray) -> bool:
    """Return whether an array is, or may be chosen from, one of a loop's state: nothing tells which object that is."""
    identity = current().trace.identity
    seen: IdentitySet[TracedArray] = IdentitySet()
    pending = [array]
    while pending:
        one = pending.pop()
        if one in identity.merged or one in identity.numbers:
            return True
        if seen.admit(one) and one in identity.chosen:
            pending += [edge.handle for edge in one.storage.alias_edges]
    return False


def _is_bool(value: object) -> bool:
    return isinstance(value, bool) or (isinstance(value, PythonScalar) and value.python is bool)


def _is_numpy_bool(value: object) -> bool:
    return isinstance(value, np.bool_) or (isinstance(value, NumPyScalar) and value.abstract.dtype == np.bool_)


def is_not(a: object, b: object) -> Value:
    """`a is not b`."""
    return boolean.not_(is_(a, b))
