"""Expressions in the text of a fast path as steps that make objects, and the words of steps."""

from __future__ import annotations

import ast
import ctypes
import functools
import operator
import sys
import types
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from anabranch.runtime.call.quick.steps import VALUE, Item, Step
from anabranch.runtime.host.buffer_types import BufferType
from anabranch.runtime.values.abstract import Kind
from anabranch.runtime.values.dynamic_lists.items_structure import ItemsStructure

# The steps that make NumPy's scalars of Python's numbers.
_SCALARS = {
    np.dtype(code).type: step
    for step, codes in {
        Step.DOUBLE: "d", Step.SINGLE: "f", Step.INT64: "lqLQ", Step.INT32: "iI", Step.INT16: "hH", Step.INT8: "bB",
    }.items()
    for code in codes
}  # fmt: skip
_NUMBERS = {np.int64: Item.INT, np.float64: Item.FLOAT}
_BITS = {1: Item.BITS8, 2: Item.BITS16, 4: Item.BITS32, 8: Item.BITS64}
_TP_ALLOC = 47  # the number of this slot in Python's `typeslots.h`
_SLOT = ctypes.pythonapi.PyType_GetSlot
_SLOT.restype, _SLOT.argtypes = ctypes.c_size_t, [ctypes.py_object, ctypes.c_int]


class UntranslatedError(Exception):
    """There is no step for what a line says."""


class StepValues:
    """The steps that were written so far, and the objects that they make, by numbers.

    Parameters
    ----------
    scope
        What the names in the text stand for.
    arrays
        The types of arrays that are made for the kernel, by name.
    """

    def __init__(self, scope: Mapping[str, Any], arrays: Mapping[str, BufferType]) -> None:
        self._scope, self._arrays = scope, arrays
        self._words: list[int] = []
        self._objects: list[object] = []  # those that the words have the addresses of
        self._numbers: dict[str, int] = {}
        self._classes: dict[str, type] = {}  # of objects that were checked
        self._answers: set[str] = set()  # the names of numbers that the kernel has returned
        self._names_given: set[str] = set()
        self._first = 0  # number that no object has
        self._owned = 0

    def _local(self, name: str) -> int:
        """The number of what a name stands for."""
        return self._value(ast.Name(name))

    def _value(self, node: ast.expr, to: int | None = None) -> int:
        """The number of an object; a new one gets the number that is asked for."""
        match node:
            case ast.Name(name) if name in self._numbers:
                return self._numbers[name]
            case ast.Name() | ast.Constant():
                number = self._known(self._constant(node), to)
                if isinstance(node, ast.Name) and to is None:
                    self._numbers[node.id] = number
                return number
            case ast.NamedExpr(ast.Name(name), value):
                number = self._numbers[name] = self._value(value, to)
                return number
            case ast.Subscript(ast.Name("args"), ast.Constant(int(place))):
                return self._made(Step.ARGUMENT, to, place, owns=False)
            case ast.Call(ast.Attribute(ast.Name("kwargs"), "get"), [ast.Constant(str(name)), ast.Name("MISS")]):
                self._names_given.add(name)
                return self._made(Step.NAMED, to, self._name(name))
            case ast.Attribute(ast.Name(name), "__dict__") if has_dict(self._classes.get(name)):
                return self._made(Step.STATE, to, self._local(name))
            case ast.Attribute(value, name):
                return self._made(Step.ATTRIBUTE, to, self._value(value), self._name(name))
            case ast.Subscript(ast.Name(name), ast.Constant(key)):
                cls, held = self._classes.get(name, object), self._local(name)
                if cls is dict:
                    return self._made(Step.ENTRY, to, held, self._name(key))
                if isinstance(key, int) and issubclass(cls, (tuple, list)):
                    step = Step.ITEM if issubclass(cls, tuple) else Step.ELEMENT
                    return self._made(step, to, held, key, owns=step is Step.ELEMENT)
            case ast.Subscript(value, ast.Name(name)) if name in self._scope:
                read = self._known(operator.getitem)
                return self._made(Step.CALL, to, read, 2, self._value(value), self._value(ast.Name(name)))
            case ast.Tuple(parts) | ast.List(parts):
                numbers = [self._value(part) for part in parts]
                step = Step.TUPLE if isinstance(node, ast.Tuple) else Step.LIST
                return self._made(step, to, len(numbers), *numbers)
            case ast.IfExp(ast.Compare(what, [ast.Eq()], [ast.Constant(wanted)]), then, otherwise):
                self._step(Step.UNLESS, self._value(what), self._object(wanted), 0)
                return self._chosen((then, otherwise), to)
            case ast.IfExp(ast.Name() as what, then, otherwise):
                self._step(Step.WHERE, self._value(what), 0)
                return self._chosen((then, otherwise), to)
            case ast.Call(ast.Name() as function, args, keywords):
                return self._call(self._constant(function), args, keywords, to)
            case ast.Call(ast.Attribute() as method, args, []):
                return self._made(Step.CALL, to, self._value(method), len(args), *map(self._value, args))
        raise UntranslatedError

    def _chosen(self, ways: tuple[ast.expr, ast.expr], to: int | None) -> int:
        """One of two values: the last word so far says how many words the first one takes, and is written here."""
        number = self._new() if to is None else to
        for way in ways:
            begin, known = len(self._words), self._numbers.copy()
            made = self._value(way, number)
            if made != number:
                self._step(Step.COPY, number, made)
            if way is ways[0]:
                self._step(Step.SKIP, 0)
            # What is known on one way only has a number on that way only.
            self._numbers = known
            self._words[begin - 1] = len(self._words) - begin
        return number

    def _call(self, function: Any, args: Sequence[ast.expr], keywords: Sequence[ast.keyword], to: int | None) -> int:
        """A call of what a name of the scope stands for."""
        if isinstance(function, functools.partial) and function.func is np.empty and not args:
            shape, dtype = function.args
            return self._made(Step.ARRAY, to, id(np.ndarray), self._object(dtype), len(shape), *shape)
        match args:
            case [ast.Name(name)] if name in self._answers and isinstance(function, type) and not keywords:
                return self._scalar(function, self._local(name), to)
            case [ast.Name(name), ast.Name() as dtype] if keywords and function is np.array:
                # A scalar of NumPy's, as the kernel takes it.
                cls, number = self._classes.get(name), self._local(name)
                is_own = cls is not None and self._constant(dtype) is np.dtype(cls)
                if is_own and cls in (np.float64, np.int64):
                    return self._made(Step.FLOAT if cls is np.float64 else Step.INT, to, number)
                if [k.arg for k in keywords] == ["order"]:
                    make = functools.partial(np.array, dtype=self._constant(dtype), order="C")
                    return self._made(Step.CALL, to, self._known(make), 1, number)
            case [memory] if function in (list, np.ndarray.tolist) and not keywords:
                made = self._list_of_numbers(function is list, memory, to)
                if made is not None:
                    return made
            case [ast.List(parts)] if (kinds := _kinds_built(function)) is not None and len(parts) == 2 + len(kinds):
                made = self._list_of_kinds(kinds, parts, to)
                if made is not None:
                    return made
        if keywords:
            raise UntranslatedError
        numbers = [self._value(arg) for arg in args]
        return self._made(Step.CALL, to, self._known(function), len(numbers), *numbers)

    def _list_of_numbers(self, are_scalars: bool, memory: ast.expr, to: int | None) -> int | None:
        """A list of the first elements of a vector that the kernel writes; None where there is no step for it."""
        length: ast.expr | None = None
        match memory:
            case ast.Call(ast.Name(read), [whole, ast.Call(ast.Name(cut), [length])]):
                if self._scope.get(read) is not operator.getitem or self._scope.get(cut) is not slice:
                    return None
                memory = whole
        words = self._kind(are_scalars, memory)
        if words is None:
            return None
        (size,) = self._arrays[ast.unparse(memory)].shape
        count = self._known(size) if length is None else self._value(length)
        return self._made(Step.ITEMS, to, count, -1, 1, *words)

    def _list_of_kinds(self, kinds: Sequence[Kind], parts: Sequence[ast.expr], to: int | None) -> int | None:
        """A list of numbers of several kinds, of its length, its tags and the memory of each kind; None as above."""
        length, tags, *rows = parts
        words = [self._kind(kind is Kind.SCALAR, row) for kind, row in zip(kinds, rows, strict=True)]
        if self._vector(tags) is None or None in words:
            return None
        flat = [word for of_kind in words if of_kind is not None for word in of_kind]
        return self._made(Step.ITEMS, to, self._value(length), self._value(tags), len(words), *flat)

    def _vector(self, memory: ast.expr) -> np.dtype | None:
        """The dtype of a vector that the kernel writes; None for anything else."""
        kind = self._arrays.get(memory.id) if isinstance(memory, ast.Name) else None
        return None if kind is None or len(kind.shape) != 1 else kind.dtype

    def _kind(self, are_scalars: bool, memory: ast.expr) -> tuple[int, ...] | None:
        """The operands for the elements of a vector as NumPy's scalars or as numbers of Python's."""
        dtype = self._vector(memory)
        if dtype is None:
            return None
        if not are_scalars:
            return (self._value(memory), _NUMBERS[dtype.type], 0, 0) if dtype.type in _NUMBERS else None
        if dtype.type not in _SCALARS or not _are_laid_out():
            return None
        return self._value(memory), _BITS[dtype.itemsize], id(dtype.type), _SLOT(dtype.type, _TP_ALLOC)

    def _scalar(self, cls: type, number: int, to: int | None) -> int:
        """A scalar of NumPy's of a number that the kernel has returned."""
        if cls is np.bool_:
            return self._made(Step.TRUTH, to, number, id(np.True_), id(np.False_), owns=False)
        if cls not in _SCALARS or not _are_laid_out():
            raise UntranslatedError
        return self._made(_SCALARS[cls], to, number, id(cls), _SLOT(cls, _TP_ALLOC))

    # ---- words ------------------------------------------------------------------------------------------------------

    def _made(self, step: Step, to: int | None, *operands: int, owns: bool = True) -> int:
        """Write a step that makes an object; returns its number."""
        number = self._new() if to is None else to
        self._step(step, number, *operands)
        self._owned += owns
        return number

    def _known(self, value: object, to: int | None = None) -> int:
        """The number of a known object."""
        return self._made(Step.CONSTANT, to, self._object(value), owns=False)

    def _new(self) -> int:
        self._first += 1
        return self._first - 1

    def _target(self, node: ast.expr) -> int:
        """A number for a name."""
        if not isinstance(node, ast.Name):
            raise UntranslatedError
        return self._numbers.setdefault(node.id, self._new())

    def _step(self, step: Step, *operands: int) -> None:
        self._words += [step.value, *operands]

    def _object(self, value: object) -> int:
        """The address of an object, which the table keeps."""
        self._objects.append(value)
        return id(value)

    def _name(self, name: object) -> int:
        """The address of a name, which is one object for all that have it."""
        if type(name) is not str:
            raise UntranslatedError
        return self._object(sys.intern(name))

    def _constant(self, node: ast.expr) -> Any:
        """The value of an expression in the scope."""
        match node:
            case ast.Constant(value):
                return value
            case ast.Name(name) if name in self._scope:
                return self._scope[name]
            case ast.Name("int" | "float" | "bool" | "str" | "bytes" as name):
                return {"int": int, "float": float, "bool": bool, "str": str, "bytes": bytes}[name]
            case ast.Name(name) if name not in self._numbers:
                raise UntranslatedError
        return None


def _kinds_built(function: object) -> Sequence[Kind] | None:
    """The kinds of numbers of a list of run-time length that a function builds; None where it builds no such list."""
    structure = getattr(function, "__self__", None)
    if not isinstance(structure, ItemsStructure) or function != structure.build:
        return None
    return structure.kinds_of_numbers


def has_dict(cls: type | None) -> bool:
    """Return whether the attributes of a class's objects are in a dict of the ordinary kind."""
    held = () if cls is None else [vars(base)["__dict__"] for base in cls.__mro__ if "__dict__" in vars(base)]
    return bool(held) and all(isinstance(one, types.GetSetDescriptorType) for one in held)


@functools.cache
def _are_laid_out() -> bool:
    """Return whether NumPy's scalars hold their numbers where they are written to."""
    kinds: dict[str, Any] = {
        "d": ctypes.c_double,
        "f": ctypes.c_float,
        "l": ctypes.c_int64,
        "i": ctypes.c_int32,
        "h": ctypes.c_int16,
    }
    for code, kind in kinds.items():
        scalar = np.dtype(code).type(-3)
        if kind.from_address(id(scalar) + VALUE).value != -3:
            return False
    return True
