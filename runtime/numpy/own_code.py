"""NumPy's functions by NumPy's own code: that which is Python over other functions runs with the staged ones.

Such code asks for shapes, dtypes and other arguments, and never for elements. A function whose code asks for these has
a rule in the module of its family.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import numpy as np

from anabranch.base.code_objects import names
from anabranch.base.value import Value
from anabranch.runtime.numpy.namespace import staged
from anabranch.runtime.numpy.polynomial_series import is_instance
from anabranch.runtime.numpy.rules import Rules
from anabranch.runtime.values import passed_functions, registry

rules = Rules()

_forms: dict[types.CodeType, Callable[..., Any]] = {}


def _code_of(function: Any) -> types.FunctionType | None:
    """The Python code of one of NumPy's functions, below what asks other classes of arrays; None where it is in C."""
    code = getattr(function, "__wrapped__", function)
    return code if isinstance(code, types.FunctionType) and code.__module__.startswith("numpy.") else None


def _form_of(function: types.FunctionType) -> Callable[..., Any]:
    """The function with staged counterparts of what it refers to."""
    if function.__code__ not in _forms:
        made: dict[types.CodeType, Callable[..., Any]] = {}
        _make(function, made)
        _forms.update(made)  # now that they are complete: other threads trace, too
    return _forms[function.__code__]


def _make(function: types.FunctionType, made: dict[types.CodeType, Callable[..., Any]]) -> Callable[..., Any]:
    """Make the form of a function, and of those that it calls, itself among them where it does."""
    code, own = function.__code__, function.__globals__
    if code not in made:
        scope: dict[str, Any] = {"isinstance": is_instance, "__name__": function.__module__}
        form = types.FunctionType(_as_ours(code), scope, function.__name__, function.__defaults__)
        form.__kwdefaults__ = function.__kwdefaults__
        made[code] = form
        scope.update({name: _counterpart(own[name], made) for name in names(code) if name in own})
    return made[code]


def _as_ours(code: types.CodeType) -> types.CodeType:
    """The code as if it stood in this file: what it computes comes from the line of the user's that calls it."""
    parts = (_as_ours(part) if isinstance(part, types.CodeType) else part for part in code.co_consts)
    return code.replace(co_filename=__file__, co_consts=tuple(parts))


def _counterpart(value: Any, made: dict[types.CodeType, Callable[..., Any]]) -> Value:
    if isinstance(value, type) or not (callable(value) or isinstance(value, types.ModuleType)):
        return value
    helper = None if registry.function_of(value) is not None else _code_of(value)
    if helper is None:
        return staged(value)
    return _HELPERS[helper.__name__](helper) if helper.__name__ in _HELPERS else _make(helper, made)


def _as_array(a: Value) -> tuple[Value, Callable[[Value], Value]]:
    """An array, and what makes the result one of its class: there is one class of traced arrays."""
    return staged(np.asarray)(a), lambda made: made


# Helpers of NumPy's that have another form: from NumPy's own, which is right where it looks at shapes alone.
_HELPERS: dict[str, Callable[[Callable[..., object]], Callable[..., Any]]] = {
    "_makearray": lambda _: _as_array,
    "_multi_dot_matrix_chain_order": lambda own: own,
}


def _argument(value: Value) -> Value:
    is_function = callable(value) and not isinstance(value, type)
    return passed_functions.called(value) if is_function else value


def _rule(original: Callable[..., object]) -> Callable[..., Any]:
    code = _code_of(original)
    assert code is not None

    def rule(*args: Value, **kwargs: Value) -> Value:
        return _form_of(code)(*map(_argument, args), **{name: _argument(x) for name, x in kwargs.items()})

    return rule


_OF_ANY_SHAPE: tuple[Callable[..., object], ...] = (
    np.column_stack, np.dsplit, np.expand_dims, np.flip, np.fliplr, np.flipud, np.hsplit, np.matrix_transpose,
    np.moveaxis, np.rollaxis, np.unstack, np.vsplit,
    np.angle, np.i0, np.isclose, np.iscomplex, np.isreal, np.nan_to_num, np.sinc, np.sort_complex,
    np.corrcoef, np.extract, np.flatnonzero, np.intersect1d, np.trapezoid, np.union1d,
    np.fft.fftshift, np.fft.ifftshift, np.linalg.matrix_transpose, np.linalg.tensordot, np.linalg.trace,
)  # fmt: skip
_OF_STATIC_SHAPE: tuple[Callable[..., object], ...] = (
    np.fft.fft2, np.fft.fftn, np.fft.ifftn, np.fft.ihfft, np.fft.irfftn, np.fft.rfft2, np.fft.rfftn,
    np.linalg.diagonal, np.linalg.matrix_norm, np.linalg.matrix_power, np.linalg.multi_dot, np.linalg.pinv,
    np.linalg.svdvals, np.linalg.tensorinv, np.linalg.tensorsolve, np.linalg.vecdot, np.linalg.vector_norm,
    np.polyadd, np.polyder, np.polyint, np.polysub, np.polyval,
    np.apply_over_axes, np.diag_indices_from, np.fill_diagonal, np.histogram2d, np.tril_indices_from,
    np.triu_indices_from, np.unwrap,
)  # fmt: skip
for _original in _OF_ANY_SHAPE:
    rules.any_shape(_original)(_rule(_original))
for _original in _OF_STATIC_SHAPE:
    rules.implements(_original)(_rule(_original))
