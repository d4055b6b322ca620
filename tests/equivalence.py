"""The plain function run eagerly against the jitted one: results, mutations, printed text and exceptions alike."""

from __future__ import annotations

import collections
import copy
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from anabranch import jit
from anabranch.runtime import check as checker, ir
from anabranch.runtime.equivalence.outcomes import Outcome as Outcome
from anabranch.runtime.values.containers import attributes


def check(
    function: Callable[..., Any],
    *args: Any,
    rtol: float = 1e-12,
    promoted: bool = False,
    static: tuple[str, ...] = (),
    **kwargs: Any,
) -> Any:
    """Assert that `jit(function)` does what `function` does; gives the jitted result.

    `promoted` allows the documented promotion of an int to a float where branches or loop steps differ in type.
    """
    wrapped = jit(function, static_argnames=static)
    want, got = Outcome(function, args, kwargs), Outcome(wrapped, args, kwargs)
    if want.error is not None:
        assert got.error is not None, f"eager raises {want.error!r}, jitted gives {got.value!r}"
        assert isinstance(got.error, type(want.error)), f"eager raises {want.error!r}, jitted {got.error!r}"
        return got.error
    if got.error is not None:
        raise got.error
    same(want.value, got.value, "the result", rtol, promoted)
    same(want.args, got.args, "the arguments", rtol, False)
    same(want.kwargs, got.kwargs, "the arguments", rtol, False)
    assert sharing(want.value, want.args) == sharing(got.value, got.args)
    assert want.text == got.text
    _check_stages(wrapped, args, kwargs, want, rtol, promoted)
    return got.value


def _check_stages(
    wrapped: Any, args: tuple[Any, ...], kwargs: dict[str, Any], want: Outcome, rtol: float, promoted: bool
) -> None:
    """The Program is well-formed, before and after optimisation, and its NumPy evaluation gives the result, too."""
    args, kwargs = copy.deepcopy((args, kwargs))
    traced = wrapped.trace(*args, **kwargs)
    checker.check(traced.program)
    lowered = traced.lower()
    checker.check(lowered.program)
    key, leaves, _ = wrapped._signature(args, kwargs)
    del key
    for array in traced.plan.hoisted:
        leaves.hoist(array)
    outputs = ir.evaluate(traced.program, *leaves.buffers())
    value = traced.plan.finish([np.array(o) for o in outputs], leaves)
    same(want.value, value, "the result of the NumPy evaluation", rtol, promoted)


def sharing(value: Any, args: Any) -> dict[str, str]:
    """Which lists, dicts and objects of the arguments and the result are one: path -> the first path to the object."""
    first: dict[int, str] = {}
    found: dict[str, str] = {}

    def walk(part: Any, path: str) -> None:
        parts = _parts(part)
        if parts is None:
            return
        if not isinstance(part, tuple) and not getattr(type(part), "__dataclass_params__", _THAWED).frozen:
            known = first.setdefault(id(part), path)
            if known != path:
                found[path] = known
                return
        for key, child in parts.items():
            walk(child, f"{path}[{key!r}]")

    walk(args, "arguments")
    walk(value, "result")
    return found


_THAWED = types.SimpleNamespace(frozen=False)


def _parts(value: Any) -> dict[Any, Any] | None:
    if isinstance(value, dict):
        return value
    if isinstance(value, (list, tuple, collections.deque)):
        return dict(enumerate(value))
    if isinstance(value, (np.ndarray, np.generic, type)) or callable(value):
        return None
    return attributes(value) or None


def same(want: Any, got: Any, where: str, rtol: float, promoted: bool, around: tuple[Any, ...] = ()) -> None:
    """Assert that two results are alike in type, structure, dtype, shape and value; `around` is what they are in."""
    if any(want is outer for outer in around):
        return
    if promoted and isinstance(want, (int, float, np.generic)) and type(want) is not type(got):
        assert np.result_type(np.asarray(want), np.asarray(got)) == np.asarray(got).dtype, (
            f"{where}: {want!r} against {got!r}"
        )
        want = type(got)(want)
    assert type(want) is type(got), f"{where}: {type(want).__name__} {want!r} against {type(got).__name__} {got!r}"
    if isinstance(want, dict):
        assert getattr(want, "default_factory", None) is getattr(got, "default_factory", None)
        assert list(want) == list(got), f"{where}: keys {list(want)} against {list(got)}"
        for key in want:
            same(want[key], got[key], f"{where}[{key!r}]", rtol, promoted, (*around, want))
    elif isinstance(want, (tuple, list, collections.deque)):
        assert getattr(want, "maxlen", None) == getattr(got, "maxlen", None)
        assert len(want) == len(got), f"{where}: {want!r} against {got!r}"
        for i, (a, b) in enumerate(zip(want, got, strict=True)):
            same(a, b, f"{where}[{i}]", rtol, promoted, (*around, want))
    elif isinstance(want, (np.ndarray, np.generic)):
        assert want.dtype == got.dtype, f"{where}: dtype {want.dtype} against {got.dtype}"
        assert want.shape == got.shape, f"{where}: shape {want.shape} against {got.shape}"
        exact = want.dtype.kind in "biu"
        np.testing.assert_allclose(got, want, rtol=0 if exact else rtol, atol=0 if exact else 1e-300, err_msg=where)
    elif isinstance(want, float) or isinstance(want, complex):
        np.testing.assert_allclose(got, want, rtol=rtol, err_msg=where)
    elif isinstance(want, BaseException):
        same((want.args, attributes(want)), (got.args, attributes(got)), where, rtol, promoted, (*around, want))
    elif attributes(want) and not callable(want):
        same(attributes(want), attributes(got), where, rtol, promoted, (*around, want))
    else:
        assert want == got, f"{where}: {want!r} against {got!r}"
