"""NumPy's functions of unions (one of a few arrays or numbers, by a run-time tag): called for each option."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.abstract import Kind
from anabranch.runtime.values.dynamic_lists import list_as_array
from anabranch.runtime.values.pytrees.node_reference import Reference
from anabranch.runtime.values.union import UnionValue
from anabranch.runtime.values.union_base import abstract_of_option

Function = TypeVar("Function", bound=Callable[..., Any])


def first(values: Iterable[Value], sizes: bool = False) -> UnionValue | None:
    """The first union of several dtypes among these values, or in lists and tuples among them.

    Also one of several ranks, and with `sizes` one that is of one shape or another.
    """
    for value in values:
        if type(value) in (list, tuple):
            found = first(value, sizes)
            if found is not None:
                return found
        elif isinstance(value, UnionValue) and _stays_apart(value, sizes):
            return value
    return None


def _stays_apart(value: UnionValue, sizes: bool) -> bool:
    if value.has_several_dtypes or (value.has_several_types and (sizes or value.has_several_ranks)):
        return True
    # NumPy's functions take lists for arrays.
    return not isinstance(value, Reference) and any(type(option) in (list, tuple) for option in value.options)


def of_call(args: Iterable[Value], kwargs: dict[str, Value], sizes: bool = False) -> UnionValue | None:
    """The same among the arguments of a call; what is written to as `out` counts in any case."""
    found = first((*args, *kwargs.values()), sizes)
    return first((kwargs.get("out"),), sizes=True) if found is None else found


def over(choice: UnionValue, call: Callable[..., Any], args: tuple[Value, ...], kwargs: dict[str, Value]) -> Value:
    """The call with each option in place of the union.

    Where it stands in a list of numbers, among others that are of one dtype or another, the alternatives are those of
    the list, which are as many as there are dtypes that NumPy may give it.
    """
    place, values = next(
        ((v, _lists_of(v, args, kwargs)) for v in (*args, *kwargs.values()) if _holds(v, choice)), (choice, None)
    )
    if values is None:
        place = choice

    def replaced(value: Value, one: Any) -> Value:
        if value is place:
            return one
        if type(value) in (list, tuple):
            return type(value)([replaced(v, one) for v in value])
        return value

    def with_one(one: Any) -> Value:
        return call(*[replaced(a, one) for a in args], **{k: replaced(v, one) for k, v in kwargs.items()})

    if values is None:
        return choice.through(with_one)
    return values.each(with_one) if isinstance(values, UnionValue) else with_one(values)


def _holds(value: object, choice: UnionValue) -> bool:
    return type(value) in (list, tuple) and any(v is choice for v in _leaves(value))


def _leaves(value: Value) -> Iterator[Value]:
    if type(value) in (list, tuple):
        for item in value:
            yield from _leaves(item)
    else:
        yield value


# ---- lists of numbers ------------------------------------------------------------------------------------------------

_MOST_DTYPES = 4


def _lists_of(line: object, args: Sequence[object], kwargs: dict[str, Value]) -> Value:
    """A list of numbers with all of them cast to the dtype that NumPy gives it, for each that it may; else None."""
    leaves = list(_leaves(line))
    dtypes: list[np.dtype] = []
    for leaf in leaves:
        for option in leaf.options if isinstance(leaf, UnionValue) else (leaf,):
            abstract = abstract_of_option(option)
            if abstract is None or abstract.kind is Kind.ARRAY or abstract.dtype.kind not in "biufc":
                return None
            dtypes += [] if abstract.dtype in dtypes else [abstract.dtype]
    if len(dtypes) > _MOST_DTYPES or (_counts(dtypes) and _is_for_ints(args, kwargs)):
        return None
    mask, certain = _present(leaves, dtypes)
    joint: list[np.dtype] = []
    tag: Atom = atoms.literal(0, np.int32)
    for found in range(1, 1 << len(dtypes)):
        if found & certain != certain:
            continue
        dtype = np.result_type(*[d for k, d in enumerate(dtypes) if found >> k & 1])
        if dtype not in joint:
            joint.append(dtype)
        here = atoms.ufunc(np.equal, mask, atoms.literal(found, np.int32))
        tag = atoms.select(here, atoms.literal(joint.index(dtype), np.int32), tag)
    lists = tuple([_cast(line, dtype) for dtype in joint])
    return lists[0] if len(lists) == 1 else UnionValue(tag, lists)


def _counts(dtypes: Sequence[np.dtype]) -> bool:
    """Return whether some of these are of integers that not each of the others holds."""
    return any(d.kind in "iu" and d.itemsize == 8 for d in dtypes) and any(d.kind in "fc" for d in dtypes)


def _is_for_ints(args: Sequence[object], kwargs: dict[str, Value]) -> bool:
    """Return whether the call asks for an integer dtype, to which NumPy converts each number by itself."""
    asked = [kwargs.get("dtype"), *args[1:2]]
    return any(isinstance(d, (np.dtype, type)) and np.dtype(d).kind not in "fc" for d in asked)


def _present(leaves: Sequence[object], dtypes: Sequence[np.dtype]) -> tuple[Atom, int]:
    """The dtypes that the numbers are of, as the bits of an int32, and those that are certain."""
    certain = 0
    seen: list[Atom] = [atoms.literal(False) for _ in dtypes]
    for leaf in leaves:
        if not isinstance(leaf, UnionValue):
            certain |= 1 << dtypes.index(_dtype_of(leaf))
            continue
        for k, dtype in enumerate(dtypes):
            those = [i for i, option in enumerate(leaf.options) if _dtype_of(option) == dtype]
            if len(those) == len(leaf.options):
                certain |= 1 << k
            elif those:
                seen[k] = atoms.logical_or(seen[k], leaf.among(those))
    mask: Atom = atoms.literal(certain, np.int32)
    for k, pred in enumerate(seen):
        if not certain >> k & 1:
            bit = atoms.select(pred, atoms.literal(1 << k, np.int32), atoms.literal(0, np.int32))
            mask = atoms.ufunc(np.add, mask, bit)
    return mask, certain


def _dtype_of(number: object) -> np.dtype:
    abstract = abstract_of_option(number)
    assert abstract is not None
    return abstract.dtype


def _cast(value: Value, dtype: np.dtype) -> Value:
    """The list with unions as scalars of the dtype; an option that the dtype does not hold can't be the one."""
    if type(value) in (list, tuple):
        return type(value)([_cast(v, dtype) for v in value])
    if not isinstance(value, UnionValue):
        return value
    options = value.options
    fitting = [i for i, o in enumerate(options) if np.result_type(_dtype_of(o), dtype) == dtype]
    if not fitting:
        return dtype.type(0)
    atom = wrap.as_atom(options[fitting[-1]], dtype)
    for i in reversed(fitting[:-1]):
        atom = atoms.select(value.chosen(i), wrap.as_atom(options[i], dtype), atom)
    return wrap.numpy_result(atom)


# ----------------------------------------------------------------------------------------------------------------------


def of_each(function: Function) -> Function:
    """The function, of lists as NumPy takes them, which is called for each option of a union of dtypes."""

    @functools.wraps(function, updated=())
    def call(*args: object, **kwargs: object) -> Value:
        args, kwargs = (
            tuple(map(list_as_array.of_lists, args)),
            {k: list_as_array.of_lists(v) for k, v in kwargs.items()},
        )
        choice = of_call(args, kwargs)
        return function(*args, **kwargs) if choice is None else over(choice, call, args, kwargs)

    return call  # type: ignore[return-value]
