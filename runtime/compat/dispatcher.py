"""`Dispatcher`: a function compiled as by `jit`, with the attributes and options that Numba's have."""

from __future__ import annotations

import functools
import inspect
import types
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ParamSpec, TypeVar

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.api.generator_function import GeneratorFunction
from anabranch.runtime.api.jitted import Wrapped
from anabranch.runtime.api.options import JitOptions
from anabranch.runtime.config import checked
from anabranch.runtime.control.call import call
from anabranch.runtime.host.object_layout import call_as_method
from anabranch.runtime.tracing.builder import tracing
from anabranch.runtime.ufuncs.number_types import ArrayType, NumberType, Signature, Type, signatures
from anabranch.runtime.values import wrap
from anabranch.runtime.values.abstract import Kind
from anabranch.runtime.values.tracer import Tracer

# Options that ask for nothing that results could tell.
_WITHOUT_EFFECT = frozenset(
    ("nopython", "cache", "parallel", "nogil", "inline", "boundscheck", "debug", "pipeline_class", "looplift", "target",
     "no_cpython_wrapper", "no_cfunction_wrapper", "no_rewrites", "writable_args", "is_dynamic")
)  # fmt: skip
# `fastmath=True` lets the last digits differ. Programs that say so fill tables with `inf` all the same: of LLVM's flags
# those are left out with which anything may come of an infinity or a NaN.
_FLAGS = ("nsz", "arcp", "contract", "afn", "reassoc")
_warned: set[str] = set()


def settings(options: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of `jit` for the options of one of Numba's decorators; others are warned about, once."""
    found: dict[str, Any] = {}
    for name, value in options.items():
        if name == "fastmath":
            if value:
                found["fastmath"] = _FLAGS if value is True else tuple(sorted(value))
        elif name == "error_model":
            found["zero_division_errors"] = value != "numpy"
        elif name == "forceobj" and value:
            _warn(name, "forceobj=True is not kept: everything is compiled, or refused")
        elif name == "locals" and value:
            _warn(name, "locals=… is not kept: variables have the types of their values; write float32(x)")
        elif name not in _WITHOUT_EFFECT and name not in ("forceobj", "locals"):
            _warn(name, f"the option {name!r} is not one that anabranch knows; it has no effect")
    return found


def _warn(name: str, text: str) -> None:
    if name not in _warned:
        _warned.add(name)
        warnings.warn(f"anabranch.compat.numba: {text}", stacklevel=4)


P = ParamSpec("P")
R = TypeVar("R")
_CLASSES: dict[str, type] = {"float64": float, "int64": int, "bool": bool, "complex128": complex}


def jit(signature_or_function: Any = None, locals: Any = None, **options: Any) -> Any:
    """Compile a function, as `numba.jit` and `numba.njit`: bare, with options, with a signature or several.

    Numbers are cast to the types of a signature, arrays must have them; the result is cast to its type.

    Examples
    --------
    >>> from anabranch.compat.numba import njit
    >>> @njit("float64(float64)")
    ... def half(x):
    ...     return x / 2
    >>> half(3)
    1.5
    """
    chosen = settings({**options, "locals": locals})

    def made(function: Any) -> Any:
        if isinstance(function, (staticmethod, classmethod)):
            return type(function)(made(function.__func__))
        if isinstance(function, type):
            raise TypeError("njit takes a function; write jitclass above a class")
        plain = function.plain() if isinstance(function, Wrapped) else function
        compiled = TypedDispatcher if given else Dispatcher
        kind = Generating if inspect.isgeneratorfunction(plain) else compiled
        dispatcher = kind(plain, JitOptions(settings=checked(chosen)))
        dispatcher._typed = given
        return dispatcher

    is_function = signature_or_function is not None and not _is_signature(signature_or_function)
    given = () if is_function or signature_or_function is None else signatures(signature_or_function)
    return made(signature_or_function) if is_function else made


def _is_signature(given: object) -> bool:
    return isinstance(given, (str, Signature, list, tuple))


class Dispatcher(Wrapped[P, R]):
    """A compiled function with what Numba's have besides: `py_func`, `signatures`."""

    _typed: tuple[Signature, ...] = ()

    @property
    def py_func(self) -> Callable[P, R]:
        """The function as it was written."""
        return self.plain()

    @property
    def signatures(self) -> list[tuple[Type, ...]]:
        """The argument types of the signatures that were given."""
        return [one.args for one in self._typed]

    def again(self, options: JitOptions) -> Dispatcher[P, R]:
        """The same function, compiled in the same way with these options."""
        made = type(self)(self.plain(), options)
        made._typed = self._typed
        return made

    def compile(self, signature: Any) -> None:
        """Nothing: the first call with arguments of new types compiles."""

    def disable_compile(self, val: bool = True) -> None:
        """Nothing: signatures that were given say what arguments may be."""

    def recompile(self) -> None:
        """Forget what is compiled."""
        self.clear_cache()

    def _call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The call of which no executable is known by its types; arrays of the user's classes are arrays."""
        if not any(map(_is_users_array, (*args, *kwargs.values()))):
            return super()._call(args, kwargs)
        run: Callable[..., Any] = super().__call__
        return run(*map(_as_array, args), **{name: _as_array(value) for name, value in kwargs.items()})

    def __getstate__(self) -> Any:
        return super().__getstate__(), self._typed

    def __setstate__(self, state: Any) -> None:
        super().__setstate__(state[0])
        self._typed = state[1]


call_as_method(Dispatcher)


class TypedDispatcher(Dispatcher[P, R]):
    """One with signatures, to whose types arguments and the result are cast."""

    def __call__(self, /, *args: P.args, **kwargs: P.kwargs) -> R:
        """Return the result of the plain function, from compiled code."""
        signature, given = self._cast(args, kwargs)
        run: Callable[..., Any] = super().__call__
        made: R = _result(signature, run(*given))
        return made

    def __anabranch_cast__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, as other compiled code calls it: with its signature's types."""
        # No function: calls tell recursions by the code of functions, and all that have signatures would share one.
        run = function if isinstance(function, functools.partial) else functools.partial(call, self.plain())
        return functools.partial(self._run_typed, run)

    def _run_typed(self, run: Callable[..., Any], *args: Value, **kwargs: Value) -> Value:
        signature, given = self._cast(args, kwargs)
        return _result(signature, run(*given))

    def _cast(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Signature, list[Any]]:
        """The signature for arguments, and these in its types."""
        given = args
        if kwargs or not _takes_just(self.plain(), len(args)):
            bound = inspect.signature(self.plain()).bind(*args, **kwargs)
            bound.apply_defaults()
            given = bound.args
        fitting = [one for one in self._typed if len(one.args) == len(given)]
        name = getattr(self.plain(), "__name__", "function")
        if not fitting:
            raise TypeError(f"{name}() was given {len(given)} arguments, and no signature has so many")
        errors: list[TypeError] = []
        if len(fitting) > 1:
            fitting.sort(key=lambda one: -_score(one, given))
        for one in fitting:
            try:
                return one, [cast(type_, value) for type_, value in zip(one.args, given, strict=True)]
            except TypeError as error:
                errors.append(error)
        raise TypeError(f"no signature of {name}() fits: {errors[0]}") from None


class Generating(GeneratorFunction[P, R]):
    """A compiled generator function with what Numba's have besides."""

    _typed: tuple[Signature, ...] = ()

    @property
    def py_func(self) -> Callable[P, R]:
        """The function as it was written."""
        return self.plain()


def _takes_just(function: Any, count: int) -> bool:
    """Return whether a function has so many parameters, all of which may be passed by position."""
    if type(function) is not types.FunctionType or function.__dict__:
        return False
    code = function.__code__
    others = code.co_kwonlyargcount or code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS)
    return code.co_argcount == count and not others


def _score(signature: Signature, given: Sequence[Any]) -> int:
    """How well a signature fits: exact types count most, then casts that lose nothing."""
    total = 0
    for type_, value in zip(signature.args, given, strict=True):
        dtype = _dtype(value)
        if dtype is not None and isinstance(type_, (NumberType, ArrayType)):
            is_array = isinstance(type_, ArrayType)
            total += (
                100 if dtype == type_.element and is_array == _is_array(value) else np.can_cast(dtype, type_.element)
            )
    return total


def _is_array(value: Any) -> bool:
    if isinstance(value, Tracer):
        return wrap.is_dynamic_array(value) or value.abstract.kind is Kind.ARRAY
    return isinstance(value, np.ndarray)


def _is_users_array(value: object) -> bool:
    """Return whether a value is of a subclass of NumPy's arrays that is not NumPy's own."""
    cls = type(value)
    return cls is not np.ndarray and issubclass(cls, np.ndarray) and cls.__module__.partition(".")[0] != "numpy"


def _as_array(value: Any) -> Any:
    return value.view(np.ndarray) if _is_users_array(value) else value


def _dtype(value: Value) -> np.dtype | None:
    if wrap.is_dynamic_array(value):
        found: np.dtype = value.dtype
        return found
    if isinstance(value, Tracer):
        return value.abstract.dtype
    return np.asarray(value).dtype if isinstance(value, (bool, int, float, complex, np.generic, np.ndarray)) else None


def cast(type_: Type, value: Value) -> Any:
    """The value as one of this type, as a signature's argument is."""
    if not isinstance(value, Tracer):
        return type_.cast(value)
    if isinstance(type_, ArrayType) and _is_array(value):
        dtype, ndim = _dtype(value), len(getattr(value, "shape", ()))
        if dtype != type_.element or ndim != type_.ndim:
            raise TypeError(f"an array of {dtype} with {ndim} dimensions is passed for {type_}")
        return value
    if isinstance(type_, NumberType):
        if _is_array(value):
            raise TypeError(f"an array is passed for {type_}")
        return call(_CLASSES.get(type_.dtype.name, type_.dtype.type), value)
    return value


def _result(signature: Signature, made: Any) -> Any:
    """A result as the signature's type: a number of Python's, where it has one."""
    type_ = signature.return_type
    if not isinstance(type_, NumberType):
        return made
    return cast(type_, made) if tracing() else type_.cast(made)
