"""A value that is one of a few alternatives, decided at run time: unset or set, None or an array."""

from __future__ import annotations

import copy
import enum
import operator
import types
from bisect import bisect
from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.errors import (
    AnabranchError,
    ConcretizationError,
    StructureMismatchError,
    UnsupportedOperationError,
)
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.tracing.builder import current, tracing
from anabranch.runtime.tracing.source_frames import users_instruction
from anabranch.runtime.values import atoms, attributes, number_union, wrap
from anabranch.runtime.values.abstract import Abstract, Kind, join, promoted
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.tracer import SHOWN, shown_to_tools
from anabranch.runtime.values.undefined import Undefined
from anabranch.runtime.values.union_base import UnionBase, abstract_of_option, beside_union
from anabranch.runtime.values.union_operations import UNKNOWN, looked_up, operations
from anabranch.runtime.values.union_operators import UnionOperators, is_one_of_many_sequences, operated


def unknown_operation(value: object) -> Value:
    """Raise the error of an operation that None has no part in."""
    raise TypeError(f"unsupported operand: '{type(value).__name__}'")


# The tags of so many options are told apart one by one, those of more by a table.
_FEW: Final = 8
# Instructions that ask a mapping for its keys; what is a TypeError there Python takes for the mapping's.
_MERGES = ("DICT_UPDATE", "DICT_MERGE", "BINARY_OP")
_MERGED = (
    "one of several dicts, and which is known only at run time, is merged into another with ** or with |=, or into the "
    "arguments of a call; use d.update(other), d | other, or merge them, or call, inside of the branches that choose it"
)
# Of one of a few classes or functions.
_NAMES = ("__doc__", "__module__", "__name__", "__qualname__")


def _is_named(value: object) -> bool:
    return isinstance(value, (type, types.FunctionType, types.BuiltinFunctionType))


class UnionValue(UnionOperators):
    """`options[tag]`.

    What an operation needs is a single value: options that cannot take part (unset, None) become the run-time check
    that they are not chosen, and raise what Python raises.
    """

    __slots__ = ()
    __array_priority__ = 2000.0

    def __copy__(self) -> UnionValue:
        return UnionValue(self.tag, tuple(map(copy.copy, self.options)), self.number)

    def __deepcopy__(self, memo: dict[int, Value]) -> UnionValue:
        return UnionValue(self.tag, tuple(copy.deepcopy(option, memo) for option in self.options))

    def without_undefined(self, error: Callable[[Undefined], Exception] = Undefined.error) -> Value:
        """The value, after the check that it is set."""
        return self._without(lambda o: isinstance(o, Undefined), error)

    def resolve(self, operation: Callable[[Any], object] = unknown_operation) -> Value:
        """The one value that operations see.

        Parameters
        ----------
        operation : callable
            What is done with it, which says the error for None.

        Raises
        ------
        UnboundLocalError, TypeError
            At run time, where the chosen option is unset or None.
        StructureMismatchError
            When two options remain that no single value can hold.
        """
        value = self.without_undefined()
        if isinstance(value, UnionValue):
            value = value._without(lambda o: o is None, lambda _: _error_of_none(operation))
        if not isinstance(value, UnionValue):
            return value
        return value._numeric()

    def without_none(self, error: BaseException, matters: Atom) -> Value:
        """The value, after the check that it is not None where that matters."""
        return self._without(lambda o: o is None, lambda _: error, matters)

    def _without(
        self, excluded: Callable[[Any], bool], error: Callable[[Any], BaseException], matters: Atom | None = None
    ) -> Value:
        out = [i for i, o in enumerate(self.options) if excluded(o)]
        if not out:
            return self
        for i in out:
            failure = error(self.options[i])
            bad = self.chosen(i) if matters is None else atoms.logical_and(self.chosen(i), matters)
            run_time_checks.fail_if(bad, lambda _, failure=failure: failure)
        return self.assuming([o for i, o in enumerate(self.options) if i not in out])

    def excluding(self, error: Callable[[Any], BaseException | None]) -> Value:
        """The value, after the check that it is none of the options that have an error."""
        return self._without(lambda o: error(o) is not None, lambda o: error(o) or TypeError())

    def integral(self, words: str | None = None) -> Any:
        """The value, after the check that it is an int and no other number, of which an error says these words."""
        told = None if words is None else TypeError(words)
        return self.excluding(lambda o: (told or error) if (error := _index_error(o)) is not None else None)

    def assuming(self, options: list[Value]) -> Value:
        """The value when it is known to be one of some of the options."""
        rest = [i for i, o in enumerate(self.options) if any(o is x for x in options)]
        if len(rest) == 1:
            return self.options[rest[0]]
        left = tuple(self.options[i] for i in rest)
        if rest == list(range(len(rest))):
            return UnionValue(self.tag, left, self.number)
        if len(rest) > _FEW:
            return UnionValue(
                atoms.coded(self.tag, [max(0, bisect(rest, i) - 1) for i in range(len(self.options))]),
                left,
                self.number,
            )
        tag: Atom = atoms.literal(0, np.int32)
        for new, old in enumerate(rest):
            tag = atoms.select(self.chosen(old), atoms.literal(new, np.int32), tag)
        return UnionValue(tag, left, self.number)

    def _dtype(self) -> np.dtype:
        """The dtype that all options stand for."""
        dtypes: list[np.dtype] = [np.dtype(option) for option in self.options]
        first, *others = dtypes
        if any(other != first for other in others):
            raise UnsupportedOperationError(
                f"this dtype is {' or '.join(map(str, dict.fromkeys(dtypes)))}, depending on a run-time condition, and "
                "compiled code has to know the dtype of each array; make the arrays under that condition, or make what "
                "it depends on static"
            )
        return first

    def _numeric(self) -> Value:
        abstracts = self.kinds()
        numbers = all(a is not None and a.kind is not Kind.ARRAY for a in abstracts)
        both = self._merged(promoted if numbers else join)
        if both is None:
            merged = operations().merge(self)
            if merged is not None:
                return merged
            if all(map(_is_dtype, self.options)):
                return self._dtype()
            kinds = " or ".join(str(a or type(o).__name__) for a, o in zip(abstracts, self.options, strict=True))
            raise StructureMismatchError(
                f"this value is {kinds}, depending on a run-time condition, and no single type holds both; give it "
                "one type on each path, or use it inside of the branches that choose it"
            )
        return wrap.from_abstract(
            Abstract(both.shape, both.dtype, both.kind) if both.kind is not Kind.ARRAY else both, self.number_as(both)
        )

    def of_plain_numbers(self) -> UnionValue:
        """The same with ints in place of the members of an `IntEnum`, for what only looks at the number."""
        if not any(isinstance(o, enum.IntEnum) for o in self.options):
            return self
        return UnionValue(self.tag, tuple(int.__pos__(o) if isinstance(o, enum.IntEnum) else o for o in self.options))

    def through(self, operation: Callable[[Any], object]) -> Value:
        """The operation on the value: on numbers and arrays merged, on objects on each where it is the one."""
        value = self.without_undefined()
        if not isinstance(value, UnionValue):
            return operation(value)
        if not value.of_objects:
            value = value._without(lambda o: o is None, lambda _: _error_of_none(operation))
        if isinstance(value, UnionValue) and not value.of_objects and value._merged() is not None:
            return operation(value.resolve())
        return operations().decide(value, operation) if isinstance(value, UnionValue) else operation(value)

    def each(self, operation: Callable[[Any], object]) -> Value:
        """The operation on each option, None too, where it is the one."""
        value = self.without_undefined()
        return operations().decide(value, operation) if isinstance(value, UnionValue) else operation(value)

    def in_place(self, operation: Callable[[Any], object]) -> Value:
        """The operation where it changes the value itself: an array stays the one it is, and is merged with nothing."""
        value = self.without_undefined()
        if isinstance(value, UnionValue):
            value = value._without(lambda o: o is None, lambda _: _error_of_none(operation))
        if not isinstance(value, UnionValue):
            return operation(value)
        shapes = {() if abstract is None else abstract.shape for abstract in value.kinds()}
        return value.through(operation) if shapes == {()} else operations().decide(value, operation)

    def cast(self, dtype: np.dtype) -> Value:
        """The number as a scalar of this dtype, where each option can become one and nothing is raised; else None."""
        if not all(number_union.becomes(o, a, dtype) for o, a in zip(self.options, self.kinds(), strict=True)):
            return None
        if self.worth is not None:
            return wrap.numpy_result(wrap.as_atom(self.resolve(), dtype))
        atom = wrap.as_atom(self.options[-1], dtype)
        for i in reversed(range(len(self.options) - 1)):
            atom = atoms.select(self.chosen(i), wrap.as_atom(self.options[i], dtype), atom)
        return wrap.numpy_result(atom)

    def __eq__(self, other: object) -> Value:
        return self._compared(operator.eq, other)

    def __ne__(self, other: object) -> Value:
        return self._compared(operator.ne, other)

    def _compared(self, operation: Callable[[Any, Any], object], other: object) -> Value:
        """`==` or `!=`, in which None takes part as itself."""
        value = self.without_undefined()
        if isinstance(other, UnionValue):
            other = other.without_undefined()
        if (found := looked_up(operation, value, other)) is not UNKNOWN:
            return found
        if isinstance(other, UnionValue) and any(o is None for o in other.options):
            alternatives = other
            return alternatives.each(
                lambda o: (
                    value.each(lambda v: operation(v, o)) if isinstance(value, UnionValue) else operation(value, o)
                )
            )
        if not isinstance(value, UnionValue) or not any(o is None for o in value.options):
            return operated(operation, (self, other), 0)
        return value.each(lambda v: operation(v, other))

    def __anabranch_value__(self) -> Value:
        return self.resolve()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and not (name in _NAMES and all(map(_is_named, self.options))):
            raise AttributeError(name)
        return self.__anabranch_read__(name)

    def __setattr__(self, name: str, value: object) -> None:
        if name in UnionBase.__slots__:
            object.__setattr__(self, name, value)
        else:
            attributes.write(self, name, value)

    def __delattr__(self, name: str) -> None:
        attributes.delete(self, name)

    def __anabranch_read__(self, name: str) -> Value:
        """The attribute that a user's code asks for, whatever its name."""
        value = self.without_undefined()
        if not isinstance(value, UnionValue):
            return attributes.read(value, name)
        if all(type(o) is str for o in value.options):
            getattr("", name)  # raises what Python does of other names
            return operations().method(name, value)
        return value.through(lambda v: attributes.read(v, name))

    def __anabranch_each__(self, operation: Callable[[Any], None]) -> None:
        """Do what changes an attribute of the object."""
        self.through(operation)

    def __getitem__(self, key: Value) -> Value:
        found = looked_up(operator.getitem, self, key)
        if found is UNKNOWN and is_one_of_many_sequences(self):
            return current().trace.outside.text_operations.item(self, key)
        return self.through(lambda v: operator.getitem(v, key)) if found is UNKNOWN else found

    def __setitem__(self, key: Value, value: Value) -> None:
        self.through(lambda v: operator.setitem(v, key, value))

    def __delitem__(self, key: object) -> None:
        self.through(lambda v: operator.delitem(v, key))

    def __len__(self) -> int:
        if not any(hasattr(type(option), "__len__") for option in self.options):
            # For Python's own containers, which only want to know how many items to expect.
            raise TypeError(f"object of type '{type(self.options[0]).__name__}' has no len()")
        found = looked_up(len, self)
        length: int = self.through(len) if found is UNKNOWN else found
        return length

    def __iter__(self) -> Iterator[Value]:
        if not self.stays_apart:
            return iter(self.resolve())
        found = operations().iterate(self) if tracing() else None
        if found is not None:
            return iter(found)
        rows = self.through(_unpacked if users_instruction()[0] in ("UNPACK_SEQUENCE", "UNPACK_EX") else tuple)
        if not isinstance(rows, tuple):
            current().trace.outside.needs_plain()  # a list that is made of the items may have a run-time length
            if users_instruction()[0] in _MERGES:
                raise UnsupportedOperationError(_MERGED)
            rows = rows.resolve()
        return iter(rows)

    def __divmod__(self, other: object) -> Value:
        found = beside_union(divmod, (self, other), 0)
        return self.through(lambda v: divmod(v, other)) if found is NotImplemented else found

    def __rdivmod__(self, other: object) -> Value:
        found = beside_union(divmod, (other, self), 1)
        return self.through(lambda v: divmod(other, v)) if found is NotImplemented else found

    def __round__(self, *digits: Value) -> Value:
        return self.through(lambda v: round(v, *digits))

    def __call__(self, *args: Value, **kwargs: Value) -> Value:
        return self.through(lambda v: v(*args, **kwargs))

    def __index__(self) -> int:
        left = self.without_undefined()
        # A builtin function takes no float; an index that is one has a message of its own.
        if isinstance(left, UnionValue) and users_instruction()[0].startswith("CALL"):
            left = left.integral()
        return operator.index(left.of_plain_numbers().resolve() if isinstance(left, UnionValue) else left)

    def __bool__(self) -> bool:
        return bool(self.resolve())

    def __hash__(self) -> int:
        if tracing():
            current().trace.tables.ask_for_places()
            current().trace.outside.needs_plain()
            if users_instruction()[0] in _MERGES[:2]:
                raise ConcretizationError(_MERGED)
        if any(isinstance(o, (str, bytes)) for o in self.options):
            instead = "for the characters of a text use their codes: np.frombuffer(text.encode(), np.uint8)"
        else:
            instead = "use the value inside of the branches that choose it"
        raise ConcretizationError(
            "a hash (for a dict key or an element of a set) is needed while tracing, but this value is one of "
            f"several, and which is known only at run time; {instead}"
        )

    def __repr__(self) -> str:
        return shown_to_tools(f"{SHOWN}choice of {len(self.options)} alternatives>")


def _index_error(option: object) -> TypeError | None:
    """The exception that Python raises where a number is asked for an index, which ints alone are."""
    kind = abstract_of_option(option)
    if kind is None or kind.kind is Kind.ARRAY:
        return None
    sample: Any = kind.dtype.type(0) if kind.kind is Kind.SCALAR else kind.python(0)
    try:
        operator.index(sample)
    except TypeError as error:
        return error.with_traceback(None)
    return None


def _unpacked(option: Any) -> tuple[Value, ...]:
    if not (hasattr(type(option), "__iter__") or hasattr(type(option), "__getitem__")):
        raise TypeError(f"cannot unpack non-iterable {type(option).__name__} object")
    return tuple(option)


def _error_of_none(operation: Callable[[Any], Any]) -> BaseException:
    """The exception that Python raises where the value of an operation is None."""
    try:
        operation(None)
    except (TypeError, AttributeError) as error:
        if not isinstance(error, AnabranchError):
            return error.with_traceback(None)
    return TypeError("unsupported operand: 'NoneType'")


def _is_dtype(option: object) -> bool:
    """Return whether an option is a dtype, or a class that stands for one."""
    return isinstance(option, np.dtype) or (
        isinstance(option, type) and (issubclass(option, np.generic) or option in (bool, int, float, complex))
    )
