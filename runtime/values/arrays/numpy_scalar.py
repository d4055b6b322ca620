"""Traced NumPy scalars, and the lookups that NumPy scalars and arrays share."""

from __future__ import annotations

import collections
import functools
import inspect
import operator
import types
from collections.abc import Callable, Iterable
from typing import Any, NoReturn

import numpy as np

from anabranch.base.grammar import a
from anabranch.base.value import Value
from anabranch.runtime.device import array as device
from anabranch.runtime.errors import AnabranchError, UnsupportedOperationError
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.tracing.source_frames import users_instruction
from anabranch.runtime.values import apply_ufunc, atoms, registry, wrap
from anabranch.runtime.values.abstract import Abstract, Kind
from anabranch.runtime.values.arrays import chosen_settings, numpy_messages
from anabranch.runtime.values.arrays.index_numbers import class_name
from anabranch.runtime.values.failures.refusals import not_compiled
from anabranch.runtime.values.lazy_text import Text
from anabranch.runtime.values.memory import memory_layout
from anabranch.runtime.values.python_numbers import python_conversions, python_operators
from anabranch.runtime.values.python_numbers.python_conversions import of_numpy
from anabranch.runtime.values.python_numbers.python_scalar import python_scalar, takes_complex
from anabranch.runtime.values.run_time_container import RunTimeContainer
from anabranch.runtime.values.tracer import COMPARISONS, Tracer
from anabranch.runtime.values.union import UnionValue
from anabranch.runtime.values.union_operations import UNKNOWN
from anabranch.runtime.values.user_classes import is_users_class

_OPERATORS: dict[np.ufunc, tuple[Callable[[Any, Any], Any], str]] = {
    np.add: (operator.add, "add"),
    np.subtract: (operator.sub, "sub"),
    np.multiply: (operator.mul, "mul"),
    np.true_divide: (operator.truediv, "truediv"),
    np.floor_divide: (operator.floordiv, "floordiv"),
    np.remainder: (operator.mod, "mod"),
    np.power: (operator.pow, "pow"),
    np.bitwise_and: (operator.and_, "and"),
    np.bitwise_or: (operator.or_, "or"),
    np.bitwise_xor: (operator.xor, "xor"),
    np.left_shift: (operator.lshift, "lshift"),
    np.right_shift: (operator.rshift, "rshift"),
}
# What NumPy makes an array of numbers of, and not one object.
_PROTOCOLS = ("__array__", "__array_interface__", "__array_struct__")
_OF_SCALARS = -1e6


def applied(ufunc: np.ufunc, left: Any, right: Any, ours: Any) -> Value:
    """Return `left OP right`, of which `ours` is NumPy's; NotImplemented where the other one's class is asked next.

    Each element meets the object as Python's number. Of a scalar, that is the result; of an array it would be an array
    of objects. Raises `UnsupportedOperationError` for that, and where the class tells NumPy what to do.
    """
    other = right if left is ours else left
    kind, is_array = type(other), ours.abstract.kind is Kind.ARRAY
    asked = getattr(kind, "__array_ufunc__", other)
    if asked is None:
        return NotImplemented
    if asked is other:
        priority = getattr(other, "__array_priority__", _OF_SCALARS)
        if priority > (0.0 if is_array else _OF_SCALARS) or (ufunc in COMPARISONS and not is_array):
            return NotImplemented
        if ufunc in COMPARISONS and not _is_made_for(ufunc, kind):
            if ufunc not in _EQUALITIES:
                return NotImplemented
            return wrap.numpy_result(atoms.broadcast_to(atoms.literal(ufunc is np.not_equal), ours.abstract.shape))
        if ufunc in _OPERATORS and not _is_array(kind):
            operation, name = _OPERATORS[ufunc]
            if not is_array:
                number = of_numpy(ours.atom)
                return operation(number, other) if left is ours else operation(other, number)
            if not hasattr(kind, f"__{'r' if left is ours else ''}{name}__"):
                return NotImplemented
    raise UnsupportedOperationError(
        f"numpy.{ufunc.__name__} of {a('numpy.ndarray' if is_array else 'numpy scalar')} and {a(kind.__name__)} is not "
        f"supported in compiled code: NumPy does not ask the class {kind.__name__} about an array, but goes over the "
        "elements, and its result is an array of objects or what __array_ufunc__ says; give the class "
        "__array_ufunc__ = None, so that its own methods are asked, or write a loop over the elements"
    )


def _is_made_for(ufunc: np.ufunc, kind: type) -> bool:
    """Return whether a class has a comparison of its own, or is taken for an array of numbers."""
    names = ("__eq__", "__ne__") if ufunc in _EQUALITIES else ("__lt__", "__le__", "__gt__", "__ge__")
    return _is_array(kind) or any(getattr(kind, name) is not getattr(object, name) for name in names)


def _is_array(kind: type) -> bool:
    is_sequence = hasattr(kind, "__len__") and hasattr(kind, "__getitem__")
    return is_sequence or any(hasattr(kind, name) for name in _PROTOCOLS)


class NumPyLike(Tracer):
    """The base of traced NumPy scalars and arrays: ufuncs, the array protocols, methods, attributes."""

    __slots__ = ()

    def _binary(self, ufunc: np.ufunc, left: object, right: object) -> Value:
        made = apply_ufunc.operator(ufunc, left, right)
        if made is not NotImplemented:
            return made
        other = right if left is self else left
        is_no_operand = type(other) in _NO_OPERANDS
        if ufunc in _EQUALITIES and (is_no_operand or _is_table(other)):
            if type(other) in _TEXTS or self.abstract.kind is Kind.ARRAY:  # no element is equal to it
                return wrap.numpy_result(atoms.broadcast_to(atoms.literal(ufunc is np.not_equal), self.abstract.shape))
        elif is_no_operand:
            _refuse(ufunc, left, right)
        elif is_users_class(type(other)):
            return applied(ufunc, left, right, self)
        return NotImplemented

    def _unary(self, ufunc: np.ufunc) -> Value:
        return apply_ufunc.apply(ufunc, (self,))

    def __hash__(self) -> int:
        raise TypeError("unhashable type: 'numpy.ndarray'")

    def __matmul__(self, other: object) -> Value:
        if getattr(type(other), "__array_ufunc__", other) is None or self.__array_priority__ < getattr(
            type(other), "__array_priority__", 0.0
        ):
            return NotImplemented  # it has an operator of its own
        return registry.FUNCTIONS[np.matmul](self, other)

    def __rmatmul__(self, other: object) -> Value:
        return registry.FUNCTIONS[np.matmul](other, self)

    def __divmod__(self, other: object) -> Value:
        return NotImplemented if other is None else apply_ufunc.apply(np.divmod, (self, other))

    def __rdivmod__(self, other: object) -> Value:
        return NotImplemented if other is None else apply_ufunc.apply(np.divmod, (other, self))

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: object, **kwargs: object) -> Value:
        staged = registry.function_of(ufunc)
        if staged is None:
            numpys = getattr(np, ufunc.__name__, None) is ufunc
            name = f"numpy.{ufunc.__name__}" if numpys else f"the ufunc {ufunc.__name__}, which is not one of NumPy's,"
            raise UnsupportedOperationError(not_compiled(name))
        return (staged if method == "__call__" else getattr(staged, method))(*inputs, **kwargs)

    def __array_function__(
        self, function: Callable[..., object], types: Iterable[type], args: tuple[object, ...], kwargs: dict[str, Value]
    ) -> Value:
        staged = registry.FUNCTIONS.get(function)
        if staged is None:
            name = f"{function.__module__}.{function.__name__}"
            raise UnsupportedOperationError(f"{name} is not supported in compiled code")
        return staged(*args, **kwargs)

    def __array_namespace__(self, *, api_version: str | None = None) -> types.ModuleType:
        return device.namespace(api_version)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            # NumPy looks for its array interfaces in vain, then finds `__array__`, which refuses in clear words.
            raise AttributeError(name)
        if name in registry.PROPERTIES:
            return registry.PROPERTIES[name](self)
        if name in registry.METHODS:
            return self._method(name, registry.METHODS[name])
        if hasattr(np.ndarray, name):
            raise UnsupportedOperationError(f"numpy.ndarray.{name} is not supported in compiled code")
        if not isinstance(self, NumPyScalar):
            raise AttributeError(f"'numpy.ndarray' object has no attribute '{name}'")
        if hasattr(self.dtype.type, name):
            raise UnsupportedOperationError(f"{class_name(self)}.{name} is not supported in compiled code")
        raise AttributeError(f"'{class_name(self)}' object has no attribute '{name}'")

    def _method(self, name: str, function: Callable[..., object]) -> Callable[..., Any]:
        def call(*args: object, **kwargs: object) -> Value:
            if any(isinstance(value, UnionValue) for value in (*args, *kwargs.values())):
                written = _with_chosen_output(name, function, (self, *args), kwargs)
                if written is not None:
                    return written
                made = chosen_settings.each(function, _method_of_name(name), (self, *args), kwargs)
                if made is not UNKNOWN:
                    return made
            try:
                made = function(self, *args, **kwargs)
            except numpy_messages.FAILURES as error:
                numpy_messages.reraise(error, _method_of_name(name), self, *args, **kwargs)
                raise
            order = kwargs.get("order", args[0] if args else "C") if name == "copy" else kwargs.get("order")
            return memory_layout.noted(made, (self, *args), name, kwargs, order)

        return call

    @property
    def shape(self) -> tuple[int, ...]:
        return self.abstract.shape

    @property
    def dtype(self) -> np.dtype:
        return self.abstract.dtype

    @property
    def ndim(self) -> int:
        return len(self.abstract.shape)

    @property
    def size(self) -> int:
        return self.abstract.type.size

    @property
    def itemsize(self) -> int:
        return self.abstract.dtype.itemsize

    @property
    def nbytes(self) -> int:
        return self.size * self.itemsize


def _method_of_name(name: str) -> Callable[..., Any]:
    return lambda array, *args, **kwargs: getattr(array, name)(*args, **kwargs)


def _with_chosen_output(
    name: str, function: Callable[..., object], args: tuple[Value, ...], kwargs: dict[str, Value]
) -> Value:
    """The result of a method with `out=` that is one of a few arrays: of NumPy's function of its name, for each.

    None where there is no such output.
    """
    original = registry.FUNCTIONS.get(getattr(np, name, None))
    parameters = inspect.signature(function).parameters
    if original is None or "out" not in parameters or parameters["out"].kind is inspect.Parameter.POSITIONAL_ONLY:
        return None
    place = list(parameters).index("out")
    if place + 1 == len(args):
        args, kwargs = args[:place], {**kwargs, "out": args[place]}
    return original(*args, **kwargs) if isinstance(kwargs.get("out"), UnionValue) else None


_TEXTS = (str, bytes)
_SEQUENCES = (list, tuple, str, bytes, bytearray, collections.deque)
_FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType, type, types.ModuleType)
_NO_OPERANDS = (*_TEXTS, *_FUNCTIONS, type(None), dict, set, frozenset)
_EQUALITIES = (np.equal, np.not_equal)


def _is_table(value: object) -> bool:
    """Return whether a value stands for a dict or a set, which NumPy takes for one object."""
    return isinstance(value, RunTimeContainer) and issubclass(value.native, (dict, set, frozenset))


def _refuse(ufunc: np.ufunc, left: object, right: object) -> None:
    """Raise what NumPy raises for operands of Python's that are no numbers; a text repeated so many times is one."""
    if ufunc is np.multiply and (type(left) in _TEXTS or type(right) in _TEXTS):
        return
    numpy_messages.reraise(TypeError(f"{ufunc.__name__} of a value that is not a number"), ufunc, left, right)


class NumPyScalar(NumPyLike):
    """A traced `np.generic`: immutable, NumPy's semantics."""

    __slots__ = ("atom",)

    def __new__(cls, atom: Atom) -> NumPyScalar:
        return object.__new__(_class_of(atom.type.dtype.name))

    def __init__(self, atom: Atom) -> None:
        self.atom = atom

    @property
    def abstract(self) -> Abstract:
        type = self.atom.type
        return Abstract(type.shape, type.dtype, Kind.SCALAR)

    def _binary(self, ufunc: np.ufunc, left: Value, right: Value) -> Value:
        if ufunc is np.multiply and isinstance(right if left is self else left, _SEQUENCES):
            return self._repeating()
        if ufunc is np.add and right is self and type(left) is bytes:
            raise UnsupportedOperationError("bytes joined with the memory of a NumPy number known only at run time")
        if ufunc is np.add and right is self and isinstance(left, (str, Text)):
            raise TypeError(f'can only concatenate str (not "{type(self).__name__}") to str')
        if takes_complex(ufunc, left, right):
            return python_operators.binary(ufunc, left, python_scalar(right.atom))
        return super()._binary(ufunc, left, right)

    def __matmul__(self, _: object) -> Value:
        return NotImplemented  # an array on the other side says what is missing

    __rmatmul__ = __matmul__

    def _repeating(self) -> Value:
        """Leave it to Python to repeat a sequence so many times, which it does for integers alone."""
        if self.abstract.dtype.kind not in "iu":
            raise TypeError(f"can't multiply sequence by non-int of type 'numpy.{self.abstract.dtype.name}'")
        self.__index__()  # the count must be known
        return NotImplemented

    __hash__ = Tracer.__hash__

    def __getitem__(self, key: Value) -> Value:
        if type(key) is tuple and not key:
            return self
        try:
            return wrap.array_of(self.atom)[key]
        except AnabranchError:
            raise
        except (IndexError, TypeError, ValueError):
            raise IndexError("invalid index to scalar variable.") from None

    def __len__(self) -> int:
        raise TypeError(f"object of type '{type(self).__name__}' has no len()")

    def __iter__(self) -> NoReturn:
        if users_instruction()[0] in ("UNPACK_SEQUENCE", "UNPACK_EX"):
            raise TypeError(f"cannot unpack non-iterable {type(self).__name__} object")
        raise TypeError(f"'{type(self).__name__}' object is not iterable")

    def __round__(self, digits: object = None) -> Value:
        dtype = self.abstract.dtype
        if dtype.kind in "bc":
            raise TypeError(f"type numpy.{dtype.name} doesn't define __round__ method")
        rounded = registry.FUNCTIONS[np.round](self, 0 if digits is None else digits)
        if digits is not None:
            return rounded
        return python_conversions.to_int(
            python_scalar(atoms.convert(rounded.atom, np.float64 if dtype.kind == "f" else np.int64))
        )


@functools.cache
def _class_of(dtype: str) -> type[NumPyScalar]:
    """The class for scalars of a dtype. Messages of Python's name it: `must be str, not numpy.float64`."""
    return type(f"numpy.{dtype}", (NumPyScalar,), {"__slots__": (), "__module__": __name__})


def is_array(value: object) -> bool:
    """Return whether a value is an array, traced or not."""
    return isinstance(value, np.ndarray) or (isinstance(value, NumPyLike) and not isinstance(value, NumPyScalar))
