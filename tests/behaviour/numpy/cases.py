"""Call staged NumPy functions on traced arguments, run what was traced, and compare with NumPy."""

from __future__ import annotations

import dataclasses
import os
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from anabranch.runtime.call.raise_failure import raise_failure
from anabranch.runtime.errors import AnabranchError, StructureMismatchError, UnsupportedOperationError
from anabranch.runtime.frontend.surroundings import Surroundings
from anabranch.runtime.guards.guards import Guards
from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.interpret import evaluate
from anabranch.runtime.ir.program import Program
from anabranch.runtime.lower import lower
from anabranch.runtime.numpy import namespace, staged
from anabranch.runtime.tracing.builder import Trace, building
from anabranch.runtime.values import wrap
from anabranch.runtime.values.abstract import PYTHON_DTYPES
from anabranch.runtime.values.arrays.numpy_scalar import NumPyScalar
from anabranch.runtime.values.python_numbers.python_scalar import PythonScalar
from anabranch.runtime.values.tracer import Tracer
from anabranch.runtime.values.union import UnionValue
from anabranch.runtime.xla.compiler import compile_text

NDArray = np.ndarray[Any, Any]
Results = Sequence[NDArray]
# "evaluate" runs the ops' own NumPy evaluation, "xla" the lowered and compiled Program.
BACKEND = os.environ.get("ANABRANCH_TEST_BACKEND", "evaluate")


@dataclasses.dataclass(frozen=True, slots=True)
class Static:
    """An argument that stays an ordinary value."""

    value: Any


class _Call:
    """One traced call: its inputs, and how to turn what comes out into what eager code would hold."""

    def __init__(self) -> None:
        self.trace = Trace(Surroundings(Guards(None), lambda cls: None))
        self.arguments: list[NDArray] = []
        self.inputs: list[tuple[NDArray, Any]] = []
        self.outputs: list[Any] = []

    def enter(self, x: Any) -> Any:
        """A traced value for a number or array; containers part by part."""
        if isinstance(x, Static):
            return x.value
        if type(x) in (list, tuple):
            return type(x)(map(self.enter, x))
        if type(x) in (int, float, complex):
            return PythonScalar(self._formal(np.asarray(x, PYTHON_DTYPES[type(x)])))
        if isinstance(x, (np.number, np.bool_)):
            return NumPyScalar(self._formal(np.asarray(x)))
        if isinstance(x, np.ndarray):
            handle = wrap.array_of(self._formal(np.array(x, order="C")))
            self.inputs.append((x, handle))
            return handle
        return x

    def _formal(self, array: NDArray) -> Any:
        self.arguments.append(array)
        return self.trace.root.formal(ArrayType(array.shape, array.dtype))

    def output(self, atom: Any) -> int:
        self.outputs.append(self.trace.root.resolve(atom))
        return len(self.outputs) - 1

    def leave(self, value: Any) -> Callable[[Results], Any]:
        """How to build the eager counterpart of a result from the Program's outputs."""
        if isinstance(value, UnionValue):
            return self._choice(value)
        if isinstance(value, (list, tuple)):
            parts, kind = [self.leave(v) for v in value], list if isinstance(value, list) else tuple
            return lambda results: kind(p(results) for p in parts)
        if not isinstance(value, Tracer):
            return lambda _: value
        if wrap.is_dynamic_array(value):
            structure = value.__anabranch_structure__()
            parts = [self.leave(v) for v in structure.children(value)]
            return lambda results: structure.build([p(results) for p in parts])
        index = self.output(value.atom)
        if isinstance(value, PythonScalar):
            return lambda results: results[index].item()
        if isinstance(value, NumPyScalar):
            return lambda results: results[index][()]
        return lambda results: np.asarray(results[index])

    def _choice(self, value: UnionValue) -> Callable[[Results], Any]:
        """One value where one can hold each of the options, else the option that was chosen."""
        try:
            return self.leave(value.resolve())
        except StructureMismatchError:
            tag, options = self.output(value.tag), [self.leave(o) for o in value.options]
            return lambda results: options[int(results[tag])](results)

    def run(self, leave: Callable[[Results], Any]) -> Any:
        """Run the Program, write what it changed, raise what it raised."""
        root, trace = self.trace.root, self.trace
        with building(root):
            code = self.output(root.read(trace.failures.error_code))
            details = {s: self.output(root.read(s)) for s in trace.failures.details.values()}
            changed = [(x, self.output(handle.atom)) for x, handle in self.inputs]
        program = Program(tuple(root.formals), tuple(root.equations), tuple(self.outputs))
        results = _backend(program, self.arguments)
        if results[code]:
            raise_failure(trace.failures.numbered[int(results[code]) - 1], {s: results[i] for s, i in details.items()})
        for original, index in changed:
            if original.size and original.flags.writeable and original.tobytes() != results[index].tobytes():
                original[...] = results[index]
        return leave(results)


def _backend(program: Program, arguments: Sequence[Any]) -> Results:
    if BACKEND == "evaluate":
        return evaluate(program, *arguments)
    return [np.asarray(x) for x in compile_text(lower(program))(arguments)]


def staged_call(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """The staged counterpart of a NumPy function, with numbers and arrays traced; arrays are written in place.

    `Static(x)` stays x; of the keywords only arrays are traced.
    """
    return _staged(staged(function), args, kwargs)


def _staged(target: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    call = _Call()
    with building(call.trace.root):
        entered = [call.enter(x) for x in args]
        named = {k: call.enter(v) if isinstance(v, np.ndarray) else _strip(v) for k, v in kwargs.items()}
        leave = call.leave(target(*entered, **named))
    return call.run(leave)


def eager_call(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """The same call with NumPy."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return function(*map(_strip, args), **{k: _strip(v) for k, v in kwargs.items()})


def _strip(x: Any) -> Any:
    if isinstance(x, Static):
        return x.value
    return type(x)(map(_strip, x)) if type(x) in (list, tuple) else x


def _fresh(x: Any) -> Any:
    if isinstance(x, np.ndarray):
        return x.copy()
    return type(x)(map(_fresh, x)) if type(x) in (list, tuple) else x


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Case:
    """One call; `refused` is a part of the message where it is not staged."""

    function: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    refused: str | None = None

    def __str__(self) -> str:
        parts = [_short(x) for x in self.args] + [f"{k}={_short(v)}" for k, v in self.kwargs.items()]
        return f"{_name(self.function)}({', '.join(parts)})"

    def check(self) -> None:
        """Assert that the staged call does what NumPy does: result, arguments written, exception."""
        mine, theirs = _fresh(list(self.args)), _fresh(list(self.args))
        got = outcome(staged_call, self.function, *mine, **self.kwargs)
        if self.refused is not None:
            assert isinstance(got, UnsupportedOperationError), repr(got)
            assert self.refused in str(got)
            return
        wanted = outcome(eager_call, self.function, *theirs, **self.kwargs)
        compare(got, wanted)
        if not isinstance(wanted, Exception):
            compare(mine, theirs)


def _name(function: Any) -> str:
    return getattr(function, "__qualname__", getattr(function, "__name__", str(function)))


def _short(x: Any) -> str:
    if isinstance(x, np.ndarray):
        return f"{x.dtype}{list(x.shape)}".replace(" ", "")
    if isinstance(x, (list, tuple)):
        return "[" + ",".join(map(_short, x)) + "]"
    return repr(x.value) if isinstance(x, Static) else f"traced {x!r}"


class Table:
    """Cases of a family of functions."""

    def __init__(self) -> None:
        self.cases: list[Case] = []

    def __call__(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
        """Add a case."""
        self.cases.append(Case(function, args, kwargs))

    def refuses(self, message: str, function: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
        """Add a case that is not staged."""
        self.cases.append(Case(function, args, kwargs, message))

    def names(self) -> list[str]:
        """The functions that have cases."""
        return sorted({_name(case.function) for case in self.cases})

    def check(self, name: str) -> None:
        """Assert all cases of a function; the report names those that fail."""
        failures = []
        for case in self.cases:
            if _name(case.function) == name:
                try:
                    case.check()
                except AssertionError as error:
                    failures.append(f"{case}: {error}")
        assert not failures, f"{len(failures)} cases differ\n" + "\n".join(failures[:20])


def outcomes(program: Callable[..., Any], *args: Any) -> tuple[Any, Any, list[Any], list[Any]]:
    """Return what `program(np, *args)` gives, staged and by NumPy, and the arguments of each afterwards."""
    mine, theirs = _fresh(list(args)), _fresh(list(args))
    got = outcome(lambda: _staged(lambda *xs: program(namespace, *xs), mine, {}))
    return got, outcome(eager_call, program, np, *theirs), mine, theirs


def check_program(program: Callable[..., Any], *args: Any) -> None:
    """Assert that `program(np, *args)` does the same with the staged namespace as with NumPy."""
    got, wanted, mine, theirs = outcomes(program, *args)
    compare(got, wanted)
    if not isinstance(wanted, Exception):
        compare(mine, theirs)


def outcome(call: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """The result, or the exception that was raised."""
    try:
        return call(*args, **kwargs)
    except Exception as error:
        return error


def compare(got: Any, wanted: Any, rounding: int = 64) -> None:
    """Assert the same exception, or the same kind of object, dtype, shape and values (floats to within rounding)."""
    if isinstance(wanted, Exception) or isinstance(got, Exception):
        # The project's own errors are subclasses of what NumPy raises.
        same = isinstance(got, type(wanted)) if isinstance(got, AnabranchError) else type(got) is type(wanted)
        if not same:
            raise AssertionError(f"{got!r} for {wanted!r}") from (got if isinstance(got, Exception) else None)
        return
    if isinstance(wanted, (list, tuple)):
        assert isinstance(got, (list, tuple)), f"{type(got)} for {type(wanted)}"
        assert len(got) == len(wanted)
        for g, w in zip(got, wanted, strict=True):
            compare(g, w, rounding)
        return
    if not isinstance(wanted, (np.ndarray, np.generic, int, float, complex)):
        assert got == wanted
        return
    kinds = [np.ndarray if isinstance(x, np.ndarray) else type(x) for x in (got, wanted)]
    assert kinds[0] is kinds[1], f"{kinds[0]} for {kinds[1]}: {got!r} for {wanted!r}"
    _compare_values(np.asarray(got), np.asarray(wanted), rounding)


def _compare_values(got: NDArray, wanted: NDArray, rounding: int) -> None:
    assert got.dtype == wanted.dtype, f"{got.dtype} for {wanted.dtype}"
    assert got.shape == wanted.shape, f"{got.shape} for {wanted.shape}"
    if wanted.dtype.kind not in "fc":
        np.testing.assert_array_equal(got, wanted)
        return
    slack = rounding * float(np.finfo(wanted.dtype).eps)
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(got, wanted, rtol=slack, atol=slack)
