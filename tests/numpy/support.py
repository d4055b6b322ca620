"""Call staged NumPy functions on traced arguments, run what was traced, and compare with NumPy."""

from __future__ import annotations

import dataclasses
import os
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from anabranch.runtime.ir import ArrayType, Program, evaluate
from anabranch.runtime.numpy import staged
from anabranch.runtime.trace import Trace, building
from anabranch.runtime.values import wrap
from anabranch.runtime.values.abstract import PYTHON_DTYPES
from anabranch.runtime.values.choice import ChoiceValue
from anabranch.runtime.values.python_scalar import PythonScalar
from anabranch.runtime.values.scalar import NumPyScalar
from anabranch.runtime.values.traced import Traced

# "evaluate": the ops' own NumPy evaluation; "xla": the lowered Program, compiled.
BACKEND = os.environ.get("ANABRANCH_TEST_BACKEND", "evaluate")


@dataclasses.dataclass(frozen=True, slots=True)
class Static:
    """An argument that stays an ordinary value."""

    value: Any


def _run(program: Program, arguments: Sequence[Any]) -> tuple[np.ndarray[Any, Any], ...]:
    if BACKEND == "evaluate":
        return evaluate(program, *arguments)
    from anabranch.runtime._jaxlib import compile_text
    from anabranch.runtime.lower import lower

    return tuple(map(np.asarray, compile_text(lower(program))(arguments)))


class _Call:
    """One traced call: its inputs, and how to turn what comes out into what eager code would hold."""

    def __init__(self) -> None:
        self.trace = Trace()
        self.arguments: list[np.ndarray[Any, Any]] = []
        self.inputs: list[tuple[np.ndarray[Any, Any], Any]] = []
        self.outputs: list[Any] = []

    def enter(self, x: Any) -> Any:
        """A traced value for a number or array; containers part by part."""
        if isinstance(x, Static):
            return x.value
        if isinstance(x, (list, tuple)) and not hasattr(x, "_fields"):
            return type(x)(map(self.enter, x))
        if type(x) in PYTHON_DTYPES and type(x) is not bool:
            return PythonScalar(self._formal(np.asarray(x, PYTHON_DTYPES[type(x)])))
        if isinstance(x, np.generic) and x.dtype.kind in "biufc":
            return NumPyScalar(self._formal(np.asarray(x)))
        if isinstance(x, np.ndarray) and x.dtype.kind in "biufc":
            handle = wrap.array_of(self._formal(np.array(x, order="C")))
            self.inputs.append((x, handle))
            return handle
        return x

    def _formal(self, array: np.ndarray[Any, Any]) -> Any:
        self.arguments.append(array)
        return self.trace.root.formal(ArrayType(array.shape, array.dtype))

    def output(self, atom: Any) -> int:
        self.outputs.append(self.trace.root.resolve(atom))
        return len(self.outputs) - 1

    def leave(self, value: Any) -> Callable[[Sequence[Any]], Any]:
        """How to build the eager counterpart of a result from the Program's outputs."""
        if isinstance(value, ChoiceValue):
            value = value.resolve()
        if isinstance(value, (list, tuple)):
            parts = [self.leave(v) for v in value]
            return lambda results: type(value)(p(results) for p in parts) if type(value) in (list, tuple) else tuple(
                p(results) for p in parts
            )
        if not isinstance(value, Traced):
            return lambda _: value
        index = self.output(value.atom)
        if isinstance(value, PythonScalar):
            return lambda results: results[index].item()
        if isinstance(value, NumPyScalar):
            return lambda results: results[index][()]
        return lambda results: np.asarray(results[index])

    def run(self, leave: Callable[[Sequence[Any]], Any]) -> tuple[Any, list[Any]]:
        root = self.trace.root
        with building(root):
            code, detail = self.output(root.read(self.trace.error_code)), self.output(root.read(self.trace.error_detail))
            changed = [self.output(handle.atom) for _, handle in self.inputs]
        program = Program(tuple(root.formals), tuple(root.equations), tuple(self.outputs))
        results = _run(program, self.arguments)
        if results[code]:
            raise self.trace.failures[int(results[code]) - 1].make(int(results[detail]))
        return leave(results), [results[i] for i in changed]


def staged_call(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """`function(*args, **kwargs)` with numbers and arrays traced; arrays written in place are written for real.

    `Static(x)` stays x. Keywords stay as they are unless they are arrays. `function` is looked up with `staged`, so both a
    NumPy function and one that is written against the staged namespace can be called.
    """
    call = _Call()
    with building(call.trace.root):
        entered = [call.enter(x) for x in args]
        named = {k: call.enter(v) if isinstance(v, (np.ndarray, np.generic, list)) else _plain(v) for k, v in kwargs.items()}
        target = staged(function) if function.__module__ is None or not hasattr(function, "__code__") else function
        target = staged(function)
        leave = call.leave(target(*entered, **named))
    value, changed = call.run(leave)
    for (original, _), new in zip(call.inputs, changed, strict=True):
        if original.flags.writeable and not np.array_equal(original, new):
            original[...] = new
    return value


def _plain(x: Any) -> Any:
    return x.value if isinstance(x, Static) else x


def eager_call(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """The same call with NumPy."""

    def strip(x: Any) -> Any:
        if isinstance(x, Static):
            return x.value
        return type(x)(map(strip, x)) if isinstance(x, (list, tuple)) and not hasattr(x, "_fields") else x

    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return function(*map(strip, args), **{k: strip(v) for k, v in kwargs.items()})


def assert_same(got: Any, wanted: Any, *, exact: bool = False) -> None:
    """Same kind of object, dtype, shape, and values (floats to within rounding)."""
    if isinstance(wanted, (list, tuple)):
        assert isinstance(got, (list, tuple)), f"{type(got)} for {type(wanted)}"
        assert len(got) == len(wanted)
        for g, w in zip(got, wanted, strict=True):
            assert_same(g, w, exact=exact)
        return
    kinds = [np.ndarray if isinstance(x, np.ndarray) else type(x) for x in (got, wanted)]
    assert kinds[0] is kinds[1], f"{kinds[0]} for {kinds[1]}: {got!r} for {wanted!r}"
    if not isinstance(wanted, (np.ndarray, np.generic, int, float, complex)):
        assert got == wanted
        return
    g, w = np.asarray(got), np.asarray(wanted)
    assert g.dtype == w.dtype, f"{g.dtype} for {w.dtype}"
    assert g.shape == w.shape, f"{g.shape} for {w.shape}"
    if w.dtype.kind not in "fc" or exact:
        np.testing.assert_array_equal(g, w)
        return
    eps = np.finfo(w.dtype).eps
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(g, w, rtol=64 * eps, atol=64 * eps)


def outcome(call: Callable[..., Any], function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """The result, or the exception that was raised."""
    try:
        return call(function, *args, **kwargs)
    except Exception as error:
        return error
