"""The base of traced values: Python's operators, and clear refusals where Python needs a concrete value."""

from __future__ import annotations

import operator
import re
import sys
import types
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.errors import ConcretizationError, UnsupportedOperationError
from anabranch.runtime.tracing.builder import current, tracing
from anabranch.runtime.tracing.source_frames import internal
from anabranch.runtime.values import atoms
from anabranch.runtime.values.abstract import WORD, Abstract, Kind, abstract_of
from anabranch.runtime.values.attributes import StandIn
from anabranch.runtime.values.static_requests import request_static, with_static_request

_BINARY = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "truediv": np.true_divide,
    "floordiv": np.floor_divide,
    "mod": np.remainder,
    "pow": np.power,
    "lshift": np.left_shift,
    "rshift": np.right_shift,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}
_COMPARE = {
    "lt": np.less,
    "le": np.less_equal,
    "eq": np.equal,
    "ne": np.not_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}
_UNARY = {"neg": np.negative, "pos": np.positive, "abs": np.absolute, "invert": np.invert}


_ARRAY = np.zeros(0)

# Where debuggers, tracebacks and test runners ask for a `repr`: modules of the standard library, and packages.
_TOOLS = re.compile(r"[/\\](?:(?:pdb|bdb|traceback)\.py$|(?:_pytest|IPython|pydevd\w*|_pydev\w*|debugpy)[/\\])")
_PRINTERS = re.compile(r"[/\\](?:pprint|reprlib)\.py$")
_TYPED = ("<stdin>", "<string>")
SHOWN = "<traced "  # how the `repr` of what stands for a run-time value begins


def shown_to_tools(text: str) -> str:
    """The text that `repr` returns for a stand-in of a run-time value: for messages, debuggers and test runners.

    Raises `ConcretizationError` where the user's own code asks for it (by "%r" or in a list): it would go on with a
    text of something else.
    """
    if _asked_by_a_tool(sys._getframe(2)):
        return text
    raise ConcretizationError(
        f"the text of a value is needed while tracing (by code that is not compiled), but {text} stands for a value "
        "known only at run time; use an f-string, str() or repr() in your own code"
    )


def _asked_by_a_tool(frame: types.FrameType | None) -> bool:
    """Return whether a `str` or `repr` is for a person to see: asked for by a tool, or by input at its prompt."""
    assert frame is not None
    if internal(frame.f_code.co_filename):
        return True
    while frame is not None and (_PRINTERS.search(name := frame.f_code.co_filename) or name in _TYPED):
        frame = frame.f_back
    return frame is not None and bool(_TOOLS.search(frame.f_code.co_filename))


class Tracer(StandIn):
    """A value known only at run time.

    Subclasses say what kind of object they stand for (`abstract`) and how an operator acts (`_binary`, `_unary`).
    """

    __slots__ = ()
    __array_priority__ = 1000.0
    word_: Any = None  # the word of 64 bits that one of Python's ints is
    # The operators, which are set below this class; of them these are used on values that may be plain numbers.
    __add__: Callable[[Tracer, Any], Any]
    __radd__: Callable[[Tracer, Any], Any]
    __sub__: Callable[[Tracer, Any], Any]
    __rsub__: Callable[[Tracer, Any], Any]
    __mul__: Callable[[Tracer, Any], Any]
    __rmul__: Callable[[Tracer, Any], Any]
    __floordiv__: Callable[[Tracer, Any], Any]
    __rfloordiv__: Callable[[Tracer, Any], Any]
    __mod__: Callable[[Tracer, Any], Any]
    __rmod__: Callable[[Tracer, Any], Any]

    @property
    def abstract(self) -> Abstract:
        raise NotImplementedError

    def __anabranch_sample__(self) -> object:
        known = self.abstract
        if known.kind is Kind.PYTHON:
            return known.python(0)
        return np.zeros((), known.dtype)[()] if known.kind is Kind.SCALAR else _ARRAY

    def _binary(self, ufunc: np.ufunc, left: Value, right: Value) -> Value:
        raise NotImplementedError

    def _unary(self, ufunc: np.ufunc) -> Value:
        raise NotImplementedError

    def _needs_concrete(self, need: str) -> NoReturn:
        if tracing():
            current().trace.requests.refusals += 1
            current().trace.outside.needs_plain()
        atom = atoms.held_by(self)
        request_static(atom, need)
        error = ConcretizationError(
            f"{need} is needed while tracing, but this {self.abstract} is known only at run time; make the argument "
            "it comes from static (static_argnames=...), or use an operation that takes run-time values"
        )
        raise with_static_request(error, atom, need)

    def __bool__(self) -> bool:  # noqa: PLE0304 - raises
        self._needs_concrete("a plain bool (by code that is not compiled)")

    def __int__(self) -> int:
        self._needs_concrete("a plain int")

    def __float__(self) -> float:
        self._needs_concrete("a plain float")

    def __complex__(self) -> complex:
        self._needs_concrete("a plain complex")

    def __index__(self) -> int:  # noqa: PLE0305 - raises
        if tracing():
            current().trace.requests.refusals += 1
            current().trace.outside.needs_plain()
        abstract = self.abstract
        if abstract.kind is Kind.ARRAY and (abstract.shape or abstract.dtype.kind not in "iu"):
            raise TypeError("only integer scalar arrays can be converted to a scalar index")
        if abstract.dtype.kind not in ("iub" if abstract.kind is Kind.PYTHON else "iu"):
            raise TypeError(f"'{type(self).__name__}' object cannot be interpreted as an integer")
        self._needs_concrete("a plain int (for a shape, a list index, or code that is not compiled)")

    def __array__(self, *_: object, **__: object) -> NoReturn:
        self._needs_concrete("a concrete ndarray")

    def __jax_array__(self) -> NoReturn:
        self.refuse_library("jax")

    @classmethod
    def __torch_function__(cls, *_: object, **__: object) -> NoReturn:
        cls.refuse_library("torch")

    @staticmethod
    def refuse_library(library: str) -> NoReturn:
        """Raise what tells that another library that traces or compiles has no use for such a value."""
        raise UnsupportedOperationError(
            f"a function or an array of {library} meets a value known only at run time, which {library} cannot use; "
            f"use NumPy's functions, and pass arrays of {library} as arguments"
        )

    def __copy__(self) -> Value:
        return self

    def __deepcopy__(self, memo: dict[int, Value]) -> Value:
        return self.__copy__()

    def __reduce__(self) -> NoReturn:
        self._needs_concrete("a picklable value")

    def __hash__(self) -> int:  # noqa: PLE0309 - raises
        if tracing():
            current().trace.tables.ask_for_places()
        self._needs_concrete("a hash (for a dict key or an element of a set)")

    # One of the two without the other would have Python ask for that one, too.
    def __setitem__(self, key: Value, value: Value) -> None:
        operator.setitem(self.__anabranch_sample__(), 0, 0)  # type: ignore[call-overload]  # raises what Python does

    def __delitem__(self, key: object) -> None:
        operator.delitem(self.__anabranch_sample__(), 0)  # type: ignore[call-overload]  # as above

    def __str__(self) -> str:
        return self._typed() or self._needs_concrete("the text of a value")

    def __format__(self, spec: str) -> str:
        return self._typed() or self._needs_concrete("the text of a value")

    def _typed(self) -> str | None:
        """The text for what was typed at a debugger's prompt."""
        caller = sys._getframe(2)
        return repr(self) if caller.f_code.co_filename in _TYPED and _asked_by_a_tool(caller) else None

    def __repr__(self) -> str:
        return shown_to_tools(f"{SHOWN}{self.abstract}>")


class DynamicShape(Tracer):
    """The base of arrays whose size is known only at run time."""

    __slots__ = ()


def _binary_method(ufunc: np.ufunc) -> Callable[[Tracer, Any], Any]:
    return lambda self, other: self._binary(ufunc, self, other)


def _power(self: Tracer, other: Value, modulus: Value = None) -> Value:
    if modulus is not None:
        raise no_modular_power(self, other, modulus)
    return self._binary(np.power, self, other)


def no_modular_power(*operands: object) -> TypeError:
    """The exception of `pow` of three operands that are not all Python's numbers."""
    words = ", ".join(f"'{class_name(x)}'" for x in operands)
    return TypeError(f"unsupported operand type(s) for ** or pow(): {words}")


def class_name(value: object) -> str:
    """The name of a value's class in Python's messages."""
    known = value.abstract if isinstance(value, Tracer) else abstract_of(value)
    if known is None or known.kind is Kind.PYTHON:
        return type(value).__name__
    return "numpy.ndarray" if known.kind is Kind.ARRAY else f"numpy.{known.dtype.name}"


def _reflected_method(ufunc: np.ufunc) -> Callable[[Tracer, Any], Any]:
    return lambda self, other: self._binary(ufunc, other, self)


def _unary_method(ufunc: np.ufunc) -> Callable[[Tracer], Any]:
    return lambda self: self._unary(ufunc)


for _name, _ufunc in _BINARY.items():
    setattr(Tracer, f"__{_name}__", _binary_method(_ufunc))
    setattr(Tracer, f"__r{_name}__", _reflected_method(_ufunc))
setattr(Tracer, "__pow__", _power)  # noqa: B010 - operators of a class are looked up by type checkers
for _name, _ufunc in _COMPARE.items():
    setattr(Tracer, f"__{_name}__", _binary_method(_ufunc))
for _name, _function in _UNARY.items():
    setattr(Tracer, f"__{_name}__", _unary_method(_function))
INPLACE = dict(_BINARY)
COMPARISONS = frozenset(_COMPARE.values())


def carried_abstract(value: object) -> Abstract | None:
    """The abstract value of a number or an array as it is carried: of an int beyond int64 that of a word."""
    if isinstance(value, Tracer):
        return value.abstract if value.word_ is None else WORD
    return WORD if type(value) is int and 2**63 <= value < 2**64 else abstract_of(value)
