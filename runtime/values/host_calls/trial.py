"""Trials of host calls while tracing, which tell the structure of their results.

A trial is made with the values of the call that is traced for, and where these are not known, or no result comes of
them, with others of the same types.
"""

from __future__ import annotations

import contextlib
import io
import random
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.program import Atom, Equation, Literal, Var
from anabranch.runtime.ops.host_call import RefusedError, ViewError, host_call
from anabranch.runtime.ops.structured import Loop
from anabranch.runtime.tracing.builder import Builder, current, tracing_nothing
from anabranch.runtime.values.host_calls.prepared_call import Trial

# Makes the call with these arrays for its run-time values.
Fill = Callable[[ArrayType], np.ndarray]
Run = Callable[[Sequence[np.ndarray]], Value]


def result_of(name: str, run: Run, inputs: Sequence[Atom]) -> Value:
    """The result of a trial.

    A call whose own values are known, and which raises as all others do, is staged as well: it will raise.

    Raises `UnsupportedOperationError` where no trial gives a result. Raises `TypeError` where the arguments do not fit
    the function, whatever their values are.
    """
    builder = current()
    known = _values_of(builder, [builder.resolve(atom) for atom in inputs])
    errors: list[Exception] = []
    for given, fill in _attempts(known):
        arrays = [fill(atom.type) if value is None else value for atom, value in zip(inputs, given, strict=True)]
        try:
            return _tried(name, run, arrays)
        except ViewError:
            raise
        except RefusedError as error:
            raise UnsupportedOperationError(str(error)) from None
        except Exception as error:
            errors.append(error)
    said = {(type(error), str(error)) for error in errors}
    if len(said) == 1 and isinstance(errors[0], TypeError):
        raise errors[0].with_traceback(None)
    if not any(value is None for value in known):
        return _RAISED
    raise UnsupportedOperationError(
        f"what {name} returns is not known while tracing: called with values of these types it raises "
        f"{type(errors[0]).__name__}: {errors[0]}; call it in a function of your own with "
        "@anabranch.host(result=...), which says what the result is"
    )


# Of a call that raises, no result is known; where a later one with other values returns no float, that is refused then.
_RAISED = Trial(0.0, (), frozenset(), holds=False)


def _attempts(known: list[np.ndarray | None]) -> Iterator[tuple[list[np.ndarray | None], Fill]]:
    """The values that are known with each of the fills, then the fills alone."""
    for fill in _FILLS if any(value is None for value in known) else _FILLS[:1]:
        yield known, fill
    if any(value is not None for value in known):
        for fill in _FILLS:
            yield [None] * len(known), fill


def now(name: str, function: Callable[..., Any], args: tuple[Value, ...], kwargs: dict[str, Value]) -> Value:
    """The result of a call of a library's function with values that are known.

    Raises `UnsupportedOperationError` where it draws from global generators of random numbers.
    """
    try:
        with _drawing_nothing(name):
            return function(*args, **kwargs)
    except RefusedError as error:
        raise UnsupportedOperationError(str(error)) from None


def _tried(name: str, run: Run, arrays: Sequence[np.ndarray]) -> Value:
    with _unseen(name):
        return run(arrays)


@contextlib.contextmanager
def _unseen(name: str) -> Iterator[None]:
    """Around a trial: nothing is traced, printed or warned of, and no random numbers may be drawn."""
    with (
        _drawing_nothing(name),
        tracing_nothing(),
        warnings.catch_warnings(),
        contextlib.redirect_stdout(io.StringIO()),
    ):
        warnings.simplefilter("ignore")
        yield


@contextlib.contextmanager
def _drawing_nothing(name: str) -> Iterator[None]:
    """Around a call while tracing: it may not draw from global generators of random numbers.

    Raises `RefusedError` where it does.
    """
    drawn = _generators()
    yield
    if _generators() == drawn:
        return
    if "numpy.random" in sys.modules and drawn[0] is not None:
        np.random.set_state(drawn[0][1])
    random.setstate(drawn[1])
    raise RefusedError(
        f"{name} draws from a global generator of random numbers, and would do so once more in compiled code; pass a "
        "seed or a generator to it, outside of the compiled function, and pass its result"
    )


class _State(tuple[Any, ...]):
    """The state of NumPy's global generator, and its bytes to compare."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _State) and bool(self[0] == other[0])

    __hash__ = None  # type: ignore[assignment]


def _generators() -> tuple[Any, Any]:
    """The states of the global generators."""
    numpys = None
    if "numpy.random" in sys.modules:
        state: Any = np.random.get_state()
        numpys = _State(((state[0], state[1].tobytes(), *state[2:]), state))
    return numpys, random.getstate()


def _rising(type: ArrayType) -> np.ndarray:
    """Values that rise; those of a square matrix are symmetric, and positive definite."""
    shape, size = type.shape, type.size
    if type.dtype.kind == "b":
        return np.ones(shape, type.dtype)
    if len(shape) >= 2 and shape[-1] == shape[-2]:
        matrix = np.eye(shape[-1]) * (shape[-1] + 1) + 1
        return np.broadcast_to(matrix, shape).astype(type.dtype)
    if type.dtype.kind in "iu":
        return (np.arange(size).reshape(shape) if shape else np.full(shape, 2)).astype(type.dtype)
    values = (np.arange(1, size + 1) / (size + 1)).reshape(shape)
    return np.asarray(values, type.dtype)


_FILLS: tuple[Fill, ...] = (
    _rising,
    lambda type: np.ones(type.shape, type.dtype),
    lambda type: np.zeros(type.shape, type.dtype),
    lambda type: -_rising(type) if type.dtype.kind in "ifc" else _rising(type),
)


def _values_of(builder: Builder, atoms: Sequence[Atom]) -> list[np.ndarray | None]:
    """The values of atoms; None for one that loops decide, or steps of a loop."""
    memo = builder.trace.host_calls.values
    with tracing_nothing(), np.errstate(all="ignore"):
        _find(builder, [atom for atom in atoms if isinstance(atom, Var)], memo)
    return [atom.value if isinstance(atom, Literal) else memo.get(atom) for atom in atoms]


def _find(builder: Builder, wanted: Sequence[Var], memo: dict[Var, np.ndarray]) -> None:
    """Evaluate what some values of a builder need."""
    needed = {var for var in wanted if var not in memo}
    plan: list[Equation] = []
    for equation in reversed(builder.equations):
        if not needed.isdisjoint(equation.outputs):
            plan.append(equation)
            needed.update(a for a in equation.inputs if isinstance(a, Var) and a not in memo)
    _from_outside(builder, needed, memo)
    for equation in reversed(plan):
        if not _can_be_told(equation):
            continue
        inputs = [a.value if isinstance(a, Literal) else memo.get(a) for a in equation.inputs]
        if any(x is None for x in inputs):
            continue
        try:
            made = equation.op.evaluate(*inputs, **equation.params)
        except Exception:  # of values that the program would have left before
            continue
        memo.update(zip(equation.outputs, map(np.asarray, made), strict=True))


def _from_outside(builder: Builder, needed: set[Var], memo: dict[Var, np.ndarray]) -> None:
    """Find the values of a builder's inputs."""
    parent = builder.parent
    if parent is None:
        known = builder.trace.outside.input_values()
        for formal, value in zip(builder.formals, known, strict=False):
            if formal in needed and value is not None:
                memo[formal] = np.asarray(value, formal.type.dtype).reshape(formal.type.shape)
        return
    outer: dict[Var, Any] = {}
    for var in needed:
        if var in builder.origins:
            outer[var] = builder.origins[var]
        elif var in builder.memories:
            outer[var] = parent.read(builder.memories[var])
    _find(parent, [atom for atom in outer.values() if isinstance(atom, Var)], memo)
    for var, atom in outer.items():
        value = atom.value if isinstance(atom, Literal) else memo.get(atom)
        if value is not None:
            memo[var] = value


def _can_be_told(equation: Equation) -> bool:
    """Return whether an equation is evaluated at once, without effects."""
    if equation.op is host_call:
        return not equation.params["call"].is_ordered
    if not equation.op.pure or isinstance(equation.op, Loop):
        return False
    return all(_can_be_told(inner) for program in equation.programs() for inner in program.equations)
